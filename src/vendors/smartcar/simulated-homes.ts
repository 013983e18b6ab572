import { EVERYTHING, type Model, newCar, type SimulatedCar } from './simulated-car.ts';

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

/** Cars by what is special of them. */
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
    // Nobody can sign in without a car.
    none: [newCar({ id: idOf(6), model: MODELS.golf }, now)],
    large: Array.from({ length: MANY }, (_, index) =>
      newCar({ id: idOf(1_000 + index), model: MODELS.id4 }, now),
    ),
    slow: [newCar({ id: CARS.ev6, model: MODELS.ev6 }, now)],
    limited: [newCar({ id: CARS.limited, model: MODELS.id4, limits: { month: 500, hour: 20 } }, now)],
  };
}
