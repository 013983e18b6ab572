import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Begin } from '../core/begin.ts';
import { AppError, ERRORS, type ErrorCodeName } from '../core/errors.ts';
import type { Accounts } from '../domain/accounts/index.ts';
import { errorBody, toAppError } from './errors.ts';

const WELL_FORMED_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export interface Work {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: number;
  /** Does it; what fails before `begun` is awaited, or after it was taken back, is not kept. */
  run(begun: Begin): Promise<object>;
}

/**
 * Runs a request at most once for its `Idempotency-Key` (24 hours; same account, route, key): the same request again gets
 * the first answer, another request with the key 422, one that still runs 409. Without the header it just runs.
 */
export function createIdempotency(accounts: Accounts) {
  return async function once({ request, reply, account, run }: Work): Promise<object | FastifyReply> {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return run(async () => {});
    if (typeof key !== 'string' || !WELL_FORMED_KEY.test(key)) {
      throw new AppError('request.invalid', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
    }
    const route = `${request.method} ${request.routeOptions.url}`;
    const name = { account, route, key };
    const claimed = await accounts.idempotency.claim({
      ...name,
      request: JSON.stringify([request.method, request.url, request.body]),
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
          'this Idempotency-Key was used, but the vault key to compare the requests is gone; check what the first request did, then use a new key',
        );
      case 'running':
        throw new AppError(
          'idempotency.in_progress',
          'the first request with this Idempotency-Key is still running',
          { retryAfterSeconds: claimed.leftMs / 1000 },
        );
      case 'died':
        throw new AppError(
          'command.outcome_unknown',
          'the server stopped during the first request with this Idempotency-Key, so its outcome is unknown; check the device, then use a new key',
        );
    }

    const { held } = claimed;
    let begun = false;
    try {
      const begin = async () => {
        await held.begin();
        begun = true;
      };
      const takeBack = () => {
        begun = false;
      };
      const answer = await run(Object.assign(begin, { takeBack }));
      // Serialised as the route does it, once: the first answer and its replays are the same bytes.
      const body = String(reply.serialize(answer));
      await held.finish({ status: 200, code: null, body });
      return reply.type('application/json; charset=utf-8').serializer(String).send(body);
    } catch (error) {
      const told = begun ? afterBegun(error) : error;
      await (begun ? held.finish(keptAnswer(told)) : held.release());
      throw told;
    }
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** A database that fails once something was done says nothing of what was done; to try again is no advice then. */
function afterBegun(error: unknown): unknown {
  const told = toAppError(error);
  if (!told.code.startsWith('database.')) return error;
  return new AppError(
    'command.outcome_unknown',
    'the database failed during the request, so its outcome is unknown; check the device or link, then use a new key',
    { cause: error },
  );
}

/** What the key answers from now on. */
function keptAnswer(error: unknown): { status: number; code: ErrorCodeName; body: string } {
  const told = toAppError(error);
  return {
    status: ERRORS[told.code].connect,
    code: told.code,
    body: JSON.stringify(errorBody('connect', told)),
  };
}
