import type { Situation } from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../proof/simulation/physics/car-battery.ts';

const LEAST_A = 6;
const MOST_A = 32;
const VOLTS = 231.4;
/** Reported so often, whether they have changed or not. */
const REPORTED_EVERY_MS = new Map([
  [-1, MINUTE_MS],
  [201, 15 * MINUTE_MS],
  [554, HOUR_MS],
]);
/** Power, currents and energy are reported at each change of the mode, and so often while it charges. */
const WHILE_CHARGING_MS = MINUTE_MS;
const CHANGING: readonly number[] = [507, 508, 509, 513, 553];

export interface SimulatedInstallation {
  readonly id: string;
  readonly name: string;
  readonly maxA: number;
  /** "UserRoles", as bits: user, owner. */
  readonly roles: number;
  readonly chargers: SimulatedCharger[];
  /** On each phase; null holds nothing back. */
  availableA: readonly [number, number, number] | null;
  /** Zaptec's own power management controls it. */
  isManaged: boolean;
}

/** A charger with a car. */
export interface SimulatedCharger {
  readonly id: string;
  readonly serial: string;
  readonly name: string;
  readonly installation: SimulatedInstallation;
  readonly roles: number;
  readonly needsAuthorization: boolean;
  online: boolean;
  isStandalone: boolean;
  plugged: boolean;
  authorized: boolean;
  stopped: boolean;
  maxA: number;
  minA: number;
  /** The charge of the car, percent. */
  soc: number;
  sessionWh: number;
  meterWh: number;
  /** When the energies were so, ms since 1970. */
  at: number;
  readonly observed: Map<number, SimulatedObservation>;
}

interface SimulatedObservation {
  readonly id: number;
  readonly value: string | undefined;
  readonly at: number;
}

type Start = Pick<SimulatedCharger, 'id' | 'serial' | 'name' | 'installation'> & Partial<SimulatedCharger>;

/** Adds a charger to its installation. */
export function addCharger(start: Start, now: number): SimulatedCharger {
  const charger: SimulatedCharger = {
    roles: start.installation.roles,
    needsAuthorization: false,
    online: true,
    isStandalone: false,
    plugged: false,
    authorized: start.needsAuthorization !== true,
    stopped: false,
    maxA: MOST_A,
    minA: LEAST_A,
    soc: 50,
    sessionWh: 0,
    meterWh: 905_490,
    at: now,
    observed: new Map(),
    ...start,
  };
  charger.installation.chargers.push(charger);
  return charger;
}

const wants = ({ online, plugged, authorized, stopped, maxA, soc }: SimulatedCharger) =>
  online && plugged && authorized && !stopped && maxA >= LEAST_A && soc < 100;

/** What the installation gives to each of its chargers that want something. */
function allocatedA(charger: SimulatedCharger): number {
  const { installation, maxA, minA } = charger;
  if (!wants(charger)) return 0;
  const available = Math.min(installation.maxA, ...(installation.availableA ?? []));
  const share = charger.isStandalone ? maxA : available / installation.chargers.filter(wants).length;
  const amperes = Math.min(maxA, share, MOST_A);
  return amperes < minA ? 0 : amperes;
}

const chargingOf = (charger: SimulatedCharger) => ({
  soc: charger.soc,
  limit: 100,
  offeredW: allocatedA(charger) * WATT_PER_AMPERE,
});

/** "ChargerOperationModes": 1 disconnected, 2 requesting, 3 charging, 5 finished. */
export function modeOf(charger: SimulatedCharger): 1 | 2 | 3 | 5 {
  if (!charger.plugged) return 1;
  if (charger.stopped || charger.soc >= 100) return 5;
  return allocatedA(charger) > 0 ? 3 : 2;
}

