import assert from 'node:assert/strict';
import { socketPair } from '../../../test/kit/simulated-stream.ts';
import { makeSimulatedVendor, type SimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import type { Command } from '../../adapter/commands.ts';
import { capabilitiesOfKind, kindOf, stateOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { easee } from './index.ts';
import type { EaseeSimulator } from './simulator.ts';

export const charger = kindOf(easee, 'charger');
export const stateIn = (raw: unknown) => stateOf(charger, raw, capabilitiesOfKind(charger));

/** Easee before its simulator. */
export interface EaseeWorld extends SimulatedVendor {
  readonly easee: EaseeSimulator;
  ref(id: string, details?: DeviceRef['details']): DeviceRef;
  state(ref: DeviceRef): Promise<ReturnType<typeof stateOf>>;
  command(ref: DeviceRef, command: Command): Promise<void>;
}

export async function makeWorld(): Promise<EaseeWorld> {
  const vendor = await makeSimulatedVendor(easee);
  return Object.assign(vendor, {
    easee: vendor.vendor as EaseeSimulator,
    ref: (id: string, details = { site: 55_001, circuit: 66_001, rated_a: 20, alone: true }): DeviceRef => ({
      account: 1,
      link: 'link-1',
      id,
      type: 'charger',
      details,
    }),
    state: async (ref: DeviceRef) => stateIn(await charger.read(vendor.session(), ref)),
    command: (ref: DeviceRef, command: Command) => send(charger, vendor.session(), ref, command),
  });
}

export interface OpenStream {
  readonly observed: { readonly id: string; readonly raw: unknown }[];
  /** What the stream has signalled to commands, by name. */
  readonly signalled: Map<string, unknown>;
  /** Whether the adapter has said that it is subscribed. */
  isOpen: boolean;
  /** Settles as `run` does. */
  readonly run: Promise<void>;
  /** What a session for commands has besides: it hears this stream. */
  readonly signals: Session['signals'];
  abort(): void;
  /** Lets frames that are under way arrive. */
  settle(): Promise<void>;
}

type Connect = StreamSession['connect'];

/** Runs the adapter's stream against the simulator's `upgrade`, in memory, or against whatever `connect` opens. */
export function openStream(world: EaseeWorld, devices: readonly DeviceRef[], connect?: Connect): OpenStream {
  const aborting = new AbortController();
  const observed: OpenStream['observed'] = [];
  const signalled = new Map<string, unknown>();
  const session: StreamSession = {
    ...world.session(),
    // A stream lives in the time that the test turns.
    clock: world.clock,
    signal: aborting.signal,
    connect: connect ?? connectTo(world),
    events: () => Promise.reject(new Error('it has no events')),
    observed: (id, raw) => void observed.push({ id, raw }),
    tell: (name, value) => void signalled.set(name, value),
  };
  const opened = () => {
    open.isOpen = true;
  };
  const open: OpenStream = {
    observed,
    signalled,
    isOpen: false,
    run: easee.stream.run(session, devices, opened),
    signals: {
      async wait(name, ms) {
        world.clock.turn(ms);
        await open.settle();
        const value = signalled.get(name);
        signalled.delete(name);
        return value;
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

const connectTo =
  (world: EaseeWorld): Connect =>
  async ({ path, query = {}, headers = {} }) => {
    assert.ok(world.tokens !== undefined);
    const [client, server] = socketPair();
    world.easee.upgrade?.(
      {
        method: 'GET',
        path,
        query: new URLSearchParams(query),
        headers: { authorization: `Bearer ${world.tokens.access}`, ...headers },
        body: new Uint8Array(),
      },
      server,
    );
    return client;
  };
