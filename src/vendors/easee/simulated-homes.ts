import { newCharger, type SimulatedCharger, type SimulatedCircuit } from './simulated-charger.ts';

/** The chargers of one user. */
export type Home = SimulatedCharger[];

/** Who has which chargers, on which circuits. */
export function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large', Home>> {
  const circuit = (site: number, id: number, ratedA: number): SimulatedCircuit => ({
    id,
    site,
    ratedA,
    dynamicA: [ratedA, ratedA, ratedA],
  });
  const charger = (id: string, name: string, on: SimulatedCircuit, more: Partial<SimulatedCharger> = {}) =>
    newCharger({ id, name: `${name} (simulated)`, circuit: on, ...more }, now);
  const shared = circuit(55_002, 66_002, 32);
  return {
    home: [
      charger('EH000001', 'Garage', circuit(55_001, 66_001, 20)),
      charger('EH000002', 'Left', shared),
      charger('EH000003', 'Right', shared),
      charger('EC000004', 'Cabin', circuit(55_003, 66_003, 25), { needsAuthorization: true }),
      charger('EC000005', 'Far away', circuit(55_003, 66_004, 16), { isOnline: false }),
    ],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => {
      const on = circuit(70_000 + Math.floor(index / 50), 80_000 + index, 32);
      return charger(`EF${String(index).padStart(6, '0')}`, `Place ${index}`, on);
    }),
  };
}

/** A charger as lists of the API have it. */
export const chargerJson = ({ id, name }: SimulatedCharger) => ({
  id,
  name,
  color: 1,
  createdOn: '2026-01-01T00:00:00Z',
  updatedOn: '2026-01-01T00:00:00Z',
  backPlate: { id: 'simulated', masterBackPlateId: 'simulated' },
  levelOfAccess: 1,
  productCode: 1,
  userRole: 1,
});

export const configJson = ({ circuit, isEnabled, needsAuthorization }: SimulatedCharger) => ({
  isEnabled,
  authorizationRequired: needsAuthorization,
  detectedPowerGridType: 1,
  circuitMaxCurrentP1: circuit.ratedA,
  circuitMaxCurrentP2: circuit.ratedA,
  circuitMaxCurrentP3: circuit.ratedA,
  phaseMode: 2,
  localNodeType: 1,
  maxChargerCurrent: 32,
  simulated: true,
});

/** Sites with their circuits and the chargers of one user on them. */
export function sitesOf(home: Home) {
  const circuits = [...new Set(home.map(({ circuit }) => circuit))];
  return [...Map.groupBy(circuits, ({ site }) => site)].map(([site, own]) => ({
    id: site,
    name: `Site ${site} (simulated)`,
    levelOfAccess: 1,
    siteKey: 'SIMU-LATE',
    ratedCurrent: 32,
    equalizers: [],
    circuits: own.map((circuit) => ({
      id: circuit.id,
      siteId: site,
      circuitPanelId: 1,
      panelName: '1',
      ratedCurrent: circuit.ratedA,
      useDynamicMaster: false,
      simulated: true,
      chargers: home.filter((charger) => charger.circuit === circuit).map(chargerJson),
    })),
  }));
}
