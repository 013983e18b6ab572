import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { ERRORS, type ErrorCodeName } from '../../src/core/errors.ts';
import type { Reply } from '../kit/ask.ts';
import type { ServiceName } from './route-table.ts';

const strict = { additionalProperties: false };
const connectBody = Compile(Type.Object({ error: Type.String({ minLength: 1 }) }, strict));
const gridBody = Compile(Type.Object({ detail: Type.String({ minLength: 1 }) }, strict));
/** FastAPI's response to a request that fails validation. */
const gridInvalid = Compile(
  Type.Object(
    {
      detail: Type.Array(
        Type.Object(
          {
            loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), { minItems: 1 }),
            msg: Type.String({ minLength: 1 }),
            type: Type.String({ minLength: 1 }),
            input: Type.Optional(Type.Unknown()),
            ctx: Type.Optional(Type.Object({})),
          },
          strict,
        ),
        { minItems: 1 },
      ),
    },
    strict,
  ),
);

/** The faults of an error response; empty when it has the format of every error of the service. */
export function faultsOfError(
  service: ServiceName,
  reply: Reply,
  expected: { readonly status: number; readonly code?: ErrorCodeName },
): string[] {
  const faults: string[] = [];
  if (reply.status !== expected.status) faults.push(`status ${reply.status}, not ${expected.status}`);
  const code = String(reply.headers['elnav-error']);
  if (expected.code !== undefined && code !== expected.code) faults.push(`${code}, not ${expected.code}`);
  if (!Object.hasOwn(ERRORS, code)) faults.push(`Elnav-Error "${code}" is not in the table`);
  else if (ERRORS[code as ErrorCodeName][service] !== reply.status)
    faults.push(`${code} with ${reply.status}`);
  if (!/^application\/json\b/.test(String(reply.headers['content-type']))) faults.push('it is not JSON');
  if (typeof reply.headers['x-request-id'] !== 'string') faults.push('no X-Request-Id');
  const body = parsed(reply.text);
  const shape = service === 'connect' ? connectBody : reply.status === 422 ? gridInvalid : gridBody;
  if (!shape.Check(body)) faults.push(`body ${reply.text.slice(0, 150)}`);
  return faults.map((fault) => `${fault} [${reply.text.slice(0, 120)}]`);
}

/** Bodies of successes for what does not exist: of a deletion, and of an export. */
const NOTHING: Readonly<Record<number, string>> = { 200: '{"end":true}\n', 204: '' };

/** Of the response for what does not exist: an error, or a success with nothing in it where that is what was asked for. */
export function faultsOfAbsent(service: ServiceName, reply: Reply, status: number): string[] {
  const body = NOTHING[status];
  if (body === undefined) return faultsOfError(service, reply, { status });
  return reply.status === status && reply.text === body ? [] : [`it is ${reply.status} ${reply.text}`];
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
