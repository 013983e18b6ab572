import Type, { type Static } from 'typebox';
import type { Status } from '../../adapter/device.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';

/** What linking stores of a lift. */
export const Details = Type.Object({
  building: Type.String(),
  group: Type.String(),
  lift: Type.String(),
});
export type Details = Static<typeof Details>;

/** What KONE has reported of a lift: the newest of each topic, as it came. */
export interface LiftRaw {
  /** The controller of its group answers. */
  readonly online: boolean;
  /** When that last answered, by its own clock, ms since 1970. */
  readonly answeredAt: number | null;
  readonly status?: JsonObject;
  readonly position?: JsonObject;
  /** By deck and side. */
  readonly doors: Readonly<Record<string, JsonObject>>;
}

export const UNHEARD: LiftRaw = { online: true, answeredAt: null, doors: {} };

/** The topics that a lift's state is made from. */
export const TOPICS = ['status', 'position', 'doors'] as const;

/** Whether each topic has been reported at least once. */
export const isWhole = ({ status, position, doors }: LiftRaw): boolean =>
  status !== undefined && position !== undefined && Object.keys(doors).length > 0;

export const isHeard = ({ status, position, doors }: LiftRaw): boolean =>
  status !== undefined || position !== undefined || Object.keys(doors).length > 0;

/** The lift after an event. KONE repeats some late: CLOSING may follow CLOSED, and what is older than what is there changes nothing. */
export function withEvent(raw: LiftRaw, topic: string, data: JsonObject): LiftRaw {
  switch (topic) {
    case 'status':
    case 'position':
      return { ...raw, [topic]: newer(raw[topic], data) };
    case 'doors': {
      const door = `${data.area}/${data.lift_side}`;
      return { ...raw, doors: { ...raw.doors, [door]: newer(raw.doors[door], data) } };
    }
    default:
      return raw;
  }
}

function newer(before: JsonObject | undefined, after: JsonObject): JsonObject {
  const [was, is] = [kit.timeIn(before?.time), kit.timeIn(after.time)];
  return before !== undefined && was !== null && is !== null && is < was ? before : after;
}

/**
 * Modes that end normal operation. -1 is in KONE's document; the others are those that the adapter of CHART for Open-RMF acts on. What
 * normal operation is called differs between installations: KONE's example is 12.
 */
const MODES: ReadonlyMap<unknown, string | null> = new Map([
  ...[0, 12].map((mode): [number, null] => [mode, null]),
  ...[-1, 2, 3, 7, 14, 17, 18, 33].map((mode): [number, string] => [mode, 'OUT_OF_SERVICE']),
  ...[9, 16, 19, 20, 23, 27, 28, 30].map((mode): [number, string] => [mode, 'EMERGENCY']),
  ...[37, 38].map((mode): [number, string] => [mode, 'FIRE']),
]);

const MOVING_STATES = ['STOPPED', 'STANDING', 'STARTING', 'MOVING', 'DECELERATING'];

/** Whether a door in this state is open; null where it stopped on its way, and nobody knows. */
const DOORS: Readonly<Record<string, boolean | null>> = {
  OPENING: true,
  OPENED: true,
  CLOSING: true,
  NUDGING: true,
  CLOSED: false,
  STOPPED: null,
  ERROR: null,
};

export function statusOf(raw: LiftRaw): Status {
  if (!raw.online) return { online: false, operation_state: null, door_open: null };
  return { online: true, operation_state: operationOf(raw), door_open: doorOpenOf(raw) };
}

/** What matters most: somebody who calls for help, then why it does not run, then how it moves. */
function operationOf({ status, position }: LiftRaw): string | null {
  const isAlarm = kit.each(status?.decks, Deck).some(({ alarm }) => alarm === true);
  if (isAlarm) return 'ALARM';
  const mode = MODES.get(status?.lift_mode) ?? null;
  if (mode !== null) return mode;
  if (status?.fault_active === true) return 'FAULT';
  const moving = position?.moving_state;
  return typeof moving === 'string' && MOVING_STATES.includes(moving) ? moving : null;
}

const Deck = kit.lenient({}, 'alarm');

/** Any door of any deck. */
function doorOpenOf({ doors }: LiftRaw): boolean | null {
  const states = Object.values(doors).map(({ state }) =>
    typeof state === 'string' ? (DOORS[state] ?? null) : null,
  );
  if (states.includes(true)) return true;
  return states.length === 0 || states.includes(null) ? null : false;
}

/** What is reported was so until the controller last answered, by its own clock. */
export function observedAt({ status, position, doors, answeredAt }: LiftRaw): number | null {
  const times = [status, position, ...Object.values(doors)].map((one) => kit.timeIn(one?.time));
  const all = [answeredAt, ...times].filter((time) => time !== null);
  return all.length === 0 ? null : Math.max(...all);
}

export function unrecognized({ status, position, doors }: LiftRaw): readonly string[] {
  return [
    ...kit.unrecognized({
      lift_mode: [status?.lift_mode, MODES],
      moving_state: [position?.moving_state, MOVING_STATES],
    }),
    ...Object.values(doors).flatMap(({ state }) => kit.unrecognized({ door: [state, DOORS] })),
  ];
}
