import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { Clock } from '../../core/clock.ts';

const VOLTS = 230;
const LEAST_A = 6;
const CAR_A = 16;
const CAR_WH = 60_000;
/** A charger answers a command, and a moment later does what it says. */
const ANSWER_MS = 600;
const EFFECT_MS = 1_200;
/** Lifetime energy is told about once an hour. */
const LIFETIME_MS = 3_600_000;

export interface SimulatedCircuit {
  readonly id: number;
  readonly site: number;
  readonly ratedA: number;
  /** The limit on each phase that holds until the charger restarts. */
  dynamicA: readonly [number, number, number];
  readonly chargers: SimulatedCharger[];
}

export interface SimulatedObservation {
  readonly id: number;
  readonly value: string | number | boolean;
  readonly dataType: number;
  readonly at: number;
}

/** What a command of the API does to the charger. */
export type Deed =
  | { readonly type: 'start' | 'stop' | 'pause' | 'resume' }
  | { readonly type: 'dynamic'; readonly amperes: number }
  | {
      readonly type: 'circuit';
      readonly amperes: readonly [number, number, number];
      /** 0: until it is changed. */
      readonly minutes: number;
    };

export interface ChargerEvents {
  /** What it observes may have changed. */
  changed(charger: SimulatedCharger): void;
  answered(charger: SimulatedCharger, ticks: string, wasAccepted: boolean): void;
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

/** A charger with a car, in time: power follows its limits, energy follows power. */
export function createSimulatedCharger(options: ChargerOptions) {
  const { id, name, circuit, clock, events, needsAuthorization = false } = options;
  let isOnline = options.isOnline ?? true;
  let isPlugged = false;
  let isAuthorized = !needsAuthorization;
  let dynamicA = 32;
  let carWh = CAR_WH / 2;
  let sessionWh = 0;
  let lifetimeWh = 1_234_567;
  let toldLifetimeWh = lifetimeWh;
  let toldLifetimeAt = clock.now();
  let last = clock.now();
  const known = new Map<number, SimulatedObservation>();

  const limitA = () => Math.min(dynamicA, circuit.ratedA, ...circuit.dynamicA, CAR_A);

  function mode(): number {
    if (!isOnline) return 0;
    if (!isPlugged) return 1;
    if (!isAuthorized) return 7;
    if (limitA() < LEAST_A) return 2;
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
    if (now - toldLifetimeAt >= LIFETIME_MS) {
      toldLifetimeWh = lifetimeWh;
      toldLifetimeAt = now;
    }
    last = now;
  }

  function values(): [number, string | number | boolean, number][] {
    const [p1, p2, p3] = circuit.dynamicA;
    const current = amperes();
    return [
      [22, circuit.ratedA, 3],
      [23, circuit.ratedA, 3],
      [24, circuit.ratedA, 3],
      [31, true, 2],
      [38, 2, 4],
      [47, 32, 3],
      [48, dynamicA, 3],
      [96, current > 0 || !isPlugged ? 0 : 52, 4],
      [109, mode(), 4],
      [111, p1, 3],
      [112, p2, 3],
      [113, p3, 3],
      [120, watts() / 1000, 3],
      [121, sessionWh / 1000, 3],
      [124, toldLifetimeWh / 1000, 3],
      [182, 0.02, 3],
      [183, current === 0 ? 0.01 : current - 0.1, 3],
      [184, current === 0 ? 0.01 : current - 0.1, 3],
      [185, current === 0 ? 0.01 : current - 0.1, 3],
      [250, isOnline, 2],
    ];
  }

  function effect(deed: Deed): void {
    advance();
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
        // Whatever the limit was before.
        dynamicA = 32;
        break;
      case 'dynamic':
        dynamicA = deed.amperes;
        break;
      case 'circuit':
        circuit.dynamicA = deed.amperes;
        if (deed.minutes > 0) clock.after(deed.minutes * 60_000, () => expire(deed.amperes));
        break;
    }
    for (const charger of circuit.chargers) events.changed(charger);
  }

  /** The time of a limit is over, unless another has taken its place. */
  function expire(amperes: SimulatedCircuit['dynamicA']): void {
    if (circuit.dynamicA !== amperes) return;
    advance();
    circuit.dynamicA = [circuit.ratedA, circuit.ratedA, circuit.ratedA];
    for (const charger of circuit.chargers) events.changed(charger);
  }

  const hasNothingToDo = (deed: Deed): boolean => {
    if (deed.type === 'dynamic') return deed.amperes === dynamicA;
    if (deed.type === 'pause') return dynamicA === 0;
    return false;
  };

  const charger = {
    id,
    name,
    circuit,
    hasNothingToDo,
    needsAuthorization,

    /** All that it observes, each with the time of its last change. */
    observe(): readonly SimulatedObservation[] {
      advance();
      const at = clock.now();
      for (const [number, value, dataType] of values())
        if (known.get(number)?.value !== value) known.set(number, { id: number, value, dataType, at });
      return [...known.values()];
    },

    /** Does it later, as the cloud and the charger take their time; a charger that is away never answers. */
    order(deed: Deed, ticks: string): void {
      clock.after(ANSWER_MS, () => {
        if (isOnline) events.answered(charger, ticks, true);
      });
      clock.after(EFFECT_MS, () => {
        if (isOnline) effect(deed);
      });
    },

    /** Answers that it does not want to, and does nothing. */
    refuse(ticks: string): void {
      clock.after(ANSWER_MS, () => events.answered(charger, ticks, false));
    },

    setOnline(online: boolean): void {
      advance();
      isOnline = online;
      events.changed(charger);
    },

    arrange(situation: Situation): void {
      advance();
      isOnline = true;
      isPlugged = situation === 'plugged_in' || situation === 'charging';
      carWh = CAR_WH / 2;
      sessionWh = 0;
      isAuthorized = situation === 'charging' || !needsAuthorization;
      // One that asks for authorization waits for that, the others because they were paused.
      dynamicA = situation === 'plugged_in' && !needsAuthorization ? 0 : 32;
      circuit.dynamicA = [circuit.ratedA, circuit.ratedA, circuit.ratedA];
      for (const one of circuit.chargers) events.changed(one);
    },
  };
  circuit.chargers.push(charger);
  return charger;
}

export interface SimulatedCharger {
  readonly id: string;
  readonly name: string;
  readonly circuit: SimulatedCircuit;
  readonly needsAuthorization: boolean;
  hasNothingToDo(deed: Deed): boolean;
  observe(): readonly SimulatedObservation[];
  order(deed: Deed, ticks: string): void;
  refuse(ticks: string): void;
  setOnline(online: boolean): void;
  arrange(situation: Situation): void;
}
