import { StatusCodes } from 'node-opcua-client';
import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { DeviceFault, LocalSimulator, LocalSimulatorOptions } from '../../adapter/local-simulator.ts';
import { createOpcuaServer, type OpcuaServer } from '../../simulation/opcua/server.ts';
import { createSimulatedPress } from './simulated-press.ts';

const NAMESPACE = 'urn:example:plant';
/** Stands where another server is asked for. */
const OTHER_NAMESPACE = 'urn:example:bakery';

export const usualPort = 4_840;

const id = (name: string) => `nsu=${NAMESPACE};s=${name}`;

/** How the press of the simulator is mapped. */
const PRESS = {
  id: 'press-1',
  name: 'Press 1',
  read_power: { node: id('Press1.Power'), unit: 'kW' },
  read_energy: { node: id('Press1.Energy'), unit: 'kWh' },
  read_temperature: { node: id('Press1.Oil'), unit: 'C' },
  read_battery_soc: { node: id('Press1.Battery'), unit: '1' },
  read_production: { node: id('Press1.Solar'), unit: 'W' },
  state: { node: id('Press1.State') },
  on_off: { node: id('Press1.Mode'), on: 1, off: 0 },
  set_temperature: { node: id('Press1.OilTarget'), unit: 'C', least: 15, most: 60 },
  load_balancing: { node: id('Press1.Limit'), unit: 'kW', scale: 0.1, least: 5, most: 60, release: 60 },
} as const;

/** A plant with a press behind an OPC UA server. */
export interface SimulatedPlant extends LocalSimulator {
  readonly server: OpcuaServer;
}

export async function createLocalSimulator({
  clock,
  address,
}: LocalSimulatorOptions): Promise<SimulatedPlant> {
  const press = createSimulatedPress(clock);
  let fault: DeviceFault | null = null;
  const { variables } = press;
  const made = await Promise.all(
    [NAMESPACE, OTHER_NAMESPACE].map((namespace) =>
      createOpcuaServer({ clock, variables, namespace, address }),
    ),
  );
  const [server, other] = made;
  if (server === undefined || other === undefined) throw new Error('no server was made');
  return {
    server,
    credentials: { ...address, security: 'none', devices: [PRESS] },
    accept: (socket) => (fault === 'wrong_device' ? other : server).accept(socket),
    faults: ['exception', 'unknown_values', 'wrong_device'],
    fault(next) {
      // Another server is met by connecting to it.
      if (next === 'wrong_device' || fault === 'wrong_device') for (const one of made) one.cut();
      fault = next;
      press.measuresNothing(next === 'unknown_values');
      server.faults.requests = next === 'exception' ? StatusCodes.BadServiceUnsupported : undefined;
    },
    arrange: (_device, situation: Situation) => press.arrange(situation),
    reach: (_device, isReachable) => press.reach(isReachable),
    commands: () => press.written,
  };
}
