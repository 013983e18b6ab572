import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { dayAt, midnight } from '../../core/swedish-days.ts';
import { sunHoursToday } from '../../proof/simulation/physics/sun.ts';
import { between, houseLoadA } from '../../proof/simulation/physics/week.ts';

/** A simulated system: panels on a roof in Stockholm, a house, and perhaps a battery that serves it. */
export interface SimulatedSystem {
  readonly id: number;
  readonly name: string;
  /** Watt of the panels with the sun in the zenith. */
  readonly sizeW: number;
  readonly isMetered: boolean;
  readonly isCellular: boolean;
  /** Has produced this much before the simulator started, watt-hours, on days before this one. */
  readonly lifetimeWh: number;
  readonly since: number;
  hasBattery: boolean;
  /** Since when its gateway has not reported, ms since 1970; null while it does. */
  silentSince: number | null;
  readonly settings: { battery_mode: string; reserve_soc: number };
  readonly battery: { at: number; storedWh: number; readonly intervals: BatteryInterval[] };
}

interface BatteryInterval {
  /** ms since 1970. */
  readonly end: number;
  readonly chargeWh: number;
  readonly dischargeWh: number;
  readonly soc: number;
}

export const QUARTER_MS = 15 * MINUTE_MS;
const FIVE_MS = 5 * MINUTE_MS;
const CAPACITY_WH = 5_000;
const MOST_W = 3_840;
const WATT_PER_MODULE = 400;
/** A quarter that has ended is in the cloud some minutes later. */
const LATE_MS = 3 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;

const modulesOf = ({ sizeW }: SimulatedSystem): number => Math.round(sizeW / WATT_PER_MODULE);

/** When the gateway last reported: each quarter of an hour, or every six hours over a mobile network. ms since 1970. */
export function reportedAt({ isCellular, silentSince }: SimulatedSystem, now: number): number {
  const every = isCellular ? 6 * HOUR_MS : QUARTER_MS;
  const last = Math.min(now, silentSince ?? now) - LATE_MS;
  return Math.floor(last / every) * every;
}

/** What was produced since midnight, watt-hours: the sun's height times the clearness of the day. */
function producedToday({ id, sizeW }: SimulatedSystem, at: number): number {
  return sizeW * between(`enphase ${id}`, `clouds ${dayAt(at)}`, [0.2, 1]) * sunHoursToday(at);
}

/** What was produced up to the last midnight before `at`, watt-hours. */
function producedBefore(system: SimulatedSystem, at: number): number {
  let sum = system.lifetimeWh;
  for (let day = midnight(system.since); day < midnight(at); day = midnight(day, 1))
    sum += producedToday(system, midnight(day, 1) - 1);
  return sum;
}

/** Watt-hours of an interval that ends so; none is produced at midnight. */
const producedIn = (system: SimulatedSystem, end: number, length: number): number =>
  dayAt(end) === dayAt(end - length)
    ? Math.max(0, producedToday(system, end) - producedToday(system, end - length))
    : 0;

const loadWh = ({ id }: SimulatedSystem, end: number): number =>
  (houseLoadA(`enphase ${id}`, end - QUARTER_MS / 2) * 3 * 230 * QUARTER_MS) / HOUR_MS;

/** Brings the battery to `now`, quarter by quarter: it takes what the house leaves of the sun, and gives what the house lacks. */
function settle(system: SimulatedSystem, now: number): void {
  const { battery, settings } = system;
  battery.at = Math.max(battery.at, Math.floor((now - WEEK_MS) / QUARTER_MS) * QUARTER_MS);
  const most = (MOST_W * QUARTER_MS) / HOUR_MS;
  for (let end = battery.at + QUARTER_MS; end <= now; end += QUARTER_MS) {
    const left = producedIn(system, end, QUARTER_MS) - loadWh(system, end);
    const isBackup = settings.battery_mode === 'Full Backup';
    const reserve = (CAPACITY_WH * settings.reserve_soc) / 100;
    const chargeWh = Math.round(Math.min(most, Math.max(0, left), CAPACITY_WH - battery.storedWh));
    const usable = isBackup ? 0 : Math.max(0, battery.storedWh - reserve);
    const dischargeWh = Math.round(Math.min(most, Math.max(0, -left), usable));
    battery.storedWh += chargeWh - dischargeWh;
    battery.at = end;
    const soc = Math.round((100 * battery.storedWh) / CAPACITY_WH);
    battery.intervals.push({ end, chargeWh, dischargeWh, soc });
  }
  battery.intervals.splice(0, battery.intervals.length - WEEK_MS / QUARTER_MS);
}

const seconds = (ms: number) => Math.floor(ms / 1_000);
const ends = (from: number, to: number, length: number): number[] => {
  const first = Math.floor(from / length) * length + length;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / length) + 1) },
    (_, index) => first + index * length,
  );
};

