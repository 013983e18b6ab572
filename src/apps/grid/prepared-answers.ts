import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { type Prepared, prepared, sendCacheable } from '../../http/cacheable.ts';

interface AnswersOptions {
  readonly clock: Clock;
  /** Until when, ms since 1970, what is made now stays true. */
  readonly validUntil: () => number;
}

interface Asked {
  /** What the answer depends on, from `keyOf`; undefined: it is not kept. */
  readonly key: string | undefined;
  /** Judges the request and answers it; what it throws is not kept. */
  readonly make: () => object;
}

/** Answers that many callers ask for are written once, and sent again while they are true. */
export interface Answers {
  send(request: FastifyRequest, reply: FastifyReply, asked: Asked): FastifyReply;
  /** The same without keeping it, for what was made elsewhere; `seconds` at most. */
  sendOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { body: object; seconds?: number },
  ): FastifyReply;
}

const DAY_SECONDS = 86_400;
/** UTF-16 units of all keys and bodies that are kept: at most 16 MB, and with Swedish names half of it. */
const MOST_KEPT = 8_000_000;
const LONGEST_KEY = 100;

export function createAnswers({ clock, validUntil }: AnswersOptions): Answers {
  const kept = new Map<string, Prepared>();
  let until = 0;
  let size = 0;

  const forget = (key: string, { body }: Prepared) => {
    kept.delete(key);
    size -= key.length + body.length;
  };
  const keep = (key: string, answer: Prepared) => {
    kept.set(key, answer);
    size += key.length + answer.body.length;
    for (const [oldest, one] of kept) {
      if (size <= MOST_KEPT) break;
      forget(oldest, one);
    }
  };
  const lifetime = (now: number) => Math.min(DAY_SECONDS, (until - now) / 1000);

  return {
    send(request, reply, { key, make }) {
      const now = clock.now();
      if (now >= until) {
        kept.clear();
        size = 0;
        until = validUntil();
      }
      let answer = key === undefined ? undefined : kept.get(key);
      if (answer === undefined) {
        answer = prepared(JSON.stringify(make()));
        if (key !== undefined) keep(key, answer);
      }
      return sendCacheable(request, reply, { ...answer, seconds: lifetime(now) });
    },
    sendOnce(request, reply, { body, seconds }) {
      const now = clock.now();
      const most = Math.min(DAY_SECONDS, (validUntil() - now) / 1000);
      return sendCacheable(request, reply, {
        ...prepared(JSON.stringify(body)),
        seconds: Math.min(seconds ?? most, most),
      });
    },
  };
}

/** A key of parameters as they were sent; undefined where one is repeated, or they are longer than is worth keeping. */
export function keyOf(route: string, ...parameters: readonly unknown[]): string | undefined {
  let key = route;
  for (const parameter of parameters) {
    if (parameter === undefined) key += ' -';
    // Its length goes before it, so that no text can pass for two.
    else if (typeof parameter === 'string') key += ` ${parameter.length} ${parameter}`;
    else return undefined;
    if (key.length > LONGEST_KEY) return undefined;
  }
  return key;
}
