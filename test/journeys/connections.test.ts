import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { conforms } from '../../src/adapter/conformance/index.ts';
import { WITHOUT_CALLS } from '../../src/adapter/session.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { AppError } from '../../src/core/errors.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { connectionsOf } from '../../src/domain/calls/connections.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { type CoreWorld, makeCoreWorld, openCore } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { meters, type ServedMeter, serveMeter } from '../kit/meters.ts';
import { until } from '../kit/until.ts';

describe('a vendor whose devices are reached over TCP', () => {
  it('conforms to the contract', async () => {
    const meter = await serveMeter();
    const clock = turnedClock();
    const adapter = meters(meter.port);
    const kept = createKeptConnections({ arePrivateAddressesAllowed: true, clock, random: systemRandom });
    const credentials = { host: '127.0.0.1', port: meter.port };
    const link = { account: 1, link: 'link-1' };
    const { signal } = new AbortController();
    const findings = await conforms(adapter, {
      credentials,
      session: () => ({
        ...link,
        userRef: 'u',
        linkedAt: 0,
        credentials,
        clock,
        log: silentLog,
        documents: { get: async () => undefined, put: async () => {}, remove: async () => {} },
        signal,
        ...WITHOUT_CALLS,
        connections: connectionsOf({
          adapter,
          link,
          kept,
          spend: () => {},
          trace: { host: undefined, isCommandSent: false },
          signal,
        }),
      }),
      arrange: async (_device, situation) => meter.arrange(situation),
      pass: async (seconds) => clock.turn(seconds * 1_000),
    });
    await kept.close();
    await meter.close();
    assert.ok(findings.length > 12, `only ${findings.length} checks`);
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== null),
      [],
    );
  });
});

onEachEngine('connections that links keep', (engine) => {
  let meter: ServedMeter;
  let kept: ReturnType<typeof createKeptConnections>;
  let world: CoreWorld;
  let account: number;
  let credentials: { host: string; port: number };

  const open = async (arePrivateAddressesAllowed: boolean) => {
    const clock = turnedClock();
    kept = createKeptConnections({ arePrivateAddressesAllowed, clock, random: systemRandom });
    world = await makeCoreWorld(engine, [meters(meter.port)], { clock, connections: kept });
    account = await world.newAccount();
  };
  const shut = async () => {
    await world.remove();
    await kept.close();
  };
  beforeEach(async () => {
    meter = await serveMeter();
    credentials = { host: '127.0.0.1', port: meter.port };
    await open(true);
  });
  afterEach(async () => {
    await shut();
    await meter.close();
  });
  const link = () => world.link(account, 'meters', credentials);
  const statusOf = async () => (await world.links.list(account))[0]?.status;

  it('are shared by linking, readers and commands, one request at a time, and counted', async () => {
    await link();
    const reads = Array.from({ length: 5 }, () => world.read(account, 'lamp-1'));
    await Promise.all([...reads, world.send(account, 'lamp-1', { type: 'turn_on' })]);
    assert.equal(meter.isOn(), true);
    assert.deepEqual([meter.sockets.length, meter.mostAtOnce()], [1, 1]);
    const [{ id = '' } = {}] = await world.links.list(account);
    const limits = await world.budgets.view(meters(meter.port), [{ account, link: id }]);
    assert.ok((limits[0]?.used ?? 0) >= 4, JSON.stringify(limits));
  });

  it('end with the link', async () => {
    await link();
    await world.read(account, 'lamp-1');
    const [{ id = '' } = {}] = await world.links.list(account);
    await world.links.remove(account, id);
    await until('it is closed', () =>
      meter.sockets.every(({ closed, readableEnded }) => closed || readableEnded),
    );
    assert.equal(meter.sockets.length, 1);
  });

  it('tell a device that does not answer from a command that may have been taken', async () => {
    await link();
    meter.isDeaf = true;
    // Nothing else waits for this clock.
    const turning = setInterval(() => world.clock.turn(1_000), 5);
    await assert.rejects(
      world.read(account, 'lamp-1'),
      (error) =>
        error instanceof AppError &&
        error.code === 'vendor.timeout' &&
        error.message.includes(`127.0.0.1:${meter.port}`),
    );
    await until('the link says so', async () => (await statusOf()) === 'unreachable');
    await assert.rejects(world.send(account, 'lamp-1', { type: 'turn_on' }), {
      code: 'command.outcome_unknown',
    });
    clearInterval(turning);
    meter.isDeaf = false;
    await world.read(account, 'lamp-1');
    await until('the link says so', async () => (await statusOf()) === 'active');
  });

  it('lead into no private network unless the operator permits it', async () => {
    await shut();
    await open(false);
    await assert.rejects(link(), { code: 'vendor.refused' });
    credentials = { host: 'localhost', port: meter.port };
    await assert.rejects(link(), { code: 'vendor.refused' });
    assert.equal(meter.sockets.length, 0);
  });

  // The embedded database has one process.
  if (engine === 'postgres')
    it('end in every process when the link does', async () => {
      await link();
      // A process has connections of its own.
      const { clock, place } = world;
      const ofOther = createKeptConnections({
        arePrivateAddressesAllowed: true,
        clock,
        random: systemRandom,
      });
      const adapters = [meters(meter.port)];
      const other = await openCore({ place, clock, adapters, connections: ofOther });
      await world.read(account, 'lamp-1');
      await other.read(account, 'lamp-1');
      assert.equal(meter.sockets.length, 2);
      const [{ id = '' } = {}] = await world.links.list(account);
      await world.links.remove(account, id);
      await until('all are closed', () =>
        meter.sockets.every(({ closed, readableEnded }) => closed || readableEnded),
      );
      await other.close();
      await ofOther.close();
    });
});
