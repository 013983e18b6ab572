import type { Situation } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../proof/simulation/physics/car-battery.ts';

const LEAST_A = 6;
const MOST_A = 32;
/** A charger answers a command, and a moment later does what it says. */
const ANSWER_MS = 600;
const EFFECT_MS = 1_200;
/** With 6 A a charge begins so late. */
const SLOW_START_MS = 300_000;
/** Reported so often whether they have changed or not, and not in between: the session's energy, the meter, the temperature. */
const REPORTED_EVERY_MS = new Map([
  [121, 5 * MINUTE_MS],
  [124, HOUR_MS],
  [150, 15 * MINUTE_MS],
]);
/** Power and currents are reported at each change, and so often while it charges. */
const WHILE_CHARGING: readonly number[] = [120, 183, 184, 185];
const WHILE_CHARGING_MS = MINUTE_MS;

type Phases = readonly [number, number, number];

export interface SimulatedCircuit {
  readonly id: number;
  readonly site: number;
  readonly ratedA: number;
  /** The limit on each phase that holds until the charger restarts. */
  dynamicA: Phases;
}

interface SimulatedObservation {
  readonly id: number;
  readonly value: number | boolean;
  readonly dataType: number;
  /** ms since 1970, as the other times here. */
  readonly at: number;
}

/** A charger with a car. */
export interface SimulatedCharger {
  readonly id: string;
  readonly name: string;
  readonly circuit: SimulatedCircuit;
  readonly needsAuthorization: boolean;
  isOnline: boolean;
  /** Its owner enables or disables it in the app. */
  isEnabled: boolean;
  /** It reports nothing any more, although Easee takes it for connected. */
  isSilent: boolean;
  isPlugged: boolean;
  isAuthorized: boolean;
  dynamicA: number;
  /** How long the car takes before it draws anything. */
  carDelayMs: number;
  beginsAt: number;
  /** The charge of the car, percent. */
  soc: number;
  sessionWh: number;
  lifetimeWh: number;
  /** When the energies were so. */
  at: number;
  readonly observed: Map<number, SimulatedObservation>;
}

type ChargerStart = Pick<SimulatedCharger, 'id' | 'name' | 'circuit'> & Partial<SimulatedCharger>;

export const newCharger = (start: ChargerStart, now: number): SimulatedCharger => ({
  needsAuthorization: false,
  isOnline: true,
  isEnabled: true,
  isSilent: false,
  isPlugged: false,
  isAuthorized: start.needsAuthorization !== true,
  dynamicA: MOST_A,
  carDelayMs: 0,
  beginsAt: 0,
  soc: 50,
  sessionWh: 0,
  lifetimeWh: 1_234_567,
  at: now,
  observed: new Map(),
  ...start,
});

const ratedOf = ({ ratedA }: SimulatedCircuit): Phases => [ratedA, ratedA, ratedA];
const limitA = ({ dynamicA, circuit }: SimulatedCharger) =>
  Math.min(dynamicA, circuit.ratedA, ...circuit.dynamicA);
const chargingOf = (charger: SimulatedCharger) => ({
  soc: charger.soc,
  limit: 100,
  offeredW: modeOf(charger) === 3 ? limitA(charger) * WATT_PER_AMPERE : 0,
});

function modeOf(charger: SimulatedCharger): number {
  if (!charger.isOnline) return 0;
  if (!charger.isPlugged) return 1;
  if (!charger.isAuthorized) return 7;
  if (!charger.isEnabled || limitA(charger) < LEAST_A) return 2;
  if (charger.at < charger.beginsAt) return 6;
  return charger.soc >= 100 ? 4 : 3;
}

/** Charges the car until `now`. */
function advance(charger: SimulatedCharger, now: number): void {
  // A car that begins on the way charges from then on.
  for (const end of [Math.min(now, Math.max(charger.at, charger.beginsAt)), now]) {
    const soc = socAfter(chargingOf(charger), (end - charger.at) / 1_000);
    const wh = gridWh(soc - charger.soc);
    Object.assign(charger, { soc, at: end, sessionWh: charger.sessionWh + wh });
    charger.lifetimeWh += wh;
  }
}

function valuesOf(charger: SimulatedCharger): readonly [number, number | boolean, number][] {
  const { circuit, isEnabled, isPlugged, isOnline, dynamicA, sessionWh, lifetimeWh } = charger;
  const watts = drawnW(chargingOf(charger));
  const amperes = watts === 0 ? 0.01 : watts / WATT_PER_AMPERE - 0.1;
  const float = (ids: readonly number[], value: number) =>
    ids.map((id): [number, number, number] => [id, value, 3]);
  return [
    ...float([22, 23, 24], circuit.ratedA),
    [31, isEnabled, 2],
    [38, 2, 4],
    ...float([47], MOST_A),
    ...float([48], dynamicA),
    [96, watts > 0 || !isPlugged ? 0 : isEnabled ? 52 : 53, 4],
    [109, modeOf(charger), 4],
    ...circuit.dynamicA.flatMap((phase, index) => float([111 + index], phase)),
    ...float([120], watts / 1_000),
    ...float([121], sessionWh / 1_000),
    ...float([124], lifetimeWh / 1_000),
    [150, 21, 4],
    ...float([182], 0.02),
    ...float([183, 184, 185], amperes),
    [250, isOnline, 2],
  ];
}

