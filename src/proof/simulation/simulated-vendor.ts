import type { DeviceRef } from '../../adapter/session.ts';
import type {
  SimulatedAnswer,
  SimulatedFault,
  SimulatedRequest,
  SimulatedSocket,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { faultAnswer, plainRefusal, type Refusal, strange } from './faults.ts';
import { type Answer, bodyOf, compileRoutes, type Routes, type SimulatedCall } from './routes.ts';
import type { MakeSignIn } from './sign-in.ts';

/** How the devices of a home are found and moved; `listed` makes it for homes that are lists. */
interface SimulatedDevices<Home, Device> {
  find(home: Home, device: Pick<DeviceRef, 'id' | 'details'>): Device | undefined;
  /** Brings a device into a situation that a witness needs; it is reachable then. */
  arrange(device: Device, situation: Situation, home: Home): void;
  /** Brings it about that the user has to do something, or has done it; false where that cannot be of the device. */
  intervene?(
    device: Device,
    needed: { readonly code: string; readonly isNeeded: boolean },
    home: Home,
  ): boolean;
  /** Whether the vendor can reach the device. */
  reach(device: Device, isReachable: boolean, home: Home): void;
  remove(home: Home, device: Device): void;
  /** Puts back what was removed. */
  add(home: Home, device: Device): void;
}

interface Limit {
  readonly calls: number;
  readonly seconds: number;
  /** Everybody who calls as our app, each user, or each device: what the first group of `on` finds. */
  readonly of: 'user' | 'app' | 'device';
  /** Which calls it is of, as `GET /path`; all unless it is said. */
  readonly on?: RegExp;
  /** Which requests it is of; all unless it is said. */
  readonly when?: (request: SimulatedRequest) => boolean;
  /** What the vendor calls it. */
  readonly name?: string;
}

/** A limit that is used up, and when the next call is answered again. */
interface UsedUp extends Limit {
  readonly resetSeconds: number;
}

export interface SimulatedVendor<Home, Device> {
  /** The vendor's name, for its sign-in page. */
  readonly vendor: string;
  /**
   * What each user has: `home` a device of every kind, `none` nothing, `large` 500 devices; others as the vendor needs. Only a device that is
   * called at home does without `none` and `large`.
   */
  readonly users: { readonly home: Home } & Readonly<Record<string, Home>>;
  readonly signIn: MakeSignIn;
  readonly routes: Routes<Home>;
  readonly devices: SimulatedDevices<Home, Device>;
  /** The vendor's words for a failure; `{ error }` unless it is said. */
  readonly refusal?: Refusal;
  /** What a call whose token is not good gets; the refusal with 401 unless it is said. */
  readonly tokenRefused?: SimulatedAnswer;
  /** What a call gets once the user must sign in again; what a call without a valid token gets unless it is said. */
  readonly loginLost?: SimulatedAnswer;
  /** What calls beyond a limit get; the refusal with 429 unless it is said. */
  readonly limited?: (limit: UsedUp) => SimulatedAnswer;
  readonly limits?: readonly Limit[];
  /** A signed-in user opens a WebSocket; the handshake of others is refused as a call is. */
  readonly stream?: (
    socket: SimulatedSocket,
    call: Pick<SimulatedCall<Home>, 'home' | 'user' | 'scopes' | 'request'>,
  ) => void;
  /** What the handshake of a signed-in user is refused with. */
  readonly refusesStream?: (request: SimulatedRequest) => SimulatedAnswer | undefined;
  /** Puts every successful answer into the vendor's envelope. */
  readonly envelope?: (answer: SimulatedAnswer) => SimulatedAnswer;
}

/** A vendor's cloud with users, tokens, faults, limits and time of its own; the vendor says what its routes answer. */
export function simulatedVendor<Home, Device>(
  options: SimulatorOptions,
  parts: SimulatedVendor<Home, Device>,
): VendorSimulator {
  const { users, devices, refusal = plainRefusal, limits = [], envelope = (answer) => answer } = parts;
  const signIn = parts.signIn({ ...options, vendor: parts.vendor, users: Object.keys(users), refusal });
  const routes = compileRoutes(parts.routes);
  const usedUp = counter(limits, options.clock.now);
  const removed = new Map<string, { readonly home: Home; readonly found: Device }>();
  let fault: SimulatedFault | null = null;

  const tokenRefused = () => parts.tokenRefused ?? refusal(401, 'the token is not valid');

  function callerOf(request: SimulatedRequest) {
    const caller = signIn.callerOf(request);
    const home = caller === undefined ? undefined : users[caller.user];
    if (fault === 'token_refused' || fault === 'login_lost' || caller === undefined || home === undefined)
      return undefined;
    return { ...caller, home };
  }

  function called(request: SimulatedRequest): SimulatedAnswer {
    if (fault === 'login_lost' && parts.loginLost !== undefined) return parts.loginLost;
    const caller = callerOf(request);
    if (caller === undefined) return tokenRefused();
    const over = usedUp(caller.user, request);
    if (over !== undefined) return parts.limited?.(over) ?? refusal(429, 'too many requests');
    const route = routes.find(request);
    const answer = route?.answer({
      ...caller,
      params: route.params,
      query: request.query,
      body: bodyOf(request),
      request,
    });
    return answer ?? refusal(404, 'not found');
  }

  function place(device: Pick<DeviceRef, 'id' | 'details'>): { readonly home: Home; readonly found: Device } {
    for (const home of Object.values<Home>(users)) {
      const found = devices.find(home, device);
      if (found !== undefined) return { home, found };
    }
    throw new Error(`the simulator of ${parts.vendor} has no device ${device.id}`);
  }

  const userNamed = (name: string) => ({
    name,
    password: signIn.password,
    credentials: signIn.credentialsOf(name),
  });

  return {
    async handle(request) {
      const page = signIn.page(request);
      if (page !== undefined) return page;
      const broken = faultAnswer(fault, refusal);
      if (broken !== undefined) return broken;
      const token = signIn.token(request, fault === 'login_lost');
      if (token !== undefined) return token;
      const answer = called(request);
      if (answer.status >= 300 || answer.events !== undefined) return answer;
      const wrapped = envelope(answer);
      return fault === 'unknown_values' && wrapped.json !== undefined
        ? { ...wrapped, json: strange(wrapped.json) }
        : wrapped;
    },
    ...(parts.stream === undefined
      ? {}
      : {
          refusal: (request: SimulatedRequest) =>
            callerOf(request) === undefined ? tokenRefused() : parts.refusesStream?.(request),
          upgrade(request: SimulatedRequest, socket: SimulatedSocket) {
            const caller = callerOf(request);
            if (caller !== undefined) parts.stream?.(socket, { ...caller, request });
          },
        }),
    fault(next) {
      fault = next;
    },
    arrange(device, situation) {
      const { home, found } = place(device);
      devices.reach(found, true, home);
      devices.arrange(found, situation, home);
    },
    intervene(device, code, isNeeded) {
      const { home, found } = place(device);
      return devices.intervene?.(found, { code, isNeeded }, home) ?? false;
    },
    reach(device, isReachable) {
      const { home, found } = place(device);
      devices.reach(found, isReachable, home);
    },
    remove(device) {
      const { home, found } = place(device);
      devices.remove(home, found);
      removed.set(device.id, { home, found });
    },
    add({ id }) {
      const taken = removed.get(id);
      if (taken === undefined) throw new Error(`${id} was not taken away from ${parts.vendor}`);
      removed.delete(id);
      devices.add(taken.home, taken.found);
    },
    expireTokens: signIn.expireTokens,
    revoke: signIn.revoke,
    // Where it is reached may be known later than it is made.
    get user() {
      return userNamed('home');
    },
    get users() {
      return {
        ...(users.none === undefined ? {} : { none: userNamed('none') }),
        ...(users.large === undefined ? {} : { large: userNamed('large') }),
      };
    },
  };
}

/** Devices of homes that are lists of them. */
export function listed<Device extends { readonly id: string; online: boolean }>(
  arrange: (device: Device, situation: Situation) => void,
): SimulatedDevices<Device[], Device> {
  return {
    find: (home, { id }) => home.find((device) => device.id === id),
    arrange,
    reach(device, isReachable) {
      device.online = isReachable;
    },
    remove(home, device) {
      home.splice(home.indexOf(device), 1);
    },
    add: (home, device) => void home.push(device),
  };
}

/** The device of any user with an id, for tests; throws where there is none. */
export const deviceIn =
  <Device extends { readonly id: string }>(users: Readonly<Record<string, readonly Device[]>>) =>
  (id: string): Device => {
    const found = Object.values(users)
      .flat()
      .find((device) => device.id === id);
    if (found === undefined) throw new Error(`the simulator has no device ${id}`);
    return found;
  };

/** Answers about the device of a list that `:id` of the route names; what is not there is not found. */
export const ofDevice =
  <Device extends { readonly id: string }>(
    answer: (device: Device, call: SimulatedCall<Device[]>) => SimulatedAnswer | undefined,
  ): Answer<Device[]> =>
  (call) => {
    const device = call.home.find(({ id }) => id === call.params.id);
    return device === undefined ? undefined : answer(device, call);
  };

/** One page of a list: its members, and where the next page begins, if there is one. */
export function pageOf<T>(list: readonly T[], cursor: string | null, size = 100) {
  const end = Number(cursor ?? 0) + size;
  return { members: list.slice(end - size, end), ...(list.length > end ? { next: String(end) } : {}) };
}

/** Counts calls in sliding windows; one that is refused counts too. The first limit that a call is beyond is the answer. */
function counter(
  limits: readonly Limit[],
  now: () => number,
): (user: string, request: SimulatedRequest) => UsedUp | undefined {
  const calls = new Map<string, number[]>();
  return (user, request) => {
    const over = limits.flatMap((limit, index): UsedUp[] => {
      const found = limit.on === undefined ? [] : limit.on.exec(`${request.method} ${request.path}`);
      if (found === null || limit.when?.(request) === false) return [];
      const whose = { user, app: '', device: found[1] ?? '' }[limit.of];
      const key = `${index} ${whose}`;
      const lengthMs = limit.seconds * 1_000;
      const times = [...(calls.get(key) ?? []).filter((at) => at > now() - lengthMs), now()];
      calls.set(key, times);
      const resetSeconds = Math.ceil(((times[0] ?? 0) + lengthMs - now()) / 1_000);
      return times.length > limit.calls ? [{ ...limit, resetSeconds }] : [];
    });
    return over[0];
  };
}
