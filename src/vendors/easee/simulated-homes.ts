import type { Clock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { SimulatedUser } from './simulated-accounts.ts';
import {
  type ChargerEvents,
  createSimulatedCharger,
  type SimulatedCharger,
  type SimulatedCircuit,
} from './simulated-charger.ts';

const PASSWORD = 'simulated-password';
export const HOME: SimulatedUser = {
  id: 1,
  email: 'home@easee.simulated',
  phone: '+4790000001',
  password: PASSWORD,
};
export const EMPTY: SimulatedUser = {
  id: 2,
  email: 'empty@easee.simulated',
  phone: '+4790000002',
  password: PASSWORD,
};
export const FLEET: SimulatedUser = {
  id: 3,
  email: 'fleet@easee.simulated',
  phone: '+4790000003',
  password: PASSWORD,
};
export const FLEET_CHARGERS = 500;

export const USERS: readonly SimulatedUser[] = [HOME, EMPTY, FLEET];

/** Who has which chargers, on which circuits. */
export function createSimulatedHomes({
  clock,
  events,
}: {
  readonly clock: Clock;
  readonly events: ChargerEvents;
}) {
  const owned = new Map<number, Map<string, SimulatedCharger>>();

  const circuitOf = (site: number, id: number, ratedA: number): SimulatedCircuit => ({
    id,
    site,
    ratedA,
    dynamicA: [ratedA, ratedA, ratedA],
    chargers: [],
  });
  const own = (user: SimulatedUser, made: readonly SimulatedCharger[]) =>
    owned.set(user.id, new Map(made.map((charger) => [charger.id, charger])));

  const villa = circuitOf(55_001, 66_001, 20);
  const shared = circuitOf(55_002, 66_002, 32);
  const cabin = circuitOf(55_003, 66_003, 25);
  const far = circuitOf(55_003, 66_004, 16);
  const simulated = (id: string, name: string, circuit: SimulatedCircuit) => ({
    id,
    name: `${name} (simulated)`,
    circuit,
    clock,
    events,
  });
  own(HOME, [
    createSimulatedCharger(simulated('EH000001', 'Garage', villa)),
    createSimulatedCharger(simulated('EH000002', 'Left', shared)),
    createSimulatedCharger(simulated('EH000003', 'Right', shared)),
    createSimulatedCharger({ ...simulated('EC000004', 'Cabin', cabin), needsAuthorization: true }),
    createSimulatedCharger({ ...simulated('EC000005', 'Far away', far), isOnline: false }),
  ]);
  own(EMPTY, []);
  own(
    FLEET,
    Array.from({ length: FLEET_CHARGERS }, (_, index) => {
      const circuit = circuitOf(70_000 + Math.floor(index / 50), 80_000 + index, 32);
      return createSimulatedCharger(
        simulated(`EF${String(index).padStart(6, '0')}`, `Place ${index}`, circuit),
      );
    }),
  );

  return {
    chargerOf: (user: SimulatedUser, id: string) => owned.get(user.id)?.get(id),

    chargersOf: (user: SimulatedUser): readonly SimulatedCharger[] => [
      ...(owned.get(user.id)?.values() ?? []),
    ],

    anyCharger(id: string): SimulatedCharger {
      for (const all of owned.values()) {
        const charger = all.get(id);
        if (charger !== undefined) return charger;
      }
      throw new Error(`the simulator has no charger ${id}`);
    },

    take(id: string): void {
      for (const all of owned.values()) all.delete(id);
    },
  };
}

/** The chargers as `GET /api/accounts/products` tells them: sites, circuits, chargers. */
export function productsOf(all: readonly SimulatedCharger[]): Json {
  const circuits = new Map<SimulatedCircuit, SimulatedCharger[]>();
  for (const charger of all)
    circuits.set(charger.circuit, [...(circuits.get(charger.circuit) ?? []), charger]);
  const sites = new Map<number, Json[]>();
  for (const [{ id, site, ratedA }, chargers] of circuits)
    sites.set(site, [
      ...(sites.get(site) ?? []),
      {
        id,
        siteId: site,
        circuitPanelId: 1,
        panelName: '1',
        ratedCurrent: ratedA,
        fuseWithRCD: true,
        simulated: true,
        chargers: chargers.map((charger) => ({
          id: charger.id,
          name: charger.name,
          color: 1,
          levelOfAccess: 1,
          productCode: 1,
          backPlate: { id: 'simulated', masterBackPlateId: 'simulated' },
        })),
      },
    ]);
  return [...sites].map(([id, circuitsOfSite]) => ({
    id,
    name: `Site ${id} (simulated)`,
    levelOfAccess: 1,
    siteKey: 'SIMU-LATE',
    equalizers: [],
    circuits: circuitsOfSite,
  }));
}
