import type { JsonObject } from '../../core/json.ts';
import { newCar, type SimulatedCar } from './simulated-car.ts';
import { newSite, type SimulatedSite } from './simulated-site.ts';

export const PASSWORD = 'simulated';

/** Who can sign in at the simulator, and what each is for. */
export const USERS = {
  anna: 'a car, a battery with solar cells, one without, solar cells alone, and what is neither',
  bo: 'a car that takes signed commands alone, and one that is offline',
  cecilia: 'nothing',
  david: '500 cars',
  erik: 'one car, in North America',
  filippa: 'one car, in a region where this service must be registered first',
} as const;
export type User = keyof typeof USERS;

export const CARS = {
  plain: 'LRW3E7EK1SM000001',
  signed: 'LRW3E7EK1SM000900',
  offline: 'LRW3E7EK1SM000901',
  american: '5YJ3E7EA1SF000001',
  unregistered: 'LRW3E7EK1SM000700',
} as const;
export const SITES = { batteryAndSolar: '1001', battery: '1002', solar: '1003' } as const;

interface Account {
  readonly cars: readonly SimulatedCar[];
  readonly sites: readonly SimulatedSite[];
  /** Listed, and of no kind that elnav knows. */
  readonly others: readonly JsonObject[];
}

const MANY = 500;

export function accountsAt(now: number): { readonly [U in User]: Account } {
  const car = (vin: string, name: string, signing: SimulatedCar['signing'] = 'allowed') =>
    newCar({ vin, name, signing }, now);
  const nothing = { cars: [], sites: [], others: [] };
  return {
    anna: {
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
    bo: {
      cars: [
        car(CARS.signed, 'Simulated Model Y', 'required'),
        { ...car(CARS.offline, 'Simulated Model S'), isOffline: true },
      ],
      sites: [],
      others: [],
    },
    cecilia: nothing,
    david: {
      ...nothing,
      cars: Array.from({ length: MANY }, (_, index) =>
        car(`LRW3E7EK1SM${100_000 + index}`, `Simulated car ${index + 1}`),
      ),
    },
    erik: { ...nothing, cars: [car(CARS.american, 'Simulated Cybertruck')] },
    filippa: { ...nothing, cars: [car(CARS.unregistered, 'Simulated Model X')] },
  };
}
