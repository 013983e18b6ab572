import assert from 'node:assert/strict';
import type { Adapter } from '../../src/adapter/adapter.ts';
import type { ApplicationCertificate } from '../../src/adapter/reach.ts';
import { type Session, WITHOUT_CALLS } from '../../src/adapter/session.ts';
import type { TurnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { Json } from '../../src/core/json.ts';
import { createLog } from '../../src/core/log.ts';
import { connectionsOf } from '../../src/domain/vendor-calls/calls/connections.ts';
import { newTrace } from '../../src/domain/vendor-calls/calls/vendor-http.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import type { Connected } from '../../src/proof/conformance/connected.ts';
import type { Simulator } from '../../src/proof/conformance/index.ts';
import { type ServedLocal, serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { dial } from './dial.ts';
import { LOOPBACK } from './loopback.ts';
import { runningClock } from './running-clock.ts';
import { secretsOf } from './simulated-vendor.ts';

/** An adapter and its simulated device on a port of this machine, with a clock that the test advances and without a database. */
export interface LocalVendor {
  /** For `conforms()`. */
  readonly simulator: Simulator;
  readonly served: ServedLocal;
  readonly clock: TurnedClock;
  close(): Promise<void>;
}

/** Serves the simulator of a vendor with `ports`; its own test may say which, where there are several. */
export async function openLocalVendor(adapter: Adapter, load = adapter.localSimulator): Promise<LocalVendor> {
  assert.ok(load !== undefined, `${adapter.slug} has no simulator that listens`);
  const clock = runningClock();
  const module = await load();
  const kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
  let application: Promise<ApplicationCertificate> | undefined;
  const applicationOf = () => {
    application ??= kept.makeApplicationCertificate('urn:elnav:test');
    return application;
  };
  const logged: string[] = [];
  const log = createLog('trace', { write: (line) => void logged.push(line) });
  const devices: ServedLocal[] = [];

  /** Another device, and the link to it. */
  async function add(): Promise<{ readonly served: ServedLocal; readonly simulator: Simulator }> {
    const served = await serveLocal({ module, clock, random: systemRandom });
    devices.push(served);
    const { address, device } = served;
    const link = { account: 1, link: `link-${devices.length}` };
    const documents = new Map<string, Json>();
    let aborted = new AbortController();
    const session = (): Session => ({
      ...link,
      ...WITHOUT_CALLS,
      userRef: 'someone',
      linkedAt: clock.now(),
      credentials: device.credentials,
      clock,
      log,
      documents: {
        get: async (name) => documents.get(name),
        put: async (name, value) => void documents.set(name, value),
        remove: async (name) => void documents.delete(name),
      },
      signal: aborted.signal,
      connections: connectionsOf({
        adapter: { ...adapter, ports: [...(adapter.ports ?? []), address.port] },
        link,
        kept,
        spend: () => {},
        trace: newTrace(),
        applicationOf,
        signal: aborted.signal,
      }),
    });
    const connected: Connected = {
      faults: device.faults,
      fault: served.fault,
      met: served.met,
      connections: served.connections,
      commands: () => device.commands(),
      codes: module.localFaultCodes ?? {},
      other: async () => (await add()).simulator,
      unlink: () => kept.closeLink(link),
      abort() {
        aborted.abort(new Error('the platform gave up waiting'));
        aborted = new AbortController();
      },
      secrets: () => secretsOf(adapter, device),
      logged: () => logged.join(''),
    };
    const simulator: Simulator = {
      credentials: device.credentials,
      session,
      async arrange(ref, situation) {
        device.arrange(ref, situation);
        await served.settled();
      },
      async pass(seconds) {
        clock.turn(seconds * 1_000);
        await served.settled();
      },
      dial,
      connected,
    };
    return { served, simulator };
  }

  return {
    ...(await add()),
    clock,
    async close() {
      await kept.close();
      for (const served of devices) await served.close();
    },
  };
}
