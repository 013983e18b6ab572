import { DAY_MS, QUARTER_MS } from '../../../core/durations.ts';
import type { Queries } from '../../../db/database.ts';
import { STATE_CONFIRMED } from '../../../db/events.ts';
import type { Host } from '../../../db/host.ts';
import { startRetention } from '../../../db/retention.ts';
import type { Prices } from '../../market/prices/index.ts';
import type { EventLog, EventRow } from '../events/index.ts';
import { applied, openBefore, type Quarter } from './fold.ts';
import { pricesBetween } from './prices.ts';
import { type HistoryPage, type HistoryQuery, latestOf, readBuckets, readRaw } from './read.ts';
import { type Step, stepsOf } from './steps.ts';
import { createHistoryStore, type DeviceName, type Followed, type Table } from './store.ts';
import { createDayReads } from './store-days.ts';
import { createHistoryReads } from './store-reads.ts';
import { createToday } from './today.ts';

/** How long history is kept, days. */
export interface Kept {
  /** Changes. */
  readonly rawDays: number;
  readonly quarterDays: number;
}

export { RESOLUTIONS } from './buckets.ts';

export { UNKNOWN_COSTS } from './day-costs.ts';

export { type Field, shownAs, valuesOf } from './fields.ts';

export type { AreaPrices } from './prices.ts';

export type { HistoryPage, HistoryQuery } from './read.ts';

export { stepsOf } from './steps.ts';

/** The events that say what devices are like. */
const TYPES = [
  'device.state_changed',
  'device.unreachable',
  'device.reachable',
  'device.removed',
  STATE_CONFIRMED,
] as const;
/** As what it reads the event log. */
export const HISTORY_READER = { name: 'history', types: TYPES };

interface HistoryOptions {
  readonly host: Host;
  readonly prices: Pick<Prices, 'energyCosts' | 'history'>;
  readonly eventLog: Pick<EventLog, 'project'>;
  readonly kept: Kept;
}

interface OfDevice extends Omit<DeviceName, 'userRef'> {
  readonly deviceType: string;
  /** Its newest state, and when it was fetched. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly fetchedAt?: number | undefined;
}

/** What devices were like: the changes that the event log has, and quarters of an hour made of them. */
export function createHistory({ host, prices, eventLog, kept }: HistoryOptions) {
  const { database, clock } = host;
  const store = createHistoryStore(database);
  const reads = createHistoryReads(database);

  async function apply(transaction: Queries, rows: readonly EventRow[]): Promise<void> {
    const byDevice = new Map<string, { readonly name: DeviceName; readonly steps: Step[] }>();
    for (const row of rows) {
      const { account_id: account, vendor, device_id: device, user_ref: userRef } = row;
      if (vendor === null || device === null || userRef === null) continue;
      const name = { account, vendor, device, userRef };
      const known = byDevice.get(store.textOf(name)) ?? { name, steps: [] };
      known.steps.push(...stepsOf(row));
      byDevice.set(store.textOf(name), known);
    }
    const named = [...byDevice.values()].filter(({ steps }) => steps.length > 0);
    if (named.length === 0) return;
    const devices = await store.open(
      transaction,
      named.map(({ name }) => name),
    );
    const all: Followed[] = [];
    const now = clock.now();
    // What is older is removed, and has no partition.
    const [oldest, oldestQuarter] = [
      now - kept.rawDays * DAY_MS,
      (now - kept.quarterDays * DAY_MS) / QUARTER_MS,
    ];
    for (const { name, steps } of named) {
      const device = devices.get(store.textOf(name));
      const [first] = steps;
      if (device === undefined || first === undefined) throw new Error('a device has no number');
      const quarters: Quarter[] = [];
      const news: Step[] = [];
      let open = device.open ?? openBefore(first.at);
      for (const step of steps) {
        const next = applied(open, step, quarters);
        if (next === undefined) continue;
        open = next;
        news.push({ at: open.at, values: open.values });
      }
      if (news.length > 0)
        all.push({
          ...{ number: device.number, open },
          steps: news.filter(({ at }) => at >= oldest),
          quarters: quarters.filter(({ quarter }) => quarter >= oldestQuarter),
        });
    }
    if (all.length > 0) await store.follow(transaction, all);
  }
  const projection = eventLog.project({ ...HISTORY_READER, apply });

  async function pageOf({ state, fetchedAt, ...of }: OfDevice, query: HistoryQuery): Promise<HistoryPage> {
    const found = await reads.find(of);
    const now = clock.now();
    if (found === undefined) {
      const end = Math.min(query.to, now);
      const gaps = query.from < end ? [{ start: query.from, end }] : [];
      return { points: [], gaps, next: null, fields: [] };
    }
    const latest = latestOf(state, fetchedAt);
    const reading = { store: reads, prices, ...found, deviceType: of.deviceType, latest, now };
    const { resolution } = query;
    return resolution === 'raw' ? readRaw(reading, query) : readBuckets(reading, { ...query, resolution });
  }

  return {
    /** Sums of all devices of an account since midnight of a zone. Those of the last 30 seconds are shared. */
    today: createToday({ store: createDayReads(database), prices, clock }),

    /** A page of the history of a device, for the user that has it now. */
    async read(device: OfDevice, query: HistoryQuery): Promise<HistoryPage> {
      const page = await pageOf(device, query);
      if (query.isPriceAsked !== true) return page;
      const span = {
        ...{ from: query.after ?? query.from, until: page.next ?? query.to },
        resolution: query.resolution,
      };
      return { ...page, prices: await pricesBetween(prices, await reads.areaOf(device), span) };
    },

    /** Removes what is known of the devices of a user, in the transaction that removes the user's events. */
    forget: store.forget,

    /** Removes what is older than is kept, from now on, until what it returns is closed. */
    keep: () => {
      const keepTable = (table: Table, what: string, days: number) => {
        let after = 0;
        return startRetention({
          ...{ host, what, days },
          async removeSome(before) {
            const { rows, next } = await store.removeBefore(table, before, after);
            after = next ?? 0;
            if (next === undefined) await store.removeEmpty();
            return { rows, isMore: next !== undefined };
          },
        });
      };
      const both = [
        keepTable('history_readings', 'changes of history', kept.rawDays),
        keepTable('history_quarters', 'quarters of history', kept.quarterDays),
      ];
      return { close: async () => void (await Promise.all(both.map((one) => one.close()))) };
    },

    close: projection.close,
  };
}

export type History = ReturnType<typeof createHistory>;
