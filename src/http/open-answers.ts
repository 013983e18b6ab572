import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { clientAddress } from '../domain/accounts/index.ts';

interface OpenAnswersOptions {
  /** How they are called in a sentence: streams, answers of history. */
  readonly name: string;
  /** Open at a time: of one key's account, or of one address without a key; and of all. */
  readonly mostOfCaller?: number;
  readonly mostInAll?: number;
}

/** Answers that stay open for as long as their callers read them: they hold memory and a connection. */
export interface OpenAnswers {
  /** Counts one more, until the connection is done with it; throws `limit.busy` where too many are open. */
  enter(request: FastifyRequest, reply: FastifyReply): void;
}

const RETRY_SECONDS = 30;

export function createOpenAnswers(options: OpenAnswersOptions): OpenAnswers {
  const { name, mostOfCaller = 10, mostInAll = 2_000 } = options;
  const counts = new Map<string, number>();
  let inAll = 0;

  return {
    enter(request, { raw }) {
      // Whoever is gone while the key was looked up has no address any more, and nothing that stays open.
      if (raw.closed) return;
      const caller =
        request.principal === null ? clientAddress(request.ip) : `account ${request.principal.account}`;
      const count = counts.get(caller) ?? 0;
      if (count >= mostOfCaller || inAll >= mostInAll) {
        const whose = count >= mostOfCaller ? `${mostOfCaller} ${name} of yours` : `too many ${name}`;
        throw new AppError('limit.busy', `${whose} are already open; close one, or retry later`, {
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      inAll += 1;
      counts.set(caller, count + 1);
      raw.once('close', () => {
        inAll -= 1;
        const left = (counts.get(caller) ?? 1) - 1;
        if (left > 0) counts.set(caller, left);
        else counts.delete(caller);
      });
    },
  };
}
