import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { clientAddress } from '../domain/access/accounts/index.ts';

interface OpenAnswersOptions {
  /** Their name in error messages: streams, history responses. */
  readonly name: string;
  /** The maximum open at a time: per account, or per address without a key; and in total. */
  readonly mostOfCaller?: number;
  readonly mostInAll?: number;
}

/** Limits responses that stay open for as long as their callers read them, since they hold memory and a connection. */
export interface OpenResponses {
  /** Counts a response until its connection closes; throws `limit.busy` when too many are open. */
  enter(request: FastifyRequest, reply: FastifyReply): void;
}

const RETRY_SECONDS = 30;

export function createOpenResponses(options: OpenAnswersOptions): OpenResponses {
  const { name, mostOfCaller = 10, mostInAll = 2_000 } = options;
  const counts = new Map<string, number>();
  let inAll = 0;

  return {
    enter(request, { raw }) {
      // A caller that disconnected during the key look-up has no address any more, and nothing that stays open.
      if (raw.closed) return;
      const caller =
        request.principal === null ? clientAddress(request.ip) : `account ${request.principal.account}`;
      const count = counts.get(caller) ?? 0;
      if (
        count >= mostOfCaller ||
        // Open responses have a total limit.
        inAll >= mostInAll
      ) {
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
