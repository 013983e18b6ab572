import { sql } from 'kysely';
import type { DeviceType, HouseMeter } from '../../../adapter/device.ts';
import type { Database } from '../../../db/database.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { StoredPart } from './day-parts.ts';
import { openIn } from './fold.ts';
import { latestOf, type Newest } from './read.ts';
import { areaIn } from './store-reads.ts';

/** A device in the order of an account's devices. */
export interface DayPlace {
  readonly vendor: string;
  readonly id: string;
}

/** What is known of a device of today, but for its stored quarters. */
export interface DayOfDevice extends Newest {
  /** Null where history has nothing of it. */
  readonly number: number | null;
  readonly id: string;
  readonly userRef: string;
  readonly deviceType: DeviceType;
  /** What it measures of a house. */
  readonly measures?: HouseMeter;
  /** Whether its energy is counted. */
  readonly isMetered: boolean;
  readonly area: PriceArea | null;
}

/** Quarters of a device from one until another. */
export interface QuarterSpan {
  readonly number: number;
  readonly from: number;
  readonly until: number;
}

const SPAN = { number: 'bigint', from_quarter: 'bigint', until_quarter: 'bigint' } as const;

/** Reads what the devices of an account have done in a day. */
export function createDayReads({ engine, queries, rows }: Database) {
  return {
    /** The devices of an account after another, for the users that have them. */
    async day(
      account: number,
      { after, most }: { after: DayPlace | undefined; most: number },
    ): Promise<{ devices: DayOfDevice[]; last: DayPlace | undefined }> {
      let page = queries
        .selectFrom('devices')
        .innerJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'devices.account_id').onRef('links.id', '=', 'devices.link_id'),
        )
        .leftJoin('history_devices', (join) =>
          join
            .onRef('history_devices.account_id', '=', 'devices.account_id')
            .onRef('history_devices.device_id', '=', 'devices.id')
            .onRef('history_devices.vendor', '=', 'devices.vendor')
            .onRef('history_devices.user_ref', '=', 'devices.user_ref'),
        )
        .select(['devices.vendor', 'devices.id', 'devices.device_type', 'devices.user_ref'])
        .select('devices.measures')
        .select('devices.capabilities_json')
        .select(['devices.state_json', 'devices.fetched_at', 'links.price_area'])
        .select(['history_devices.number', 'history_devices.open_json'])
        .where('devices.account_id', '=', account);
      if (after !== undefined)
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('devices.vendor', 'devices.id'), '>', tuple(after.vendor, after.id)),
        );
      const found = await page.orderBy('devices.vendor').orderBy('devices.id').limit(most).execute();
      const end = found.at(-1);
      return {
        devices: found.map((row) => ({
          number: row.number,
          id: row.id,
          userRef: row.user_ref,
          deviceType: row.device_type as DeviceType,
          ...(row.measures === null ? {} : { measures: row.measures as HouseMeter }),
          isMetered: row.capabilities_json.includes('"read_energy"'),
          area: areaIn(row.price_area),
          open: row.open_json === null ? null : openIn(row.open_json),
          latest: latestOf(
            row.state_json === null ? undefined : JSON.parse(row.state_json),
            row.fetched_at ?? undefined,
          ),
        })),
        last: found.length < most || end === undefined ? undefined : { vendor: end.vendor, id: end.id },
      };
    },

    /** What is stored of the energy and power of devices, each from a quarter until another, by their numbers. */
    async partsOf(spans: readonly QuarterSpan[]): Promise<Map<number, StoredPart>> {
      if (spans.length === 0) return new Map();
      const joined = sql.raw(engine === 'sqlite' ? 'group_concat' : 'string_agg');
      const from = Math.min(...spans.map((span) => span.from));
      const until = Math.max(...spans.map((span) => span.until));
      const { rows: found } = await sql<StoredPart & { device: number }>`
        select device, ${joined}(quarter || ' ' || energy_wh, ',') as energies,
          ${joined}(case when energy_wh is not null
            then quarter || ' ' || late_wh || ' ' || coalesce(cast(late_s as text), '') end, ',') as late,
          count(power_w) as powers,
          sum(case when power_w < 0 then -cast(power_w as double precision) * covered_s end) as back_ws
        from ${rows(
          SPAN,
          spans.map((span) => ({
            ...{ number: span.number, from_quarter: span.from, until_quarter: span.until },
          })),
        )} as r cross join history_quarters
        where device = r.number and quarter >= r.from_quarter and quarter < r.until_quarter
          and quarter >= ${sql.lit(from)} and quarter < ${sql.lit(until)}
        group by device`.execute(queries);
      return new Map(found.map((row) => [row.device, row]));
    },
  };
}

export type DayReads = ReturnType<typeof createDayReads>;
