import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { systemClock, turnedClock } from '../../src/core/clock.ts';
import { AppError } from '../../src/core/errors.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { NO_LOCAL_NETWORKS } from '../../src/core/local-networks.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { type ServedLocal, serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { type CoreWorld, makeCoreWorld, openCore } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { createMeter, meters, type SimulatedMeter } from '../kit/meters.ts';
import { until } from '../kit/until.ts';

onEachEngine('connections that links keep', (engine) => {
  let served: ServedLocal;
  let meter: SimulatedMeter;
  let kept: ReturnType<typeof createKeptConnections>;
  let world: CoreWorld;
  let account: number;
  let credentials: { host: string; port: number };

  const open = async (localNetworks = LOOPBACK) => {
    const clock = turnedClock();
    kept = createKeptConnections({ localNetworks, clock, random: systemRandom });
    world = await makeCoreWorld(engine, [meters(credentials.port)], { clock, connections: kept });
    account = await world.newAccount();
  };
  const shut = async () => {
    await world.remove();
    await kept.close();
  };
  beforeEach(async () => {
    served = await serveLocal({
      module: {
        createLocalSimulator(options) {
          meter = createMeter(options);
          return meter;
        },
      },
      clock: systemClock,
      random: systemRandom,
    });
    credentials = { ...served.address };
    await open();
  });
  afterEach(async () => {
    await shut();
    await served.close();
  });
  const link = () => world.link(account, 'meters', credentials);
  const statusOf = async () => (await world.links.list(account))[0]?.status;

  it('connections that links keep are shared by linking, readers and commands, one request at a time, and counted', async () => {
    await link();
    const reads = Array.from({ length: 5 }, () => world.read(account, 'lamp-1'));
    await Promise.all([...reads, world.send(account, 'lamp-1', { type: 'turn_on' })]);
    assert.equal(meter.isOn(), true);
    assert.deepEqual([served.connections().opened, meter.mostAtOnce()], [1, 1]);
    const [{ id = '' } = {}] = await world.links.list(account);
    const limits = await world.budgets.view(meters(credentials.port), [{ account, link: id }]);
    assert.ok((limits[0]?.used ?? 0) >= 4, JSON.stringify(limits));
  });

  it('connections that links keep end with the link', async () => {
    await link();
    await world.read(account, 'lamp-1');
    const [{ id = '' } = {}] = await world.links.list(account);
    await world.links.remove(account, id);
    await until('it is closed', () => served.connections().open === 0);
    assert.equal(served.connections().opened, 1);
  });

  it('connections that links keep tell a device that does not answer from a command that may have been taken', async () => {
    await link();
    await served.fault('hang');
    // Nothing else waits for this clock.
    const turning = setInterval(() => world.clock.turn(1_000), 5);
    await assert.rejects(
      world.read(account, 'lamp-1'),
      (error) =>
        error instanceof AppError &&
        error.code === 'vendor.timeout' &&
        error.message.includes(`127.0.0.1:${credentials.port}`),
    );
    await until('the link says so', async () => (await statusOf()) === 'unreachable');
    await assert.rejects(world.send(account, 'lamp-1', { type: 'turn_on' }), {
      code: 'command.outcome_unknown',
    });
    clearInterval(turning);
    await served.fault(null);
    await world.read(account, 'lamp-1');
    await until('the link says so', async () => (await statusOf()) === 'active');
  });

  it('connections that links keep lead into no private network unless the operator permits it', async () => {
    await shut();
    await open(NO_LOCAL_NETWORKS);
    await assert.rejects(link(), { code: 'vendor.address_not_permitted' });
    credentials = { host: 'localhost', port: credentials.port };
    await assert.rejects(link(), { code: 'vendor.address_not_permitted' });
    assert.equal(served.connections().opened, 0);
  });

  // The embedded database has one process.
  if (engine === 'postgres')
    it('connections that links keep end in every process when the link does', async () => {
      await link();
      // A process has connections of its own.
      const { clock, place } = world;
      const ofOther = createKeptConnections({
        localNetworks: LOOPBACK,
        clock,
        random: systemRandom,
      });
      const adapters = [meters(credentials.port)];
      const other = await openCore({ place, clock, adapters, connections: ofOther });
      await world.read(account, 'lamp-1');
      await other.read(account, 'lamp-1');
      assert.equal(served.connections().opened, 2);
      const [{ id = '' } = {}] = await world.links.list(account);
      await world.links.remove(account, id);
      await until('all are closed', () => served.connections().open === 0);
      await other.close();
      await ofOther.close();
    });
});
