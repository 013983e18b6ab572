import type { TSchema } from 'typebox';
import type { CommandOf, CommandType } from '../../../adapter/commands.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Span } from '../../../simulation/physics/stockholm.ts';

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
export interface Model<State extends JsonObject> {
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
