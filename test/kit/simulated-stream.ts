import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { HttpFailure, type HttpRequest } from '../../src/adapter/http.ts';
import type { Partner } from '../../src/adapter/login.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import type { SimulatedAnswer } from '../../src/adapter/simulator.ts';
import type { StreamSession } from '../../src/adapter/stream.ts';
import type { TurnedClock } from '../../src/core/clock.ts';
import { AppError } from '../../src/core/errors.ts';
import { runStream } from '../../src/domain/devices/streams/one-stream.ts';
import {
  asLink,
  newTrace,
  type Spend,
  type TokenKeeper,
} from '../../src/domain/vendor-calls/calls/vendor-http.ts';
import { eventsIn } from '../../src/outbound/events.ts';
import type { ObservedDevice, OpenedStream } from '../../src/proof/conformance/cloud.ts';
import { Line, type SimulatedConnect } from './simulated-socket.ts';

const LARGEST_CHUNK = 64 * 1024;

export interface StreamOf {
  readonly adapter: Adapter;
  readonly clock: TurnedClock;
  readonly session: () => Session;
  readonly keeper: TokenKeeper | undefined;
  readonly partner: Partner;
  readonly spend: Spend;
  readonly connect: SimulatedConnect;
  /** The simulator's response, or the fault that is set. */
  readonly answer: (request: HttpRequest) => Promise<SimulatedAnswer>;
  /** Throws the error that the platform's client makes of a failed response. */
  readonly refused: (answer: SimulatedAnswer, request: HttpRequest) => Promise<unknown>;
}

/** Runs the adapter's stream as the platform does, connected in memory to the simulator. */
export function openSimulatedStream(of: StreamOf, devices: readonly DeviceRef[]): OpenedStream {
  const { adapter, clock } = of;
  const { stream } = adapter;
  assert.ok(stream !== undefined, `${adapter.slug} has no stream`);
  const outside = new AbortController();
  const observed: ObservedDevice[] = [];
  const lines = new Set<Line<string> | Line<Uint8Array>>();
  const events = new Set<Line<Uint8Array>>();
  let isOpen = false;
  let outcome: ReturnType<OpenedStream['outcome']>;

  const session = (signal: AbortSignal): StreamSession => ({
    ...of.session(),
    // A stream runs on the clock that the test advances.
    clock,
    signal,
    async connect(request) {
      const { socket, line } = await of.connect(request, signal);
      lines.add(line);
      return socket;
    },
    events: async (request, watch = {}) => {
      const { keeper: tokens, partner, spend } = of;
      const by = {
        adapter,
        tokens,
        partner,
        spend,
        trace: newTrace(),
      };
      return asLink(by, request, async ({ lastEventId = '', ...rest }) => {
        const headers = { ...rest.headers, ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) };
        const sent = { ...rest, headers, signal };
        const answer = await of.answer(sent);
        if (answer.events === undefined) {
          await of.refused(answer, sent);
          throw new HttpFailure('answer_invalid', 'it is not a stream of events');
        }
        let closed = () => {};
        const line = new Line<Uint8Array>(() => closed());
        lines.add(line);
        events.add(line);
        signal.addEventListener('abort', () => line.end());
        answer.events({
          write: (text) => line.push(Buffer.from(text)),
          end: () => line.end(),
          onClose: (take) => {
            closed = take;
          },
        });
        return eventsIn(line, { name: adapter.name, watch, id: lastEventId });
      });
    },
    observed: (id, raw) => void observed.push({ id, raw }),
    reported: (id, { state }) => void observed.push({ id, reported: state }),
    listChanged: () => {},
    tell: () => {},
  });

  const run = runStream({
    adapter: { ...adapter, stream },
    session,
    devices,
    clock,
    signal: outside.signal,
    opened: () => {
      isOpen = true;
    },
  }).then(
    () => {
      outcome = { error: undefined };
    },
    (error: unknown) => {
      assert.ok(error instanceof AppError, `not an AppError: ${String(error)}`);
      outcome = { error };
    },
  );

  return {
    isOpen: () => isOpen,
    observed,
    outcome: () => outcome,
    usesEvents: () => events.size > 0,
    async settle() {
      for (let turn = 0; turn < 60; turn += 1) await setImmediate();
    },
    cut() {
      for (const line of lines) line.end(new HttpFailure('unreachable', 'the connection was lost'));
    },
    mute() {
      for (const line of lines) line.mute();
    },
    inject(text) {
      const bytes = Buffer.from(text);
      for (const line of events)
        for (let at = 0; at < bytes.length; at += LARGEST_CHUNK)
          line.push(bytes.subarray(at, at + LARGEST_CHUNK));
    },
    end() {
      for (const line of lines) line.end();
    },
    async close() {
      outside.abort();
      await run;
    },
  };
}
