import Type from 'typebox';
import { fits, jsonIn, objectIn } from '../../adapter/kit/index.ts';
import type { SimulatedSocket } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  configOf,
  floorOf,
  ride,
  type SimulatedBuilding,
  type SimulatedGroup,
  type SimulatedLift,
  stateOf,
} from './simulated-building.ts';

/** The actions of a group, by KONE's numbers: destination call, landing calls, car call; 4 is disabled. */
const ACTIONS = [
  { action: 2, name: 'destination', enabled: true },
  { action: 4, name: 'special', enabled: false },
  { action: 2001, name: 'landing up', enabled: true },
  { action: 2002, name: 'landing down', enabled: true },
  { action: 5000, name: 'car', enabled: true },
] as const;

/** Calls that are being served, by their session. */
interface Calls {
  readonly clock: Clock;
  readonly served: Map<number, () => void>;
  next: number;
}

export const noCalls = (clock: Clock): Calls => ({ clock, served: new Map(), next: 24_387 });

const MOST_DELAY = 30;

const Hold = Type.Object({
  lift_deck: Type.Number(),
  served_area: Type.Number(),
  hard_time: Type.Number({ minimum: 0, maximum: 10 }),
  soft_time: Type.Optional(Type.Number({ minimum: 0, maximum: 30 })),
});

/** Holds doors open; returns the fault of the request, if any. */
function holdOpen({ lifts }: SimulatedGroup, payload: JsonObject): string | undefined {
  if (!fits(Hold, payload)) return 'Invalid json payload';
  const lift = lifts.find(({ decks }) => decks.includes(payload.lift_deck));
  return lift === undefined ? `unable to resolve area: area:${payload.lift_deck}` : undefined;
}

/** Ends a call; the status that KONE gives. */
function deleteCall({ served }: Calls, session: unknown): number {
  const end = served.get(Number(session));
  if (end === undefined) return 404;
  served.delete(Number(session));
  end();
  return 201;
}

/** Makes a call; the result that follows the acknowledgement. */
function act(calls: Calls, group: SimulatedGroup, payload: JsonObject): JsonObject {
  const { request_id = null, area = null } = payload;
  const call = objectIn(payload.call);
  const failed = (error: string): JsonObject => ({ request_id, success: false, error });
  const listed = ACTIONS.find(({ action }) => action === call.action);
  if (listed === undefined)
    return failed(`Ignoring call, unknown call action: ${call.action === 0 ? 'UNDEFINED' : call.action}`);
  if (!listed.enabled) return failed(`Ignoring call, disabled call action: ${call.action}`);
  if (typeof call.delay === 'number' && (call.delay < 0 || call.delay > MOST_DELAY))
    return failed('Invalid json payload');
  const isCar = listed.action === 5000;
  const inCar = group.lifts.find(({ decks }) => decks.includes(Number(area)));
  const source = isCar ? inCar?.floor : floorOf(area);
  if (source === undefined) return failed(`unable to resolve area: area:${area}`);
  const isLanding = listed.action === 2001 || listed.action === 2002;
  const destination = isLanding ? source : floorOf(call.destination);
  if (destination === undefined) return failed(`unable to resolve destination: area:${call.destination}`);
  if (!isLanding && source === destination) return failed('SAME_SOURCE_AND_DEST_FLOOR');
  if (listed.action === 2002 && source === 1) return failed('INVALID_DIRECTION');
  const lift = isCar ? inCar : nearest(group.lifts, { call, source });
  if (lift === undefined) return failed('NO_LIFTS_AVAILABLE');
  const session_id = calls.next;
  calls.next += 1;
  const report = (state: string, more: JsonObject = {}) => {
    const time = new Date(calls.clock.now()).toISOString();
    for (const listen of group.listeners) listen(`call_state/${session_id}/${state}`, { time, ...more });
  };
  const end = ride(group, lift, {
    clock: calls.clock,
    stops: isLanding || isCar ? [destination] : [source, destination],
    stopped(floor) {
      report(floor === destination ? 'served' : 'being_served');
      if (floor === destination) calls.served.delete(session_id);
    },
  });
  calls.served.set(session_id, () => {
    end();
    report('cancelled');
  });
  calls.clock.after(0, () => report('being_allocated', { allocated_lift_deck: lift.decks.slice(0, 1) }));
  return { request_id, success: true, session_id };
}

