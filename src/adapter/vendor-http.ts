import type { JsonObject } from '../core/json.ts';
import type { CallUse } from './budget.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';

export interface VendorRequest extends HttpRequest {
  /** Which of the adapter's `hosts`; `api` unless it is said. */
  readonly host?: string;
  /** What the call is for, and so what it costs; `read` unless it is said. */
  readonly use?: CallUse;
  /** The device that it is about, for limits of devices. */
  readonly device?: string;
  /** The site that it is about, for limits of sites. */
  readonly site?: string | undefined;
  /** What the call takes of limits, by their names, where that is not what its use takes: 0 of a call that the vendor does not count. */
  readonly costs?: Readonly<Record<string, number>>;
}

/**
 * Calls to the vendor of a link: with its token, which is renewed when it expires or is refused, within its budgets, and
 * repeated only where that does no harm.
 */
export interface VendorHttp {
  /**
   * Answers every status below 400 and those that are expected; throws an `HttpFailure` otherwise, `vendor.rate_limited`
   * when a budget is used up, and `vendor.login_expired` when the account must be linked again.
   */
  send(request: VendorRequest): Promise<HttpAnswer>;
}

/** The calls of a link, which has tokens. */
export interface LinkHttp extends VendorHttp {
  /** What the access token says where it is a JWT, for vendors that name the account nowhere else; undefined for other tokens. */
  tokenClaims(): Promise<JsonObject | undefined>;
  /** What signing in has stored beside the token (`Tokens.extra`); undefined where it stored nothing. */
  tokenExtra(): Promise<JsonObject | undefined>;
}
