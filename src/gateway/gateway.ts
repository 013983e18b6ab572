import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type Clock, sleep } from '../core/clock.ts';
import { HOUR_MS } from '../core/durations.ts';
import { OperatorError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';
import type { Wills } from './wills.ts';
import {
  GATEWAY_NETWORKS,
  GATEWAY_VERSION,
  MOST_MESSAGE_BYTES,
  PAIRING_CODE,
  PATH,
  SUBPROTOCOL,
} from './wire/protocol.ts';
import { type Services, serveTunnel } from './wire/server.ts';
import { GATEWAY_WILLS } from './wire/wills.ts';

interface GatewayOptions {
  /** Of Connect, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly code: string | undefined;
  readonly version: string;
  /** Those that it opens connections in now. */
  readonly networks: () => readonly string[];
  readonly services: Services;
  readonly wills: Pick<Wills, 'count' | 'connected' | 'heard' | 'lost'>;
  readonly clock: Clock;
  readonly random: Random;
  /** A line about what happens. */
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

const HANDSHAKE_MS = 15_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A connection that held for so long was a good one. */
const GOOD_MS = 60_000;
/** After so many refusals of its key in a row it asks rarely: the gateway was removed, unless Connect's database is restored. */
const REFUSALS = 3;
const REFUSED_WAIT_MS = HOUR_MS;
const MOST_BODY_BYTES = 2_000;

const WHAT_TO_DO =
  'this gateway was removed, or another machine was paired in its place. Stop it where it is not needed any more; else create a gateway or a new pairing code in the console, and start it again with ELNAV_GATEWAY_CODE. Until then it asks once an hour';

/** Connect does not let the gateway in: trying again without being set up again is of no use. */
class NotLetIn extends Error {}

/**
 * Connects to Connect and serves it until the signal fires; whatever is cut off is connected again. Throws where it is not let in at first;
 * one whose key is refused later says once what to do, and asks once an hour.
 */
export async function runGateway(options: GatewayOptions): Promise<void> {
  const { clock, random, print, signal } = options;
  let failures = 0;
  let refusals = 0;
  let hasConnected = false;
  while (!signal.aborted) {
    const began = clock.now();
    try {
      await connectOnce(options, () => {
        hasConnected = true;
        refusals = 0;
        print(`connected to ${options.url}`);
      });
      print('the connection has ended');
    } catch (error) {
      if (error instanceof NotLetIn && !hasConnected)
        throw new OperatorError(`${options.url} does not let this gateway in: ${error.message}`, {
          cause: error,
        });
      refusals = error instanceof NotLetIn ? refusals + 1 : 0;
      if (refusals <= 1) print(error instanceof Error ? error.message : 'an unexpected error occurred');
      if (refusals === REFUSALS) print(WHAT_TO_DO);
    }
    if (signal.aborted) return;
    failures = clock.now() - began >= GOOD_MS ? 0 : failures + 1;
    const full =
      refusals >= REFUSALS
        ? REFUSED_WAIT_MS
        : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
    // Gateways that were cut off together do not come back together.
    const waitMs = Math.round(full * (0.5 + random(4).readUInt32BE() / 2 ** 33));
    await sleep(clock, waitMs, signal).catch(() => {});
  }
}

/** Resolves when a connection that was there has ended. */
function connectOnce(options: GatewayOptions, connected: () => void): Promise<void> {
  const { url, key, code, version, networks, services, wills, clock, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/${PATH}`, SUBPROTOCOL, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(code === undefined ? {} : { [PAIRING_CODE]: code }),
      [GATEWAY_VERSION]: version,
      [GATEWAY_NETWORKS]: networks().join(', '),
      [GATEWAY_WILLS]: String(wills.count),
    },
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MOST_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const stop = () => socket.close(1001);
  signal.addEventListener('abort', stop, { once: true });
  socket.on('error', (error: NodeJS.ErrnoException) =>
    reject(new Error(`${url} is unreachable (${error.code ?? error.message})`)),
  );
  socket.once('unexpected-response', (_request, response) => {
    void refusalIn(response).then((refusal) => {
      socket.terminate();
      reject(refusal);
    });
  });
  socket.once('open', () => {
    wills.connected();
    connected();
    serveTunnel(socket, { services, clock, heard: wills.heard, closed: resolve });
  });
  return promise.finally(() => {
    signal.removeEventListener('abort', stop);
    socket.terminate();
    wills.lost();
  });
}

/** Why Connect answered the handshake with another status than 101. */
async function refusalIn(response: IncomingMessage): Promise<Error> {
  const { statusCode = 0 } = response;
  let body = '';
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > MOST_BODY_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  const [, why] = /^\{"error":"((?:[^"\\]|\\.){1,500})"\}$/.exec(body) ?? [];
  const sentence = why ?? `it answered with status ${statusCode}`;
  return statusCode === 401
    ? new NotLetIn(sentence)
    : new Error(`Connect refuses the connection: ${sentence}`);
}