/** The lift that is closest, of those that run and are allowed. */
function nearest(
  lifts: readonly SimulatedLift[],
  { call, source }: { readonly call: JsonObject; readonly source: number },
): SimulatedLift | undefined {
  const allowed = Array.isArray(call.allowed_lifts) ? call.allowed_lifts : undefined;
  return lifts
    .filter(({ isFaulty, mode }) => !isFaulty && mode !== -1)
    .filter(({ decks }) => allowed === undefined || decks.some((deck) => allowed.includes(deck)))
    .toSorted((one, other) => Math.abs(one.floor - source) - Math.abs(other.floor - source))[0];
}

const IDLE_MS = 60_000;
const LONGEST_MS = 2 * 3_600_000;
const END_TO_END_FAILURE = 1005;
const MOST_SECONDS = 300;

const Monitor = Type.Object({
  sub: Type.String(),
  duration: Type.Optional(Type.Number({ minimum: 0, maximum: MOST_SECONDS })),
  subtopics: Type.Array(Type.String()),
});

/** Who is connected, and what may be asked of which building. */
interface Client {
  readonly home: SimulatedBuilding;
  readonly scopes: readonly string[];
  /** Whether the token of the connection is still good. */
  readonly isAuthorized: () => boolean;
}

interface Subscription {
  readonly group: SimulatedGroup;
  readonly patterns: readonly RegExp[];
  readonly until: number;
}

/** What a session keeps over connections. */
interface KoneSession {
  socket: SimulatedSocket | undefined;
}

