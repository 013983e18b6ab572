import { HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';

/** Wh by quarter, counted in quarters since 1970 UTC. */
export type ByQuarter = Readonly<Record<number, number>>;

/** What counts at a moment, of the state of a device; flags are 0 or 1. */
export interface ChargeValues {
  readonly connected: number | null;
  readonly charging: number | null;
  readonly power_w: number | null;
  readonly energy_wh: number | null;
}

/** What a charge has taken, by the meter and by power, side by side: which of them is better is known at the end. */
export interface Tally {
  /** Wh that the meter has counted; null where it was not read. */
  readonly metered: number | null;
  /** Of these, by quarter. */
  readonly quarters: ByQuarter;
  /** Of these, what was counted over a silence, so that nobody knows in which quarter. */
  readonly unplaced: number;
  /** Increments are counted from this value; null where the meter was not read yet. */
  readonly counter: number | null;
  /** The meter is one of the session, and shows this session, not the one before. */
  readonly isOwn: boolean;
  /** What the meter has counted is all. */
  readonly isMeterWhole: boolean;
  /** Wh of power over time; null where no power was known. */
  readonly integrated: number | null;
  readonly powerQuarters: ByQuarter;
  /** Power was known whenever the device may have charged. */
  readonly isPowerWhole: boolean;
  /** The greatest that was reported; null where none was. */
  readonly maxPowerW: number | null;
  /** Since when it is not known whether the device charges. */
  readonly isSilent: boolean;
  readonly hasCharged: boolean;
  /** What is known of the time since the meter has changed: by it, an increment is placed in quarters. */
  readonly pending: Pending;
}

interface Pending {
  /** ms since 1970 UTC. */
  readonly since: number;
  /** Wh by power. */
  readonly power: ByQuarter;
  /** ms of charging. */
  readonly time: ByQuarter;
  /** Power was not known at some time of charging. */
  readonly lacksPower: boolean;
  /** There was a silence in which it may have charged. */
  readonly lacksTime: boolean;
}

/** No vehicle takes more (MCS: 3.75 MW): a meter that rises faster was exchanged for another. */
const MOST_WATT = 4_000_000;
/** Less is noise and standby of the charger. */
const LEAST_WH = 100;
const FLOWS_W = 100;

const pendingFrom = (since: number): Pending => ({
  since,
  power: {},
  time: {},
  lacksPower: false,
  lacksTime: false,
});

/** A tally that begins at a moment; `counter` is what the meter showed before, where that is known to have been without a charge. */
export function tallyFrom(
  at: number,
  { isSeen, counter, isKnown }: { isSeen: boolean; counter: number | null; isKnown: boolean },
): Tally {
  return {
    ...{ metered: null, quarters: {}, unplaced: 0, counter, isOwn: false, isMeterWhole: isSeen },
    ...{ integrated: null, powerQuarters: {}, isPowerWhole: isSeen, maxPowerW: null },
    ...{ isSilent: !isKnown, hasCharged: false, pending: pendingFrom(at) },
  };
}

const added = (to: ByQuarter, quarter: number, amount: number): ByQuarter =>
  amount === 0 ? to : { ...to, [quarter]: (to[quarter] ?? 0) + amount };

/** Each quarter between two moments with the ms of it that are between them. */
function* quartersBetween(from: number, to: number): Generator<readonly [quarter: number, ms: number]> {
  for (let at = from; at < to; ) {
    const quarter = Math.floor(at / QUARTER_MS);
    const end = Math.min(to, (quarter + 1) * QUARTER_MS);
    yield [quarter, end - at];
    at = end;
  }
}

/** Values hold from one moment to another; null: nothing is known meanwhile. */
export function held(tally: Tally, values: ChargeValues | null, from: number, to: number): Tally {
  if (to <= from) return tally;
  if (values === null) return { ...tally, isSilent: true };
  const { power_w: power, charging } = values;
  const isCharging = charging === 1 || (power ?? 0) > FLOWS_W;
  const mayCharge = isCharging || (charging === null && values.connected !== 0);
  const lacksPower = power === null && mayCharge;
  let { powerQuarters, integrated, pending } = tally;
  // What a car gives back is not energy that it was charged with.
  const watts = power === null ? 0 : Math.max(0, power);
  for (const [quarter, ms] of quartersBetween(from, to)) {
    const wattHours = (watts * ms) / HOUR_MS;
    powerQuarters = added(powerQuarters, quarter, wattHours);
    pending = {
      ...pending,
      power: added(pending.power, quarter, wattHours),
      time: added(pending.time, quarter, isCharging ? ms : 0),
    };
    if (power !== null) integrated = (integrated ?? 0) + wattHours;
  }
  return {
    ...{ ...tally, powerQuarters, integrated },
    isPowerWhole: tally.isPowerWhole && !lacksPower,
    pending: { ...pending, lacksPower: pending.lacksPower || lacksPower },
  };
}

/** What is read of the device while the session runs. */
export function read(tally: Tally, values: ChargeValues, before: number | null): Tally {
  const { power_w: power, charging } = values;
  let now = tally;
  if (tally.isSilent) {
    // It may have charged in a silence, even if neither before nor after, unless its meter has not moved.
    const isStill = tally.counter !== null && values.energy_wh === tally.counter;
    const isQuiet = before === 0 && charging !== 1 && isStill;
    now = {
      ...{ ...tally, isSilent: false, isPowerWhole: tally.isPowerWhole && isQuiet },
      pending: { ...tally.pending, lacksTime: tally.pending.lacksTime || !isQuiet },
    };
  }
  const maxPowerW = power === null ? now.maxPowerW : Math.max(now.maxPowerW ?? 0, power);
  const hasCharged = now.hasCharged || charging === 1 || (charging === null && (power ?? 0) > FLOWS_W);
  const integrated = power === null ? now.integrated : (now.integrated ?? 0);
  return { ...now, maxPowerW, hasCharged, integrated };
}

/** How the meter of a device counts: a register that only rises, or the energy of a session, which starts again. */
export type MeterKind = 'register' | 'session';

/** A value of the meter, read at a moment; `isCharging`: it is charging then. */
export function metered(
  tally: Tally,
  value: number,
  of: { readonly at: number; readonly kind: MeterKind; readonly isCharging: boolean },
): Tally {
  const next = of.kind === 'register' ? register(tally, value, of.at) : ofSession(tally, value, of);
  return (next.metered ?? 0) >= LEAST_WH ? { ...next, hasCharged: true } : next;
}

function register(tally: Tally, value: number, at: number): Tally {
  const { counter } = tally;
  if (counter === null) {
    const isWhole = tally.isMeterWhole && at === tally.pending.since;
    return { ...tally, metered: 0, counter: value, isMeterWhole: isWhole, pending: pendingFrom(at) };
  }
  const counted = value - counter;
  const now = { ...tally, metered: tally.metered ?? 0, counter: value };
  if (counted === 0) return now;
  const most = MOST_WATT * ((at - tally.pending.since) / HOUR_MS + 1);
  // A reset, or another meter: what was counted before it was read is not known.
  if (counted < 0 || counted > most) return { ...now, isMeterWhole: false, pending: pendingFrom(at) };
  return counts(now, counted, at);
}

/** The counter of a session may show the session before until the charge begins. */
function ofSession(
  tally: Tally,
  value: number,
  { at, isCharging }: { readonly at: number; readonly isCharging: boolean },
): Tally {
  const { counter } = tally;
  const isSeen = tally.isMeterWhole;
  if (!tally.isOwn) {
    if (counter === value || (counter === null && !isCharging)) return { ...tally, counter: value };
    const own = { ...tally, isOwn: true, isMeterWhole: true, counter: value };
    // What it had counted before it was read first is of this session, and of an unknown time.
    const earlier = isSeen || (counter !== null && value < counter) ? 0 : (counter ?? value);
    const unplaced = { ...own, metered: earlier, unplaced: earlier };
    return { ...counts(unplaced, value - earlier, at), isMeterWhole: true };
  }
  const counted = value - (counter ?? value);
  return counts({ ...tally, counter: value }, counted < 0 ? value : counted, at);
}

/** The quarter that ends at a moment, or in which it is. */
const quarterUpTo = (at: number): number => Math.ceil(at / QUARTER_MS) - 1;

/** Adds what the meter has counted since it changed, in the quarters in which it was taken, as far as that is known. */
function counts(tally: Tally, counted: number, at: number): Tally {
  if (counted <= 0) return tally;
  const { pending } = tally;
  const first = Math.floor(pending.since / QUARTER_MS);
  const isInOne = Math.max(first, quarterUpTo(at)) === first;
  const weights = isInOne ? { [first]: 1 } : weightsOf(pending);
  const sum = Object.values(weights).reduce((all, one) => all + one, 0);
  const next = { ...tally, metered: (tally.metered ?? 0) + counted, pending: pendingFrom(at) };
  if (sum === 0) return { ...next, unplaced: tally.unplaced + counted };
  let { quarters } = tally;
  for (const [quarter, weight] of Object.entries(weights))
    quarters = added(quarters, Number(quarter), (counted * weight) / sum);
  return { ...next, quarters };
}

/** By the power, where it was known all the time; else by the time of charging; by nothing where there was a silence. */
function weightsOf({ power, time, lacksPower, lacksTime }: Pending): ByQuarter {
  if (lacksTime) return {};
  const hasPower = Object.values(power).some((wattHours) => wattHours > 0);
  return hasPower && !lacksPower ? power : time;
}
