import type { Situation } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../proof/simulation/physics/car-battery.ts';

const OFFERED_W = 16 * WATT_PER_AMPERE;
/** From the command until current flows. */
const START_MS = 4_000;
/** How soon the maker reports to Smartcar what a command did, and how often it reports anything while the car is subscribed. */
const REPORT_MS = 5_000;
const UPDATE_MS = 60_000;

/** Signals that a maker does not give to Smartcar. */
interface Model {
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly powertrainType: 'BEV' | 'PHEV' | 'ICE';
  /** Codes of signals that it cannot give. */
  readonly incapable: readonly string[];
  /** A command takes longer than Smartcar waits to answer at once: its outcome comes in the body of a 202. */
  readonly isSlow?: true;
}

/** A simulated car as it is, and as Smartcar has stored it. */
export interface SimulatedCar {
  readonly id: string;
  readonly connection: string;
  readonly model: Model;
  /** What its owner lets an app do with this car at most. */
  readonly permits: readonly string[];
  /** Calls about it in 30 days and in an hour, where its plan and maker set a limit. */
  readonly limits?: { readonly month: number; readonly hour: number };
  /** What was granted in the last sign-in, and with which reference. */
  granted: readonly string[];
  externalId: string | null;
  connectedAt: number;
  /** The maker reaches it. */
  online: boolean;
  /** ms since 1970. */
  at: number;
  soc: number;
  limit: number;
  isPlugged: boolean;
  isStopped: boolean;
  startsAt: number;
  addedWh: number;
  /** What the maker has reported last, and when it reports again. */
  stored: Stored | undefined;
  reportsAt: number;
  /** Calls about it, ms since 1970. */
  readonly calls: number[];
  /** The next commands end so: the error of a command that was carried out. */
  fails: JsonObject | undefined;
}

interface Stored {
  readonly at: number;
  readonly soc: number;
  readonly watt: number;
  readonly addedWh: number;
  readonly isCharging: boolean;
  readonly isPlugged: boolean;
  readonly limit: number;
}

const EVERYTHING = ['read_vehicle_info', 'read_battery', 'read_charge', 'control_charge'];

function newCar(
  of: Pick<SimulatedCar, 'id' | 'model'> & Partial<Pick<SimulatedCar, 'permits' | 'limits'>>,
  now: number,
): SimulatedCar {
  return {
    permits: EVERYTHING,
    ...of,
    connection: `c${of.id.slice(1)}`,
    granted: [],
    externalId: null,
    connectedAt: now,
    online: true,
    at: now,
    soc: 50,
    limit: 80,
    isPlugged: true,
    isStopped: true,
    startsAt: now,
    addedWh: 0,
    stored: undefined,
    reportsAt: now,
    calls: [],
    fails: undefined,
  };
}

const chargingOf = ({ soc, limit }: SimulatedCar) => ({ soc, limit, offeredW: OFFERED_W });

/** Whether current flows, and how much. */
function drawn(car: SimulatedCar): number {
  return car.isPlugged && !car.isStopped && car.at >= car.startsAt ? drawnW(chargingOf(car)) : 0;
}

/** Brings the car to `now`; what Smartcar has of it follows when the maker reports. */
export function settle(car: SimulatedCar, now: number): void {
  if (car.isPlugged && !car.isStopped) {
    const seconds = Math.max(0, now - Math.max(car.at, car.startsAt)) / 1_000;
    const soc = socAfter(chargingOf(car), seconds);
    car.addedWh += gridWh(soc - car.soc);
    car.soc = soc;
  }
  car.at = Math.max(car.at, now);
  if (!car.online || now < car.reportsAt) return;
  const watt = drawn(car);
  car.stored = {
    at: now,
    soc: car.soc,
    watt,
    addedWh: car.addedWh,
    isCharging: watt > 0,
    isPlugged: car.isPlugged,
    limit: car.limit,
  };
  car.reportsAt = now + UPDATE_MS;
}

export function arrangeCar(car: SimulatedCar, situation: Situation, now: number): void {
  settle(car, now);
  Object.assign(car, {
    ...{
      soc: 50,
      limit: 80,
      addedWh: 0,
      isPlugged: situation !== 'off',
      isStopped: situation !== 'charging',
    },
    ...{ startsAt: now, reportsAt: now, fails: undefined },
  });
  settle(car, now);
}

const stateError = (code: string): JsonObject => ({ type: 'VEHICLE_STATE', code });

/** Carries out a command; the error of one that the car does not do. */
export function order(car: SimulatedCar, name: string, percent: Json | undefined): JsonObject | undefined {
  if (car.fails !== undefined) return car.fails;
  if (!car.online) return stateError('UNREACHABLE');
  const isCharging = car.isPlugged && !car.isStopped && car.soc < car.limit;
  switch (name) {
    case 'start':
      if (!car.isPlugged) return stateError('CHARGING_PLUG_NOT_CONNECTED');
      if (isCharging) return stateError('CHARGING_IN_PROGRESS');
      if (car.soc >= car.limit) return stateError('FULLY_CHARGED');
      Object.assign(car, { isStopped: false, startsAt: car.at + START_MS });
      break;
    case 'stop':
      if (!isCharging) return stateError('NOT_CHARGING');
      car.isStopped = true;
      break;
    default:
      car.limit = Number(percent);
  }
  car.reportsAt = Math.min(car.reportsAt, car.at + REPORT_MS);
  return undefined;
}

/** How long after a command a webhook reports it, ms. */
export const REPORTED_AFTER_MS = REPORT_MS;

/** The state of charge, as version 2 and the sign of a full car have it. */
export const chargingState = ({ stored }: SimulatedCar): string =>
  stored?.isCharging === true
    ? 'CHARGING'
    : stored !== undefined && stored.soc >= stored.limit
      ? 'FULLY_CHARGED'
      : 'NOT_CHARGING';

