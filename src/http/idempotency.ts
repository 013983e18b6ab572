import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERRORS, type ErrorCodeName } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Accounts } from '../domain/accounts/index.ts';
import { errorBody, toAppError } from './errors.ts';

/** Longer than anything that is done under an idempotency key may take. */
const LEASE_MS = 120_000;
const WELL_FORMED_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export interface Work {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: number;
  /** Does it; `begun` is to be called right before the first effect: what fails earlier is not kept. */
  run(begun: () => void): Promise<object>;
}

/**
 * Runs a request at most once for its `Idempotency-Key` (24 hours; same account, route, key): the same request again gets
 * the first answer, another request with the key 422, one that still runs 409. Without the header it just runs.
 */
export function createIdempotency(accounts: Accounts, log: Log) {
  return async function once({ request, reply, account, run }: Work): Promise<object | FastifyReply> {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return run(() => {});
    if (typeof key !== 'string' || !WELL_FORMED_KEY.test(key)) {
      throw new AppError('request.invalid', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
    }
    const route = `${request.method} ${request.routeOptions.url}`;
    const name = { account, route, key };
    const claimed = await accounts.idempotency.claim({
      ...name,
      request: JSON.stringify([request.method, request.url, request.body]),
      leaseMs: LEASE_MS,
    });
    switch (claimed.state) {
      case 'claimed':
        break;
      case 'replay':
        if (claimed.code !== null) reply.header('elnav-error', claimed.code);
        return reply
          .code(claimed.status)
          .header('idempotent-replayed', 'true')
          .type('application/json; charset=utf-8')
          .serializer(String)
          .send(claimed.body);
      case 'mismatch':
        throw new AppError(
          'idempotency.mismatch',
          'this Idempotency-Key was used with another request; use a new one',
        );
      case 'unverifiable':
        throw new AppError(
          'idempotency.mismatch',
          'whether this Idempotency-Key was used with the same request cannot be told any more, as the vault key of then is gone; look at what the first request did, then use a new key',
        );
      case 'running':
        throw new AppError(
          'idempotency.in_progress',
          'the first request with this Idempotency-Key is still running',
          {
            retryAfterSeconds: 2,
          },
        );
      case 'died':
        throw new AppError(
          'command.outcome_unknown',
          'the server ended while the first request with this Idempotency-Key ran, so what became of it is not known; look at the device, then use a new key',
        );
    }

    let begun = false;
    try {
      const answer = await run(() => {
        begun = true;
      });
      // Serialised as the route does it, once: the first answer and its replays are the same bytes.
      const body = String(reply.serialize(answer));
      await accounts.idempotency.finish(name, { status: 200, code: null, body });
      return reply.type('application/json; charset=utf-8').serializer(String).send(body);
    } catch (error) {
      const kept = begun ? keptAnswer(error) : undefined;
      const settle =
        kept === undefined ? accounts.idempotency.release(name) : accounts.idempotency.finish(name, kept);
      await settle.catch((cause: unknown) =>
        log.error({ err: cause }, 'an idempotent answer could not be stored'),
      );
      throw error;
    }
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** What the key answers from now on; undefined where nothing was done, so that the key can be used again. */
function keptAnswer(error: unknown): { status: number; code: ErrorCodeName; body: string } {
  const told = toAppError(error);
  return {
    status: ERRORS[told.code].connect,
    code: told.code,
    body: JSON.stringify(errorBody('connect', told)),
  };
}
