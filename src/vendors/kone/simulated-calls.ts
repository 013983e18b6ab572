import Type from 'typebox';
import { fits, objectIn } from '../../adapter/kit/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { floorOf, ride, type SimulatedGroup, type SimulatedLift } from './simulated-building.ts';

/** The actions of a group, by KONE's numbers: destination call, landing calls, car call; 4 is disabled. */
export const ACTIONS = [
  { action: 2, name: 'destination', enabled: true },
  { action: 4, name: 'special', enabled: false },
  { action: 2001, name: 'landing up', enabled: true },
  { action: 2002, name: 'landing down', enabled: true },
  { action: 5000, name: 'car', enabled: true },
] as const;

/** Calls that are being served, by their session. */
export interface Calls {
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

/** Holds doors open; what is wrong with the request, if anything is. */
export function holdOpen({ lifts }: SimulatedGroup, payload: JsonObject): string | undefined {
  if (!fits(Hold, payload)) return 'Invalid json payload';
  const lift = lifts.find(({ decks }) => decks.includes(payload.lift_deck));
  return lift === undefined ? `unable to resolve area: area:${payload.lift_deck}` : undefined;
}

/** Ends a call; the status that KONE gives. */
export function deleteCall({ served }: Calls, session: unknown): number {
  const end = served.get(Number(session));
  if (end === undefined) return 404;
  served.delete(Number(session));
  end();
  return 201;
}

/** Makes a call; the result that follows the acknowledgement. */
export function act(calls: Calls, group: SimulatedGroup, payload: JsonObject): JsonObject {
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
