import type { SimulatedAnswer, SimulatedFault } from '../../adapter/simulator.ts';
import type { Json } from '../../core/json.ts';

/** A failure with a status, in the vendor's own words. */
export type Refusal = (status: number, reason: string) => SimulatedAnswer;

export const plainRefusal: Refusal = (status, reason) => ({ status, json: { error: reason } });

/** What every call is answered while a fault is set; undefined where the fault depends on the call, or there is none. */
export function faultAnswer(fault: SimulatedFault | null, refusal: Refusal): SimulatedAnswer | undefined {
  switch (fault) {
    case 'hang':
      return { status: 200, broken: 'hang' };
    case 'reset':
      return { status: 200, broken: 'reset' };
    case 'truncated':
      return { status: 200, text: '{"half":', broken: 'truncate' };
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>Maintenance</html>' };
    case 'empty':
      return { status: 200 };
    case 'forbidden':
      return refusal(403, 'forbidden');
    case 'not_found':
      return refusal(404, 'not found');
    case 'request_timeout':
      return refusal(408, 'request timeout');
    case 'precondition_failed':
      return refusal(412, 'precondition failed');
    case 'server_error':
      return refusal(500, 'internal error');
    case 'unavailable':
      return refusal(503, 'unavailable');
    case 'rate_limited':
      return withRetryAfter(refusal(429, 'too many requests'));
    case 'rate_limited_without_delay':
      return refusal(429, 'too many requests');
    case 'token_refused':
    case 'login_lost':
    case 'unknown_values':
    case null:
      return undefined;
  }
}

function withRetryAfter(answer: SimulatedAnswer): SimulatedAnswer {
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(RETRY_AFTER_SECONDS) } };
}

/** What `rate_limited` asks for. */
const RETRY_AFTER_SECONDS = 30;

/**
 * A response as a later version of the vendor's API would have it: every object has an unknown field, and every list of
 * objects has members of other kinds.
 */
export function strange(body: Json): Json {
  if (Array.isArray(body)) {
    const members = body.map(strange);
    return body.some(isObject) ? [null, 7, [], { unknown_member: true }, ...members] : members;
  }
  if (!isObject(body)) return body;
  const fields = Object.entries(body).map(([name, value]): [string, Json] => [name, strange(value ?? null)]);
  return { unknown_field: { of: ['a', 'later', 'version'] }, ...Object.fromEntries(fields) };
}

export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
