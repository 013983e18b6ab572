import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { byAddress, type SimulatedCall, simulatedVendor } from '../../simulation/index.ts';
import {
  activeOf,
  flowOf,
  infoOf,
  meterOf,
  realtimeOf,
  type SimulatedBattery,
  type SimulatedInverter,
  type SimulatedSystem,
  STEP_MS,
  settle,
  storagesOf,
} from './simulated-system.ts';

/** More than the contract asks of a simulator, for tests of what is peculiar to Fronius. */
export interface FroniusSimulator extends VendorSimulator {
  /** What is at the address of a user. */
  readonly system: (user: 'home' | 'gen24' | 'older') => SimulatedSystem;
}

type Part = SimulatedInverter | SimulatedBattery;
type Call = SimulatedCall<SimulatedSystem>;

const V1 = '/solar_api/v1';
const NOT_SUPPORTED = 11;

/** A Datamanager with two inverters and a battery, or a GEN24, in the network of their owner. */
export function createSimulator(options: SimulatorOptions): FroniusSimulator {
  /** What inverters report is some minutes old: GEN24 counts its energy every five. */
  const now = () => Math.floor(options.clock.now() / STEP_MS) * STEP_MS;
  const users = usersAt(now());

  /** A response in its envelope. */
  const said = ({ request, query }: Call, body: JsonObject, code = 0): SimulatedAnswer => ({
    status: 200,
    json: {
      Body: body,
      Head: {
        RequestArguments: Object.fromEntries(query),
        Status: { Code: code, Reason: code === 0 ? '' : request.path, UserMessage: '' },
        Timestamp: `${new Date(options.clock.now()).toISOString().slice(0, 19)}+00:00`,
      },
    },
  });
  const data =
    (of: (system: SimulatedSystem, query: URLSearchParams) => Json) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (call.home.api !== 'on') return undefined;
      settle(call.home, now());
      return said(call, { Data: of(call.home, call.query) });
    };

  const vendor = simulatedVendor<SimulatedSystem, Part>(options, {
    vendor: 'Fronius',
    users,
    signIn: byAddress(),
    // A web server's page: Fronius has no words for these.
    refusal: (status) => ({
      status,
      headers: { 'content-type': 'text/html' },
      text: status === 404 ? 'Solar API disabled by customer config' : `<html>${status}</html>`,
    }),
    devices: {
      find: (home, { id }) =>
        home.battery !== null && id === `${systemOf(home)}-battery`
          ? home.battery
          : home.inverters.find((one) => idOf(home, one) === id),
      arrange: () => {},
      reach(part, isReachable) {
        part.online = isReachable;
      },
      remove(home, part) {
        if ('serial' in part) home.battery = null;
        else home.inverters.splice(home.inverters.indexOf(part), 1);
      },
      add(home, part) {
        if ('serial' in part) home.battery = part;
        else home.inverters.unshift(part);
      },
    },
    routes: {
      'GET /solar_api/GetAPIVersion.cgi': ({ home }) =>
        home.api === 'on'
          ? { status: 200, json: { APIVersion: 1, BaseURL: '/solar_api/v1/', CompatibilityRange: '1.5-18' } }
          : undefined,
      'GET /solar_api/GetInverterInfo.cgi': (call) =>
        call.home.api === 'version 0' ? said(call, { Data: infoOf(call.home) }) : undefined,
      [`GET ${V1}/GetPowerFlowRealtimeData.fcgi`]: data((system) => flowOf(system, now())),
      [`GET ${V1}/GetInverterInfo.cgi`]: data((system) => infoOf(system)),
      [`GET ${V1}/GetActiveDeviceInfo.cgi`]: data((system) => activeOf(system)),
      [`GET ${V1}/GetMeterRealtimeData.cgi`]: data((system) => meterOf(system, now())),
      [`GET ${V1}/GetInverterRealtimeData.cgi`]: data((system, query) => realtimeOf(system, query, now())),
      [`GET ${V1}/GetStorageRealtimeData.cgi`]: (call) =>
        call.home.battery === null && call.home.logger === null
          ? said(call, { Data: {} }, NOT_SUPPORTED)
          : data(storagesOf)(call),
      [`GET ${V1}/GetLoggerInfo.cgi`]: (call) =>
        call.home.api !== 'on' || call.home.logger === null
          ? undefined
          : said(call, {
              LoggerInfo: {
                UniqueID: call.home.logger,
                ProductID: 'fronius-datamanager-card',
                SWVersion: '3.30.1-3',
              },
            }),
    },
  });
  return Object.assign(vendor, { system: (user: 'home' | 'gen24' | 'older') => users[user] });
}

const systemOf = ({ logger, inverters: [first] }: SimulatedSystem): string =>
  (logger ?? first?.uniqueId ?? '').replace('.', '-');

const idOf = (system: SimulatedSystem, { uniqueId, address }: SimulatedInverter): string =>
  uniqueId === '16777215' ? `${systemOf(system)}-${address}` : uniqueId;

function usersAt(now: number) {
  const inverter = (address: number, uniqueId: string, name: string): SimulatedInverter => ({
    address: String(address),
    uniqueId,
    name: `${name} (simulated)`,
    sizeW: 6_000,
    lifetimeWh: 7_512_664,
    online: true,
  });
  const system = (of: Partial<SimulatedSystem>): SimulatedSystem => ({
    logger: null,
    api: 'on',
    hasEnergies: true,
    since: now,
    inverters: [],
    battery: null,
    ...of,
  });
  const battery = { serial: '400481708-00059', capacityWh: 11_520, storedWh: 6_000, at: now, online: true };
  return {
    home: system({
      logger: '240.123456',
      inverters: [inverter(1, '38183', 'Symo Hybrid'), inverter(2, '16777215', 'Primo')],
      battery,
    }),
    none: system({ logger: '240.100000' }),
    large: system({
      logger: '240.500500',
      inverters: Array.from({ length: 500 }, (_, index) => inverter(index + 1, `${50_000 + index}`, 'Snap')),
    }),
    gen24: system({ inverters: [inverter(1, '29301000987160033', 'GEN24')] }),
    older: system({
      logger: '240.300300',
      hasEnergies: false,
      inverters: [inverter(1, '7262', 'Galvo'), inverter(2, '100372', 'Galvo')],
    }),
  };
}
