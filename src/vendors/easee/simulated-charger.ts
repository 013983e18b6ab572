import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { Clock } from '../../core/clock.ts';

const VOLTS = 230;
const LEAST_A = 6;
const CAR_A = 16;
const CAR_WH = 60_000;
/** A charger answers a command, and a moment later does what it says. */
const ANSWER_MS = 600;
const EFFECT_MS = 1_200;
/** With 6 A a charge begins so late. */
const SLOW_START_MS = 300_000;
/** How often figures are reported that have not changed, by their number: the temperature always, the others while it charges. */
const REPORTED_EVERY_MS: Readonly<Record<number, number>> = {
  120: 60_000,
  150: 900_000,
  183: 60_000,
  184: 60_000,
  185: 60_000,
};
const TEMPERATURE = 150;
/** The meter is reported once an hour, the energy of the session more often. */
const LIFETIME_MS = 3_600_000;
const SESSION_MS = 300_000;

type Phases = readonly [number, number, number];

export interface SimulatedCircuit {
  readonly id: number;
  readonly site: number;
  readonly ratedA: number;
  /** The limit on each phase that holds until the charger restarts. */
  dynamicA: Phases;
  readonly chargers: SimulatedCharger[];
}

interface SimulatedObservation {
  readonly id: number;
  readonly value: string | number | boolean;
  readonly dataType: number;
  readonly at: number;
}

/** What a command of the API does to the charger; 0 minutes: until it is changed. */
export type Deed =
  | { readonly type: 'start' | 'stop' | 'pause' | 'resume' | 'reboot' }
  | { readonly type: 'dynamic'; readonly amperes: number; readonly minutes: number }
  | { readonly type: 'circuit'; readonly amperes: Phases; readonly minutes: number };

export interface ChargerEvents {
  /** What it observes may have changed. */
  changed(charger: SimulatedCharger): void;
  answered(charger: SimulatedCharger, ticks: bigint, wasAccepted: boolean): void;
}

interface ChargerOptions {
  readonly id: string;
  readonly name: string;
  readonly circuit: SimulatedCircuit;
  readonly clock: Clock;
  readonly events: ChargerEvents;
  readonly needsAuthorization?: boolean;
  readonly isOnline?: boolean;
}

/** A figure as it was last reported: it stays behind what is measured. */
function reported(clock: Clock, everyMs: number, start: number) {
  let value = start;
  let at = clock.now();
  return {
    value: () => value,
    measure(now: number) {
      if (clock.now() - at < everyMs) return;
      value = now;
      at = clock.now();
    },
    restart(now: number) {
      value = now;
      at = clock.now();
    },
  };
}

