import { objectIn, jsonIn as parsed } from '../../adapter/kit/index.ts';
import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byKey,
  deviceIn,
  isObject,
  listed,
  ofDevice,
  type Refusal,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import { type Building, heatRoom } from '../../proof/simulation/physics/room.ts';

/** How often a controller measures. */
const MEASURES_MS = 90 * SECOND_MS;
/** A room with an air-to-air heat pump: warms by some 3 °C an hour in winter, and is cooled as fast. */
const ROOM: Building = { lossWPerK: 50, timeConstant: 20 * HOUR_MS, maxHeatW: 4_000 };
const COOLS_K_PER_HOUR = 3;

const CELSIUS = Array.from({ length: 15 }, (_, index) => 16 + index);
const FAHRENHEIT = Array.from({ length: 26 }, (_, index) => 61 + index);
const FANS = ['quiet', 'low', 'medium', 'high', 'auto'];
const SWINGS = ['stopped', 'fixedTop', 'rangeFull'];
const WITH_TARGET = ['cool', 'heat', 'auto'];
const MODES = [...WITH_TARGET, 'dry', 'fan'];

type Unit = 'C' | 'F';
/** What Sensibo can send, without what it adds in responses. */
interface AcState {
  readonly on: boolean;
  readonly mode: string;
  readonly targetTemperature: number;
  readonly temperatureUnit: Unit;
  readonly fanLevel: string;
  readonly swing: string;
}
interface SmartMode {
  readonly enabled: boolean;
  readonly lowTemperatureThreshold: number;
  readonly lowTemperatureState: Partial<AcState>;
  readonly highTemperatureThreshold: number;
  readonly highTemperatureState: Partial<AcState>;
}

/** A controller, its air conditioner and its room in time: so they were at `at`, ms since 1970. */
interface SimulatedPod {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly model: string;
  readonly hasRemote: boolean;
  /** Its user has chosen a room sensor in place of the controller's own, which is 2 °C colder. */
  readonly hasSensor: boolean;
  online: boolean;
  at: number;
  celsius: number;
  measured: { celsius: number; at: number };
  ac: AcState;
  smart: SmartMode | null;
  /** A change that is due at `at`. */
  timer: { readonly at: number; readonly acState: Partial<AcState> } | null;
  changed: { properties: readonly string[]; reason: string; at: number };
}

const celsiusOf = (value: number, unit: Unit) => (unit === 'F' ? (value - 32) / 1.8 : value);

/** Brings it to `now`. It measures on the way, and Climate React acts on what it measured. */
export function settle(pod: SimulatedPod, now: number): void {
  const { timer } = pod;
  if (timer !== null && timer.at <= now) {
    pod.timer = null;
    settle(pod, timer.at);
    apply(pod, timer.acState, 'Timer');
  }
  const last = now - (now % MEASURES_MS);
  while (pod.at < last) {
    const isReacting = pod.online && pod.smart?.enabled === true;
    measure(pod, isReacting ? Math.min(last, pod.at - (pod.at % MEASURES_MS) + MEASURES_MS) : last);
  }
  advance(pod, now);
}

function measure(pod: SimulatedPod, at: number): void {
  advance(pod, at);
  if (!pod.online) return;
  pod.measured = { celsius: Math.round(pod.celsius * 10) / 10, at };
  if (pod.smart?.enabled !== true) return;
  const { celsius } = pod.measured;
  const { lowTemperatureThreshold, lowTemperatureState, highTemperatureThreshold, highTemperatureState } =
    pod.smart;
  if (celsius < lowTemperatureThreshold) apply(pod, lowTemperatureState, 'Trigger');
  if (celsius > highTemperatureThreshold) apply(pod, highTemperatureState, 'Trigger');
}

function advance(pod: SimulatedPod, to: number): void {
  if (to <= pod.at) return;
  const { on, mode, targetTemperature, temperatureUnit } = pod.ac;
  const target = on && WITH_TARGET.includes(mode) ? celsiusOf(targetTemperature, temperatureUnit) : null;
  const span = { from: pod.at, to };
  const isCooling = target !== null && (mode === 'cool' || (mode === 'auto' && pod.celsius > target));
  const { roomC } = heatRoom(ROOM, { roomC: pod.celsius, targetC: isCooling ? null : target }, span);
  const cooled = pod.celsius - (COOLS_K_PER_HOUR * (to - pod.at)) / HOUR_MS;
  pod.celsius = isCooling ? Math.min(roomC, Math.max(target, cooled)) : roomC;
  pod.at = to;
}

