import type { Adapter } from '../../../adapter/adapter.ts';
import type { Clock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { Database } from '../../../db/database.ts';
import { deliveryBacklog } from '../../devices/deliveries/index.ts';
import { countDevicesOf } from '../../devices/devices/index.ts';
import { readBacklog } from '../../devices/polling/index.ts';
import { activeBlocks, sharedUse } from '../../vendor-calls/budgets/index.ts';
import { countLinksOf, countRefused, createLinkCounts, type LinkCount } from '../links/index.ts';

/** What an account has linked of one vendor: counts alone. */
export interface LinkedVendor extends NamedVendor {
  readonly links: LinksByState;
  readonly devices: number;
}

/** The vendors that an account has linked, by name. */
export type LinkedVendors = (account: number) => Promise<readonly LinkedVendor[]>;

interface LinkedVendorsOptions {
  readonly database: Database;
  readonly vendors: readonly NamedVendor[];
}

/** Counts from the database: a process that serves Grid alone knows it too. */
export function createLinkedVendors({ database, vendors }: LinkedVendorsOptions): LinkedVendors {
  const names = new Map(vendors.map(({ slug, name }) => [slug, name]));
  return async (account) => {
    const [links, devices] = await Promise.all([
      countLinksOf(database, account),
      countDevicesOf(database, account),
    ]);
    const linked = [...new Set(links.map(({ vendor }) => vendor))];
    return linked
      .map((slug) => ({
        slug,
        name: names.get(slug) ?? slug,
        links: linksByState(links, slug),
        devices: devices.get(slug) ?? 0,
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  };
}

/** Reads that have been due for longer are late. */
const LATE_MS = 5 * MINUTE_MS;

/** How a vendor is, for operators: of all accounts and processes. Moments are ms since 1970 UTC. */
export interface VendorHealth {
  readonly slug: string;
  readonly name: string;
  readonly state: VendorState;
  readonly links: LinksByState;
  /** Links whose tokens are refused as soon as they are issued. */
  readonly refused: number;
  /** Until when it refuses calls of everybody here; null where it does not. */
  readonly blockedUntil: number | null;
  /** Links that it refuses calls of. */
  readonly blockedLinks: number;
  /** Limits that all links share; calls are held back where `used` is 1. */
  readonly limits: readonly { readonly limit: string; readonly used: number }[];
  /** Reads in the background that are due, and those that are late by more than five minutes. */
  readonly reads: { readonly waiting: number; readonly late: number; readonly oldestDue: number | null };
  /** Webhook deliveries that wait to be applied. */
  readonly deliveries: number;
}

interface VendorHealthOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** With the limits that the operator has set. */
  readonly vendors: readonly Pick<Adapter, 'slug' | 'name' | 'budgets'>[];
}

/** Reads the state of each vendor that is linked or blocks us. Rejects while the database is unreachable. */
export function createVendorHealth({
  database,
  clock,
  vendors,
}: VendorHealthOptions): () => Promise<readonly VendorHealth[]> {
  const countLinks = createLinkCounts({ database, clock });
  return async () => {
    const [counts, refused, blocks, backlog, deliveries] = await Promise.all([
      countLinks(),
      countRefused(database),
      activeBlocks(database),
      readBacklog(database, { lateMs: LATE_MS }),
      deliveryBacklog(database),
    ]);
    const seen = new Set([...counts, ...blocks, ...deliveries].map(({ vendor }) => vendor));
    const shown = vendors.filter(({ slug }) => seen.has(slug));
    const uses = await sharedUse(database, shown);
    return shown.map(({ slug, name }): VendorHealth => {
      const of = <T extends { readonly vendor: string }>(rows: readonly T[]) =>
        rows.filter(({ vendor }) => vendor === slug);
      const ofAll = of(blocks).filter(({ subject }) => subject === '');
      const reads = of(backlog)[0];
      const links = linksByState(counts, slug);
      return {
        ...{ slug, name, links },
        state: stateOf({ ...links, isBlocked: ofAll.length > 0 }),
        refused: of(refused)[0]?.count ?? 0,
        blockedUntil: ofAll.length === 0 ? null : Math.max(...ofAll.map(({ until }) => until)),
        blockedLinks: new Set(of(blocks).flatMap(({ subject }) => (subject === '' ? [] : [subject]))).size,
        limits: of(uses).map(({ limit, used }) => ({ limit, used })),
        reads: {
          waiting: reads?.waiting ?? 0,
          late: reads?.late ?? 0,
          oldestDue: reads?.oldest ?? null,
        },
        deliveries: of(deliveries)[0]?.count ?? 0,
      };
    });
  };
}

export const VENDOR_STATES = ['ok', 'trouble', 'blocked', 'unknown'] as const;
/** `trouble`: unreachable for at least half of its links. `blocked`: it refuses all of our calls. `unknown`: no calls. */
type VendorState = (typeof VENDOR_STATES)[number];

/** The state of a vendor. */
interface Seen {
  /** Links whose last call went through. */
  readonly active: number;
  /** Links whose last call found no vendor, or one that did not respond. */
  readonly unreachable: number;
  /** Whether a block holds for all links. */
  readonly isBlocked: boolean;
}

/** Links that need a new sign-in say nothing of the vendor, so they do not count. */
export function stateOf({ active, unreachable, isBlocked }: Seen): VendorState {
  if (isBlocked) return 'blocked';
  if (active + unreachable === 0) return 'unknown';
  return unreachable >= active ? 'trouble' : 'ok';
}

/** Links with a vendor, by their state. */
interface LinksByState {
  readonly active: number;
  readonly unreachable: number;
  readonly needsRelink: number;
}

/** The counts of one vendor among those of all. */
function linksByState(counts: readonly LinkCount[], slug: string): LinksByState {
  const of = (wanted: LinkCount['state']) =>
    counts.find(({ vendor, state }) => vendor === slug && state === wanted)?.count ?? 0;
  return { active: of('active'), unreachable: of('unreachable'), needsRelink: of('needs_relink') };
}

/** A vendor's cloud, by its slug and its name. */
export interface NamedVendor {
  readonly slug: string;
  readonly name: string;
}

/** How the clouds of vendors are, as their last calls say. */
export type VendorStates = () => Promise<readonly (NamedVendor & { readonly state: VendorState })[]>;

interface VendorStatesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly vendors: readonly NamedVendor[];
}

/**
 * Says of each vendor what the links of all accounts say together. It is read from the database, so that a process which makes no calls itself
 * knows it too. Rejects while the database is away.
 */
export function createVendorStates({ database, clock, vendors }: VendorStatesOptions): VendorStates {
  const countLinks = createLinkCounts({ database, clock });
  return async () => {
    const [counts, blocks] = await Promise.all([countLinks(), activeBlocks(database)]);
    return vendors.map(({ slug, name }) => {
      const isBlocked = blocks.some(({ vendor, subject }) => vendor === slug && subject === '');
      return { slug, name, state: stateOf({ ...linksByState(counts, slug), isBlocked }) };
    });
  };
}
