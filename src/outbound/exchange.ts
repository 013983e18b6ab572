import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { limitedSeconds, retryAfterSeconds } from '../adapter/failures.ts';
import { failureOfStatus, HttpFailure, type HttpRequest } from '../adapter/http.ts';
import { AppError } from '../core/errors.ts';

/** A request as it goes out. */
export interface Outgoing {
  /** What errors call the service. */
  readonly name: string;
  readonly url: URL;
  readonly method: NonNullable<HttpRequest['method']>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly mayRepeat: boolean;
  readonly expect: readonly number[];
  readonly mostBytes: number;
  /** For one attempt. */
  readonly timeoutMs: number;
  readonly subject: string | undefined;
  readonly isAside: boolean;
}

/** An answer as it came in, decompressed. */
export interface Incoming {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  /** ms since 1970; for a `Retry-After` that names a time. */
  readonly now: () => number;
}

/** The start of a response to work with; the receiver reads the body, or destroys it. */
export interface Begun extends Omit<Incoming, 'bytes'> {
  readonly body: Dispatcher.ResponseData['body'];
}

/** Sends once, and answers when the headers are there. Throws an `HttpFailure` for a status that is none to work with. */
export async function begin(
  outgoing: Outgoing,
  { dispatcher, signal, now, bodyTimeout }: ExchangeOptions & { readonly bodyTimeout?: number },
): Promise<Begun> {
  let wasSent = false;
  const begins = () => {
    // control: a failure says that nothing was sent only where there was no connection [outbound/failing]
    wasSent = true;
  };
  const watching = dispatcher.compose(
    (dispatch) => (request, handler) => dispatch(request, watched(handler, begins)),
  );
  try {
    const { statusCode, headers, body } = await watching.request({
      origin: outgoing.url.origin,
      path: `${outgoing.url.pathname}${outgoing.url.search}`,
      method: outgoing.method,
      headers: outgoing.headers,
      body: outgoing.body,
      signal,
      ...(bodyTimeout === undefined ? {} : { bodyTimeout }),
    });
    const answered = { status: statusCode, headers: flat(headers) };
    if (isFailure(outgoing, statusCode)) {
      const start = await startOf(outgoing, answered.headers, body);
      throw failureOf(outgoing, answered, { now: now(), body: start });
    }
    return { ...answered, body };
  } catch (error) {
    const broken = brokenOff(outgoing.name, error, signal);
    throw wasSent || broken instanceof AppError ? broken : broken.with({ wasSent });
  }
}

/** Sends once. Throws an `HttpFailure` for everything but an answer to work with; one of kind `timeout` once the signal has fired. */
export async function exchange(outgoing: Outgoing, options: ExchangeOptions): Promise<Incoming> {
  const { body, ...answered } = await begin(outgoing, options);
  try {
    return { ...answered, bytes: await bodyOf(outgoing, answered.headers, body) };
  } catch (error) {
    throw brokenOff(outgoing.name, error, options.signal);
  }
}

/** Tells when a connection is there and the request is about to be written to it: before that, nothing has been sent. */
const watched = (handler: Dispatcher.DispatchHandler, begins: () => void): Dispatcher.DispatchHandler => ({
  onRequestStart(...given) {
    begins();
    handler.onRequestStart?.(...given);
  },
  onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
  onResponseStart: (...given) => handler.onResponseStart?.(...given),
  onResponseData: (...given) => handler.onResponseData?.(...given),
  onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
  onResponseError: (...given) => handler.onResponseError?.(...given),
});

export const outOfTime = (name: string): HttpFailure =>
  new HttpFailure('timeout', `${name} did not respond in time`);

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  // Names come from the network: one called __proto__ must stay a name.
  const named: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) named[name] = Array.isArray(value) ? value.join(', ') : value;
  return named;
}

const isFailure = ({ expect }: Outgoing, status: number): boolean =>
  status >= 300 && !expect.includes(status);

/** What the status says went wrong. */
function failureOf(
  { name, url }: Outgoing,
  { status, headers }: Omit<Incoming, 'bytes'>,
  { now, body }: { readonly now: number; readonly body: string },
): HttpFailure {
  if (status < 400) return new HttpFailure('answer_invalid', redirected(name, url, headers), { status });
  const asked =
    status === 429 ? limitedSeconds(headers, now) : retryAfterSeconds(headers['retry-after'], now);
  const failure = failureOfStatus(name, { status, body, retryAfterSeconds: asked });
  if (failure === null) throw new Error(`status ${status} is no failure`);
  return failure;
}

