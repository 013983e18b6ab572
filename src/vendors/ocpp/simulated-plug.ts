/** The car of the simulator takes this much per phase, on three phases. */
const CAR_AMPERES = 16;
export const PHASES = 3;
export const VOLTS = 230;
/** Below this a car takes nothing (IEC 61851). */
const LEAST_AMPERES = 6;

export interface SimulatedTransaction {
  /** Unknown until the central system has answered the start (1.6). */
  id: string;
  readonly idTag: string;
  seqNo: number;
}

/** One connector of a simulated station with what is plugged into it: amperes in, watt-hours out. */
export class SimulatedPlug {
  readonly number: number;
  plugged = false;
  transaction: SimulatedTransaction | null = null;
  /** A remote start that waits for a car, with its tag. */
  awaited: string | null = null;
  /** Limits in force, ampere per phase, by purpose. */
  readonly limits = new Map<'transaction' | 'default' | 'station', number>();
  meterWh = 12_345;
  #at: number;

  constructor(number: number, now: number) {
    this.number = number;
    this.#at = now;
  }

  /** Ampere per phase that flow now. */
  get amperes(): number {
    if (!this.plugged || this.transaction === null) return 0;
    const own = this.limits.get('transaction') ?? this.limits.get('default') ?? CAR_AMPERES;
    const amperes = Math.min(CAR_AMPERES, own, this.limits.get('station') ?? CAR_AMPERES);
    return amperes < LEAST_AMPERES ? 0 : amperes;
  }

  get watts(): number {
    return this.amperes * VOLTS * PHASES;
  }

  /** Lets the meter run up to `now`; called before anything that changes the power. */
  run(now: number): void {
    this.meterWh += (this.watts * (now - this.#at)) / 3_600_000;
    this.#at = now;
  }
}

/** Ampere per phase of a profile's first period. */
export function amperesOf(schedule: {
  readonly chargingRateUnit: string;
  readonly chargingSchedulePeriod: readonly { readonly limit: number }[];
}): number {
  const limit = schedule.chargingSchedulePeriod[0]?.limit ?? 0;
  return schedule.chargingRateUnit === 'A' ? limit : limit / VOLTS / PHASES;
}
