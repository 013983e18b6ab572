import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { SECOND_MS } from '../../core/durations.ts';
import { randomBase62 } from '../../core/ids.ts';
import { byOAuth, deviceIn, listed, simulatedVendor } from '../../proof/simulation/index.ts';
import {
  arrange,
  type Call,
  clipRoutes,
  type Home,
  newHome,
  newLamp,
  refusal,
  refused,
  type SimulatedLamp,
} from './bridge/simulated-bridge.ts';

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
      ...clipRoutes('/route', keyed),
    },
  });
  return Object.assign(vendor, { lamp: deviceIn(users), unplugged });
}

const keyStart = ({ user }: Call): string => `simulated-${user}-`;

const usersOf = (): Record<'home' | 'none' | 'large', Home> => ({
  home: newHome(),
  none: [],
  large: Array.from({ length: 500 }, (_, index) => newLamp(index + 101, `Lamp ${index + 1}`, 'white')),
});