/** All that it has reported, each with the time of its last report. */
export function observe(charger: SimulatedCharger, now: number): readonly SimulatedObservation[] {
  const { observed } = charger;
  if (charger.isSilent) return [...observed.values()];
  advance(charger, now);
  for (const [id, value, dataType] of valuesOf(charger)) {
    const before = observed.get(id);
    const age = now - (before?.at ?? Number.NEGATIVE_INFINITY);
    const every = REPORTED_EVERY_MS.get(id);
    const isRepeated = WHILE_CHARGING.includes(id) && modeOf(charger) === 3 && age >= WHILE_CHARGING_MS;
    const isNews = before?.value !== value || isRepeated;
    if (every === undefined ? isNews : age >= every) observed.set(id, { id, value, dataType, at: now });
  }
  return [...observed.values()];
}

/** What a command of the API does to the charger; 0 minutes: until it is changed. */
export type Deed =
  | { readonly type: 'start' | 'stop' | 'pause' | 'resume' | 'reboot' }
  | { readonly type: 'dynamic'; readonly amperes: number; readonly minutes: number }
  | { readonly type: 'circuit'; readonly amperes: Phases; readonly minutes: number };

export function hasNothingToDo({ dynamicA }: SimulatedCharger, deed: Deed): boolean {
  return deed.type === 'dynamic' ? deed.amperes === dynamicA : deed.type === 'pause' && dynamicA === 0;
}

/** What happens at a charger, for its followers. */
interface ChargerEvents {
  /** What it observes may have changed. */
  changed(circuit: SimulatedCircuit): void;
  answered(charger: SimulatedCharger, ticks: bigint, wasAccepted: boolean): void;
}

/** Chargers that take a while to obey. */
export function chargersAt(clock: Clock, { changed, answered }: ChargerEvents) {
  /** Goes back once the time of a limit is over. */
  function expire(charger: SimulatedCharger, minutes: number, back: () => void): void {
    if (minutes === 0) return;
    clock.after(minutes * MINUTE_MS, () => {
      advance(charger, clock.now());
      back();
      changed(charger.circuit);
    });
  }

  function effect(charger: SimulatedCharger, deed: Deed): void {
    const { circuit, needsAuthorization, dynamicA: before } = charger;
    advance(charger, clock.now());
    const wasCharging = modeOf(charger) === 3;
    if (deed.type === 'start') charger.isAuthorized = true;
    if (deed.type === 'stop') charger.isAuthorized = !needsAuthorization;
    if (deed.type === 'pause') charger.dynamicA = 0;
    // Whatever the limit was before.
    if (deed.type === 'resume' || deed.type === 'reboot') charger.dynamicA = MOST_A;
    if (deed.type === 'dynamic') {
      charger.dynamicA = deed.amperes;
      // Unless another limit has taken its place.
      expire(charger, deed.minutes, () => {
        if (charger.dynamicA === deed.amperes) charger.dynamicA = before;
      });
    }
    if (deed.type === 'circuit') {
      circuit.dynamicA = deed.amperes;
      expire(charger, deed.minutes, () => {
        if (circuit.dynamicA === deed.amperes) circuit.dynamicA = ratedOf(circuit);
      });
    }
    if (!wasCharging)
      charger.beginsAt = clock.now() + (limitA(charger) <= LEAST_A ? SLOW_START_MS : charger.carDelayMs);
    changed(circuit);
  }

  return {
    /** Does it later, or answers that it does not want to; a charger that is unreachable never answers. */
    order(
      charger: SimulatedCharger,
      deed: Deed,
      { ticks, isRefused = false }: { ticks: bigint; isRefused?: boolean },
    ): void {
      clock.after(ANSWER_MS, () => {
        if (charger.isOnline) answered(charger, ticks, !isRefused);
      });
      clock.after(EFFECT_MS, () => {
        if (charger.isOnline && !isRefused) effect(charger, deed);
      });
    },

    arrange(charger: SimulatedCharger, situation: Situation): void {
      const { circuit, needsAuthorization, observed } = charger;
      advance(charger, clock.now());
      circuit.dynamicA = ratedOf(circuit);
      observed.delete(121);
      Object.assign(charger, {
        isPlugged: situation === 'plugged_in' || situation === 'charging',
        soc: 50,
        sessionWh: 0,
        beginsAt: 0,
        isAuthorized: situation === 'charging' || !needsAuthorization,
        // One that asks for authorization waits for that, the others because they were paused.
        dynamicA: situation === 'plugged_in' && !needsAuthorization ? 0 : MOST_A,
      });
      changed(circuit);
    },
  };
}
