import type { Json, JsonObject } from '../core/json.ts';
import type { CallUse } from './budget.ts';

export interface HttpRequest {
  /** GET unless it is said. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address; starts with a slash, has no query and no segment of dots. Ids in it are percent-encoded. */
  readonly path: string;
  /** A list repeats its name; what is undefined is left out. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/json. */
  readonly json?: Json;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
  /** Statuses of 300 and above that are an answer, not a failure: 404 for "not there yet", say. */
  readonly expect?: readonly number[];
  /** Whether sending it again after a failure does no harm; by default a GET does none. */
  readonly repeatable?: boolean;
  /** Bytes that the answer may have, decompressed; beyond them it is `answer_invalid`. */
  readonly mostBytes?: number;
  /** Once it fires the call ends, with a failure of kind `timeout`. */
  readonly signal?: AbortSignal;
  /** What one attempt may take, ms, where the service is given another time for this call than for others. */
  readonly timeoutMs?: number;
  /** Whom the call is for, a link say: once connected, only failures of several of them say something of the service. */
  readonly subject?: string;
  /** How the call ends says nothing of the service, and others are not held up by it. */
  readonly isAside?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The body as UTF-8; anything else is an `HttpFailure` of kind `answer_invalid`. */
  text(): string;
  /** The body as JSON that can be kept; anything else is an `HttpFailure` of kind `answer_invalid`. */
  json(): Json;
}

/** One service on the network, behind its base address: with timeouts, retries, a limit of size and a breaker. */
export interface Http {
  /**
   * Answers every status below 300 and those that are expected; throws an `HttpFailure` for everything else. A redirect is not
   * followed: it would carry the call, with its token, to an address that nobody chose.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/**
 * Why there is no answer to work with. `refused` is a status of 400 and above that none of the others stands for, or an address
 * that may not be called; `rate_limited` also says that too many calls of ours wait; `answer_invalid` includes a redirect.
 */
export type HttpFailureKind =
  | 'unreachable'
  | 'timeout'
  | 'rate_limited'
  | 'refused'
  | 'server_error'
  | 'answer_invalid';

/** Its message is one sentence, free of addresses with queries, of secrets and of bodies. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  readonly status: number | undefined;
  /** What `Retry-After` asked for. */
  readonly retryAfterSeconds: number | undefined;
  /** False where nothing of the request can have reached the service. */
  readonly wasSent: boolean;
  /** The request was to change something, and may have done so. */
  readonly isOutcomeUnknown: boolean;
  /** Private, so that no log ever shows it. */
  readonly #body: string;

  constructor(
    kind: HttpFailureKind,
    sentence: string,
    options: {
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      /** The start of the answer's body. */
      readonly body?: string;
      readonly wasSent?: boolean;
      readonly isOutcomeUnknown?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HttpFailure';
    this.kind = kind;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.wasSent = options.wasSent ?? true;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.#body = options.body ?? '';
  }

  /** The same failure with something else known of it. */
  with(known: { readonly wasSent?: boolean; readonly isOutcomeUnknown?: boolean }): HttpFailure {
    const { status, retryAfterSeconds, wasSent, isOutcomeUnknown, cause } = this;
    const kept = { status, retryAfterSeconds, wasSent, isOutcomeUnknown, cause, body: this.#body };
    return new HttpFailure(this.kind, this.message, { ...kept, ...known });
  }

  /** Whether the service may have acted on the request without our having been told so. */
  leavesOutcomeOpen(): boolean {
    switch (this.kind) {
      case 'unreachable':
      case 'timeout':
      case 'server_error':
      case 'answer_invalid':
        return this.wasSent;
      case 'rate_limited':
      case 'refused':
        return false;
    }
  }

  /** The start of the body of the answer, for who knows the vendor's words; never shown or logged. */
  bodyText(): string {
    return this.#body;
  }
}

/**
 * What the status of a response says went wrong; null for one below 300.
 * @param name what the sentence calls the service
 */
export function failureOfStatus(
  name: string,
  answer: {
    readonly status: number;
    readonly retryAfterSeconds?: number | undefined;
    readonly body?: string;
  },
): HttpFailure | null {
  const { status } = answer;
  if (status < 300) return null;
  if (status < 400)
    return new HttpFailure('answer_invalid', `${name} redirects, which is not followed`, answer);
  if (status === 408)
    return new HttpFailure('timeout', `${name} did not receive the request in time`, answer);
  if (status === 429) return new HttpFailure('rate_limited', `the rate limit of ${name} is exceeded`, answer);
  if (status >= 500) return new HttpFailure('server_error', `${name} returned status ${status}`, answer);
  return new HttpFailure('refused', `${name} refused the request with status ${status}`, answer);
}

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

/** A WebSocket to the vendor; text frames. */
export interface VendorSocket {
  send(text: string): void;
  close(): void;
  /** Frames in order; ends when the connection does, and throws when it broke. */
  readonly frames: AsyncIterable<string>;
}

/** A WebSocket that is to be opened as a link. */
export interface SocketRequest {
  /** Which of the adapter's `hosts`; `api` unless it is said. */
  readonly host?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sends the token in the query under this name, where headers cannot be. */
  readonly tokenQuery?: string;
  /** Besides the token: a cookie that keeps the connection at the server that was agreed on, say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subprotocol (RFC 6455 §1.9) that the vendor must agree to. */
  readonly protocol?: string;
  /** What opening it is for, and so what it costs; `read` unless it is said. */
  readonly use?: CallUse;
  /** The device that it is about, for limits of devices. */
  readonly device?: string;
  /** The site that it is about, for limits of sites. */
  readonly site?: string;
  readonly costs?: Readonly<Record<string, number>>;
}

/**
 * Opens a WebSocket at one of the adapter's `hosts`: with the link's token, which is renewed where the handshake is refused, and within
 * its budgets. It ends with the session's signal; a call closes what it has opened. Throws as `http.send` does.
 */
export type Connect = (request: SocketRequest) => Promise<VendorSocket>;
