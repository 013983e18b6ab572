import assert from 'node:assert/strict';
import { makeSimulatedVendor, type SimulatedVendor } from '../../../test/simulated-vendor.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Simulator } from '../../adapter/conformance/index.ts';
import { capabilitiesOfKind, stateOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { SimulatedRequest, SimulatedSocket } from '../../adapter/simulator.ts';
import type { StreamSession, VendorSocket } from '../../adapter/stream.ts';
import type { Clock } from '../../core/clock.ts';
import { easee } from './index.ts';
import type { EaseeSimulator } from './simulator.ts';

/** Easee before its simulator. */
export interface EaseeWorld extends SimulatedVendor {
  readonly easee: EaseeSimulator;
  ref(id: string, details?: DeviceRef['details']): DeviceRef;
  state(ref: DeviceRef): Promise<ReturnType<typeof stateOf>>;
  command(ref: DeviceRef, command: Command): Promise<void>;
}

export async function makeWorld(): Promise<EaseeWorld> {
  const vendor = await makeSimulatedVendor(easee);
  const plain = vendor.session.bind(vendor);
  const { charger } = easee.kinds;
  const world: EaseeWorld = Object.assign(vendor, {
    easee: vendor.vendor as EaseeSimulator,
    session: () => ({ ...plain(), clock: impatient(vendor.clock) }),
    ref: (id: string, details = { site: 55_001, circuit: 66_001, rated_a: 20, alone: true }): DeviceRef => ({
      account: 1,
      link: 'link-1',
      id,
      type: 'charger',
      details,
    }),
    state: async (ref: DeviceRef) =>
      stateOf(charger, await charger.read(world.session(), ref), capabilitiesOfKind(charger)),
    command: (ref: DeviceRef, command: Command) => send(charger, world.session(), ref, command),
  });
  return world;
}

/** An adapter that waits makes the simulator's time pass: nobody else would turn the clock meanwhile. */
function impatient(clock: SimulatedVendor['clock']): Clock {
  return {
    now: clock.now,
    after(ms, fire) {
      let isDue = true;
      setImmediate(() => {
        if (!isDue) return;
        clock.turn(ms);
        fire();
      });
      return () => {
        isDue = false;
      };
    },
  };
}

/** As `conforms()` takes it. */
export const asSimulator = (world: EaseeWorld): Simulator => world;

export interface OpenStream {
  readonly session: StreamSession;
  /** What the stream told of devices, in order. */
  readonly observed: { readonly id: string; readonly raw: unknown }[];
  readonly told: Map<string, unknown>;
  /** Whether the adapter has said that it is subscribed. */
  isOpen: boolean;
  readonly headers: Record<string, string>[];
  /** Settles as `run` does. */
  readonly run: Promise<void>;
  /** What a session for commands has besides: it hears this stream. */
  readonly signals: Session['signals'];
  abort(): void;
  /** Lets frames that are under way arrive. */
  settle(): Promise<void>;
}

/** Runs the adapter's stream against the simulator's `upgrade`, in memory. */
export function openStream(world: EaseeWorld, devices: readonly DeviceRef[]): OpenStream {
  const aborting = new AbortController();
  const observed: OpenStream['observed'] = [];
  const told = new Map<string, unknown>();
  const headers: Record<string, string>[] = [];
  const session: StreamSession = {
    ...world.session(),
    // A stream lives in the time that the test turns.
    clock: world.clock,
    signal: aborting.signal,
    async connect({ path, query = {}, headers: sent = {} }) {
      assert.ok(world.tokens !== undefined);
      const all = { authorization: `Bearer ${world.tokens.access}`, ...sent };
      headers.push(all);
      const [client, server] = socketPair();
      const request: SimulatedRequest = {
        method: 'GET',
        path,
        query: new URLSearchParams(query),
        headers: all,
        body: new Uint8Array(),
      };
      world.easee.upgrade?.(request, server);
      return client;
    },
    observed: (id, raw) => void observed.push({ id, raw }),
    tell: (name, value) => void told.set(name, value),
  };
  const opened = () => {
    open.isOpen = true;
  };
  const open: OpenStream = {
    session,
    observed,
    told,
    headers,
    isOpen: false,
    run: easee.stream.run(session, devices, opened),
    signals: {
      async wait(name, ms) {
        world.clock.turn(ms);
        await open.settle();
        return told.get(name);
      },
    },
    abort: () => aborting.abort(),
    async settle() {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
  // Whoever wants the failure awaits `run` itself.
  open.run.catch(() => {});
  return open;
}

/** Both ends of a WebSocket in memory. */
export function socketPair(): [VendorSocket, SimulatedSocket] {
  const frames: string[] = [];
  let wake = () => {};
  let isClosed = false;
  let takeFrame = (_text: string) => {};
  let takeClose = () => {};
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    takeClose();
    wake();
  };
  async function* received(): AsyncGenerator<string> {
    for (;;) {
      const frame = frames.shift();
      if (frame !== undefined) yield frame;
      else if (isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const client: VendorSocket = {
    send: (text) => {
      if (!isClosed) takeFrame(text);
    },
    close,
    frames: received(),
  };
  const server: SimulatedSocket = {
    send: (text) => {
      if (isClosed) return;
      frames.push(text);
      wake();
    },
    close,
    onFrame: (take) => {
      takeFrame = take;
    },
    onClose: (take) => {
      takeClose = take;
    },
  };
  return [client, server];
}
