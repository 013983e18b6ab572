import { type Http, type HttpAnswer, HttpFailure, type HttpFailureKind } from '../adapter/http.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';
import { faultInJsonOf, type Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { createSemaphore } from '../core/semaphore.ts';
import type { AddressGuard } from './address-guard.ts';
import { createAgent, type OutboundAgent } from './agent.ts';
import { createBreaker } from './breaker.ts';
import { exchange, type Incoming, type Outgoing, outOfTime } from './exchange.ts';
import { outgoingOf } from './outgoing.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What came in, with the ways to read it. */
function answerOf(name: string, { status, headers, bytes }: Incoming): HttpAnswer {
  const text = (): string => {
    try {
      return utf8.decode(bytes);
    } catch {
      throw new HttpFailure('answer_invalid', `${name} returned text that is not UTF-8`, { status });
    }
  };
  return {
    status,
    headers,
    bytes,
    text,
    json() {
      const read = text();
      let value: Json;
      try {
        value = JSON.parse(read);
      } catch {
        // The parser's own words quote the body.
        const what = /^\s*</.test(read) ? 'a page' : 'a body';
        throw new HttpFailure('answer_invalid', `${name} returned ${what} that is not JSON`, { status });
      }
      const fault = faultInJsonOf(read, value);
      if (fault !== null)
        throw new HttpFailure(
          'answer_invalid',
          `${name} returned JSON that is not accepted: ${wherever(fault)}`,
          {
            status,
          },
        );
      return value;
    },
  };
}

/** The path in a fault is made of the sender's own field names, which are not repeated. */
function wherever(fault: string): string {
  if (fault.includes('deeper')) return 'it is nested too deep';
  if (fault.includes('__proto__')) return 'it has a field named __proto__';
  return 'it holds text that is not valid Unicode';
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A service that asks for more than this is not waited for within one call. */
const LONGEST_ASKED_WAIT_MS = 10_000;

/**
 * ms to wait before the call is sent again after so many failed attempts, or null where it should not be. Half of the wait is
 * drawn, so that many clients do not come back together.
 */
export function retryDelayMs(failure: HttpFailure, attempt: number, random: Random): number | null {
  if (!isPassing(failure)) return null;
  const asked = (failure.retryAfterSeconds ?? 0) * 1000;
  // A service that has enough and does not say for how long is not asked for more: the next call would count too.
  if (failure.kind === 'rate_limited' && asked === 0) return null;
  if (asked > LONGEST_ASKED_WAIT_MS) return null;
  const full = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return asked + Math.round((full / 2) * (1 + fraction(random)));
}

/** Whether it may be otherwise a moment later. */
function isPassing(failure: HttpFailure): boolean {
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
    case 'rate_limited':
    case 'server_error':
      return true;
    case 'refused':
    case 'answer_invalid':
      return false;
  }
}

function fraction(random: Random): number {
  const bytes = random(2);
  return ((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) / 65_536;
}

/** One call as it ended, with its repetitions. */
export interface Observation {
  readonly name: string;
  readonly outcome: 'ok' | HttpFailureKind;
  readonly seconds: number;
  /** How often it was sent; 0 where it was not. */
  readonly attempts: number;
}

export interface HttpOptions {
  /** What errors, log lines and metrics call the service. */
  readonly name: string;
  /** Without query; a trailing slash is as good as none. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly userAgent?: string;
  /** For one attempt, from before it connects to the last byte. */
  readonly timeoutMs?: number;
  /** For the whole call, with repetitions and waits. */
  readonly deadlineMs?: number;
  /** How often a call that may be repeated is sent at most. */
  readonly attempts?: number;
  /** Bytes of an answer, decompressed, unless the request says otherwise. */
  readonly mostBytes?: number;
  /** Calls at a time; others wait their turn. */
  readonly mostAtOnce?: number;
  /** Connections that are shared with other clients, and their guard; the client has its own otherwise. */
  readonly agent?: OutboundAgent;
  /** For a base address that an account may choose; an operator's is called wherever it leads. */
  readonly guard?: AddressGuard;
  readonly observe?: (observation: Observation) => void;
}

export interface OutboundHttp extends Http {
  /** Ends the calls that are in progress, takes no more, and closes the connections unless they are shared. */
  close(): Promise<void>;
  /** Whether calls to the service are paused, since they failed again and again. */
  readonly isPaused: boolean;
}

const DEFAULTS = {
  userAgent: 'elnav',
  timeoutMs: 10_000,
  deadlineMs: 30_000,
  attempts: 3,
  mostBytes: 2 * 1024 * 1024,
  mostAtOnce: 8,
};
const MOST_WAITING = 200;
/** What is waited where too many calls of ours wait already. */
const BUSY_SECONDS = 5;

/** A client for one service; see `Http` for what it promises. */
export function createHttp(options: HttpOptions): OutboundHttp {
  const settings = { ...DEFAULTS, ...options };
  const { name, clock, random, log } = settings;
  const agent = options.agent ?? createAgent(options.guard);
  const breaker = createBreaker(clock);
  const semaphore = createSemaphore({ places: settings.mostAtOnce, waiting: MOST_WAITING });
  const closing = new AbortController();

  /** One attempt within its own time. */
  const attempt = async (outgoing: Outgoing, given: AbortSignal): Promise<Incoming> => {
    const slow = new AbortController();
    const cancel = clock.after(outgoing.timeoutMs, () => slow.abort());
    try {
      const signal = AbortSignal.any([given, slow.signal]);
      return await exchange(outgoing, { dispatcher: agent.dispatcher, signal, now: clock.now });
    } finally {
      cancel();
    }
  };

  /** An attempt, if the service is not being left alone. */
  const guarded = async (outgoing: Outgoing, given: AbortSignal): Promise<Incoming> => {
    const { subject, isAside } = outgoing;
    const waitMs = breaker.waitMs(subject);
    if (waitMs > 0)
      throw new HttpFailure(
        'unreachable',
        `${name} is unreachable after repeated failures; calls to it are paused`,
        {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
          wasSent: false,
        },
      );
    try {
      const incoming = await attempt(outgoing, given);
      breaker.succeeded();
      return incoming;
    } catch (error) {
      // A refusal or a limit proves that the service is up; a caller that gave up proves nothing.
      if (given.aborted) breaker.unsettled();
      else if (!(error instanceof HttpFailure) || !isPassing(error) || error.kind === 'rate_limited')
        breaker.succeeded();
      else if (isAside) breaker.unsettled();
      else breaker.failed({ subject, isUnconnected: !error.wasSent });
      throw error;
    }
  };

  const run = async (outgoing: Outgoing, call: Call): Promise<HttpAnswer> => {
    agent.guard?.checkUrl(outgoing.url);
    if (semaphore.isFull)
      throw new HttpFailure('rate_limited', `too many calls to ${name} are waiting`, {
        retryAfterSeconds: BUSY_SECONDS,
        wasSent: false,
      });
    const leave = await semaphore.acquire(call.signal);
    try {
      for (;;) {
        try {
          call.attempts += 1;
          return answerOf(name, await guarded(outgoing, call.signal));
        } catch (error) {
          if (!(error instanceof HttpFailure)) throw error;
          // control: a command that was sent once and then failed to connect may have been carried out [outbound/failing] =>
          // call.wasSent = error.wasSent
          call.wasSent ||= error.wasSent;
          const delayMs =
            outgoing.mayRepeat && call.attempts < settings.attempts
              ? retryDelayMs(error, call.attempts, random)
              : null;
          log.debug(
            { to: name, attempt: call.attempts, kind: error.kind, status: error.status },
            'a call failed',
          );
          // What would be waited for beyond the deadline is better told now.
          if (delayMs === null || call.signal.aborted || clock.now() + delayMs >= call.endsAt) throw error;
          await sleep(clock, delayMs, call.signal);
        }
      }
    } finally {
      leave();
    }
  };

  return {
    async send(request) {
      const outgoing = outgoingOf(request, settings);
      const startedAt = clock.now();
      const over = new AbortController();
      const deadlineMs = Math.max(settings.deadlineMs, request.timeoutMs ?? 0);
      const cancel = clock.after(deadlineMs, () => over.abort());
      const own = [over.signal, closing.signal];
      const signals = request.signal === undefined ? own : [...own, request.signal];
      const call: Call = {
        signal: AbortSignal.any(signals),
        endsAt: startedAt + deadlineMs,
        attempts: 0,
        wasSent: false,
      };
      let outcome: Observation['outcome'] = 'answer_invalid';
      try {
        const answer = await run(outgoing, call);
        outcome = 'ok';
        return answer;
      } catch (error) {
        const failure = call.signal.aborted && !(error instanceof HttpFailure) ? outOfTime(name) : error;
        if (!(failure instanceof HttpFailure)) {
          // Not permitted, or not the device that it was.
          if (failure instanceof AppError) outcome = 'refused';
          throw failure;
        }
        outcome = failure.kind;
        // The last attempt may have got nowhere, and one before it may have been taken.
        throw failure.wasSent === call.wasSent ? failure : failure.with({ wasSent: call.wasSent });
      } finally {
        cancel();
        settings.observe?.({
          name,
          outcome,
          seconds: (clock.now() - startedAt) / 1000,
          attempts: call.attempts,
        });
      }
    },
    get isPaused() {
      return breaker.isOpen;
    },
    close: async () => {
      closing.abort();
      if (options.agent === undefined) await agent.close();
    },
  };
}

interface Call {
  readonly signal: AbortSignal;
  /** ms since 1970. */
  readonly endsAt: number;
  attempts: number;
  /** Whether any attempt may have reached the service. */
  wasSent: boolean;
}
