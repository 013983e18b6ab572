import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { NO_LOCAL_NETWORKS } from '../../src/core/local-networks.ts';
import { silentLog } from '../../src/core/log.ts';
import { createVendorHosts } from '../../src/outbound/vendor-hosts.ts';
import { type ChimesSimulator, chimes, SILENCE_SECONDS } from '../kit/chimes.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { until } from '../kit/until.ts';

onEachEngine('a stream of events, from its vendor on a port to the state of a device', (engine) => {
  let served: ServedVendor;
  let vendor: ChimesSimulator;
  let hosts: ReturnType<typeof createVendorHosts>;
  let world: CoreWorld;
  let account: number;

  beforeEach(async () => {
    const clock = turnedClock();
    served = await serveVendor(chimes, clock);
    vendor = served.vendor as ChimesSimulator;
    hosts = createVendorHosts({
      baseUrlOf: () => served.url,
      localNetworks: NO_LOCAL_NETWORKS,
      clock,
      random: systemRandom,
      log: silentLog,
      userAgent: 'elnav/9',
    });
    world = await makeCoreWorld(engine, [chimes], {
      clock,
      hostOf: hosts.hostOf,
      openEvents: hosts.openEvents,
    });
    account = await world.newAccount();
    await world.link(account, 'chimes', vendor.user.credentials);
    world.streams.start();
    await passUntil('it is open', isOpen);
  });
  afterEach(async () => {
    await world.remove();
    await hosts.close();
    await served.close();
  });

  /** In steps so small that the network can keep up. */
  const passUntil = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
    until(what, async () => {
      if (await holds()) return true;
      world.clock.turn(100);
      await world.streams.settled();
      return false;
    });
  const isOpen = async () => world.streams.counts()[0]?.count === 1;
  const powerOf = async (id: string) => (await world.devices.find(account, id)).snapshot?.state.power_w;
  const openings = () => served.asked.filter((call) => call === 'GET /events').length;
  const signIns = () => served.asked.filter((call) => call === 'POST /token').length;

  it('a stream of events, from its vendor on a port to the state of a device reports changes, without a read', async () => {
    vendor.turn('lamp-2', true);
    await until('the state has arrived', async () => (await powerOf('lamp-2')) === 7);
    assert.deepEqual(
      served.asked.filter((call) => call.startsWith('GET /devices/')),
      [],
    );
  });

  it('a stream of events, from its vendor on a port to the state of a device is reopened from its last event, and stays open while only comments arrive', async () => {
    for (const id of ['lamp-1', 'lamp-2']) {
      vendor.turn(id, true);
      await until('the state has arrived', async () => (await powerOf(id)) === 7);
    }
    const end = world.clock.now() + 3 * SILENCE_SECONDS * 1_000;
    while (world.clock.now() < end) {
      world.clock.turn(100);
      await world.streams.settled();
      await setImmediate();
    }
    assert.equal(openings(), 1);
    vendor.closeStreams();
    await passUntil('it is open again', async () => openings() === 2 && isOpen());
    assert.deepEqual(vendor.lastEventIds, [null, '2']);
    vendor.turn('lamp-1', false);
    await until('the state has arrived', async () => (await powerOf('lamp-1')) === 0);
  });

  it('a stream of events, from its vendor on a port to the state of a device renews a refused token, once', async () => {
    vendor.expireTokens();
    vendor.closeStreams();
    await passUntil('it is open again', async () => vendor.lastEventIds.length === 2 && isOpen());
    assert.deepEqual([signIns(), openings()], [2, 3]);
  });

  it('a stream of events, from its vendor on a port to the state of a device respects the limits of the vendor, and its blocks', async () => {
    const link = (await world.links.list(account))[0]?.id ?? '';
    const limits = await world.budgets.view(chimes, [{ account, link }]);
    assert.equal(limits.find(({ name }) => name === 'openings')?.used, 1);
    vendor.fault('rate_limited');
    vendor.closeStreams();
    await passUntil('it was refused', () => openings() === 2);
    const refusedAt = world.clock.now();
    vendor.fault(null);
    await passUntil('it is open again', async () => openings() === 3 && isOpen());
    const waited = world.clock.now() - refusedAt;
    assert.ok(waited >= 29_000, `it was retried after ${waited} ms instead of 30 s`);
  });

  it('a stream of events, from its vendor on a port to the state of a device waits for as long as the vendor requests before it reconnects', async () => {
    vendor.askToWait(90_000);
    await until('it has been requested', () => openings() === 1);
    vendor.closeStreams();
    await passUntil('it has ended', async () => !(await isOpen()));
    const endedAt = world.clock.now();
    await passUntil('it is open again', async () => openings() === 2 && isOpen());
    const waited = world.clock.now() - endedAt;
    assert.ok(waited >= 89_000, `${waited} ms`);
  });

  it('a stream of events, from its vendor on a port to the state of a device with a lost login requires a new link', async () => {
    vendor.fault('login_lost');
    vendor.expireTokens();
    vendor.closeStreams();
    await passUntil(
      'it is reported',
      async () => (await world.links.list(account))[0]?.status === 'needs_relink',
    );
  });
});
