import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HttpFailure, type HttpFailureKind } from '../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createHttp, type HttpOptions, type Observation, type OutboundHttp } from './index.ts';

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestServer {
  readonly url: string;
  /** When each request came, ms on the turned clock. */
  readonly at: number[];
  readonly requests: IncomingMessage[];
  readonly clock: TurnedClock;
  readonly observed: Observation[];
  readonly http: OutboundHttp;
}

/** A real server that behaves in turn as told, the last way for good, and a client for it on a turned clock. */
export async function testServer(
  test: TestContext,
  behaviours: readonly Behaviour[],
  options: Partial<HttpOptions> = {},
): Promise<TestServer> {
  const clock = turnedClock();
  const requests: IncomingMessage[] = [];
  const at: number[] = [];
  const server = createServer((request, response) => {
    const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)];
    requests.push(request);
    at.push(clock.now());
    behaviour?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const observed: Observation[] = [];
  const http = createHttp({
    name: 'tester',
    baseUrl: url,
    clock,
    // The shortest of the jittered waits: 250 ms, 500 ms, 1 s.
    random: (bytes) => Buffer.alloc(bytes),
    log: silentLog,
    observe: (observation) => observed.push(observation),
    ...options,
  });
  test.after(async () => {
    await http.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, at, requests, clock, observed, http };
}

/** Answers with a body of this type. */
export const answers =
  (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Takes the request and never answers. */
export const hangs: Behaviour = () => {};

/** Turns the clock in small steps, with room for the network between them, until the call has ended. */
export async function turnedUntilSettled<T>(clock: TurnedClock, call: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  call.then(settle, settle);
  while (!isSettled) {
    await setImmediate();
    clock.turn(50);
  }
  return call;
}

/** For `assert.rejects`: the kind of failure, what its sentence says, and that nothing else hangs on it. */
export function fails(kind: HttpFailureKind, sentence: RegExp, more: Partial<HttpFailure> = {}) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof HttpFailure, `it is a ${String(error)}`);
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, sentence);
    assert.equal(error.cause, undefined, 'an error of the connection may hold what was read');
    for (const [name, value] of Object.entries(more))
      assert.equal(error[name as keyof HttpFailure], value, name);
    return true;
  };
}
