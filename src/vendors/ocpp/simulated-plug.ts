import type { Clock } from '../../core/clock.ts';

/** The scope of a limit. */
export type Purpose = 'transaction' | 'default' | 'station';

/** A period of a charging schedule: its start (ms since 1970) and limit, ampere per phase. */
export interface Period {
  readonly from: number;
  readonly amperes: number;
}

/** The simulated car takes this much per phase, on three phases. */
const CAR_AMPERES = 16;
export const PHASES = 3;
export const VOLTS = 230;
/** Below this a car takes nothing (IEC 61851). */
const LEAST_AMPERES = 6;

export interface SimulatedTransaction {
  /** Unknown until the central system has responded to the start (1.6). */
  id: string;
  readonly idTag: string;
  seqNo: number;
  /** The charging state that was reported last (2.0.1). */
  reportedState?: string;
}

/** One connector of a simulated station with the car plugged into it. */
export class SimulatedPlug {
  readonly number: number;
  plugged = false;
  transaction: SimulatedTransaction | null = null;
  /** The tag of a remote start that waits for a car. */
  awaited: string | null = null;
  /** The schedules that were set, by purpose. */
  readonly limits = new Map<Purpose, readonly Period[]>();
  meterWh = 12_345;
  readonly #clock: Clock;
  #at: number;

  constructor(number: number, clock: Clock) {
    this.number = number;
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Ampere per phase at present. */
  get amperes(): number {
    return this.amperesAt(this.#clock.now());
  }

  /** The limit of one purpose at a moment, ampere per phase; null: its schedules set none. */
  allowedAt(purpose: Purpose, at: number): number | null {
    return this.limits.get(purpose)?.findLast(({ from }) => from <= at)?.amperes ?? null;
  }

  amperesAt(at: number): number {
    if (!this.plugged || this.transaction === null) return 0;
    const amperes = this.offeredAt(at);
    return amperes < LEAST_AMPERES ? 0 : amperes;
  }

  /** The limits from now on, ampere per phase, combined from all schedules. */
  composite(seconds: number): { startPeriod: number; limit: number }[] {
    const now = this.#clock.now();
    const until = now + seconds * 1000;
    const ends = [...this.limits.values()].flatMap((periods) => periods.map(({ from }) => from));
    const moments = [now, ...ends.filter((at) => at > now && at < until)].sort((a, b) => a - b);
    return [...new Set(moments)].map((at) => ({
      startPeriod: Math.round((at - now) / 1000),
      limit: this.offeredAt(at),
    }));
  }

  /** Ampere per phase that the schedules allow. */
  offeredAt(at: number): number {
    const own = this.allowedAt('transaction', at) ?? this.allowedAt('default', at) ?? CAR_AMPERES;
    return Math.min(CAR_AMPERES, own, this.allowedAt('station', at) ?? CAR_AMPERES);
  }

  get watts(): number {
    return this.amperes * VOLTS * PHASES;
  }

  /** Advances the meter to `now`; call it before anything that changes the power, and when a period of a schedule ends. */
  run(now: number): void {
    this.meterWh += (this.amperesAt(this.#at) * VOLTS * PHASES * (now - this.#at)) / 3_600_000;
    this.#at = now;
  }
}

/** A charging schedule as both protocols send it. */
export interface Schedule {
  readonly startSchedule?: string;
  readonly chargingRateUnit: string;
  readonly chargingSchedulePeriod: readonly { readonly startPeriod: number; readonly limit: number }[];
}

/** The periods of a schedule; one without a start begins now. */
export function periodsOf(schedule: Schedule, now: number): Period[] {
  const start = schedule.startSchedule === undefined ? now : Date.parse(schedule.startSchedule);
  const amperes = (limit: number) => (schedule.chargingRateUnit === 'A' ? limit : limit / VOLTS / PHASES);
  return schedule.chargingSchedulePeriod.map(({ startPeriod, limit }) => ({
    from: start + startPeriod * 1000,
    amperes: amperes(limit),
  }));
}
