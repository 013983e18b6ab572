import type {
  Command,
  CommandOf,
  CommandType,
  SetPointType,
  Timed,
  TimedType,
} from '../../adapter/commands.ts';
import type { AvailableCapacity, DeviceState, Limits } from '../../adapter/device.ts';
import type { Situation } from '../../adapter/simulator.ts';

/** What can be seen of a device through its adapter. */
export interface View {
  readonly state: DeviceState;
  readonly limits: Limits | null;
  readonly capacity: AvailableCapacity | null;
}

/** Proof that a command does something: `holds` must be false before it and after waiting without it, and true after. */
interface Witness<T extends CommandType> {
  readonly from: Situation;
  readonly command: (before: View) => CommandOf<T>;
  /** How long the effect may take, seconds. */
  readonly within: number;
  readonly holds: (now: View, before: View) => boolean;
}

const lower = (now: number | null | undefined, before: number | null | undefined) =>
  typeof now === 'number' && typeof before === 'number' && now < before;

/** One witness for every command there is; kept by the platform, so that no vendor judges itself. */
const WITNESSES: { readonly [T in CommandType]: Witness<T> } = {
  turn_on: {
    from: 'off',
    command: () => ({ type: 'turn_on' }),
    within: 5,
    holds: (now) => now.state.power_on === true,
  },
  turn_off: {
    from: 'on',
    command: () => ({ type: 'turn_off' }),
    within: 5,
    holds: (now) => now.state.power_on === false,
  },
  set_charge_limit: {
    from: 'charging',
    command: () => ({ type: 'set_charge_limit', percent: 50 }),
    within: 30,
    holds: (now) => now.state.charging === false,
  },
  start_charge: {
    from: 'plugged_in',
    command: () => ({ type: 'start_charge' }),
    within: 30,
    holds: (now) => now.state.charging === true,
  },
  stop_charge: {
    from: 'charging',
    command: () => ({ type: 'stop_charge' }),
    within: 30,
    holds: (now) => now.state.charging === false,
  },
  set_current: {
    from: 'charging',
    command: () => ({ type: 'set_current', current_a: 8 }),
    within: 30,
    holds: (now, before) => now.state.charging === true && lower(now.state.power_w, before.state.power_w),
  },
  set_limit: {
    from: 'balancing',
    command: (before) =>
      before.limits?.max_a == null
        ? { type: 'set_limit', max_w: before.limits?.min_w ?? 0 }
        : { type: 'set_limit', max_a: before.limits.min_a ?? 0 },
    within: 30,
    holds: (now, before) =>
      lower(now.capacity?.current_a, before.capacity?.current_a) ||
      lower(now.capacity?.power_w, before.capacity?.power_w),
  },
  set_temperature: {
    from: 'cold',
    command: () => ({ type: 'set_temperature', target_milli_c: 23_000 }),
    within: 3_600,
    holds: (now, before) => lower(before.state.temperature_milli_c, now.state.temperature_milli_c),
  },
  set_light: {
    from: 'on',
    command: () => ({ type: 'set_light', dim: 20 }),
    within: 5,
    holds: (now, before) =>
      lower(now.state.power_w, before.state.power_w) ||
      now.state.operation_state !== before.state.operation_state,
  },
  set_battery_power: {
    from: 'battery_idle',
    command: () => ({ type: 'set_battery_power', power_w: 1_000 }),
    within: 30,
    holds: (now) => (now.state.power_w ?? 0) > 0 && now.state.charging === true,
  },
  start_program: {
    from: 'program_ready',
    command: () => ({ type: 'start_program' }),
    within: 5,
    holds: (now) => (now.state.remaining_seconds ?? 0) > 0,
  },
  stop_program: {
    from: 'program_running',
    command: () => ({ type: 'stop_program' }),
    within: 5,
    holds: (now) => (now.state.remaining_seconds ?? 0) === 0,
  },
  delayed_start: {
    from: 'program_ready',
    command: () => ({ type: 'delayed_start', delay_seconds: 600 }),
    within: 630,
    holds: (now) => (now.state.remaining_seconds ?? 0) > 0,
  },
};

/** The witness of a command type, with its types erased for use in a loop. */
export function witnessOf(type: CommandType): Witness<CommandType> & { command: (before: View) => Command } {
  return WITNESSES[type] as Witness<CommandType>;
}

/** How long a witness's limit is to last, seconds; short, and a whole minute for the vendors that count in those. */
const LASTING = 60;

/**
 * Proof that a limit ends at the device. Within half its time it must hold as the untimed one does; after its time and
 * `within` more it must hold no longer, while the same limit without an end still does.
 */
interface TimedWitness<T extends TimedType> {
  readonly command: (before: View) => Timed<T>;
  readonly holdsAfter: number;
  readonly endedAfter: number;
}

const TIMED_WITNESSES: { readonly [T in TimedType]: TimedWitness<T> } = {
  set_current: {
    command: (before) => ({ ...WITNESSES.set_current.command(before), for_seconds: LASTING }),
    holdsAfter: LASTING / 2,
    endedAfter: 3 * LASTING,
  },
  set_limit: {
    command: (before) => ({ ...WITNESSES.set_limit.command(before), for_seconds: LASTING }),
    holdsAfter: LASTING / 2,
    endedAfter: 3 * LASTING,
  },
  set_battery_power: {
    command: (before) => ({ ...WITNESSES.set_battery_power.command(before), for_seconds: LASTING }),
    holdsAfter: LASTING / 2,
    endedAfter: 3 * LASTING,
  },
};

export function timedWitnessOf(
  type: TimedType,
): TimedWitness<TimedType> & { command: (before: View) => Command } {
  return TIMED_WITNESSES[type] as TimedWitness<TimedType>;
}

/**
 * Proof that a set-point can be released: `automatic` is true of a device that runs by itself as it did before, and a release that only
 * commands something else does not bring it about.
 */
interface SetPointWitness<T extends SetPointType> extends Witness<T> {
  readonly automatic: (now: View, were: { readonly start: View; readonly held: View }) => boolean;
}

/** Whether a value is nearer to what it was in automatic operation than to what the set-point made of it. */
function isBack(of: (view: View) => number | null | undefined): SetPointWitness<SetPointType>['automatic'] {
  return (now, { start, held }) => {
    const [is, was, forced] = [of(now), of(start), of(held)];
    return (
      typeof is === 'number' &&
      typeof was === 'number' &&
      typeof forced === 'number' &&
      Math.abs(is - was) < Math.abs(is - forced)
    );
  };
}

const powerIsBack = isBack(({ state }) => state.power_w);
const amperesAreBack = isBack(({ capacity }) => capacity?.current_a);
const wattsAreBack = isBack(({ capacity }) => capacity?.power_w);

const SET_POINT_WITNESSES: { readonly [T in SetPointType]: SetPointWitness<T> } = {
  set_current: { ...WITNESSES.set_current, automatic: powerIsBack },
  set_limit: {
    ...WITNESSES.set_limit,
    automatic: (now, were) => amperesAreBack(now, were) || wattsAreBack(now, were),
  },
  set_battery_power: {
    from: 'battery_automatic',
    command: () => ({ type: 'set_battery_power', power_w: -1_000 }),
    within: 30,
    holds: (now) => (now.state.power_w ?? 0) < 0,
    automatic: (now) => (now.state.power_w ?? 0) > 0 && now.state.charging === true,
  },
};

export function setPointWitnessOf(
  type: SetPointType,
): SetPointWitness<SetPointType> & { command: (before: View) => Command } {
  return SET_POINT_WITNESSES[type] as SetPointWitness<SetPointType>;
}
