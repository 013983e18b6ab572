import { type StatusCode, StatusCodes } from 'node-opcua-client';
import type {
  DeviceFault,
  LocalSimulator,
  LocalSimulatorOptions,
  Situation,
} from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { SimulatedVariable } from '../../proof/simulation/opcua/address-space.ts';
import { createOpcuaServer, type OpcuaServer } from '../../proof/simulation/opcua/server.ts';

/** What it draws when nothing limits it, kW. */
const FULL_KW = 40;
const HOUR_MS = 3_600_000;
/** Its oil comes nearer to the target by a factor of e in so long, ms. */
const HEATING_MS = 1_200_000;
/** Its limit counts tenths of kW. */
const NO_LIMIT = 600;
const UNKNOWN_MODE = 7;

/** A press: what it draws follows its mode and limit, its meter counts that, and its oil is heated to a target. */
function createSimulatedPress(clock: Clock) {
  const written: string[] = [];
  let isReachable = true;
  let isBlind = false;
  let mode = 1;
  let limit = NO_LIMIT;
  let meterKwh = 1_250;
  let oil = 18;
  let target = 18;
  let at = clock.now();

  const power = () => (mode === 1 ? Math.min(FULL_KW, limit / 10) : 0);

  /** Brings everything that goes on in time to now. */
  function settle(): void {
    const passed = clock.now() - at;
    at = clock.now();
    meterKwh += (power() * passed) / HOUR_MS;
    oil = target + (oil - target) * Math.exp(-passed / HEATING_MS);
  }

  const told = (name: string, set: (value: number) => void) => (value: unknown) => {
    settle();
    written.push(`write ${name} = ${String(value)}`);
    if (!isReachable) return StatusCodes.BadNoCommunication;
    set(Number(value));
    return undefined;
  };
  function statusOf(name: string): StatusCode {
    if (!isReachable) return StatusCodes.BadNoCommunication;
    return isBlind && name !== 'Mode' ? StatusCodes.BadSensorFailure : StatusCodes.Good;
  }

  const variable = (
    name: string,
    type: SimulatedVariable['type'],
    read: () => number | string,
    write?: SimulatedVariable['write'],
  ): SimulatedVariable => ({
    id: `s=Press1.${name}`,
    name,
    parent: 'Press1',
    type,
    read() {
      settle();
      return read();
    },
    status: () => statusOf(name),
    ...(write === undefined ? {} : { write }),
  });

  const variables: readonly SimulatedVariable[] = [
    variable('Power', 'Double', power),
    variable('Energy', 'Double', () => meterKwh),
    variable('Oil', 'Float', () => oil),
    variable('Battery', 'Float', () => 0.5),
    variable('Solar', 'Int32', () => 2_500),
    variable('State', 'String', () => (mode === 1 ? 'pressing' : 'stopped')),
    variable(
      'Mode',
      'UInt16',
      () => (isBlind ? UNKNOWN_MODE : mode),
      told('Mode', (value) => {
        mode = value;
      }),
    ),
    variable(
      'OilTarget',
      'Float',
      () => target,
      told('OilTarget', (value) => {
        target = value;
      }),
    ),
    variable(
      'Limit',
      'UInt16',
      () => limit,
      told('Limit', (value) => {
        limit = value;
      }),
    ),
  ];

  return {
    variables,
    written,
    /** Its sensors fail, and its mode is unknown. */
    measuresNothing(is: boolean): void {
      isBlind = is;
    },
    /** The server loses the press, or has it again. */
    reach(can: boolean): void {
      isReachable = can;
    },
    arrange(situation: Situation): void {
      settle();
      isReachable = true;
      mode = situation === 'off' ? 0 : 1;
      limit = NO_LIMIT;
      oil = 18;
      target = 18;
    },
  };
}

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
