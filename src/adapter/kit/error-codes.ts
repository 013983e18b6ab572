import { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { rateLimited } from '../failures.ts';
import { HttpFailure } from '../http.ts';
import { NeedsUser } from '../interventions.ts';
import type { Login } from '../login.ts';
import type { TranslateFailure } from './calls.ts';
import { jsonIn, objectIn } from './values.ts';

interface ErrorCodes {
  /** Where the body has the vendor's code; undefined where it has none. */
  readonly codeIn: (body: JsonObject) => Json | undefined;
  /** Codes that say that the token is not valid, with status 401 or 403. A 401 without a code says so too; a 403 never does. */
  readonly token?: readonly Json[];
  /** Codes of quotas, whatever the status. */
  readonly limited?: readonly Json[];
  /** What other codes of refusals mean, as the end of a sentence. A code that is not here is translated as for every vendor. */
  readonly refused?: Readonly<Record<string | number, string>>;
  /** Those of them that the user can end, with the intervention that says how. */
  readonly needsUser?: Readonly<Record<string | number, string>>;
  /** Statuses of 500 and above that this vendor answers refusals with too; a code that is not in `refused` stays an outage. */
  readonly refusedWith?: readonly number[];
}

interface CodesTranslated {
  /** For `vendorCalls`. */
  readonly failure: TranslateFailure;
  /** For `oauth2`. */
  readonly isTokenRefused: NonNullable<Login['isTokenRefused']>;
}

/**
 * A vendor that says in the body what a status does not.
 * @param vendor its name, for sentences
 */
export function errorCodes(
  vendor: string,
  { codeIn, token = [], limited = [], refused = {}, needsUser = {}, refusedWith = [] }: ErrorCodes,
): CodesTranslated {
  const reasons = new Map(Object.entries(refused));
  const interventions = new Map(Object.entries(needsUser));
  const codeOf = (body: string) => codeIn(objectIn(jsonIn(body)));
  return {
    failure(cause) {
      if (!(cause instanceof HttpFailure) || cause.status === undefined) return undefined;
      const code = codeOf(cause.bodyText());
      if (code === undefined) return undefined;
      if (limited.includes(code)) return rateLimited(vendor, cause);
      const reason = typeof code === 'object' ? undefined : reasons.get(String(code));
      const isRefusal = cause.kind === 'refused' || refusedWith.includes(cause.status);
      if (!isRefusal || reason === undefined) return undefined;
      const sentence = `${vendor} refused the request: ${reason} (error ${code})`;
      const refusal = new AppError('vendor.refused', sentence, { cause });
      const intervention = interventions.get(String(code));
      return intervention === undefined ? refusal : new NeedsUser(intervention, refusal);
    },
    isTokenRefused({ status, body }) {
      if (status !== 401 && status !== 403) return false;
      const code = codeOf(body);
      return code === undefined ? status === 401 : token.includes(code);
    },
  };
}
