import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { type Prepared, prepared, sendCacheable } from '../../../http/cacheable.ts';

interface PreparedOptions {
  readonly clock: Clock;
  /** Until when, ms since 1970, what is made now stays true. */
  readonly validUntil: () => number;
}

/** Answers that many callers ask for are written once, and sent again while they are true. */
export interface PreparedResponses {
  /** `make` judges the request and answers it from nothing but its address; what it throws is not kept. */
  send(request: FastifyRequest, reply: FastifyReply, make: () => object): FastifyReply;
  /** The same without keeping it, for what was made elsewhere; `seconds` at most. */
  sendOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { body: object; seconds?: number },
  ): FastifyReply;
}

const DAY_SECONDS = 86_400;
/** UTF-16 units of all addresses and bodies that are kept: at most 16 MB, and with Swedish names half of it. */
const MOST_KEPT = 8_000_000;
/** A longer address than is worth keeping. */
const LONGEST_ADDRESS = 150;

export function createPreparedResponses({ clock, validUntil }: PreparedOptions): PreparedResponses {
  const kept = new Map<string, Prepared>();
  let until = 0;
  let size = 0;

  const forget = (address: string, { body }: Prepared) => {
    kept.delete(address);
    size -= address.length + body.length;
  };
  const keep = (address: string, answer: Prepared) => {
    kept.set(address, answer);
    size += address.length + answer.body.length;
    for (const [oldest, one] of kept) {
      if (size <= MOST_KEPT) break;
      forget(oldest, one);
    }
  };
  const lifetime = (now: number) => Math.min(DAY_SECONDS, (until - now) / 1000);

  return {
    send(request, reply, make) {
      const now = clock.now();
      const address = request.url;
      if (now >= until) {
        kept.clear();
        size = 0;
        until = validUntil();
      }
      let answer = kept.get(address);
      if (answer === undefined) {
        answer = prepared(JSON.stringify(make()));
        if (address.length <= LONGEST_ADDRESS) keep(address, answer);
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
