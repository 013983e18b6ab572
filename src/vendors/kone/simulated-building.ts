import type { Clock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** A lift as its controller reports it. Areas of decks are 1001010 for lift 1, 1001110 for its upper deck. */
export interface SimulatedLift {
  readonly id: number;
  readonly name: string;
  readonly decks: readonly number[];
  mode: number;
  isFaulty: boolean;
  isAlarm: boolean;
  floor: number;
  direction: 'UP' | 'DOWN';
  moving: 'STANDING' | 'STARTING' | 'MOVING' | 'DECELERATING';
  door: 'OPENING' | 'OPENED' | 'CLOSING' | 'CLOSED';
  /** When it last changed, ms since 1970: events repeat it. */
  at: number;
}

export interface SimulatedGroup {
  readonly id: string;
  readonly lifts: SimulatedLift[];
  /** KONE's cloud reaches the controller. */
  isReachable: boolean;
  /** Called with each event, by its topic. */
  readonly listeners: Set<(topic: string, data: JsonObject) => void>;
}

export interface SimulatedBuilding {
  /** Without the prefix. */
  readonly id: string;
  readonly groups: readonly SimulatedGroup[];
}

export const NORMAL_MODE = 12;
const FLOORS = 12;
/** m/s, and m between floors. */
const SPEED = 1.6;
const FLOOR_HEIGHT = 3.2;
const FLOOR_MS = (FLOOR_HEIGHT / SPEED) * 1_000;
const DOOR_MS = 2_000;
const DWELL_MS = 5_000;
const START_MS = 800;
const DECK = 1_001_010;

export function newLift(id: number, name: string, at: number, decks = 1): SimulatedLift {
  return {
    id,
    name,
    decks: Array.from({ length: decks }, (_, deck) => DECK + (id - 1) * 1_000 + deck * 100),
    mode: NORMAL_MODE,
    isFaulty: false,
    isAlarm: false,
    floor: 1,
    direction: 'UP',
    moving: 'STANDING',
    door: 'CLOSED',
    at,
  };
}

export const newGroup = (id: string, lifts: SimulatedLift[]): SimulatedGroup => ({
  id,
  lifts,
  isReachable: true,
  listeners: new Set(),
});

/** Floor 3 is area 3000, as in KONE's virtual buildings. */
const areaOf = (floor: number): number => floor * 1_000;
export const floorOf = (area: unknown): number | undefined => {
  const floor = Number(area) / 1_000;
  return Number.isInteger(floor) && floor >= 1 && floor <= FLOORS ? floor : undefined;
};

/** The answer to `config`. */
export function configOf({ id, lifts }: SimulatedGroup): JsonObject {
  const floors = Array.from({ length: FLOORS }, (_, index) => index + 1);
  return {
    groups: [
      {
        group_id: Number(id),
        terminals: [1, 1001],
        lifts: lifts.map((lift) => ({
          lift_id: lift.id,
          lift_name: lift.name,
          decks: lift.decks.map((area_id, deck) => ({ area_id, deck })),
          floors: floors.map((floor) => ({ group_floor_id: floor, lift_floor_id: floor })),
        })),
      },
    ],
    destinations: floors.map((floor) => ({
      area_id: areaOf(floor),
      exit: floor === 1,
      group_floor_id: floor,
      group_side: 1,
      short_name: String(floor),
      terminals: [1, 1001],
    })),
  };
}

/** What is reported of a lift when somebody subscribes, by topic. */
export function stateOf(lift: SimulatedLift): readonly (readonly [topic: string, data: JsonObject])[] {
  const time = new Date(lift.at).toISOString();
  const { floor: cur, direction: dir, moving: moving_state, door: state } = lift;
  const [area = 0] = lift.decks;
  const status = {
    time,
    lift_mode: lift.mode,
    nominal_speed: SPEED,
    fault_active: lift.isFaulty,
    decks: lift.decks.map((deck): Json => ({ area: deck, alarm: lift.isAlarm })),
  };
  const position = {
    time,
    dir,
    coll: dir,
    moving_state,
    area,
    cur,
    adv: cur,
    door: moving_state === 'STANDING',
  };
  return [
    [`lift_${lift.id}/status`, status],
    [`lift_${lift.id}/position`, position],
    ...lift.decks.map((deck): [string, JsonObject] => [
      `lift_${lift.id}/doors`,
      { time, area: deck, landing: areaOf(cur), lift_side: 1, state },
    ]),
  ];
}

/** Changes a lift and reports what is another. */
export function change(
  group: SimulatedGroup,
  lift: SimulatedLift,
  to: Partial<SimulatedLift>,
  now: number,
): void {
  const before = new Set(stateOf({ ...lift, at: now }).map((one) => JSON.stringify(one)));
  Object.assign(lift, to, { at: now });
  if (!group.isReachable) return;
  for (const event of stateOf(lift))
    if (!before.has(JSON.stringify(event))) for (const listen of group.listeners) listen(...event);
}

/** What a lift does to stop at these floors, one after the other, and when, in ms from now. */
function planOf({ floor: from }: SimulatedLift, stops: readonly number[]) {
  const steps: { readonly at: number; readonly to: Partial<SimulatedLift> }[] = [];
  let at = 0;
  const step = (to: Partial<SimulatedLift>, ms: number) => {
    steps.push({ at, to });
    at += ms;
  };
  let floor = from;
  for (const stop of stops) {
    const direction = stop < floor ? 'DOWN' : 'UP';
    if (stop !== floor) step({ moving: 'STARTING', direction }, START_MS);
    while (floor !== stop) {
      floor += direction === 'UP' ? 1 : -1;
      step({ moving: floor === stop ? 'DECELERATING' : 'MOVING', floor }, FLOOR_MS);
    }
    step({ moving: 'STANDING', door: 'OPENING' }, DOOR_MS);
    step({ door: 'OPENED' }, DWELL_MS);
    step({ door: 'CLOSING' }, DOOR_MS);
    step({ door: 'CLOSED' }, 0);
  }
  return steps;
}

/** Takes somebody from one floor to another. What it returns ends that: the lift stands where it is. */
export function ride(
  group: SimulatedGroup,
  lift: SimulatedLift,
  {
    clock,
    stops,
    stopped,
  }: {
    readonly clock: Clock;
    readonly stops: readonly number[];
    /** Called at each stop once the doors have opened. */
    readonly stopped: (floor: number) => void;
  },
): () => void {
  const cancels = planOf(lift, stops).map(({ at, to }) =>
    clock.after(at, () => {
      change(group, lift, to, clock.now());
      if (to.door === 'OPENED') stopped(lift.floor);
    }),
  );
  return () => {
    for (const cancel of cancels) cancel();
    change(group, lift, { moving: 'STANDING', door: 'CLOSED' }, clock.now());
  };
}
