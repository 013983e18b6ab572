import type { Dispatcher } from 'undici';
import { retryAfterSeconds } from '../adapter/failures.ts';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Outbound } from '../core/outbound.ts';
import type { AddressGuard } from './address-guard.ts';
import { createAgent } from './agent.ts';
import { brokenOff, discard } from './exchange.ts';

/** From before it connects to the headers of the response. */
const TIMEOUT_MS = 15_000;
/** The status has decided: of the body only what comes soon is kept. */
const BODY_MS = 1_000;
const MOST_BODY_BYTES = 1_024;
const NAME = 'the receiver';

interface PosterOptions {
  readonly guard: AddressGuard;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly outbound: Outbound;
}

interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts to addresses that accounts have chosen. Nothing is repeated and no redirect is followed; of a response, the start is read. */
export function createPoster({ guard, clock, userAgent, outbound }: PosterOptions) {
  const agent = createAgent(guard);

  async function post({ url, headers, body }: Posted, signal: AbortSignal) {
    outbound.require();
    const late = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => late.abort());
    try {
      guard.checkUrl(url);
      const answer = await agent.dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { 'user-agent': userAgent, 'content-type': 'application/json', ...headers },
        body,
        signal: AbortSignal.any([signal, late.signal]),
      });
      const response = await startOf(answer.body, clock);
      const asked = answer.headers['retry-after'];
      return {
        ...{ status: answer.statusCode, response, error: faultOf(answer.statusCode) },
        retryAfterSeconds: retryAfterSeconds(typeof asked === 'string' ? asked : undefined, clock.now()),
      };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, response: null, error: reasonOf(error, late.signal) };
    } finally {
      cancel();
    }
  }

  return { check: (url: URL) => guard.checkUrl(url), post, close: agent.close };
}

function faultOf(status: number): string | null {
  // control: a redirect of a receiver is a failure [journeys/subscriptions] => status >= 200 && status < 400
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `${NAME} redirects (${status}), which is not followed; change the url of the subscription`
    : `${NAME} answered ${status}, which is no 2xx`;
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  const reason = brokenOff(NAME, error, signal);
  return reason instanceof AppError ? 'the address leads into a network that is not called' : reason.message;
}

/** The first bytes of a body; what is left is not read. */
async function startOf(body: Dispatcher.ResponseData['body'], clock: Clock): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const cancel = clock.after(BODY_MS, () => discard(body));
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MOST_BODY_BYTES) break;
    }
  } catch {
    // It broke off, or was too slow: the status has decided already.
  } finally {
    cancel();
    discard(body);
  }
  // PostgreSQL stores no NUL.
  return Buffer.concat(chunks).subarray(0, MOST_BODY_BYTES).toString('utf8').replaceAll('\0', '\u{fffd}');
}