/** Changes the air conditioner; fields that are absent keep their value. */
export function apply(pod: SimulatedPod, change: Partial<AcState>, reason: string): void {
  const next = { ...pod.ac, ...change };
  const properties = Object.keys(change).filter(
    (name) => pod.ac[name as keyof AcState] !== next[name as keyof AcState],
  );
  if (properties.length === 0) return;
  pod.changed = { properties, reason, at: pod.at };
  pod.ac = next;
}

/** Whether the air conditioner takes a value; each mode takes its own. */
export function takes({ ac, hasRemote }: SimulatedPod, name: string, value: Json | undefined): boolean {
  if (!hasRemote) return false;
  if (name === 'on') return typeof value === 'boolean';
  if (name === 'mode') return MODES.some((mode) => mode === value);
  if (name === 'fanLevel') return FANS.some((level) => level === value);
  if (name === 'swing') return SWINGS.some((swing) => swing === value);
  if (name === 'temperatureUnit') return value === 'C' || value === 'F';
  const targets: readonly Json[] = ac.temperatureUnit === 'F' ? FAHRENHEIT : CELSIUS;
  return name === 'targetTemperature' && WITH_TARGET.includes(ac.mode) && targets.includes(value ?? null);
}

const momentOf = (at: number, now: number): JsonObject => ({
  time: new Date(at).toISOString(),
  secondsAgo: Math.round((now - at) / SECOND_MS),
});

function acStateOf({ ac }: SimulatedPod, now: number): JsonObject {
  const { targetTemperature, temperatureUnit, ...rest } = ac;
  const target = WITH_TARGET.includes(ac.mode) ? { targetTemperature, temperatureUnit } : {};
  return { timestamp: momentOf(now, now), ...rest, ...target };
}

/** The last change, as a command gets it back. */
export const changeOf = (pod: SimulatedPod, now: number): JsonObject => ({
  id: `${pod.id}-${pod.changed.at}`,
  time: momentOf(pod.changed.at, now),
  status: 'Success',
  acState: acStateOf(pod, now),
  changedProperties: [...pod.changed.properties],
  reason: pod.changed.reason,
  failureReason: null,
});

/** All that Sensibo says of a controller. */
function podOf(pod: SimulatedPod, now: number): JsonObject {
  const { id, name, location, model, measured, online, hasRemote, hasSensor, smart, ac } = pod;
  const time = momentOf(measured.at, now);
  const inRoom = {
    time,
    temperature: measured.celsius,
    humidity: 38,
    feelsLike: measured.celsius,
    rssi: -55,
  };
  const isPurifier = model === 'pure';
  const own = isPurifier ? { time, pm25: 1, rssi: -61 } : inRoom;
  const sensor = { id: `${id}s`, isMainSensor: true, productModel: 'motion_sensor', measurements: inRoom };
  return {
    id,
    isOwner: true,
    temperatureUnit: ac.temperatureUnit,
    room: { uid: `r${id}`, name, icon: 'Lounge' },
    location: { id: `l${location}`, name: location, country: 'Sweden' },
    acState: acStateOf(pod, now),
    connectionStatus: { isAlive: online, lastSeen: time },
    productModel: model,
    firmwareVersion: 'SKY30046',
    motionSensors: hasSensor ? [sensor] : [],
    mainMeasurementsSensor: hasSensor ? sensor : null,
    measurements: hasSensor ? { ...own, temperature: measured.celsius - 2 } : own,
    remoteCapabilities: hasRemote ? { modes: isPurifier ? { fan: modeOf('fan') } : modes() } : null,
    smartMode: smart === null ? null : { type: 'temperature', deviceUid: id, ...(smart as object) },
    lastACStateChange: changeOf(pod, now),
    timer: timerOf(pod),
    schedules: [],
  };
}

const timerOf = ({ timer }: SimulatedPod): Json =>
  timer === null
    ? null
    : {
        isEnabled: true,
        targetTime: new Date(timer.at).toISOString().slice(0, 19),
        acState: { ...timer.acState },
      };

const modes = (): JsonObject => Object.fromEntries(MODES.map((mode) => [mode, modeOf(mode)]));

