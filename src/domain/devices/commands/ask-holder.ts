import type { Begin } from '../../../core/begin.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Peer, QuestionResult } from '../../../db/bus.ts';
import type { Database } from '../../../db/database.ts';
import { type Question, question } from '../../../db/topic.ts';
import { type CachedDevice, receivedError, type SentError, sentError } from '../devices/index.ts';

/** Which process a station is connected to; it answers with its name. */
export const WHO = question<{ account: number; link: string; vendor: string }, string>('commands.who');
const WHO_MS = 1_000;
/** Within so long after this process has its connection back, all others have theirs: they retry every three seconds at the latest. */
const BACK_MS = 4_000;

/** The process that a station is connected to. */
interface Holder {
  readonly name: string;
  readonly peer: Peer;
}

/** Why nothing is known of what another process was to do. */
const UNANSWERED = {
  silent: 'the process that the station or gateway is connected to did not respond; read the device',
  gone: 'the process that the station or gateway was connected to ended while the command ran; read the device',
  lost: 'the connection to the process that the station or gateway is connected to was lost while the command ran; read the device',
} as const;

/** What only the named process answers. */
export type HolderQuestion<M, T> = Question<M & { readonly holder: string }, Answer<T>>;

export type Answer<T> =
  | { readonly done: T }
  /** `has_begun`: it may have had an effect. A process of an older version does not say. */
  | { readonly error: SentError; readonly has_begun?: boolean };

/** Asks the process that a station is connected to. */
export function createHolders({ engine, bus }: Pick<Database, 'engine' | 'bus'>, clock: Clock) {
  let gapAt = Number.NEGATIVE_INFINITY;
  bus.onGap(() => {
    gapAt = clock.now();
  });
  return {
    /** Undefined: none, or none that answers. Throws `database.unavailable` where the others cannot be asked. */
    async of({ account, link, vendor }: CachedDevice['row']): Promise<Holder | undefined> {
      if (engine === 'sqlite') return undefined;
      const asked = await WHO.ask(bus, { account, link, vendor }, { timeoutMs: WHO_MS });
      // control: a station whose process cannot be reached is not reported as offline [commands/elsewhere TEST_DATABASE_URL]
      if (asked.state === 'lost') throw cutOff();
      if (asked.state === 'answered') return { name: asked.message, peer: asked.peer };
      // A station whose process may not be back yet is not reported as offline.
      if (clock.now() - gapAt < BACK_MS) throw cutOff();
      return undefined;
    },

    ask<M, T>(
      toHolder: HolderQuestion<M, T>,
      message: M,
      { holder: { name, peer }, timeoutMs }: { readonly holder: Holder; readonly timeoutMs: number },
    ): Promise<QuestionResult<Answer<T>>> {
      return toHolder.ask(bus, { ...message, holder: name }, { timeoutMs, peer });
    },

    /**
     * What a process answered that was to change something; throws `command.outcome_unknown` where it did not. Takes the note back
     * where that process has sent nothing.
     */
    done<T>(asked: QuestionResult<Answer<T>>, begun?: Begin): T {
      if (asked.state === 'lost' && !asked.isSent) {
        begun?.takeBack?.();
        throw cutOff();
      }
      if (asked.state !== 'answered') throw new AppError('command.outcome_unknown', UNANSWERED[asked.state]);
      const told = asked.message;
      if ('done' in told) return told.done;
      if (told.has_begun === false) begun?.takeBack?.();
      throw receivedError(told.error);
    },
  };
}

/** What a process that was asked answers: what `work` gives, or its error, so that `done` can give or throw it elsewhere. */
export async function answered<T>(work: (begun: Begin) => Promise<T>): Promise<Answer<T>> {
  let hasBegun = false;
  const begin = async () => {
    hasBegun = true;
  };
  const takeBack = () => {
    hasBegun = false;
  };
  try {
    return { done: await work(Object.assign(begin, { takeBack })) };
  } catch (error) {
    const told =
      error instanceof AppError
        ? error
        : new AppError('server.internal', 'an unexpected error occurred', { cause: error });
    return { error: sentError(told), has_begun: hasBegun };
  }
}

export type Holders = ReturnType<typeof createHolders>;

const cutOff = () =>
  new AppError(
    'database.unavailable',
    'the other instances are unreachable, and the station or gateway may be connected to one of them; retry later',
    { retryAfterSeconds: 2 },
  );
