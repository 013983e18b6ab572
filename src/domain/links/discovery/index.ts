import type { Adapter } from '../../../adapter/adapter.ts';
import { kindOf } from '../../../adapter/adapters.ts';
import type { Found } from '../../../adapter/device.ts';
import type { LinkKey, LinkOf, Session } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Host } from '../../../db/host.ts';
import {
  CONFIRMED_MS,
  type DeviceRow,
  type Devices,
  type Evidence,
  type Relisted,
} from '../../devices/devices/index.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Links } from '../links/index.ts';
import { createListStore, type DueList } from './store.ts';

/** What a vendor says of a link's devices now. */
interface Listing {
  readonly found: readonly Found[];
  /** When it was asked. */
  readonly began: number;
  readonly evidence: ReadonlyMap<string, Evidence>;
}

type Lists = NonNullable<Adapter['list']>;

/** Missing devices that are asked about for one list; the others wait for the next one. */
const MOST_ASKED = 20;

/** Lists a link, and asks about the devices that have been missing for a while: a list alone may be half of one. */
async function listLink(
  adapter: Adapter & { readonly list: Lists },
  session: Session,
  { known, clock }: { readonly known: readonly DeviceRow[]; readonly clock: Clock },
): Promise<Listing> {
  const began = clock.now();
  const found = await adapter.list(session, known);
  const listed = new Set(found.map(({ id }) => id));
  const doubtful = known.filter(
    ({ id, missingSince }) =>
      !listed.has(id) && missingSince !== null && began - missingSince >= CONFIRMED_MS,
  );
  const evidence = new Map<string, Evidence>();
  for (const device of doubtful.slice(0, MOST_ASKED))
    evidence.set(device.id, await evidenceOf(adapter, session, device));
  return { found, began, evidence };
}

/** Whether the vendor answers for a device that it does not list. */
async function evidenceOf(adapter: Adapter, session: Session, device: DeviceRow): Promise<Evidence> {
  const kind = kindOf(adapter, device.type);
  try {
    return kind.status(await kind.read(session, device)).online ? 'online' : 'unclear';
  } catch (error) {
    return error instanceof AppError && error.code === 'vendor.refused' ? 'refused' : 'unclear';
  }
}

type ListingVendor = Adapter & Required<Pick<Adapter, 'list'>>;

const LOOK_MS = 15 * SECOND_MS;
/** How often links are looked for of which nobody knows when they are listed. */
const SURVEY_MS = 15 * MINUTE_MS;
const SURVEYED = 1_000;
/** Longer than a vendor is given for all that are listed at once. */
const CLAIM_MS = 2 * MINUTE_MS;
const AT_ONCE = 8;
const RETRY_MS = 15 * MINUTE_MS;
const MOST_RETRY_MS = 6 * HOUR_MS;
/** A device that the vendor does not know has the account listed no more often than this: some lists go on naming such a device. */
const HINT_GAP_MS = 6 * HOUR_MS;
/** What a vendor reports itself of devices that come and go is believed sooner. */
const REPORTED_GAP_MS = MINUTE_MS;
/** Links are listed so much earlier or later than their day has passed, as a share of it: they must not all come at once. */
const SPREAD = 0.1;
/** The first list after linking comes so much of a day later, or more. */
const SOONEST = 0.25;
/** A process lists no more than this share of all accounts in a minute, whatever is due: after a pause all of them are. */
const MOST_SHARE_A_MINUTE = 1 / 600;

/** What a list has changed. */
interface Listed {
  readonly relisted: Relisted;
  /** Whether another list decides about a device that is missing: it does not for one that the vendor still answers for. */
  readonly isOpen: boolean;
}

interface DiscoveryOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'find' | 'stored' | 'withVendor'>;
  readonly devices: Pick<Devices, 'knownOfLink'>;
  readonly links: Pick<Links, 'relisted'>;
  readonly events: Pick<LinkEvents, 'on'>;
  /** Names this process to the others. */
  readonly instance: string;
}

