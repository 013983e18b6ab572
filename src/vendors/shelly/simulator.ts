import { digestOf, objectIn } from '../../adapter/kit/index.ts';
import type {
  SimulatedAnswer,
  SimulatedSocket,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { digestDoor, hostOf, simulatedVendor } from '../../proof/simulation/index.ts';

/** One relay of a simulated Shelly, with its load. */
interface SimulatedRelay {
  readonly id: number;
  readonly name: string;
  /** What it draws while it is on, watt. */
  loadW: number;
  output: boolean;
  /** Counted until `at`, watt-hours. */
  wh: number;
  /** ms since 1970. */
  at: number;
  errors: string[];
}

/** What opens a relay by itself, watt. */
const LIMIT_W = 2_800;
const VOLTS = 230;

const newRelay = (id: number, name: string, now: number): SimulatedRelay => ({
  id,
  name,
  loadW: 1_200,
  output: false,
  wh: 7_258.589,
  at: now,
  errors: [],
});

const powerOf = ({ output, loadW }: SimulatedRelay): number => (output ? loadW : 0);

export function settle(relay: SimulatedRelay, now: number): void {
  relay.wh += (powerOf(relay) * (now - relay.at)) / HOUR_MS;
  relay.at = now;
  if (powerOf(relay) <= LIMIT_W) return;
  relay.output = false;
  relay.errors = ['overpower'];
}

/** @returns whether it was on */
export function set(relay: SimulatedRelay, on: boolean, now: number): boolean {
  settle(relay, now);
  const was = relay.output;
  relay.output = on;
  if (on) relay.errors = [];
  settle(relay, now);
  return was;
}

/** Milliwatt-hours of the last three minutes stand beside the watt-hours of ever. */
export function statusOf(relay: SimulatedRelay, now: number): JsonObject {
  settle(relay, now);
  const power = powerOf(relay);
  const minute = Math.round((power * 1_000) / 60);
  return {
    id: relay.id,
    source: 'HTTP_in',
    output: relay.output,
    apower: power,
    voltage: VOLTS,
    current: Math.round((power / VOLTS) * 1_000) / 1_000,
    aenergy: {
      total: Math.round(relay.wh * 1_000) / 1_000,
      by_minute: [minute, minute, minute],
      minute_ts: Math.floor(now / MINUTE_MS) * 60,
    },
    temperature: { tC: 41.5, tF: 106.7 },
    ...(relay.errors.length === 0 ? {} : { errors: [...relay.errors] }),
  };
}

/** A simulated Shelly, with what tests of what is peculiar to it change. */
interface SimulatedShelly {
  readonly id: string;
  /** Null where its owner has set none. */
  password: string | null;
  isFirstGeneration: boolean;
  readonly relays: readonly SimulatedRelay[];
}

export interface ShellySimulator extends VendorSimulator {
  readonly device: SimulatedShelly;
  /** Somebody has pressed the button of a relay. */
  press(id: number): void;
}

const USER = 'admin';
const PASSWORD = 'simulated-password';
const OF_FRAMES = 'dummy_method:dummy_uri';

/** The clock of what answers. */
export const otherTimes = ['unixtime', 'minute_ts'];

/** A Shelly Plus 2PM: two relays with meters, behind a password, and the WebSocket to which it reports. */
export function createSimulator(options: SimulatorOptions): ShellySimulator {
  const { now } = options.clock;
  const device: SimulatedShelly = {
    id: 'shellyplus2pm-a8032ab12345',
    password: PASSWORD,
    isFirstGeneration: false,
    relays: [newRelay(0, 'Water heater (simulated)', now()), newRelay(1, 'Pump (simulated)', now())],
  };
  const door = digestDoor({ ...options, realm: device.id, user: USER, password: () => device.password });
  const listeners = new Set<SimulatedSocket>();
  /** The nonces of frames are times. */
  let nonce = Math.floor(now() / 1_000);

  const identity = (): JsonObject => ({
    name: 'Utility room (simulated)',
    id: device.id,
    mac: 'A8032AB12345',
    slot: 1,
    model: 'SNSW-102P16EU',
    gen: 2,
    fw_id: '20240819-074337/1.4.2-gc2639da',
    ver: '1.4.2',
    app: 'Plus2PM',
    auth_en: device.password !== null,
    auth_domain: device.password === null ? null : device.id,
    profile: 'switch',
  });
  const status = (): JsonObject => ({
    ...Object.fromEntries(device.relays.map((relay) => [`switch:${relay.id}`, statusOf(relay, now())])),
    'input:0': { id: 0, state: false },
    sys: { mac: 'A8032AB12345', unixtime: Math.floor(now() / 1_000), uptime: 4_319_353 },
    wifi: { sta_ip: '192.168.1.20', status: 'got ip', rssi: -53 },
  });
  const config = (): JsonObject => ({
    ...Object.fromEntries(device.relays.map(({ id, name }) => [`switch:${id}`, { id, name }])),
    sys: { device: { name: 'Utility room (simulated)' } },
  });

  /** Tells whoever has called over a WebSocket what has changed of a relay, and no more. */
  function report({ id }: SimulatedRelay): void {
    const { output, apower, current, source, errors } = objectIn(status()[`switch:${id}`]);
    const changed = {
      id,
      output,
      apower,
      current,
      source,
      ...(errors === undefined ? {} : { errors }),
    } as JsonObject;
    const frame = {
      src: device.id,
      dst: 'elnav',
      method: 'NotifyStatus',
      params: { ts: now() / 1_000, [`switch:${id}`]: changed },
    };
    for (const socket of listeners) socket.send(JSON.stringify(frame));
  }

  function switched(id: Json | undefined, on: Json | undefined): Called {
    const relay = device.relays.find((one) => one.id === Number(id));
    if (relay === undefined)
      return { error: { code: -105, message: `Argument 'id', value ${id} not found!` } };
    if (typeof on !== 'boolean') return { error: { code: -103, message: "Missing or bad argument 'on'!" } };
    const was_on = set(relay, on, now());
    report(relay);
    return { result: { was_on } };
  }

  function call(method: string, params: JsonObject): Called {
    if (method === 'Shelly.GetStatus') return { result: status() };
    if (method === 'Shelly.GetConfig') return { result: config() };
    if (method === 'Shelly.GetDeviceInfo') return { result: identity() };
    if (method === 'Switch.GetStatus') return partOf(params.id);
    if (method === 'Switch.Set') return switched(params.id, params.on);
    return { error: { code: 404, message: `No handler for ${method}` } };
  }
  const partOf = (id: Json | undefined): Called => {
    const part = status()[`switch:${id}`];
    return part === undefined ? { error: { code: -105, message: 'not found' } } : { result: part };
  };

  const isSigned = (auth: JsonObject): boolean => {
    if (device.password === null) return true;
    const challenge = { realm: device.id, nonce: String(auth.nonce) };
    const use = { count: '1', cnonce: String(auth.cnonce), of: OF_FRAMES };
    return (
      auth.nonce === nonce &&
      auth.username === USER &&
      auth.response === digestOf({ name: USER, password: device.password }, challenge, use)
    );
  };

  function answer(frame: JsonObject, socket: SimulatedSocket): JsonObject {
    const of = { id: frame.id ?? 0, src: device.id, dst: frame.src ?? '' };
    if (!isSigned(objectIn(frame.auth))) {
      nonce += 1;
      const wanted = { auth_type: 'digest', nonce, nc: 1, realm: device.id, algorithm: 'SHA-256' };
      return { ...of, error: { code: 401, message: JSON.stringify(wanted) } };
    }
    listeners.add(socket);
    return { ...of, ...call(String(frame.method), objectIn(frame.params)) } as JsonObject;
  }

  const vendor = simulatedVendor<SimulatedShelly, SimulatedRelay>(options, {
    vendor: 'Shelly',
    users: { home: device },
    signIn: ({ baseUrl }) => ({
      page: () => undefined,
      token: () => undefined,
      // Anybody may ask which device it is, and open a WebSocket: there the frames are signed.
      callerOf: (request) =>
        (request.method === 'GET' && ['/shelly', '/rpc'].includes(request.path)) || door.isRight(request)
          ? { user: 'home', scopes: [] }
          : undefined,
      expireTokens: door.forget,
      revoke: door.forget,
      credentialsOf: (user) => ({ host: hostOf(user, baseUrl()), password: PASSWORD }),
      password: PASSWORD,
    }),
    get tokenRefused() {
      return door.challenge();
    },
    devices: {
      find: ({ relays }, { id }) => relays.find((relay) => id === `${device.id}-switch-${relay.id}`),
      arrange(relay, situation) {
        settle(relay, now());
        Object.assign(relay, { output: situation === 'on', loadW: 1_200, errors: [] });
      },
      reach: () => {},
      remove: () => {},
      add: () => {},
    },
    routes: {
      'GET /shelly': () => ({
        status: 200,
        json: device.isFirstGeneration
          ? {
              type: 'SHSW-25',
              mac: 'A8032AB12345',
              auth: false,
              fw: '20230913-112003/v1.14.0',
              num_outputs: 2,
            }
          : identity(),
      }),
      'POST /rpc': ({ body }) => {
        if (device.isFirstGeneration) return undefined;
        const { id = 0, src = '', method, params } = body;
        return {
          status: 200,
          json: { id, src: device.id, dst: src, ...call(String(method), objectIn(params)) } as JsonObject,
        };
      },
      'GET /rpc/:method': ({ params: { method = '' }, query }): SimulatedAnswer => {
        const given = Object.fromEntries(query);
        const params = 'on' in given ? { ...given, on: given.on === 'true' } : given;
        const { result, error } = call(method, params);
        return error === undefined ? { status: 200, json: result ?? null } : { status: 500, json: error };
      },
    },
    stream(socket) {
      socket.onClose(() => listeners.delete(socket));
      socket.onFrame((text) => socket.send(JSON.stringify(answer(JSON.parse(text) as JsonObject, socket))));
    },
  });
  return Object.assign(vendor, {
    device,
    press(id: number) {
      const relay = device.relays[id];
      if (relay === undefined) throw new Error(`there is no relay ${id}`);
      set(relay, !relay.output, now());
      report(relay);
    },
  });
}

interface Called {
  readonly result?: Json;
  readonly error?: JsonObject;
}
