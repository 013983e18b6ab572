import type { SimulatedAnswer, SimulatedFault } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { faultAnswer } from '../../simulation/faults.ts';
import { TOKEN_PATH } from './partner.ts';

/** Calls about one device in a minute. */
export const LIMITS = { data: 60, commands: 30, wakes: 3 } as const;

export const answered = (response: Json, extra: JsonObject = {}): SimulatedAnswer => ({
  status: 200,
  json: { response, ...extra },
});
export const refused = (
  status: number,
  error: string,
  headers: Record<string, string> = {},
): SimulatedAnswer => ({
  status,
  headers,
  json: { response: null, error, error_description: '' },
});
export const UNAVAILABLE = refused(408, 'vehicle unavailable: vehicle is offline or asleep');
export const MISSING_SCOPES = refused(403, 'Unauthorized missing scopes');

/** Tesla's 429, in its own headers. */
export function tooMany(kind: keyof typeof LIMITS, resetSeconds: number): SimulatedAnswer {
  const name = `ratelimit-${kind}`;
  return refused(429, 'too_many_requests', {
    [`${name}-limit`]: String(LIMITS[kind]),
    [`${name}-remaining`]: '0',
    [`${name}-reset`]: String(resetSeconds),
  });
}

/** What every call is answered while the fault lasts; undefined where it changes no whole answer. */
export function answerOf(fault: SimulatedFault | null, path: string): SimulatedAnswer | undefined {
  const isToken = path === TOKEN_PATH;
  if (fault === 'token_refused') return isToken ? undefined : refused(401, 'token expired (401)');
  if (fault === 'login_lost')
    return isToken
      ? { status: 401, json: { error: 'login_required' } }
      : refused(401, 'invalid bearer token');
  if (fault === 'rate_limited') return tooMany('data', 30);
  return faultAnswer(fault, refused);
}