/** A charger with a car, in time: power follows its limits, energy follows power. */
export function createSimulatedCharger(options: ChargerOptions) {
  const { id, name, circuit, clock, events, needsAuthorization = false } = options;
  let isOnline = options.isOnline ?? true;
  let isEnabled = true;
  let isSilent = false;
  let isPlugged = false;
  let isAuthorized = !needsAuthorization;
  let dynamicA = 32;
  let beginsAt = 0;
  let carDelayMs = 0;
  let carWh = CAR_WH / 2;
  let sessionWh = 0;
  let lifetimeWh = 1_234_567;
  let last = clock.now();
  const session = reported(clock, SESSION_MS, 0);
  const lifetime = reported(clock, LIFETIME_MS, lifetimeWh);
  const observed = new Map<number, SimulatedObservation>();

  const limitA = () => Math.min(dynamicA, circuit.ratedA, ...circuit.dynamicA, CAR_A);

  function mode(): number {
    if (!isOnline) return 0;
    if (!isPlugged) return 1;
    if (!isAuthorized) return 7;
    if (!isEnabled || limitA() < LEAST_A) return 2;
    if (clock.now() < beginsAt) return 6;
    return carWh >= CAR_WH ? 4 : 3;
  }

  const amperes = () => (mode() === 3 ? limitA() : 0);
  const watts = () => amperes() * VOLTS * 3;

  /** Charges the car for the time since the last look. */
  function advance(): void {
    const now = clock.now();
    const wh = Math.min(Math.max(0, CAR_WH - carWh), (watts() * (now - last)) / 3_600_000);
    carWh += wh;
    sessionWh += wh;
    lifetimeWh += wh;
    last = now;
    session.measure(sessionWh);
    lifetime.measure(lifetimeWh);
  }

  function values(): [number, string | number | boolean, number][] {
    const [p1, p2, p3] = circuit.dynamicA;
    const current = amperes();
    const drawn = current === 0 ? 0.01 : current - 0.1;
    return [
      ...[22, 23, 24].map((one): [number, number, number] => [one, circuit.ratedA, 3]),
      [31, isEnabled, 2],
      [38, 2, 4],
      [47, 32, 3],
      [48, dynamicA, 3],
      [96, current > 0 || !isPlugged ? 0 : isEnabled ? 52 : 53, 4],
      [109, mode(), 4],
      [111, p1, 3],
      [112, p2, 3],
      [113, p3, 3],
      [120, watts() / 1000, 3],
      [121, session.value() / 1000, 3],
      [124, lifetime.value() / 1000, 3],
      [TEMPERATURE, 21, 4],
      [182, 0.02, 3],
      ...[183, 184, 185].map((one): [number, number, number] => [one, drawn, 3]),
      [250, isOnline, 2],
    ];
  }

  const changeAll = () => {
    for (const charger of circuit.chargers) events.changed(charger);
  };

  /** Goes back once the time of a limit is over, unless another has taken its place. */
  function expire(minutes: number, isStill: () => boolean, back: () => void): void {
    if (minutes === 0) return;
    clock.after(minutes * 60_000, () => {
      if (!isStill()) return;
      advance();
      back();
      changeAll();
    });
  }

  function effect(deed: Deed): void {
    advance();
    const wasCharging = amperes() > 0;
    const before = dynamicA;
    switch (deed.type) {
      case 'start':
        isAuthorized = true;
        break;
      case 'stop':
        isAuthorized = !needsAuthorization;
        break;
      case 'pause':
        dynamicA = 0;
        break;
      case 'resume':
      case 'reboot':
        // Whatever the limit was before.
        dynamicA = 32;
        break;
      case 'dynamic':
        dynamicA = deed.amperes;
        expire(
          deed.minutes,
          () => dynamicA === deed.amperes,
          () => {
            dynamicA = before;
          },
        );
        break;
      case 'circuit':
        circuit.dynamicA = deed.amperes;
        expire(
          deed.minutes,
          () => circuit.dynamicA === deed.amperes,
          () => {
            circuit.dynamicA = [circuit.ratedA, circuit.ratedA, circuit.ratedA];
          },
        );
        break;
    }
    if (!wasCharging) beginsAt = clock.now() + (limitA() < LEAST_A + 1 ? SLOW_START_MS : carDelayMs);
    changeAll();
  }

  const charger = {
    id,
    name,
    circuit,
    needsAuthorization,

    hasNothingToDo(deed: Deed): boolean {
      if (deed.type === 'dynamic') return deed.amperes === dynamicA;
      return deed.type === 'pause' && dynamicA === 0;
    },

    /** All that it has reported, each with the time of its last report. */
    observe(): readonly SimulatedObservation[] {
      if (isSilent) return [...observed.values()];
      advance();
      const at = clock.now();
      for (const [number, value, dataType] of values()) {
        const before = observed.get(number);
        const every = amperes() > 0 || number === TEMPERATURE ? REPORTED_EVERY_MS[number] : undefined;
        const isDue = before === undefined || (every !== undefined && at - before.at >= every);
        if (isDue || before.value !== value) observed.set(number, { id: number, value, dataType, at });
      }
      return [...observed.values()];
    },

    /** Does it later, as the cloud and the charger take their time; a charger that is away never answers. */
    order(deed: Deed, ticks: bigint): void {
      clock.after(ANSWER_MS, () => {
        if (isOnline) events.answered(charger, ticks, true);
      });
      clock.after(EFFECT_MS, () => {
        if (isOnline) effect(deed);
      });
    },

    /** Answers that it does not want to, and does nothing. */
    refuse(ticks: bigint): void {
      clock.after(ANSWER_MS, () => events.answered(charger, ticks, false));
    },

    setOnline(online: boolean): void {
      advance();
      isOnline = online;
      events.changed(charger);
    },

    /** Its owner enables or disables it in the app. */
    setEnabled(enabled: boolean): void {
      advance();
      isEnabled = enabled;
      events.changed(charger);
    },

    /** The car takes so long before it draws anything. */
    delayCar(seconds: number): void {
      carDelayMs = seconds * 1_000;
    },

    /** It reports nothing any more, although Easee takes it for connected. */
    fallSilent(): void {
      charger.observe();
      isSilent = true;
    },

    arrange(situation: Situation): void {
      advance();
      isOnline = true;
      isPlugged = situation === 'plugged_in' || situation === 'charging';
      carWh = CAR_WH / 2;
      sessionWh = 0;
      session.restart(0);
      beginsAt = 0;
      isAuthorized = situation === 'charging' || !needsAuthorization;
      // One that asks for authorization waits for that, the others because they were paused.
      dynamicA = situation === 'plugged_in' && !needsAuthorization ? 0 : 32;
      circuit.dynamicA = [circuit.ratedA, circuit.ratedA, circuit.ratedA];
      changeAll();
    },
  };
  circuit.chargers.push(charger);
  return charger;
}

export type SimulatedCharger = ReturnType<typeof createSimulatedCharger>;
