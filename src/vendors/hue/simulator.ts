import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { SECOND_MS } from '../../core/durations.ts';
import { randomBase62 } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  deviceIn,
  listed,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../simulation/index.ts';
import { arrange, deviceOf, lightOf, newLamp, type SimulatedLamp, setLamp } from './simulated-lamp.ts';

type Home = SimulatedLamp[];
type Call = SimulatedCall<Home>;

/** More than the contract asks of a simulator, for tests of what is peculiar to Hue. */
export interface HueSimulator extends VendorSimulator {
  readonly lamp: (id: string) => SimulatedLamp;
  /** Names of users whose bridges are without power. */
  readonly unplugged: Set<string>;
}

const KEY = 'hue-application-key';
const ACCESS_SECONDS = 7 * 86_400;
/** How long the button of the bridge stays pressed. */
const PRESSED_MS = 30 * SECOND_MS;

const refusal: Refusal = (status, reason) => ({
  status,
  json: { errors: [{ description: reason }], data: [] },
});
const answered = (data: readonly JsonObject[]): SimulatedAnswer => ({
  status: 200,
  json: { errors: [], data: [...data] },
});

/** Hue's cloud and the bridges behind it: one for each user, with keys of its own, lamps, rooms and no events. */
export function createSimulator(options: SimulatorOptions): HueSimulator {
  const { clock, random } = options;
  const users = usersOf();
  const pressedAt = new Map<string, number>();
  const unplugged = new Set<string>();
  const atBridge = (answer: (call: Call) => SimulatedAnswer | undefined) => (call: Call) =>
    unplugged.has(call.user) ? refusal(504, 'bridge not connected') : answer(call);
  /** The bridge accepts calls with a key that it has made. */
  const keyed = (answer: (call: Call) => SimulatedAnswer | undefined) =>
    atBridge((call) =>
      call.request.headers[KEY]?.startsWith(keyStart(call)) === true
        ? answer(call)
        : refusal(403, 'unauthorized user'),
    );
  const ofType = (type: string) =>
    keyed((call) => answered(resourcesOf(call).filter((one) => one.type === type)));

  const vendor = simulatedVendor<Home, SimulatedLamp>(options, {
    vendor: 'Philips Hue',
    users,
    signIn: byOAuth({
      authorizePath: '/v2/oauth2/authorize',
      tokenPath: '/v2/oauth2/token',
      accessSeconds: ACCESS_SECONDS,
    }),
    refusal,
    limits: [
      { calls: 50_000, seconds: 86_400, of: 'app' },
      { calls: 10, seconds: 1, of: 'user', on: /^PUT \/route\/clip/ },
    ],
    devices: listed(arrange),
    routes: {
      'PUT /route/api/:bridge/config': atBridge(({ user, body }) => {
        if (body.linkbutton !== true) return refused(7, 'invalid value for parameter linkbutton');
        pressedAt.set(user, clock.now());
        return { status: 200, json: [{ success: { '/config/linkbutton': true } }] };
      }),
      'POST /route/api': atBridge((call) => {
        if (typeof call.body.devicetype !== 'string') return refused(5, 'missing parameters in body');
        const isPressed = clock.now() - (pressedAt.get(call.user) ?? Number.NEGATIVE_INFINITY) <= PRESSED_MS;
        if (!isPressed) return refused(101, 'link button not pressed');
        const username = `${keyStart(call)}${randomBase62(random, 24)}`;
        return { status: 200, json: [{ success: { username } }] };
      }),
      'GET /route/clip/v2/resource': keyed((call) => answered(resourcesOf(call))),
      'GET /route/clip/v2/resource/light': ofType('light'),
      'GET /route/clip/v2/resource/device': ofType('device'),
      'GET /route/clip/v2/resource/room': ofType('room'),
      'GET /route/clip/v2/resource/bridge': ofType('bridge'),
      'GET /route/clip/v2/resource/zigbee_connectivity': ofType('zigbee_connectivity'),
      'GET /route/clip/v2/resource/light/:id': keyed(ofDevice((lamp) => answered([lightOf(lamp)]))),
      'PUT /route/clip/v2/resource/light/:id': keyed(
        ofDevice((lamp, { body }) => {
          const { errors, isRefused } = setLamp(lamp, body);
          if (isRefused) return refusal(400, errors.join());
          const json = {
            errors: errors.map((description) => ({ description })),
            data: [{ rid: lamp.id, rtype: 'light' }],
          };
          return { status: errors.length === 0 ? 200 : 207, json };
        }),
      ),
    },
  });
  return Object.assign(vendor, { lamp: deviceIn(users), unplugged });
}

const keyStart = ({ user }: Call): string => `simulated-${user}-`;

/** Errors of the older API come with status 200. */
const refused = (type: number, description: string): SimulatedAnswer => ({
  status: 200,
  json: [{ error: { type, address: '', description } }],
});

/** Everything that a bridge has. */
function resourcesOf({ home, user }: Call): JsonObject[] {
  const devices = [...Map.groupBy(home, ({ device }) => device).values()];
  const children = devices.map(([first]): Json => ({ rid: first?.device ?? '', rtype: 'device' }));
  return [
    ...devices.flatMap((lights) => lights.slice(0, 1).flatMap((first) => deviceOf(first, lights))),
    ...home.map(lightOf),
    {
      id: '00000004-0000-4000-8000-000000000001',
      type: 'room',
      metadata: { name: 'Living room', archetype: 'living_room' },
      children,
      services: [{ rid: '00000005-0000-4000-8000-000000000001', rtype: 'grouped_light' }],
    },
    {
      id: '00000005-0000-4000-8000-000000000001',
      type: 'grouped_light',
      owner: { rid: '00000004-0000-4000-8000-000000000001', rtype: 'room' },
      on: { on: home.some(({ on }) => on) },
      dimming: { brightness: 100 },
    },
    { id: '00000006-0000-4000-8000-000000000001', type: 'device', metadata: { name: 'Hue dimmer switch' } },
    {
      id: '00000007-0000-4000-8000-000000000001',
      type: 'bridge',
      bridge_id: `001788FFFE${Buffer.from(user).toString('hex').slice(0, 6).padEnd(6, '0').toUpperCase()}`,
      time_zone: { time_zone: 'Europe/Stockholm' },
    },
  ];
}

/** Every kind of lamp, a plug, and a lamp with two lights; none; and 500, by user name. */
function usersOf() {
  return {
    home: [
      newLamp(1, 'Sofa', 'colour'),
      newLamp(2, 'Kitchen', 'white'),
      newLamp(3, 'Hall', 'dimmable'),
      newLamp(4, 'Christmas tree', 'plug'),
      newLamp(5, 'Wall', 'colour', { ownName: 'Up' }),
      newLamp(6, 'Wall', 'colour', { device: 5, ownName: 'Down' }),
    ],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => newLamp(index + 101, `Lamp ${index + 1}`, 'white')),
  };
}