/** Charges the cars of an installation until `now`. */
export function advance({ chargers }: SimulatedInstallation, now: number): void {
  const charged = chargers.map((charger) => socAfter(chargingOf(charger), (now - charger.at) / 1_000));
  for (const [index, charger] of chargers.entries()) {
    const soc = charged[index] ?? charger.soc;
    const wh = gridWh(soc - charger.soc);
    Object.assign(charger, {
      soc,
      at: now,
      sessionWh: charger.sessionWh + wh,
      meterWh: charger.meterWh + wh,
    });
  }
}

function valuesOf(charger: SimulatedCharger, now: number): readonly [number, string | undefined][] {
  const watts = drawnW(chargingOf(charger));
  const isOn = watts > 0;
  // While nothing is drawn the sensors show noise.
  const amperes = isOn ? watts / WATT_PER_AMPERE : 0.59;
  const phases = [1, 2, 3].flatMap((phase): [number, number][] => [
    [500 + phase, isOn ? VOLTS + phase / 10 : 2.2],
    [506 + phase, amperes],
  ]);
  return [
    [-2, charger.online ? '1' : '0'],
    [-1, undefined],
    [1, '0'],
    [120, charger.needsAuthorization ? '1' : '0'],
    [150, 'Wifi'],
    [151, '0'],
    [201, '21.454'],
    ...phases.map(([id, value]): [number, string] => [id, value.toFixed(3)]),
    [510, charger.maxA.toFixed(3)],
    [511, charger.minA.toFixed(3)],
    [513, watts.toFixed(3)],
    [520, '3'],
    [553, (charger.sessionWh / 1_000).toFixed(3)],
    [554, meterText(charger, now)],
    [708, allocatedA(charger).toFixed(3)],
    [710, String(modeOf(charger))],
    [711, '1'],
    [712, charger.isStandalone ? '1' : '0'],
    [715, '4'],
    [718, charger.stopped ? '1' : '0'],
    [911, '2.4.1.8'],
  ];
}

/** As the meter signs it; the signature is left out. */
function meterText({ serial, meterWh }: SimulatedCharger, now: number): string {
  const TM = `${new Date(now).toISOString().replace('.', ',').replace('Z', '+00:00')} R`;
  const RV = meterWh / 1_000;
  const RD = [{ TM, RV, RI: '1-0:1.8.0', RU: 'kWh', RT: 'AC', ST: 'G' }];
  return `OCMF|${JSON.stringify({ FV: '1.0', GI: 'ZAPTEC GO', GS: serial, GV: '2.4.1.8', PG: 'F1', RD })}`;
}

/** All that it has reported, each with the time of its last report; one that is unreachable reports no more. */
export function observe(charger: SimulatedCharger, now: number): readonly SimulatedObservation[] {
  const { observed } = charger;
  advance(charger.installation, now);
  const before = observed.get(710)?.value;
  const isCharging = modeOf(charger) === 3;
  for (const [id, value] of valuesOf(charger, now)) {
    // That it is unreachable the cloud says for it.
    if (!charger.online && id !== -2 && observed.size > 0) continue;
    const last = observed.get(id);
    const age = now - (last?.at ?? Number.NEGATIVE_INFINITY);
    const every = REPORTED_EVERY_MS.get(id);
    const isDue = CHANGING.includes(id) && isCharging && age >= WHILE_CHARGING_MS;
    const isNews =
      last?.value !== value && (!CHANGING.includes(id) || !isCharging || before !== '3' || isDue);
    const jumped = id === 513 && Math.abs(Number(last?.value) - Number(value)) > 200;
    if (every === undefined ? isNews || isDue || jumped : age >= every)
      observed.set(id, { id, value, at: now });
  }
  return [...observed.values()];
}

export function arrange(charger: SimulatedCharger, situation: Situation, now: number): void {
  const { installation, needsAuthorization } = charger;
  advance(installation, now);
  installation.availableA = null;
  for (const other of installation.chargers) other.plugged = false;
  const plugged = situation === 'plugged_in' || situation === 'charging';
  Object.assign(charger, {
    plugged,
    authorized: plugged || !needsAuthorization,
    stopped: situation === 'plugged_in',
    maxA: MOST_A,
    soc: 50,
    sessionWh: 0,
  });
}
