/** Three phases of 230 V: watt for each ampere of charge current. */
export const WATT_PER_AMPERE = 3 * 230;

const CAPACITY_WH = 60_000;
const EFFICIENCY = 0.92;
/** What the car takes at most, up to the knee. */
const FULL_POWER_W = 16 * WATT_PER_AMPERE;
const KNEE_PERCENT = 80;
/** Above the knee the car takes power in proportion to the gap to here; beyond 100, so that 100 is reached. */
const ASYMPTOTE_PERCENT = 104;

/** Percent of charge for each watt-second drawn from the grid. */
const PERCENT_PER_WS = (100 * EFFICIENCY) / (3_600 * CAPACITY_WH);
const TAPER_W_PER_PERCENT = FULL_POWER_W / (ASYMPTOTE_PERCENT - KNEE_PERCENT);

/** A car at a constant offer of power. */
export interface Charging {
  /** State of charge at the start, percent. */
  readonly soc: number;
  /** Charging stops here, percent. */
  readonly limit: number;
  /** What the station offers, watt from the grid. */
  readonly offeredW: number;
}

/** What the car draws from the grid now, watt. */
export function drawnW({ soc, limit, offeredW }: Charging): number {
  return soc >= limit ? 0 : Math.min(offeredW, FULL_POWER_W, TAPER_W_PER_PERCENT * (ASYMPTOTE_PERCENT - soc));
}

/**
 * State of charge after `seconds`, percent. Constant power gives a straight line up to the knee where the car takes
 * less than is offered; from there P = c·gap, so gap(t) = gap₀·exp(−λt). Stops exactly at the limit.
 */
export function socAfter({ soc, limit, offeredW }: Charging, seconds: number): number {
  if (soc >= limit || offeredW <= 0 || seconds <= 0) return soc;
  const power = Math.min(offeredW, FULL_POWER_W);
  const rate = PERCENT_PER_WS * power;
  const knee = ASYMPTOTE_PERCENT - power / TAPER_W_PER_PERCENT;
  const straightEnd = Math.min(knee, limit);
  const straightSeconds = Math.max(0, (straightEnd - soc) / rate);
  if (seconds < straightSeconds) return Math.min(straightEnd, soc + rate * seconds);
  const gap = ASYMPTOTE_PERCENT - Math.max(soc, knee);
  const decay = Math.exp(-PERCENT_PER_WS * TAPER_W_PER_PERCENT * (seconds - straightSeconds));
  return Math.min(limit, ASYMPTOTE_PERCENT - gap * decay);
}

/** What raising the state of charge this far takes from the grid, watt-hours. */
export function gridWh(percent: number): number {
  return ((percent / 100) * CAPACITY_WH) / EFFICIENCY;
}