const modeOf = (mode: string): JsonObject => ({
  temperatures: WITH_TARGET.includes(mode)
    ? { C: { isNative: true, values: CELSIUS }, F: { isNative: false, values: FAHRENHEIT } }
    : {},
  fanLevels: FANS,
  swing: SWINGS,
});

/** Brings it into a situation that a check of its commands begins in. */
export function arrange(pod: SimulatedPod, situation: Situation, now: number): void {
  const celsius = situation === 'cold' ? 17 : 21;
  const targetTemperature = pod.ac.temperatureUnit === 'F' ? 61 : 16;
  Object.assign(pod, { at: now, celsius, measured: { celsius, at: now }, smart: null, timer: null });
  pod.ac = { ...pod.ac, on: situation !== 'off', mode: 'heat', targetTemperature };
}

/** A controller of a home; ids look as Sensibo's do. */
function newPod(number: number, name: string, now: number, more: Partial<SimulatedPod> = {}) {
  const ac: AcState = {
    on: true,
    mode: 'heat',
    targetTemperature: 21,
    temperatureUnit: 'C',
    fanLevel: 'auto',
    swing: 'stopped',
  };
  const pod: SimulatedPod = {
    id: `sim${String(number).padStart(5, '0')}`,
    name: `${name} (simulated)`,
    location: 'House',
    model: 'skyv2',
    hasRemote: true,
    hasSensor: false,
    online: true,
    at: now,
    celsius: 20,
    measured: { celsius: 20, at: now },
    ac,
    smart: null,
    timer: null,
    changed: { properties: ['on'], reason: 'UserRequest', at: now },
    ...more,
  };
  return pod;
}

/** Climate React as an owner sets it: heats below 19 °C, and is off above 24 °C. */
export const CLIMATE_REACT: SmartMode = {
  enabled: true,
  lowTemperatureThreshold: 19,
  lowTemperatureState: { on: true, mode: 'heat', targetTemperature: 22 },
  highTemperatureThreshold: 24,
  highTemperatureState: { on: false },
};

type Home = SimulatedPod[];

/** More than the contract asks of a simulator, for tests of what is peculiar to Sensibo. */
export interface SensiboSimulator extends VendorSimulator {
  readonly pod: (id: string) => SimulatedPod;
}

const refusal: Refusal = (status, reason) => ({ status, json: { status, message: reason } });
const isCompressed = ({ headers }: SimulatedRequest) => headers['accept-encoding']?.includes('gzip') === true;
const MORE = 'API Limit exceeded. Use "Accept-Encoding: gzip" to increase the rate limit.';
const LESS = 'API Limit exceeded. Lower the request rate and try again later.';

