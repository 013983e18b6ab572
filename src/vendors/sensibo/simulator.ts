import { objectIn, jsonIn as parsed } from '../../adapter/kit/index.ts';
import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byKey,
  deviceIn,
  isObject,
  listed,
  ofDevice,
  type Refusal,
  simulatedVendor,
} from '../../simulation/index.ts';
import {
  type AcState,
  apply,
  arrange,
  CLIMATE_REACT,
  changeOf,
  newPod,
  podOf,
  type SimulatedPod,
  settle,
  takes,
  timerOf,
} from './simulated-pod.ts';

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
