import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceType, Found } from '../../../adapter/device.ts';
import { CAPABILITIES } from '../../../adapter/fields.ts';
import { blockedBy, type Said, SIGN_IN_AGAIN, saidByList } from '../../../adapter/interventions.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import { decodeCursor, pageOf } from '../../../core/cursors.ts';
import type { Language } from '../../../core/language.ts';
import type { Queries } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { createApply } from './apply.ts';
import { type Intervention, type InterventionRow, responseOf } from './response.ts';
import { type InterventionFilter, InterventionStore } from './store.ts';

export { Intervention, OpenIntervention } from './response.ts';

/** A device, as far as what it needs of its user depends on it. */
export interface NeedyDevice extends LinkOf, Pick<Found, 'id' | 'type' | 'details' | 'granted'> {}

interface InterventionsQuery extends Omit<InterventionFilter, 'after'> {
  readonly cursor?: string | undefined;
  readonly language: Language;
  /** The host of Connect's public address. */
  readonly domain: string;
}

interface InterventionsOptions {
  readonly host: Pick<Host, 'database' | 'random' | 'log'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

type Changed = (account: number, devices: readonly { readonly id: string }[]) => Promise<void>;

/** Whether something else is said than what a device shows as open, `shown` being the JSON text that it has. */
export function isNews(shown: string | null, said: Said): boolean {
  if (shown === null) return said.values().some(Boolean);
  if (said.size === 0) return false;
  const open = new Set((JSON.parse(shown) as { readonly code: string }[]).map(({ code }) => code));
  return said.entries().some(([code, isNeeded]) => open.has(code) !== isNeeded);
}

const idsOfNews = (shown: readonly { readonly id: string; readonly isNews: boolean }[]): string[] =>
  shown.filter(({ isNews }) => isNews).map(({ id }) => id);

/** What only users can do before vendors accept everything: opened and resolved by what vendors say. */
export function createInterventions({ host, adapters }: InterventionsOptions) {
  const { database } = host;
  const store = new InterventionStore(database);
  const apply = createApply(host, store);
  let changed: Changed = async () => {};

  const kindOf = (vendor: string, type: DeviceType | null) =>
    type === null ? undefined : adapters.get(vendor)?.kinds[type];

  /** Says of all devices of a link whether its user must sign in again, in a transaction that has changed the link. */
  async function signIn(transaction: Queries, link: LinkOf, isNeeded: boolean): Promise<string[]> {
    const open = await store.open(transaction, link);
    if (open.some(({ code }) => code === SIGN_IN_AGAIN) === isNeeded) return [];
    const devices = await store.devices(transaction, link);
    const has = new Set(devices.flatMap(({ capabilities }) => capabilities));
    const now = await apply(transaction, {
      ...{ account: link.account, link: link.link, vendor: link.vendor, open },
      device: null,
      said: new Map([[SIGN_IN_AGAIN, isNeeded]]),
      capabilitiesOf: () => CAPABILITIES.filter((capability) => has.has(capability)),
    });
    return idsOfNews(await store.show(transaction, link, { devices, open: now }));
  }

  return {
    /** Calls back when devices show others, outside the transactions of callers. */
    onChanged(listener: Changed): void {
      changed = listener;
    },

    /**
     * Stores that the user of a link must sign in again, or need not any more, together with `work`, which is what says so. Nothing is stored
     * where it answers false.
     */
    async withSignIn(
      link: LinkOf,
      isNeeded: boolean,
      work: (transaction: Queries) => Promise<boolean>,
    ): Promise<void> {
      const ids = await database.transaction(async (transaction) =>
        (await work(transaction)) ? signIn(transaction, link, isNeeded) : [],
      );
      if (ids.length > 0)
        await changed(
          link.account,
          ids.map((id) => ({ id })),
        );
    },

    /** The user has signed in, within the transaction that stores the link. */
    signedIn: (transaction: Queries, link: LinkOf): Promise<string[]> => signIn(transaction, link, false),

    /**
     * Takes what a vendor says of a device; answers what the device shows then, or undefined when the link has it no longer. Call it
     * with news alone: it writes nothing else, but locks.
     */
    said(device: NeedyDevice, said: Said): Promise<{ readonly shown: string | null } | undefined> {
      return database.transaction(async (transaction) => {
        // The link first, as linking it again does.
        if (!(await store.hold(transaction, device))) return undefined;
        const devices = await store.devices(transaction, device, device.id);
        if (devices.length === 0) return undefined;
        const { account, link, vendor, id, type } = device;
        const kind = kindOf(vendor, type);
        const open = await apply(transaction, {
          ...{ account, link, vendor, said, device: { id, type } },
          open: await store.open(transaction, device),
          capabilitiesOf: (code) => kind && blockedBy(kind, code, device),
        });
        const [now] = await store.show(transaction, device, { devices, open });
        return now;
      });
    },

    /**
     * Takes what a list says of the devices of a link, within the transaction that has stored them and holds the link; answers the ids of
     * devices that show others now.
     */
    async listed(transaction: Queries, of: LinkOf, listed: readonly NeedyDevice[]): Promise<string[]> {
      const devices = await store.devices(transaction, of);
      const ids = new Set(devices.map(({ id }) => id));
      await store.follow(transaction, of, [...ids]);
      let open: readonly InterventionRow[] = await store.open(transaction, of);
      for (const device of listed) {
        const kind = kindOf(of.vendor, device.type);
        if (!ids.has(device.id) || kind === undefined) continue;
        // What no version declares any more cannot be resolved by anything else.
        const undeclared = open.filter(
          (one) => one.device === device.id && blockedBy(kind, one.code, device) === undefined,
        );
        const said = new Map(undeclared.map(({ code }) => [code, false]));
        for (const [code, isNeeded] of saidByList(kind, device)) said.set(code, isNeeded);
        open = await apply(transaction, {
          ...{ account: of.account, link: of.link, vendor: of.vendor, open, said },
          device: { id: device.id, type: device.type },
          capabilitiesOf: (code) => blockedBy(kind, code, device),
        });
      }
      return idsOfNews(await store.show(transaction, of, { devices, open }));
    },

    /** A page, the oldest first, in the words of a language. */
    async list(
      query: InterventionsQuery,
    ): Promise<{ readonly items: readonly Intervention[]; readonly next: string | null }> {
      const { cursor, language, domain, limit } = query;
      const rows = await store.page({
        ...query,
        after: cursor === undefined ? undefined : decodeCursor(cursor),
        // One more than asked for tells whether there is a next page.
        limit: limit + 1,
      });
      const page = pageOf(rows, limit, ({ openedAt, id }) => ({ at: openedAt, id }));
      return {
        items: page.rows.map((row) =>
          responseOf(row, { kind: kindOf(row.vendor, row.deviceType), language, domain }),
        ),
        next: page.next,
      };
    },
  };
}

export type Interventions = ReturnType<typeof createInterventions>;