interface Span {
  /** ms since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Intervals of telemetry that end in the span, as Enphase has them by what measures. */
export const TELEMETRY: Readonly<
  Record<string, (system: SimulatedSystem, span: Span) => readonly JsonObject[]>
> = {
  production_micro: (system, { from, to }) =>
    ends(from, to, FIVE_MS).map((end) => {
      const wh = producedIn(system, end, FIVE_MS);
      return {
        end_at: seconds(end),
        devices_reporting: modulesOf(system),
        powr: Math.round((wh * HOUR_MS) / FIVE_MS),
        enwh: Math.round(wh),
      };
    }),
  production_meter: (system, { from, to }) =>
    (system.isMetered ? ends(from, to, QUARTER_MS) : []).map((end) => ({
      end_at: seconds(end),
      devices_reporting: 1,
      wh_del: Math.round(producedIn(system, end, QUARTER_MS)),
    })),
  consumption_meter: (system, { from, to }) =>
    (system.isMetered ? ends(from, to, QUARTER_MS) : []).map((end) => ({
      end_at: seconds(end),
      devices_reporting: 1,
      enwh: Math.round(loadWh(system, end)),
    })),
  battery: (system, { from, to }) =>
    system.hasBattery
      ? batteryBetween(system, { from, to }).map(({ end, chargeWh, dischargeWh, soc }) => ({
          end_at: seconds(end),
          charge: { enwh: chargeWh, devices_reporting: 1 },
          discharge: { enwh: dischargeWh, devices_reporting: 1 },
          soc: { percent: soc, devices_reporting: 1 },
        }))
      : [],
};

function batteryBetween(system: SimulatedSystem, { from, to }: Span): readonly BatteryInterval[] {
  settle(system, to);
  return system.battery.intervals.filter(({ end }) => end > from && end <= to);
}

/** What was bought from the grid, by quarters. */
export const importedBetween = (system: SimulatedSystem, span: Span): readonly JsonObject[] =>
  ends(span.from, span.to, QUARTER_MS).map((end) => {
    const [battery] = system.hasBattery ? batteryBetween(system, { from: end - 1, to: end }) : [];
    const net = loadWh(system, end) - producedIn(system, end, QUARTER_MS);
    const stored = (battery?.chargeWh ?? 0) - (battery?.dischargeWh ?? 0);
    return { end_at: seconds(end), wh_imported: Math.round(Math.max(0, net + stored)) };
  });

/** Watt in the quarter that was reported last. */
export function powersOf(system: SimulatedSystem, now: number) {
  const end = reportedAt(system, now);
  const [battery] = system.hasBattery ? batteryBetween(system, { from: end - 1, to: end }) : [];
  const watt = (wh: number) => Math.round((wh * HOUR_MS) / QUARTER_MS);
  return {
    end,
    pv: watt(producedIn(system, end, QUARTER_MS)),
    load: watt(loadWh(system, end)),
    /** What the battery takes. */
    stored: watt((battery?.chargeWh ?? 0) - (battery?.dischargeWh ?? 0)),
    soc: battery?.soc ?? null,
  };
}

/** `current_power` stays what it last was when the sun goes down. */
function lastPower(system: SimulatedSystem, end: number): number {
  for (let at = end; at > end - DAY_MS; at -= FIVE_MS) {
    const wh = producedIn(system, at, FIVE_MS);
    if (wh > 0) return Math.ceil((wh * HOUR_MS) / FIVE_MS);
  }
  return 0;
}

export function summaryOf(system: SimulatedSystem, now: number): JsonObject {
  const end = reportedAt(system, now);
  const isToday = dayAt(end) === dayAt(now);
  const [before, today] = [producedBefore(system, end), producedToday(system, end)];
  const power = system.hasBattery ? MOST_W : 0;
  return {
    system_id: system.id,
    current_power: lastPower(system, end),
    energy_lifetime: Math.round(isToday ? before : before + today),
    energy_today: isToday ? Math.round(today) : 0,
    last_interval_end_at: seconds(end),
    last_report_at: seconds(end + LATE_MS),
    modules: modulesOf(system),
    operational_at: seconds(system.since) - 400 * 86_400,
    size_w: system.sizeW,
    nmi: null,
    source: system.isMetered ? 'meter' : 'microinverters',
    status: statusOf(system),
    summary_date: dayAt(now),
    battery_charge_w: power,
    battery_discharge_w: power,
    battery_capacity_wh: system.hasBattery ? CAPACITY_WH : 0,
    evse_power: [],
  };
}

export const statusOf = ({ silentSince }: SimulatedSystem) => (silentSince === null ? 'normal' : 'comm');

/** Every kind of system: microinverters alone, a meter with a battery, and a gateway on a mobile network; none; and 500. By user name. */
export function usersAt(now: number) {
  const since = midnight(now, -1);
  const system = (
    id: number,
    name: string,
    more: Partial<Pick<SimulatedSystem, 'isMetered' | 'isCellular' | 'hasBattery'>> = {},
  ): SimulatedSystem => ({
    id,
    name: `Simulated ${name}`,
    sizeW: 10_000,
    isMetered: false,
    isCellular: false,
    hasBattery: false,
    lifetimeWh: 8_000_000,
    since,
    silentSince: null,
    settings: { battery_mode: 'Self - Consumption', reserve_soc: 20 },
    battery: { at: since, storedWh: CAPACITY_WH / 2, intervals: [] },
    ...more,
  });
  const metered = { isMetered: true, hasBattery: true };
  return {
    home: [system(698_910_067, 'villa'), system(698_906_018, 'terraced house', metered)],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => system(700_000_001 + index, `roof ${index + 1}`)),
    cabin: [system(698_950_001, 'cabin', { ...metered, isCellular: true })],
  };
}
