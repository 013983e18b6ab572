import type { Sample } from '../../adapter/charging.ts';

/** The values in one set of samples; null: not reported. */
export interface Figures {
  /** Active power, watt; negative when the car gives back. */
  readonly power_w: number | null;
  /** The meter's import register, watt-hours. */
  readonly register_wh: number | null;
  /** Energy imported since the previous set, watt-hours; sent by stations without a register. */
  readonly interval_wh: number | null;
  /** Phases that carried current, 1–3. */
  readonly phases: number | null;
}

/** Voltage between a phase and neutral, used where the station does not measure it. */
export const NOMINAL_VOLTS = 230;

/** A phase below this does not charge: it is standby current and measuring noise. */
const IDLE_AMPERES = 0.5;

const LINES = ['L1', 'L2', 'L3'] as const;
type Line = (typeof LINES)[number];

interface Measured {
  /** The value without a phase tag: the station's own total. */
  readonly total: number | null;
  readonly lines: ReadonlyMap<Line, number>;
}

/** Reads power, energy and phases from samples of one moment, however the phases are tagged. */
export function figuresOf(samples: readonly Sample[]): Figures {
  const current = measured(samples, 'Current.Import', 'A');
  return {
    power_w: powerOf(samples, current),
    register_wh: sumOf(measured(samples, 'Energy.Active.Import.Register', 'Wh')),
    interval_wh: sumOf(measured(samples, 'Energy.Active.Import.Interval', 'Wh')),
    phases: phasesOf(samples, current),
  };
}

function powerOf(samples: readonly Sample[], current: Measured): number | null {
  const taken = sumOf(measured(samples, 'Power.Active.Import', 'W'));
  const given = sumOf(measured(samples, 'Power.Active.Export', 'W'));
  if (taken !== null || given !== null) return (taken ?? 0) - (given ?? 0);
  const voltage = measured(samples, 'Voltage', 'V');
  const average = averageOf(voltage) ?? NOMINAL_VOLTS;
  if (current.lines.size > 0) {
    return [...current.lines].reduce(
      (watts, [line, amperes]) => watts + amperes * (voltage.lines.get(line) ?? average),
      0,
    );
  }
  // One current for all phases: as many phases as there are voltages tagged, else one.
  return current.total === null ? null : current.total * average * Math.max(voltage.lines.size, 1);
}

/**
 * A station that tags every phase shows which ones are idle. For a single current (a total, or the first phase) the number
 * follows from the measured power: power / (voltage × current) is then a whole number.
 */
function phasesOf(samples: readonly Sample[], current: Measured): number | null {
  if (current.lines.size < LINES.length) return phasesByPower(samples, current);
  const busy = [...current.lines.values()].filter((amperes) => amperes > IDLE_AMPERES).length;
  return busy === 0 ? null : busy;
}

/** Below this, rounding and the car's electronics make the quotient meaningless. */
const LEAST_USABLE_AMPERES = 3;
/** How far from a whole number the quotient may be. */
const TOLERATED = 0.25;
/** A higher voltage is one between two phases. */
const LARGEST_TO_NEUTRAL = 300;

function phasesByPower(samples: readonly Sample[], current: Measured): number | null {
  const power = sumOf(measured(samples, 'Power.Active.Import', 'W'));
  const amperes = current.total ?? Math.max(0, ...current.lines.values());
  if (power === null || amperes < LEAST_USABLE_AMPERES || current.lines.size > 1) return null;
  const reported = averageOf(measured(samples, 'Voltage', 'V')) ?? NOMINAL_VOLTS;
  const volts = reported > LARGEST_TO_NEUTRAL ? reported / Math.sqrt(3) : reported;
  const quotient = power / (volts * amperes);
  const phases = Math.round(quotient);
  return phases >= 1 && phases <= 3 && Math.abs(quotient - phases) <= TOLERATED ? phases : null;
}

/** The current samples of one measurand at the outlet: never the car's own, and those of Transaction.Begin only as a last resort. */
function relevant(samples: readonly Sample[], measurand: string, unit: string): Sample[] {
  const all = samples.filter(
    (sample) => sample.measurand === measurand && sample.unit === unit && sample.location !== 'EV',
  );
  const later = all.filter((sample) => sample.context !== 'Transaction.Begin');
  const now = later.length > 0 ? later : all;
  const place = now.some((sample) => sample.location === 'Outlet') ? 'Outlet' : now[0]?.location;
  return now.filter((sample) => sample.location === place);
}

function measured(samples: readonly Sample[], measurand: string, unit: string): Measured {
  let total: number | null = null;
  const lines = new Map<Line, number>();
  for (const { phase, value } of relevant(samples, measurand, unit)) {
    if (phase === undefined) total = value;
    else {
      // `L1` and `L1-N` are the same line here; `L1-L2` is a voltage between lines, and `N` is not a phase.
      const line = LINES.find((name) => phase === name || phase === `${name}-N`);
      if (line !== undefined) lines.set(line, value);
    }
  }
  return { total, lines };
}

const sumOf = ({ total, lines }: Measured): number | null =>
  total ?? (lines.size === 0 ? null : [...lines.values()].reduce((sum, value) => sum + value, 0));

const averageOf = ({ total, lines }: Measured): number | null =>
  total ??
  (lines.size === 0 ? null : [...lines.values()].reduce((sum, value) => sum + value, 0) / lines.size);
