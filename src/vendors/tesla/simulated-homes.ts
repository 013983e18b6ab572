import type { JsonObject } from '../../core/json.ts';
import { newCar, type SimulatedCar } from './simulated-car.ts';
import { newSite, type SimulatedSite } from './simulated-site.ts';

/** Who can sign in at the simulator. */
const USERS = {
  home: 'a car, a battery with solar cells, one without, solar cells alone, and what is neither',
  none: 'nothing',
  large: '500 cars',
  signed: 'two cars that take signed commands alone, one of which has the key, and one that is offline',
  american: 'one car, in North America',
  unregistered: 'one car, in a region where this service must be registered first',
} as const;
export type User = keyof typeof USERS;

export const CARS = {
  plain: 'LRW3E7EK1SM000001',
  signed: 'LRW3E7EK1SM000900',
  offline: 'LRW3E7EK1SM000901',
  paired: 'LRW3E7EK1SM000902',
  american: '5YJ3E7EA1SF000001',
  unregistered: 'LRW3E7EK1SM000700',
} as const;
export const SITES = { batteryAndSolar: '1001', battery: '1002', solar: '1003' } as const;

export interface SimulatedHome {
  readonly cars: SimulatedCar[];
  readonly sites: SimulatedSite[];
  /** Listed, and of no kind that elnav supports. */
  readonly others: readonly JsonObject[];
}

const MANY = 500;

export function homesAt(now: number): Readonly<Record<User, SimulatedHome>> {
  const car = (vin: string, name: string, more: Partial<SimulatedCar> = {}): SimulatedCar => ({
    ...newCar({ vin, name }, now),
    ...more,
  });
  const having = (cars: SimulatedCar[]): SimulatedHome => ({ cars, sites: [], others: [] });
  return {
    home: {
      cars: [car(CARS.plain, 'Simulated Model 3')],
      sites: [
        newSite({ id: 1001, name: 'Simulated Powerwall', hasBattery: true, hasSolar: true }, now),
        newSite({ id: 1002, name: 'Simulated cellar', hasBattery: true, hasSolar: false }, now),
        newSite({ id: 1003, name: 'Simulated roof', hasBattery: false, hasSolar: true }, now),
      ],
      others: [
        {
          energy_site_id: 98765,
          components: { battery: false, solar: false, grid: false, load_meter: false },
        },
        { resource_type: 'wall_connector', id: 'STE-SIMULATED', din: '1529455-02-D--SIMULATED' },
      ],
    },
    none: having([]),
    large: having(
      Array.from({ length: MANY }, (_, index) =>
        car(`LRW3E7EK1SM${100_000 + index}`, `Simulated car ${index + 1}`),
      ),
    ),
    signed: having([
      car(CARS.signed, 'Simulated Model Y', { signing: 'required' }),
      car(CARS.offline, 'Simulated Model S', { isOffline: true }),
      car(CARS.paired, 'Simulated Model X', { signing: 'required', isPaired: true }),
    ]),
    american: having([car(CARS.american, 'Simulated Cybertruck')]),
    unregistered: having([car(CARS.unregistered, 'Simulated Semi')]),
  };
}
