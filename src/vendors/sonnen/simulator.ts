import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { byKey, hostOf, type SimulatedCall, simulatedVendor } from '../../simulation/index.ts';
import {
  arrange,
  CAPACITY_WH,
  latestOf,
  metersOf,
  newBox,
  type SimulatedBox,
  settingsOf,
  settle,
  statusOf,
} from './simulated-box.ts';

/** More than the contract asks of a simulator, for tests of what is peculiar to sonnen. */
export interface SonnenSimulator extends VendorSimulator {
  readonly box: SimulatedBox;
}

type Call = SimulatedCall<SimulatedBox>;

const STATUS = '/api/v2/status';
const TOKEN = 'simulated-key-of-home';
const FORBIDDEN: SimulatedAnswer = { status: 403, json: { error: 'Forbidden' } };

/** The web server of a battery: its JSON API with the token, and the state of the battery in time. */
export function createSimulator(options: SimulatorOptions): SonnenSimulator {
  const { now } = options.clock;
  const box = newBox(now());
  const read =
    (of: (call: Call) => Json | undefined) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (!box.permits.read) return FORBIDDEN;
      settle(box, now());
      const json = of(call);
      return json === undefined ? undefined : { status: 200, json };
    };
  const write =
    (change: (call: Call) => SimulatedAnswer | undefined) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (!box.permits.write) return FORBIDDEN;
      settle(box, now());
      return change(call);
    };

  const vendor = simulatedVendor<SimulatedBox, SimulatedBox>(options, {
    vendor: 'sonnen',
    users: { home: box },
    signIn(context) {
      // Anybody may ask for the status.
      const keyOf = ({ path, headers }: Call['request']) => (path === STATUS ? TOKEN : headers['auth-token']);
      const byToken = byKey({ keyOf })(context);
      const credentialsOf = (user: string): JsonObject => ({
        ...byToken.credentialsOf(user),
        host: hostOf(user, context.baseUrl()),
      });
      return { ...byToken, credentialsOf };
    },
    devices: {
      find: (home) => home,
      arrange: (home, situation) => arrange(home, situation, now()),
      reach: () => {},
      remove: () => {},
      add: () => {},
    },
    routes: {
      [`GET ${STATUS}`]: () => {
        settle(box, now());
        return { status: 200, json: statusOf(box, now()) };
      },
      'GET /api/v2/latestdata': read(() => latestOf(box, now())),
      'GET /api/v2/battery': read(() => ({
        fullchargecapacitywh: CAPACITY_WH,
        remainingcapacity: box.storedWh,
        systemstatus: 0,
      })),
      'GET /api/v2/inverter': read(() => ({ pac_total: statusOf(box, now()).Pac_total_W ?? 0, tmax: 36 })),
      'GET /api/v2/io': read(() => ({})),
      'GET /api/v2/powermeter': read(() => {
        const meters = metersOf(box, now());
        return box.hasMetersAsObject
          ? Object.fromEntries(meters.map((meter, index) => [`4_${index + 1}`, meter]))
          : [...meters];
      }),
      'GET /api/v2/configurations': read(() => settingsOf(box)),
      'GET /api/v2/configurations/:key': read(({ params: { key = '' } }) => {
        const value = settingsOf(box)[key];
        return value === undefined ? undefined : { [key]: value };
      }),
      'PUT /api/v2/configurations': write(({ body: { EM_OperatingMode: mode } }) => {
        if (typeof mode !== 'string' || !['1', '2', '6', '10'].includes(mode))
          return { status: 400, json: { error: 'Invalid value' } };
        box.mode = mode;
        return { status: 200, json: { EM_OperatingMode: mode } };
      }),
      'POST /api/v2/setpoint/:direction/:watts': write(({ params: { direction, watts = '' } }) => {
        if (!/^\d+$/.test(watts) || (direction !== 'charge' && direction !== 'discharge')) return undefined;
        if (box.mode !== '1') return { status: 200, json: false };
        box.setPoints[direction] = Number(watts);
        return { status: 201, json: true };
      }),
    },
  });
  return Object.assign(vendor, { box });
}