/** Finds the devices that were added to linked accounts, and those that are gone: each account is listed again once a day. */
export function createDiscovery({
  host,
  adapters,
  calls,
  devices,
  links,
  events,
  instance,
}: DiscoveryOptions) {
  const { database, clock, random, log } = host;
  const { moments } = database;
  const store = createListStore(database);
  const vendors = new Map(
    [...adapters].filter((entry): entry is [string, ListingVendor] => entry[1].list !== undefined),
  );
  const slugs = [...vendors.keys()];
  const flights = new Map<string, Promise<Listed>>();
  let surveyedAt = Number.NEGATIVE_INFINITY;
  let mostInLook = AT_ONCE;

  const chance = () => random(4).readUInt32BE() / 2 ** 32;
  const dayOf = (vendor: string): number => (vendors.get(vendor)?.listSeconds ?? DAY_MS / 1_000) * 1_000;
  const spreadDay = (vendor: string): number =>
    Math.round(dayOf(vendor) * (1 - SPREAD + 2 * SPREAD * chance()));

  /** Lists a link and stores what has changed; concurrent callers get the same result. */
  function list(link: LinkOf, call: 'list' | 'refresh'): Promise<Listed> {
    const key = `${link.account}/${link.link}`;
    const running = flights.get(key);
    if (running !== undefined) return running;
    const flight = listOnce(link, call).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  async function listOnce(link: LinkOf, call: 'list' | 'refresh'): Promise<Listed> {
    const adapter = vendors.get(link.vendor);
    if (adapter === undefined)
      throw new AppError(
        'link.not_listed',
        'the devices of this link report themselves; there is nothing to refresh',
      );
    const before = await calls.stored(link);
    if (before === undefined) throw new AppError('link.not_found', 'the link is gone');
    const stored = await devices.knownOfLink(link);
    const listing = await calls.withVendor(link, call, (session) =>
      listLink(adapter, session, { known: stored, clock: moments.clock }),
    );
    const relisted = await links.relisted(link, {
      ...listing,
      linkedAt: before.linkedAt,
      take: (transaction) => store.take(transaction, link, listing.began),
    });
    if (relisted.added.length + relisted.removed.length + relisted.missing.length > 0)
      log.info({ vendor: link.vendor, link: link.link, ...relisted }, 'an account has other devices');
    return { relisted, isOpen: relisted.missing.some((id) => listing.evidence.get(id) !== 'online') };
  }

  async function work(): Promise<void> {
    if (clock.now() - surveyedAt >= SURVEY_MS) {
      for (const link of await store.missing(slugs, SURVEYED))
        await store.begin(link, Math.round(chance() * dayOf(link.vendor)));
      const inMinute = (await store.count()) * MOST_SHARE_A_MINUTE;
      mostInLook = Math.max(AT_ONCE, Math.floor(inMinute / (MINUTE_MS / LOOK_MS)));
      surveyedAt = clock.now();
    }
    for (let left = mostInLook; left > 0; ) {
      if (loop.isClosed) return;
      const most = Math.min(AT_ONCE, left);
      const due = await store.claim({ claimMs: CLAIM_MS, most, instance });
      await Promise.all(due.map(turn));
      if (due.length < most) return;
      left -= due.length;
    }
  }

  async function turn(due: DueList): Promise<void> {
    const state = await calls.find(due);
    const again = (waitMs: number, failures = 0) => store.put(due, { waitMs, failures });
    // Linking it again lists it.
    if (!vendors.has(due.vendor) || state?.status === 'needs_relink') return again(spreadDay(due.vendor));
    try {
      const { isOpen } = await list(due, 'list');
      return await again(isOpen ? CONFIRMED_MS : spreadDay(due.vendor));
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'unexpected';
      log.info({ err: error, code, vendor: due.vendor, link: due.link }, 'an account could not be listed');
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      const backoff = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** Math.min(due.failures, 20));
      return again(Math.max(asked, Math.round(backoff * (1 + chance()))), due.failures + 1);
    }
  }

  const loop = createLoop({
    clock,
    everyMs: LOOK_MS,
    run: work,
    failed: (error) => log.warn({ err: error }, 'accounts could not be listed'),
  });

  async function soon(link: LinkOf, gapMs: number): Promise<void> {
    if (vendors.has(link.vendor)) await store.soon(link, gapMs);
  }

  // Linking has just listed it. Accounts that are imported within an hour must not all be listed in the same hour of the next day.
  events.on('linked', async (link) => {
    if (vendors.has(link.vendor))
      await store.begin(link, Math.round((SOONEST + (1 - SOONEST) * chance()) * dayOf(link.vendor)));
  });
  events.on('listOutdated', (link) => soon(link, HINT_GAP_MS));
  events.on('listChanged', (link) => soon(link, REPORTED_GAP_MS));
  events.on('accountListChanged', async ({ isTrusted, ...account }) => {
    const links = await store.ofAccount(account);
    for (const link of links) await soon(link, isTrusted ? REPORTED_GAP_MS : HINT_GAP_MS);
  });

  return {
    /** Lists a link now, for a caller that waits. Throws `link.not_found`, and `link.not_listed` where devices report themselves. */
    async refresh(key: LinkKey): Promise<Relisted> {
      const link = await calls.stored(key);
      if (link === undefined) throw new AppError('link.not_found', 'there is no such link');
      return (await list(link, 'refresh')).relisted;
    },

    start(): void {
      if (slugs.length > 0) loop.wake();
    },
    /** Resolves when what is due has been listed. */
    settled: loop.settled,
    close: loop.close,
  };
}

export type Discovery = ReturnType<typeof createDiscovery>;
