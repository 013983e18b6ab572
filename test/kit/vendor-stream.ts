import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Adapter } from '../../src/adapter/adapter.ts';
import type { Connect } from '../../src/adapter/http.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import type { StreamSession } from '../../src/adapter/stream.ts';
import type { SimulatedVendor } from './simulated-vendor.ts';

export interface OpenStream {
  readonly observed: { readonly id: string; readonly raw: unknown }[];
  /** The signals of the stream to commands, by name. */
  readonly signalled: Map<string, unknown>;
  /** Whether the adapter has reported that it is subscribed. */
  isOpen: boolean;
  /** Settles as `run` does. */
  readonly run: Promise<void>;
  /** The additional part of a session for commands: it receives this stream's signals. */
  readonly signals: Session['signals'];
  /** The changes that the stream reports once frames in transit have arrived. */
  settle(): Promise<void>;
  /** Ends the stream, as the platform does. */
  close(): Promise<void>;
}

/**
 * Runs the adapter's stream against the simulator's `upgrade`, in memory, or against whatever `connect` opens. Unlike the stream of the
 * conformance checks it passes signals to commands.
 */
export function openStream(
  { stream }: Pick<Adapter, 'stream'>,
  world: SimulatedVendor,
  {
    devices,
    connect = (request) => world.session().connect(request),
  }: { readonly devices: readonly DeviceRef[]; readonly connect?: Connect },
): OpenStream {
  assert.ok(stream !== undefined);
  const aborting = new AbortController();
  const observed: OpenStream['observed'] = [];
  const signalled = new Map<string, unknown>();
  const session: StreamSession = {
    ...world.session(),
    // A stream runs on the clock that the test advances.
    clock: world.clock,
    signal: aborting.signal,
    async connect(request) {
      const socket = await connect(request);
      aborting.signal.addEventListener('abort', () => socket.close());
      return socket;
    },
    events: () => Promise.reject(new Error('it has no events')),
    observed: (id, raw) => void observed.push({ id, raw }),
    reported: () => {},
    listChanged: () => {},
    tell: (name, value) => void signalled.set(name, value),
  };
  const opened = () => {
    open.isOpen = true;
  };
  const open: OpenStream = {
    observed,
    signalled,
    isOpen: false,
    run: stream.run(session, devices, opened),
    signals: {
      async wait(name, ms) {
        world.clock.turn(ms);
        await open.settle();
        const value = signalled.get(name);
        signalled.delete(name);
        return value;
      },
    },
    async settle() {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    },
    async close() {
      aborting.abort();
      await open.run;
    },
  };
  // A test that expects the failure awaits `run` itself.
  open.run.catch(() => {});
  return open;
}
