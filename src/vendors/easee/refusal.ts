import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { HttpFailure } from '../../adapter/http.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';

/** How long a refusal by address lasts is not told; it is not tried again at once. */
const BLOCKED_SECONDS = 900;

const refusals = Compile(
  Type.Object({ errorCode: Type.Number(), errorCodeName: Type.Optional(Type.Unknown()) }),
);

/** Names what is peculiar to Easee before the rest is left to `vendorFailure`. */
export function failureOf(cause: unknown, what: string): AppError {
  if (!(cause instanceof HttpFailure) || cause.kind !== 'refused') return vendorFailure('Easee', cause);
  const { status } = cause;
  const refusal = refusalIn(cause);
  // The gateway in front answers so to addresses that call too much; the service behind it says a code.
  if (status === 403 && refusal === undefined)
    return new AppError('vendor.rate_limited', 'Easee blocks our calls at its gateway (403); retry later', {
      cause,
      retryAfterSeconds: BLOCKED_SECONDS,
    });
  if (status === 404)
    return new AppError('vendor.refused', `Easee does not know ${what}; link the account again if it moved`, {
      cause,
    });
  if (status === 403)
    return new AppError('vendor.refused', `the Easee account has no access to ${what} (${refusal})`, {
      cause,
    });
  const reason = refusal === undefined ? `${status}` : `${status}, ${refusal}`;
  return new AppError('vendor.refused', `Easee refused ${what} (${reason})`, { cause });
}

/** Easee's own code, with its name where that is one word: nothing else of the body is repeated. */
function refusalIn(failure: HttpFailure): string | undefined {
  const told = bodyOf(failure);
  if (!refusals.Check(told)) return undefined;
  const { errorCode, errorCodeName: name } = told;
  return typeof name === 'string' && /^[A-Za-z]{1,60}$/.test(name)
    ? `code ${errorCode}, ${name}`
    : `code ${errorCode}`;
}

/** 100 and 727 as clients know them; another 400 is Easee's trouble, and must not cost the user the link. */
export function isWrongPassword(cause: unknown): boolean {
  if (!(cause instanceof HttpFailure)) return false;
  if (cause.status === 401) return true;
  if (cause.status !== 400) return false;
  const told = bodyOf(cause);
  if (refusals.Check(told)) return told.errorCode === 100 || told.errorCode === 727;
  return /user ?name or password/i.test(cause.bodyText());
}

function bodyOf(failure: HttpFailure): unknown {
  try {
    return JSON.parse(failure.bodyText());
  } catch {
    return undefined;
  }
}

export const notUnderstood = (what: string): AppError =>
  new AppError('vendor.answer_invalid', `the response of Easee about ${what} was not understood`);
