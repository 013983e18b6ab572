import type { Adapter } from '../src/adapter/adapter.ts';
import type { Engine, Place } from '../test/kit/databases.ts';
import { quantile } from './load.ts';
import { mostInMinute, type planLists } from './planned-lists.ts';
import { count, mebibytes, ms, percent, type Row, type Section } from './report.ts';
import type { Watched } from './vendors.ts';
import { vendors } from './vendors-of-clouds.ts';

const MOST_BYTES = 500 * 1024 ** 2;
const MOST_ADDED_MS = 50;
const MOST_LISTED = 1 / 600;
const LATE_SECONDS = 5;

export interface Fleet {
  readonly accounts: number;
  /** When polls, streams and lists began, ms since 1970. */
  readonly beginsAt: number;
  /** Lists as discovery plans them after linking. */
  readonly planned: Awaited<ReturnType<typeof planLists>>;
}

/** What is in the database after the bench. */
interface Stored {
  readonly devices: number;
  /** Seconds between the polls of a turn, by vendor. */
  readonly intervals: ReadonlyMap<string, readonly number[]>;
  /** When links were listed since the beginning. */
  readonly listed: readonly number[];
}

export async function storedIn(place: Place, beginsAt: number): Promise<Stored> {
  const { queries, close } = await place.open();
  const { devices } = await queries
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .executeTakeFirstOrThrow();
  const turns = await queries.selectFrom('device_turns').select(['vendor', 'interval_s']).execute();
  const listed = await queries
    .selectFrom('link_lists')
    .select('listed_at')
    .where('listed_at', '>=', beginsAt)
    .execute();
  await close();
  const byVendor = Map.groupBy(turns, ({ vendor }) => vendor);
  return {
    devices: Number(devices),
    intervals: new Map(
      [...byVendor].map(([vendor, own]) => [vendor, own.map(({ interval_s }) => interval_s)]),
    ),
    listed: listed.map(({ listed_at }) => listed_at),
  };
}

interface Measured {
  readonly fleet: Fleet;
  readonly watched: Watched;
  readonly stored: Stored;
}

export function sectionOf(engine: Engine, measured: Measured): Section {
  const { fleet, watched, stored } = measured;
  const polled = vendors.filter(({ pace }) => pace !== undefined);
  return {
    title: `${count(fleet.accounts * vendors.length)} links of ${vendors.length} vendors with ${count(stored.devices)} devices on the process of npm start, ${engine}`,
    note: `${count(fleet.accounts)} accounts with a link of every vendor and the limits and paces of its adapter; a process of its own replays over HTTP what the vendors' simulators responded to the same request, 0 ms away; the cars of one account in ten charge; OCPP stations are linked and not connected; ${watched.seconds.toFixed(0)} s watched`,
    rows: [...costs(watched), ...lists(measured), ...polled.map((adapter) => polls(adapter, measured))],
  };
}

function costs({ calm, busy, cpuShare, mostRss, metrics, streams, calls, seconds }: Watched): Row[] {
  const p99 = { calm: quantile(calm, 0.99), busy: quantile(busy, 0.99) };
  const sum = Object.values(calls).reduce((all, one) => all + one, 0);
  return [
    {
      what: 'Polls a second, and calls to vendors',
      figure: `${(metrics.sum('elnav_polls_total', { outcome: 'read' }) / seconds).toFixed(0)}, ${(sum / seconds).toFixed(0)}`,
    },
    { what: 'Streams open at the end', figure: count(streams) },
    {
      what: 'Processor time, of one core',
      figure: percent(cpuShare),
      target: 'under 100 %',
      met: cpuShare < 1,
    },
    {
      what: 'Resident memory, the most of all samples',
      figure: mebibytes(mostRss),
      target: 'at most 500 MB',
      met: mostRss <= MOST_BYTES,
    },
    {
      what: 'set_current to a sandbox charger, 99th percentile',
      figure: ms(p99.busy),
      against: `before polling began ${ms(p99.calm)}`,
      target: `under ${MOST_ADDED_MS} ms more`,
      met: p99.busy - p99.calm < MOST_ADDED_MS,
    },
  ];
}

function lists({ fleet, stored }: Measured): Row[] {
  const daily = fleet.planned;
  const share = (most: number, of: number) => most / of;
  const asPlanned = share(mostInMinute(fleet.planned.map(({ dueAt }) => dueAt)), daily.length);
  const asDone = share(mostInMinute(stored.listed), daily.length);
  return [
    {
      what: 'Lists planned after linking all at once, the fullest minute',
      figure: `1 / ${(1 / asPlanned).toFixed(0)} of the links`,
      target: 'at most 1 / 600',
      met: asPlanned <= MOST_LISTED,
    },
    {
      what: 'Lists made after a pause, when all are due, the fullest minute',
      figure: `1 / ${(1 / asDone).toFixed(0)} of the links (${count(stored.listed.length)} in all)`,
      target: 'at most 1 / 600',
      met: asDone <= MOST_LISTED,
    },
  ];
}

function polls({ slug, name }: Adapter, { watched, stored }: Measured): Row {
  const { metrics, seconds } = watched;
  const sum = (outcome: string) => metrics.sum('elnav_polls_total', { vendor: slug, outcome });
  const all = metrics.sum('elnav_polls_total', { vendor: slug });
  const read = sum('read');
  const limited = sum('vendor.rate_limited');
  const other = all - read - limited - sum('fresh');
  const late = metrics.sum('elnav_poll_lateness_seconds_count', { vendor: slug });
  const inTime = metrics.sum('elnav_poll_lateness_seconds_bucket', {
    vendor: slug,
    le: String(LATE_SECONDS),
  });
  const intervals = stored.intervals.get(slug) ?? [];
  return {
    what: name,
    figure: `${(read / seconds).toFixed(2)} polls a second, each planned every ${count(quantile(intervals, 0.5))} s`,
    against: `${late === 0 ? 'none' : percent(inTime / late)} within ${LATE_SECONDS} s, ${count(limited)} held back by limits, ${count(other)} failed`,
  };
}
