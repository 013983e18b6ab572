import type {
  SimulatedAnswer,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { byAddress, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../proof/simulation/physics/car-battery.ts';

/** A simulated go-eCharger, and the car at it. */
export interface SimulatedCharger {
  readonly serial: string;
  name: string;
  /** Its owner has switched on the local HTTP API v2. */
  hasApi: boolean;
  /** What answers is another device of go-e: it has a serial number, and no car. */
  isController: boolean;
  /** Neutral 0, off 1, on 2: until the car is unplugged. */
  frc: number;
  /** Ampere that are wanted, and that its owner permits at most. */
  amp: number;
  ama: number;
  /** The adapter for 16 A. */
  adi: boolean;
  /** What the cable carries, ampere. */
  cbl: number | null;
  /** Charging is open 0, or waits for a card 1. */
  acs: number;
  hasAccess: boolean;
  err: number;
  plugged: boolean;
  /** The charge of the car, percent. */
  soc: number;
  sessionWh: number;
  totalWh: number;
  /** When the energies were so, ms since 1970. */
  at: number;
}

const MODEL_A = 32;
const VOLTS = 230;

const newCharger = (now: number): SimulatedCharger => ({
  serial: '205643',
  name: 'Garage (simulated)',
  hasApi: true,
  isController: false,
  frc: 0,
  amp: 16,
  ama: 20,
  adi: false,
  cbl: 32,
  acs: 0,
  hasAccess: false,
  err: 0,
  plugged: false,
  soc: 50,
  sessionWh: 0,
  totalWh: 44_052,
  at: now,
});

/** `modelStatus`: access control comes before what is forced. */
function modelStatusOf({ acs, hasAccess, frc, err }: SimulatedCharger): number {
  if (err !== 0) return 26;
  if (acs === 1 && !hasAccess) return 2;
  return frc === 1 ? 4 : frc === 2 ? 3 : 15;
}

const permits = (one: SimulatedCharger): boolean => [3, 15].includes(modelStatusOf(one));

const mostA = ({ ama, adi, cbl }: SimulatedCharger): number =>
  Math.min(MODEL_A, ama, cbl ?? MODEL_A, adi ? 16 : MODEL_A);

function offerOf(one: SimulatedCharger) {
  const amperes = one.plugged && permits(one) ? Math.min(one.amp, mostA(one)) : 0;
  return { soc: one.soc, limit: 100, offeredW: amperes * WATT_PER_AMPERE };
}

/** Charges the car until `now`. */
function settle(one: SimulatedCharger, now: number): void {
  const soc = socAfter(offerOf(one), (now - one.at) / 1_000);
  const taken = gridWh(soc - one.soc);
  Object.assign(one, { soc, at: now, sessionWh: one.sessionWh + taken, totalWh: one.totalWh + taken });
}

function carOf(one: SimulatedCharger): number {
  if (one.err !== 0) return 5;
  if (!one.plugged) return 1;
  return drawnW(offerOf(one)) > 0 ? 2 : one.sessionWh > 0 ? 4 : 3;
}

/** U of L1 to N, I of L1 to L3, P of L1 to N and of all, power factors of L1 to N. */
function nrgOf(one: SimulatedCharger): number[] {
  const watts = drawnW(offerOf(one));
  const each = (value: number) => [value, value, value];
  const current = Math.round((watts / WATT_PER_AMPERE) * 100) / 100;
  const powers = [...each(Math.round(watts / 3)), 0, Math.round(watts)];
  return [...each(VOLTS), 0, ...each(current), ...powers, ...each(watts > 0 ? 99 : 0), 0];
}

/** Everything that the simulator knows of it; the real one has some 300 keys. */
function keysOf(one: SimulatedCharger): JsonObject {
  const identity = { sse: one.serial, fna: one.name, typ: 'go-eCharger_V4', oem: 'go-e', fwv: '60.4' };
  if (one.isController) return { ...identity, typ: 'go-eController' };
  const { frc, amp, ama, adi, cbl, acs, err } = one;
  const isCharging = drawnW(offerOf(one)) > 0;
  return {
    ...identity,
    ...{ frc, amp, ama, adi, cbl, acs, err },
    trx: one.hasAccess ? 0 : null,
    var: 22,
    car: carOf(one),
    alw: permits(one),
    acu: isCharging ? Math.min(amp, mostA(one)) : null,
    modelStatus: modelStatusOf(one),
    nrg: nrgOf(one),
    wh: Math.round(one.sessionWh * 1_000) / 1_000,
    eto: Math.round(one.totalWh),
    psm: 2,
    pnp: 3,
    tma: [24.5, 26.25],
    hai: one.hasApi,
    rbt: 1_000 * 60,
  };
}

/** What can be set, and which values are taken. */
const SETTERS: Readonly<Record<string, (one: SimulatedCharger, value: Json) => boolean>> = {
  frc: (one, value) => taken(one, 'frc', value, [0, 2]),
  amp: (one, value) => taken(one, 'amp', value, [6, MODEL_A]),
  ama: (one, value) => taken(one, 'ama', value, [6, MODEL_A]),
  acs: (one, value) => taken(one, 'acs', value, [0, 2]),
  trx(one, value) {
    one.hasAccess = typeof value === 'number';
    return true;
  },
  fna(one, value) {
    if (typeof value === 'string') one.name = value;
    return typeof value === 'string';
  },
};

function taken(
  one: SimulatedCharger,
  key: 'frc' | 'amp' | 'ama' | 'acs',
  value: Json,
  [least, most]: readonly [number, number],
): boolean {
  const isTaken = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  if (isTaken) one[key] = Number(value);
  return isTaken;
}

function set(one: SimulatedCharger, key: string, text: string): Json {
  const setter = one.isController ? undefined : SETTERS[key];
  if (setter === undefined) return `${key}: tried to set api key without setter (${text})`;
  try {
    return setter(one, JSON.parse(text) as Json) || `${key}: the value is not taken (${text})`;
  } catch {
    return `${key}: the value is no JSON (${text})`;
  }
}

export function arrange(one: SimulatedCharger, situation: Situation, now: number): void {
  settle(one, now);
  const plugged = situation === 'plugged_in' || situation === 'charging';
  const { soc, sessionWh } = newCharger(now);
  Object.assign(one, { plugged, soc, sessionWh, amp: mostA(one), acs: 0, err: 0 });
  one.frc = situation === 'plugged_in' ? 1 : 0;
}

/** More than the contract asks of a simulator, for tests of what is peculiar to go-e. */
export interface GoeSimulator extends VendorSimulator {
  readonly charger: SimulatedCharger;
}

type Call = SimulatedCall<SimulatedCharger>;

/** A charger in the network of its owner. */
export function createSimulator(options: SimulatorOptions): GoeSimulator {
  const { now } = options.clock;
  const charger = newCharger(now());
  const answer =
    (of: (one: SimulatedCharger, query: URLSearchParams) => SimulatedAnswer) =>
    ({ home, query }: Call): SimulatedAnswer | undefined => {
      if (!home.hasApi) return undefined;
      settle(home, now());
      return of(home, query);
    };
  const vendor = simulatedVendor<SimulatedCharger, SimulatedCharger>(options, {
    vendor: 'go-e',
    users: { home: charger },
    signIn: byAddress(),
    refusal: (status, reason) => ({ status, text: status === 404 ? 'This URI does not exist' : reason }),
    devices: {
      find: (home, { id }) => (id === home.serial ? home : undefined),
      arrange: (home, situation) => arrange(home, situation, now()),
      reach: () => {},
      remove: () => {},
      add: () => {},
    },
    routes: {
      'GET /api/status': answer((one, query) => {
        const keys = keysOf(one);
        const wanted = query.get('filter')?.split(',') ?? Object.keys(keys);
        const json = Object.fromEntries(
          Object.entries(keys).filter(([key]) => wanted.includes(key)),
        ) as JsonObject;
        return { status: 200, json };
      }),
      'GET /api/set': answer((one, query) => {
        const json = Object.fromEntries([...query].map(([key, text]) => [key, set(one, key, text)]));
        return { status: Object.values(json).every((said) => said === true) ? 200 : 500, json };
      }),
    },
  });
  return Object.assign(vendor, { charger });
}
