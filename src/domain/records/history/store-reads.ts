import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import type { Covered } from './buckets.ts';
import type { Field, Values } from './fields.ts';
import { type Open, openIn } from './fold.ts';
import type { Step } from './steps.ts';
import type { DeviceName } from './store.ts';

/** The price area that a column of a link holds. */
export const areaIn = (text: string | null | undefined): PriceArea | null =>
  PRICE_AREAS.find((one) => one === text) ?? null;

function valuesIn(row: Values): Values {
  return Object.fromEntries(HISTORY_FIELDS.map((field) => [field, row[field]])) as Values;
}

/** Reads what history has of a device. */
export function createHistoryReads({ queries }: Database) {
  return {
    /** What is known of a device for the user that has it now; undefined where there is nothing. */
    async find(
      of: Omit<DeviceName, 'userRef'>,
    ): Promise<{ number: number; open: Open; area: PriceArea | null } | undefined> {
      const row = await queries
        .selectFrom('history_devices')
        .innerJoin('devices', (join) =>
          join
            .onRef('devices.account_id', '=', 'history_devices.account_id')
            .onRef('devices.vendor', '=', 'history_devices.vendor')
            .onRef('devices.id', '=', 'history_devices.device_id')
            .onRef('devices.user_ref', '=', 'history_devices.user_ref'),
        )
        .innerJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'devices.account_id').onRef('links.id', '=', 'devices.link_id'),
        )
        .select(['history_devices.number', 'history_devices.open_json', 'links.price_area'])
        .where('history_devices.account_id', '=', of.account)
        .where('history_devices.vendor', '=', of.vendor)
        .where('history_devices.device_id', '=', of.device)
        .executeTakeFirst();
      const open = row === undefined ? null : openIn(row.open_json);
      if (row === undefined || open === null) return undefined;
      return { number: row.number, open, area: areaIn(row.price_area) };
    },

    /** The price area of a device: that of its link. */
    async areaOf(of: Omit<DeviceName, 'userRef'>): Promise<PriceArea | null> {
      const row = await queries
        .selectFrom('devices')
        .innerJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'devices.account_id').onRef('links.id', '=', 'devices.link_id'),
        )
        .select('links.price_area')
        .where('devices.account_id', '=', of.account)
        .where('devices.vendor', '=', of.vendor)
        .where('devices.id', '=', of.device)
        .executeTakeFirst();
      return areaIn(row?.price_area);
    },

    /** The step that holds at a moment, and those after it until another, in their order. */
    async steps(number: number, from: number, until: number, limit: number): Promise<Step[]> {
      const all = queries.selectFrom('history_readings').selectAll().where('device', '=', number);
      const before = await all.where('at', '<=', from).orderBy('at', 'desc').limit(1).execute();
      const after = await all
        .where('at', '>', from)
        .where('at', '<', until)
        .orderBy('at')
        .limit(limit)
        .execute();
      return [...before, ...after].map((row) => ({
        at: row.at,
        values: row.known === 1 ? valuesIn(row) : null,
      }));
    },

    /** Quarters from one until another, in their order. */
    async quarters(
      number: number,
      query: { from: number; until: number; fields: readonly Field[]; isLateAsked: boolean },
    ): Promise<Covered[]> {
      const late = query.isLateAsked ? (['late_wh', 'late_s'] as const) : [];
      const found = await queries
        .selectFrom('history_quarters')
        // A year is read at once: columns cost more than rows.
        .select(['quarter', 'covered_s as covered', ...query.fields, ...late])
        .where('device', '=', number)
        .where('quarter', '>=', query.from)
        .where('quarter', '<', query.until)
        .orderBy('quarter')
        .execute();
      return found.map((row) => ({
        ...{ quarter: row.quarter, covered: row.covered, values: row },
        late: row.late_wh == null ? null : { wh: row.late_wh, seconds: row.late_s ?? null },
      }));
    },
  };
}

export type HistoryReads = ReturnType<typeof createHistoryReads>;
