import type {
  FaultCodes,
  SimulatedAnswer,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { SECOND_MS } from '../../core/durations.ts';
import { randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  deviceIn,
  hostOf,
  type MakeSignIn,
  simulatedEvents,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import {
  arrange,
  bridgeIdOf,
  clipRoutes,
  connectivityOf,
  type Home,
  lightOf,
  newHome,
  refusal,
  refused,
  type SimulatedLamp,
} from '../hue/bridge/simulated-bridge.ts';

/** More than the contract asks of a simulator, for tests of what is peculiar to a bridge. */
export interface BridgeSimulator extends VendorSimulator {
  readonly lamp: (id: string) => SimulatedLamp;
  /** From now on a new key needs the button; it is held down before. */
  releaseButton(): void;
  pressButton(): void;
  /** Sends an event of the stream as it is. */
  tell(type: string, data: readonly JsonObject[]): void;
}

const KEY_REFUSED = 'vendor.unreachable';
/** A bridge that does not know a key says 403 of it; here it has just given the key. */
export const faultCodes: FaultCodes = {
  forbidden: { link: KEY_REFUSED, read: KEY_REFUSED, sweep: KEY_REFUSED, command: KEY_REFUSED },
};

const KEY = 'hue-application-key';
/** How long the button stays pressed. */
const PRESSED_MS = 30 * SECOND_MS;

/** A bridge at home: it gives keys while its button is pressed, and has lamps, rooms and events. */
export function createSimulator(options: SimulatorOptions): BridgeSimulator {
  const { clock, random } = options;
  const home: Home = newHome();
  let pressedUntil = Number.POSITIVE_INFINITY;
  let sent = 0;
  const keys = new Set<string>();
  const events = simulatedEvents<Home>({ clock, greeting: ': hi\n\n' });

  const tell = (type: string, data: readonly JsonObject[]): void => {
    sent += 1;
    const seconds = Math.floor(clock.now() / 1_000);
    const event = { creationtime: new Date(clock.now()).toISOString(), id: `event-${sent}`, type, data };
    events.tell(home, { id: `${seconds}:${sent}`, data: JSON.stringify([event]) });
  };
  const changed = (lamp: SimulatedLamp): void => {
    const { on, dimming, color, color_temperature } = lightOf(lamp);
    const parts = { on, dimming, color: color === undefined ? color : { xy: lamp.xy }, color_temperature };
    const told = Object.entries(parts).filter(([, part]) => part !== undefined);
    tell('update', [
      {
        id: lamp.id,
        type: 'light',
        owner: { rid: lamp.device, rtype: 'device' },
        ...Object.fromEntries(told),
      },
    ]);
  };

  function makeKey(body: JsonObject): SimulatedAnswer {
    if (typeof body.devicetype !== 'string') return refused(5, 'missing parameters in body');
    if (clock.now() > pressedUntil) return refused(NOT_PRESSED, 'link button not pressed');
    const username = randomBase62(random, 40);
    keys.add(username);
    return { status: 200, json: [{ success: { username } }] };
  }

  const byButton: MakeSignIn = ({ baseUrl }) => ({
    page: () => undefined,
    token({ method, path, body }, isLost) {
      // Anybody may ask which bridge it is.
      if (method === 'GET' && path === '/api/0/config')
        return {
          status: 200,
          json: { name: 'Hue Bridge (simulated)', bridgeid: bridgeIdOf('home'), modelid: 'BSB002' },
        };
      if (method !== 'POST' || path !== '/api') return undefined;
      if (isLost) return refused(NOT_PRESSED, 'link button not pressed');
      return makeKey(JSON.parse(Buffer.from(body).toString() || '{}') as JsonObject);
    },
    callerOf: ({ headers }) => (keys.has(headers[KEY] ?? '') ? { user: 'home', scopes: [] } : undefined),
    expireTokens: () => keys.clear(),
    revoke: () => keys.clear(),
    credentialsOf: () => ({ host: hostOf('home', baseUrl()) }),
    password: '',
  });

  const vendor = simulatedVendor<Home, SimulatedLamp>(options, {
    vendor: 'Philips Hue Bridge',
    users: { home },
    signIn: byButton,
    refusal,
    tokenRefused: refusal(403, 'unauthorized user'),
    limits: [{ calls: 10, seconds: 1, of: 'user', on: /^PUT \/clip/ }],
    devices: {
      find: (_home, { id }) => home.find((lamp) => lamp.id === id),
      arrange(lamp, situation) {
        arrange(lamp, situation);
        changed(lamp);
      },
      reach(lamp, isReachable) {
        lamp.online = isReachable;
        tell('update', [connectivityOf(lamp)]);
      },
      remove(_home, lamp) {
        home.splice(home.indexOf(lamp), 1);
        tell('delete', [{ id: lamp.id, type: 'light' }]);
      },
      add(_home, lamp) {
        home.push(lamp);
        tell('add', [lightOf(lamp)]);
      },
    },
    routes: {
      ...clipRoutes('', (answer) => answer, changed),
      'GET /eventstream/clip/v2': events.open,
    },
  });
  return Object.assign(vendor, {
    lamp: deviceIn({ home }),
    releaseButton() {
      pressedUntil = Number.NEGATIVE_INFINITY;
    },
    pressButton() {
      pressedUntil = clock.now() + PRESSED_MS;
    },
    tell,
  });
}

const NOT_PRESSED = 101;
