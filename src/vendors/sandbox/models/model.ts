import Type, { type TSchema } from 'typebox';
import type { CommandOf, CommandType } from '../../../adapter/commands.ts';
import type { Limits } from '../../../adapter/device.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Span } from '../../../proof/simulation/physics/sun.ts';

/** A refusal by the simulated cloud. */
export class Refusal extends Error {
  readonly reason: 'out_of_range' | 'wrong_axis' | 'refused' | 'remote_start_not_allowed' | 'not_plugged_in';

  constructor(reason: Refusal['reason'], message: string) {
    super(message);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

type Orders<State> = {
  readonly [T in CommandType]?: (state: State, command: CommandOf<T>, at: number) => State;
};

/**
 * One simulated device: pure functions of its state, its seed and simulated time (ms since 1970). One step of `advance` gives the
 * same state as two, so a read computes the state and no timer is needed.
 */
interface Model<State extends JsonObject> {
  /** Schema of a stored state. */
  readonly schema: TSchema;
  /** The state at the moment of linking. */
  initial(seed: string, at: number): State;
  advance(state: State, span: Span, seed: string): State;
  /** The simulated cloud's reading of the device. */
  reading(state: State, at: number, seed: string): JsonObject;
  readonly orders: Orders<State>;
  /** Plugs a car in or out. */
  plug?(state: State, pluggedIn: boolean): State;
  /** Sets the state of charge, percent. */
  charge?(state: State, soc: number): State;
  /** Allows or forbids remote start, at the device. */
  allowStart?(state: State, isAllowed: boolean): State;
}

/** A model with a private state type; only `model()` creates one. */
export type AnyModel = Model<JsonObject>;

/**
 * Hides the state type of a model: its functions only ever get states that its own schema accepts. The compiler cannot check that,
 * hence the cast by way of `unknown`.
 */
export function model<State extends JsonObject>(declaration: Model<State>): AnyModel {
  return declaration as unknown as AnyModel;
}

/** Refuses a value outside its range with an error that names the range. */
export function inRange(
  name: string,
  value: number,
  { least, most }: { least: number; most: number },
): number {
  if (value < least || value > most)
    throw new Refusal('out_of_range', `${name} must be from ${least} to ${most}; got ${value}`);
  return value;
}

/** When a limit ends by itself, simulated ms since 1970, and the limit that follows. */
export const Ending = Type.Union([
  Type.Object({ at_ms: Type.Number(), follows: Type.Integer() }),
  Type.Null(),
]);
export type Ending = Type.Static<typeof Ending>;

interface WithDuration {
  readonly for_seconds?: number;
}

/** The ending that a command requests; `follows` is used unless the command names another limit. */
export function endingOf(command: WithDuration, at: number, follows: number): Ending {
  return command.for_seconds === undefined ? null : { at_ms: at + command.for_seconds * 1_000, follows };
}

type Advance<State> = (state: State, span: Span, seed: string) => State;

/**
 * Advances in spans that end where a limit ends, so that one step gives the same state as two. `turned` applies every ending that
 * is due.
 */
export function endingWithin<State>(
  { endings, turned }: { endings(state: State): readonly Ending[]; turned(state: State, at: number): State },
  advance: Advance<State>,
): Advance<State> {
  return (state, { from, to }, seed) => {
    let now = turned(state, from);
    for (let at = from; at < to; ) {
      const next = Math.min(to, ...endings(now).map((ending) => ending?.at_ms ?? to));
      now = turned(advance(now, { from: at, to: next }, seed), next);
      at = next;
    }
    return now;
  };
}

export const hasCome = (ending: Ending | undefined, at: number): ending is NonNullable<Ending> =>
  ending != null && ending.at_ms <= at;

/** Ratings of the devices. Charge currents are per phase, of three phases; 0 A pauses. */
export const CHARGE_LIMITS = { min_a: 6, max_a: 16, min_w: null, max_w: null } satisfies Limits;
export const BATTERY_LIMITS = { min_a: null, max_a: null, min_w: -5_000, max_w: 5_000 } satisfies Limits;
export const PLANT_LIMITS = { min_a: null, max_a: null, min_w: 50_000, max_w: 500_000 } satisfies Limits;

export const TARGET_MILLI_C = { least: 5_000, most: 35_000 };
export const DELAY_SECONDS = { least: 1, most: 86_400 };
export const PROGRAM_SECONDS = 5_400;