const NOT_CAPABLE = { type: 'COMPATIBILITY', code: 'VEHICLE_NOT_CAPABLE', resolution: { type: null } };

/** Signals with the permission that each takes, and what they say of a car that was heard of. */
const SIGNALS: readonly (readonly [
  code: string,
  permission: string,
  body: (stored: Stored, car: SimulatedCar) => JsonObject | string,
])[] = [
  [
    'charge-chargelimits',
    'read_charge',
    ({ limit }) => ({ values: [{ type: 'GLOBAL', limit }], activeLimit: limit, unit: 'percent' }),
  ],
  ['charge-detailedchargingstatus', 'read_charge', (_stored, car) => ({ value: chargingState(car) })],
  [
    'charge-energyadded',
    'read_charge',
    ({ addedWh }) => ({ value: Math.round(addedWh / 10) / 100, unit: 'kWh' }),
  ],
  ['charge-ischarging', 'read_charge', ({ isCharging }) => ({ value: isCharging })],
  ['charge-ischargingcableconnected', 'read_charge', ({ isPlugged }) => ({ value: isPlugged })],
  [
    'charge-wattage',
    'read_charge',
    ({ watt, isCharging }) => (isCharging ? { value: Math.round(watt), unit: 'watts' } : 'NOT_CHARGING'),
  ],
  ['connectivitystatus-isasleep', 'read_vehicle_info', () => ({ value: false })],
  ['connectivitystatus-isonline', 'read_vehicle_info', (_stored, { online }) => ({ value: online })],
  ['odometer-traveleddistance', 'read_odometer', () => ({ value: 42_506.3, unit: 'km' })],
  [
    'tractionbattery-stateofcharge',
    'read_battery',
    ({ soc }) => ({ value: Math.round(soc), unit: 'percent' }),
  ],
];

/** A signal as it is stored: its body, or the error that stands for it. */
export interface StoredSignal {
  readonly code: string;
  readonly body?: JsonObject;
  readonly error?: JsonObject;
  readonly at?: number;
}

/** What Smartcar has of a car: signals that it cannot give, errors of those that it cannot give now, and values. */
export function storedSignals(car: SimulatedCar): StoredSignal[] {
  const { stored } = car;
  if (stored === undefined) return [];
  return SIGNALS.map(([code, permission, bodyOf]): StoredSignal => {
    if (!car.granted.includes(permission))
      return { code, error: { type: 'PERMISSION', code: null, resolution: { type: 'REAUTHENTICATE' } } };
    if (car.model.incapable.includes(code)) return { code, error: NOT_CAPABLE };
    const knowsOnline = code === 'connectivitystatus-isonline';
    if (!car.online && !knowsOnline) return { code, error: stateError('UNREACHABLE') };
    const body = bodyOf(stored, car);
    return typeof body === 'string'
      ? { code, error: stateError(body), at: stored.at }
      : { code, body, at: stored.at };
  });
}

const QUIET = ['connectivitystatus-isasleep', 'connectivitystatus-isonline', 'odometer-traveleddistance'];

const MODELS = {
  id4: { make: 'VOLKSWAGEN', model: 'ID.4', year: 2021, powertrainType: 'BEV', incapable: QUIET },
  polestar: {
    make: 'POLESTAR',
    model: 'Polestar 2',
    year: 2024,
    powertrainType: 'BEV',
    incapable: ['charge-energyadded'],
  },
  ev6: {
    make: 'KIA',
    model: 'EV6',
    year: 2023,
    powertrainType: 'BEV',
    incapable: ['charge-wattage', 'charge-energyadded'],
    isSlow: true,
  },
  golf: { make: 'VOLKSWAGEN', model: 'Golf', year: 2016, powertrainType: 'ICE', incapable: [] },
} as const satisfies Record<string, Model>;

const idOf = (number: number) => `v0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Cars by their special property. */
export const CARS = {
  /** Reports and permits everything. */
  id4: idOf(1),
  /** Its owner does not let anybody control it. */
  polestar: idOf(2),
  /** Commands take long, and it reports no power. */
  ev6: idOf(3),
  /** Has no plug. */
  golf: idOf(4),
  /** Its month has 500 calls, its hour 20. */
  limited: idOf(5),
} as const;

const MANY = 500;

/** Users by their names on the sign-in page. */
export const USER_IDS = {
  home: 'u0000000-0000-4000-8000-000000000001',
  none: 'u0000000-0000-4000-8000-000000000002',
  large: 'u0000000-0000-4000-8000-000000000003',
  slow: 'u0000000-0000-4000-8000-000000000004',
  limited: 'u0000000-0000-4000-8000-000000000005',
} as const;
export type User = keyof typeof USER_IDS;

export function homesAt(now: number): Record<User, SimulatedCar[]> {
  const watched = EVERYTHING.filter((permission) => permission !== 'control_charge');
  return {
    home: [
      newCar({ id: CARS.id4, model: MODELS.id4 }, now),
      newCar({ id: CARS.polestar, model: MODELS.polestar, permits: watched }, now),
      newCar({ id: CARS.golf, model: MODELS.golf }, now),
    ],
    // Sign-in fails without a car.
    none: [newCar({ id: idOf(6), model: MODELS.golf }, now)],
    large: Array.from({ length: MANY }, (_, index) =>
      newCar({ id: idOf(1_000 + index), model: MODELS.id4 }, now),
    ),
    slow: [newCar({ id: CARS.ev6, model: MODELS.ev6 }, now)],
    limited: [newCar({ id: CARS.limited, model: MODELS.id4, limits: { month: 500, hour: 20 } }, now)],
  };
}
