import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Begin } from '../core/begin.ts';
import { AppError, ERRORS, type ErrorCodeName } from '../core/errors.ts';
import type { Outbound } from '../core/outbound.ts';
import type { Accounts } from '../domain/access/accounts/index.ts';
import { errorBody, toAppError } from './errors.ts';

/** The id of the command, as its events have it. */
const COMMAND_ID = 'elnav-command-id';

const WELL_FORMED_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export interface Work {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: number;
  /** Does the work. A failure before `begun` is awaited, or after it was taken back, is not stored. */
  run(begun: Begin): Promise<object>;
}

/** The `Idempotency-Key` of a request; undefined without one. Throws `request.invalid`. */
export function idempotencyKeyIn({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && WELL_FORMED_KEY.test(key))) return key;
  throw new AppError('request.invalid', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
}

/**
 * Runs a request at most once for its `Idempotency-Key` (24 hours; same account, route, key): a repeated request gets the first
 * response, another request with the key 422, and one during the first 409. Without the header it just runs. These requests act at
 * vendors, so none runs while outbound calls are off: before anything of it is stored.
 */
export function createIdempotency(accounts: Accounts, outbound: Outbound) {
  return async function once({ request, reply, account, run }: Work): Promise<object | FastifyReply> {
    outbound.require();
    const key = idempotencyKeyIn(request);
    const naming = namesCommandOf(reply);
    if (key === undefined) return run(naming);
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
        if (claimed.command != null) reply.header(COMMAND_ID, claimed.command);
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
      const begin = async (command?: string) => {
        await held.begin();
        begun = true;
        await naming(command);
      };
      const takeBack = () => {
        begun = false;
        naming.takeBack();
      };
      const answer = await run(Object.assign(begin, { takeBack }));
      // Serialised once, as the route does it, so that the first response and its replays are the same bytes.
      const body = String(reply.serialize(answer));
      await held.finish({ status: 200, code: null, command: commandOf(reply), body });
      return reply.type('application/json; charset=utf-8').serializer(String).send(body);
    } catch (error) {
      const outcome = begun ? afterBegun(error) : error;
      await (begun ? held.finish({ ...storedResponse(outcome), command: commandOf(reply) }) : held.release());
      throw outcome;
    }
  };
}

/** Lets the response name its command, as the events of the command do. */
export function namesCommandOf(reply: FastifyReply) {
  const begun = async (command?: string): Promise<void> => {
    if (command !== undefined) reply.header(COMMAND_ID, command);
  };
  return Object.assign(begun, { takeBack: (): void => void reply.removeHeader(COMMAND_ID) });
}

function commandOf(reply: FastifyReply): string | null {
  const id = reply.getHeader(COMMAND_ID);
  return typeof id === 'string' ? id : null;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** After the work has begun, a failure of the database leaves its outcome unknown; a retry would be bad advice then. */
function afterBegun(error: unknown): unknown {
  const appError = toAppError(error);
  // control: an idempotency key keeps no error of the database that came after its request had begun [keys-of-lost-databases
  // TEST_DATABASE_URL] => true
  if (!appError.code.startsWith('database.')) return error;
  return new AppError(
    'command.outcome_unknown',
    'the database failed during the request, so its outcome is unknown; check the device or link, then use a new key',
    { cause: error },
  );
}

/** The response that is stored for the key. */
function storedResponse(error: unknown): { status: number; code: ErrorCodeName; body: string } {
  const appError = toAppError(error);
  return {
    status: ERRORS[appError.code].connect,
    code: appError.code,
    body: JSON.stringify(errorBody('connect', appError)),
  };
}