/** Sensibo's cloud: controllers, their air conditioners and rooms, Climate React, and the limit that grows with gzip. */
export function createSimulator(options: SimulatorOptions): SensiboSimulator {
  const { now } = options.clock;
  const users = usersAt(now());
  const settled = (pod: SimulatedPod) => {
    settle(pod, now());
    return pod;
  };
  /** Changes an air conditioner, as far as its remote control has what is wanted. */
  function change(pod: SimulatedPod, wanted: JsonObject, reason: string): SimulatedAnswer {
    settle(pod, now());
    // A mode is checked before what depends on it.
    const { mode } = wanted;
    const inMode = { ...pod, ac: { ...pod.ac, ...(mode === undefined ? {} : { mode: String(mode) }) } };
    const refused = Object.entries(wanted).find(([name, value]) => !takes(inMode, name, value));
    if (refused !== undefined) return refusal(400, `${refused[0]} is not in the capabilities of the remote`);
    if (!pod.online) return ok({ ...changeOf(pod, now()), status: 'Failed', failureReason: 'No connection' });
    apply(pod, wanted as Partial<AcState>, reason);
    return ok(changeOf(pod, now()));
  }
  const setSmart = ofDevice<SimulatedPod>((pod, { request }) => {
    settle(pod, now());
    pod.smart = { ...(pod.smart ?? { ...CLIMATE_REACT, enabled: false }), ...jsonIn(request) };
    return ok({ ...pod.smart } as JsonObject);
  });

  const vendor = simulatedVendor<Home, SimulatedPod>(options, {
    vendor: 'Sensibo',
    users,
    signIn: byKey({ keyOf: ({ query }) => query.get('apiKey') ?? undefined }),
    refusal,
    tokenRefused: { status: 401, text: 'login_required' },
    limits: [
      { calls: 5, seconds: 5, of: 'user', name: MORE, when: (request) => !isCompressed(request) },
      { calls: 10, seconds: 10, of: 'user', name: LESS },
    ],
    limited: ({ name = LESS }) => refusal(429, name),
    envelope: ({ json, ...answer }) => ({ ...answer, json: { status: 'success', result: json ?? null } }),
    devices: {
      ...listed<SimulatedPod>((pod, situation) => arrange(pod, situation, now())),
      reach(pod, isReachable) {
        settle(pod, now());
        pod.online = isReachable;
        settle(pod, now());
      },
    },
    routes: {
      'GET /api/v1/users/me': ({ user }) => ok({ username: `simulated-${user}`, isVerified: true }),
      'GET /api/v2/users/me/pods': ({ home, query }) =>
        ok(home.map((pod) => picked(podOf(settled(pod), now()), query))),
      'GET /api/v2/pods/:id': ofDevice((pod, { query }) => ok(picked(podOf(settled(pod), now()), query))),
      'GET /api/v2/pods/:id/acStates': ofDevice((pod) => ok([changeOf(settled(pod), now())])),
      'POST /api/v2/pods/:id/acStates': ofDevice((pod, { request }) => {
        const { acState } = jsonIn(request);
        if (!isObject(acState)) return refusal(400, 'acState is missing');
        const { timestamp: _, ...wanted } = acState;
        return change(pod, wanted, 'UserRequest');
      }),
      'PATCH /api/v2/pods/:id/acStates/:property': ofDevice((pod, call) => {
        const { newValue, reason = 'UserRequest' } = jsonIn(call.request);
        return newValue === undefined
          ? refusal(400, 'newValue is missing')
          : change(pod, { [call.params.property ?? '']: newValue }, String(reason));
      }),
      'GET /api/v2/pods/:id/smartmode': ofDevice(({ smart }) =>
        ok(smart === null ? null : ({ ...smart } as JsonObject)),
      ),
      'GET /api/v1/pods/:id/timer/': ofDevice((pod) => ok(timerOf(settled(pod)))),
      'PUT /api/v1/pods/:id/timer/': ofDevice((pod, { request }) => {
        const { minutesFromNow, acState } = jsonIn(request);
        if (!isObject(acState)) return refusal(400, 'acState is missing');
        settled(pod).timer = {
          at: now() + Number(minutesFromNow) * MINUTE_MS,
          acState: acState as Partial<AcState>,
        };
        return ok(timerOf(pod));
      }),
      'DELETE /api/v1/pods/:id/timer/': ofDevice((pod) => {
        settled(pod).timer = null;
        return ok(null);
      }),
      'GET /api/v1/pods/:id/schedules/': ofDevice(() => ok([])),
      'PUT /api/v2/pods/:id/smartmode': setSmart,
      'POST /api/v2/pods/:id/smartmode': setSmart,
    },
  });
  return Object.assign(vendor, { pod: deviceIn(users) });
}

const ok = (json: Json): SimulatedAnswer => ({ status: 200, json });

/** Bodies are JSON whatever their type says. */
const jsonIn = ({ body }: SimulatedRequest): JsonObject => objectIn(parsed(Buffer.from(body).toString()));

/** The fields that a request names; the id alone where it names none. */
function picked(pod: JsonObject, query: URLSearchParams): JsonObject {
  const wanted = (query.get('fields') ?? 'id').split(',');
  return wanted.includes('*')
    ? pod
    : Object.fromEntries(Object.entries(pod).filter(([name]) => wanted.includes(name)));
}

/** Controllers in two homes, with both units, a room sensor, an air purifier and one without a remote control; none; 500. */
function usersAt(now: number) {
  const fahrenheit = newPod(2, 'Bedroom', now, { model: 'airq' });
  fahrenheit.ac = { ...fahrenheit.ac, temperatureUnit: 'F', targetTemperature: 70 };
  return {
    home: [
      newPod(1, 'Living room', now),
      fahrenheit,
      newPod(3, 'Cabin', now, { location: 'Summer house', model: 'skyplus', hasSensor: true }),
      newPod(4, 'Air purifier', now, { model: 'pure' }),
      newPod(5, 'Attic', now, { hasRemote: false }),
    ],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => newPod(index + 101, `Room ${index + 1}`, now)),
  };
}