function redirected(name: string, url: URL, headers: Readonly<Record<string, string>>): string {
  const location = headers.location;
  const target =
    location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const whither =
    target === undefined || target.origin === url.origin ? 'to another address' : 'to another host';
  return `${name} redirects ${whither}, which is not followed`;
}

/** Some vendors tell only in the body whether a login or a quota is lost; more of it than this is never told apart. */
const MOST_TOLD_BYTES = 16_384;
const MOST_TOLD_CHARACTERS = 4_096;

/** The start of a failed answer's body; empty when it is large or breaks off, as the status alone is the failure then. */
async function startOf(
  outgoing: Outgoing,
  headers: Readonly<Record<string, string>>,
  body: Dispatcher.ResponseData['body'],
): Promise<string> {
  try {
    const bytes = await bodyOf({ ...outgoing, mostBytes: MOST_TOLD_BYTES }, headers, body);
    return Buffer.from(bytes).toString('utf8').slice(0, MOST_TOLD_CHARACTERS);
  } catch {
    discard(body);
    return '';
  }
}

/** A body that nobody reads would hold its connection. */
export function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {});
  body.destroy();
}

async function bodyOf(
  { name, mostBytes }: Outgoing,
  headers: Readonly<Record<string, string>>,
  body: Dispatcher.ResponseData['body'],
): Promise<Uint8Array> {
  const tooLarge = () => {
    discard(body);
    return new HttpFailure('answer_invalid', `${name} returned more than ${mostBytes} bytes`);
  };
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks, length);
  return length === 0
    ? bytes
    : decompressed(name, bytes, { encoding: headers['content-encoding'], mostBytes });
}

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
} as const;

export const ACCEPT_ENCODING = 'gzip, br';

async function decompressed(
  name: string,
  bytes: Buffer,
  { encoding, mostBytes }: { encoding: string | undefined; mostBytes: number },
): Promise<Uint8Array> {
  const coding = encoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return bytes;
  if (!Object.hasOwn(DECODERS, coding))
    throw new HttpFailure('answer_invalid', `${name} returned an encoding that was not requested`);
  try {
    // A few kilobytes can stand for gigabytes, so the limit holds for what comes out.
    return await DECODERS[coding as keyof typeof DECODERS](bytes, { maxOutputLength: mostBytes });
  } catch (error) {
    const isTooLarge = codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    throw new HttpFailure(
      'answer_invalid',
      isTooLarge
        ? `${name} returned more than ${mostBytes} bytes`
        : `${name} returned a body that cannot be decompressed`,
    );
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/**
 * An error of the connection, by its code alone: the errors themselves may hold the bytes that were being read. Neither are they
 * handed on as the cause.
 */
export function brokenOff(name: string, error: unknown, signal: AbortSignal): HttpFailure | AppError {
  // What was decided here of the connection is final.
  if (error instanceof HttpFailure || error instanceof AppError) return error;
  if (signal.aborted) return outOfTime(name);
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) return outOfTime(name);
  if (code === 'UND_ERR_INVALID_ARG')
    return new HttpFailure('refused', `a call to ${name} has a header that cannot be sent`);
  const isUnparsed = error instanceof Error && error.name === 'HTTPParserError';
  if (isUnparsed || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new HttpFailure('answer_invalid', `${name} did not respond in HTTP`);
  if (code === 'UND_ERR_SOCKET' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code === 'ECONNRESET')
    return new HttpFailure('unreachable', `the connection to ${name} was lost`);
  return new HttpFailure('unreachable', `${name} is unreachable${whyUnreachable(code)}`);
}

const UNKNOWN_SIGNER = 'its certificate is not signed by an authority that is known here';
/** What is wrong with a certificate, by the code of OpenSSL or Node.js. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_SIGNER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_SIGNER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_SIGNER,
};

/** What follows "is unreachable", by the code of the error: in words where it is the certificate. */
export function whyUnreachable(code: string): string {
  const fault = CERTIFICATE_FAULTS[code];
  return fault === undefined ? ` (${code})` : `: ${fault} (${code})`;
}

/** The code of an error of the system, which alone is told: its words may hold what was being sent. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown error';
}
