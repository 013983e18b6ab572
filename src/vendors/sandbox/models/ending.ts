import Type from 'typebox';
import type { Span } from '../../../simulation/physics/stockholm.ts';

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