/** A failure in KONE's words. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface StreamOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly calls: Calls;
}

/** KONE's WebSocket: numbered requests, their answers, and what is monitored. */
export function simulatedStream({ clock, random, calls }: StreamOptions) {
  const sessions = new Map<string, KoneSession>();

  return function open(socket: SimulatedSocket, client: Client): void {
    const connectionId = randomBase62(random, 15);
    const used = new Set<string>();
    const subscriptions = new Map<string, Subscription>();
    const stops: (() => void)[] = [];
    let cancelIdle = () => {};
    const cancelLongest = clock.after(LONGEST_MS, () => socket.close(1001));

    const stamp = () => ({ time: new Date(clock.now()).toISOString() });
    const send = (frame: JsonObject) => {
      cancelIdle();
      cancelIdle = clock.after(IDLE_MS, () => socket.close(1001));
      socket.send(JSON.stringify(frame));
    };
    const accept = (requestId: string | number, data: JsonObject = stamp()) =>
      send({ type: 'ok', connectionId, requestId, statusCode: 201, data });
    const answer = (group: SimulatedGroup, callType: string, data: JsonObject) =>
      send({ data, callType, buildingId: `building:${client.home.id}`, groupId: group.id });

    function publish(group: SimulatedGroup, topic: string, data: JsonObject): void {
      const isWanted = [...subscriptions.values()].some(
        (one) =>
          one.group === group && one.until > clock.now() && one.patterns.some((all) => all.test(topic)),
      );
      if (isWanted)
        send({
          data,
          subtopic: topic,
          callType: 'monitor',
          buildingId: `building:${client.home.id}`,
          groupId: group.id,
        });
    }
    for (const group of client.home.groups) {
      const listener = (topic: string, data: JsonObject) => publish(group, topic, data);
      group.listeners.add(listener);
      stops.push(() => void group.listeners.delete(listener));
    }

    /** The group that a message is about, if the token permits it. */
    function groupOf({ buildingId, groupId }: JsonObject): SimulatedGroup {
      if (buildingId === '') throw new Refusal(400, "'buildingId' is not allowed to be empty");
      const building = /^building:([a-zA-Z0-9]+)$/.exec(String(buildingId))?.[1];
      if (building === undefined)
        throw new Refusal(
          400,
          `'buildingId' with value '${buildingId}' fails to match the required pattern: /^building:[a-zA-Z0-9]+$/`,
        );
      if (String(groupId).length > 2)
        throw new Refusal(400, "'groupId' length must be less than or equal to 2 characters long");
      const place = `${building}:${groupId}`;
      const suffixes = [`group:${place}`, `building:${building}`, building, '*'];
      if (!suffixes.some((one) => client.scopes.some((scope) => CALL_SCOPE.exec(scope)?.[1] === one)))
        throw new Refusal(403, `Token does not contain required scope for ${place}`);
      const group = client.home.groups.find(({ id }) => id === String(groupId));
      if (client.home.id !== building || group === undefined)
        throw new Refusal(404, 'Building data not found');
      return group;
    }

    function monitor(group: SimulatedGroup, payload: JsonObject, requestId: string | number): void {
      if (!fits(Monitor, payload)) throw new Refusal(400, 'Invalid json payload');
      const { sub, duration = MOST_SECONDS, subtopics } = payload;
      const patterns = subtopics.map(
        (one) => new RegExp(`^${one.split('+').map(RegExp.escape).join('[^/]+')}$`),
      );
      subscriptions.set(sub, { group, patterns, until: clock.now() + duration * 1_000 });
      // The state comes first, and the acknowledgement after it.
      if (group.isReachable)
        for (const [topic, data] of group.lifts.flatMap(stateOf))
          if (patterns.some((all) => all.test(topic))) publish(group, topic, data);
      accept(requestId);
    }

    function common(
      group: SimulatedGroup,
      { callType, payload }: JsonObject,
      requestId: string | number,
    ): void {
      if (callType === 'ping') {
        const { request_id } = objectIn(payload);
        if (typeof request_id !== 'number') throw new Refusal(400, "'payload.request_id' must be a number");
        if (!group.isReachable) throw new Refusal(END_TO_END_FAILURE, 'end-to-end communication failed');
        answer(group, 'ping', { request_id, ...stamp() });
        return;
      }
      accept(requestId);
      if (!group.isReachable) return;
      answer(group, String(callType), callType === 'config' ? configOf(group) : { call_types: [...ACTIONS] });
    }

    function call(
      group: SimulatedGroup,
      { callType, payload, cancelRequestId }: JsonObject,
      requestId: string | number,
    ): void {
      const what = objectIn(payload);
      if (cancelRequestId !== undefined || callType === 'delete') {
        const status = deleteCall(calls, what.session_id ?? cancelRequestId);
        if (status >= 300) throw new Refusal(status, 'Invalid cancelRequestId');
        send({ type: 'ok', connectionId, requestId, statusCode: status, data: stamp() });
        return;
      }
      if (callType === 'hold_open') {
        const fault = holdOpen(group, what);
        if (fault !== undefined) throw new Refusal(400, fault);
        accept(requestId);
        return;
      }
      if (typeof what.area !== 'number') throw new Refusal(400, "'payload.area' must be a number");
      const { destination } = objectIn(what.call);
      if (destination !== undefined && typeof destination !== 'number')
        throw new Refusal(400, "'payload.call.destination' must be a number");
      accept(requestId);
      const result = act(calls, group, { ...what, request_id: what.request_id ?? 0 });
      answer(group, 'action', result);
    }

    function obey(message: JsonObject, requestId: string | number): void {
      if (!client.isAuthorized()) throw new Refusal(401, 'Not authenticated or token expired');
      if (used.has(String(requestId)))
        throw new Refusal(409, 'requestId is not unique within the connection');
      used.add(String(requestId));
      switch (message.type) {
        case 'create-session': {
          const sessionId = randomBase62(random, 36);
          sessions.set(sessionId, { socket });
          accept(requestId, { sessionId });
          return;
        }
        case 'resume-session': {
          const session = sessions.get(String(message.sessionId));
          if (session === undefined) throw new Refusal(404, 'Invalid session id');
          if (session.socket === socket) throw new Refusal(400, 'the session is that of this connection');
          session.socket?.close(1000);
          session.socket = socket;
          accept(requestId, {});
          return;
        }
        case 'common-api':
          common(groupOf(message), message, requestId);
          return;
        case 'site-monitoring':
          monitor(groupOf(message), objectIn(message.payload), requestId);
          return;
        case 'lift-call-api-v2':
          call(groupOf(message), message, requestId);
          return;
        default:
          throw new Refusal(400, `'type' must be one of [${TYPES.join(', ')}]`);
      }
    }

    socket.onFrame((text) => {
      cancelIdle();
      cancelIdle = clock.after(IDLE_MS, () => socket.close(1001));
      const message = objectIn(jsonIn(text));
      const { request_id } = objectIn(message.payload);
      const requestId = [message.requestId, request_id].find(isId) ?? randomBase62(random, 12);
      try {
        obey(message, requestId);
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause;
        const { status, message: error } = cause;
        send({ type: 'error', connectionId, requestId, statusCode: status, data: { error } });
      }
    });
    socket.onClose(() => {
      cancelIdle();
      cancelLongest();
      for (const stop of stops) stop();
      for (const session of sessions.values()) if (session.socket === socket) session.socket = undefined;
    });
  };
}

const TYPES = ['common-api', 'site-monitoring', 'lift-call-api-v2', 'create-session', 'resume-session'];
const CALL_SCOPE = /^(?:callgiving|robotcall)\/(.+)$/;
const isId = (one: unknown): one is string | number => typeof one === 'string' || typeof one === 'number';
