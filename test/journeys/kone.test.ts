import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { NO_LOCAL_NETWORKS } from '../../src/core/local-networks.ts';
import { silentLog } from '../../src/core/log.ts';
import { createVendorHosts } from '../../src/outbound/vendor-hosts.ts';
import { kone } from '../../src/vendors/kone/index.ts';
import type { KoneSimulator } from '../../src/vendors/kone/simulator.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { until } from '../kit/until.ts';

const A = '9990000951-1-1';

describe('KONE on a port, to the state of a lift', () => {
  let served: ServedVendor;
  let vendor: KoneSimulator;
  let hosts: ReturnType<typeof createVendorHosts>;
  let world: CoreWorld;
  let account: number;

  beforeEach(async () => {
    const clock = turnedClock();
    served = await serveVendor(kone, clock);
    vendor = served.vendor as KoneSimulator;
    hosts = createVendorHosts({
      baseUrlOf: () => served.url,
      localNetworks: NO_LOCAL_NETWORKS,
      clock,
      random: systemRandom,
      log: silentLog,
      userAgent: 'elnav/9',
    });
    const { hostOf, openSocket } = hosts;
    world = await makeCoreWorld('sqlite', [kone], { clock, hostOf, openSocket });
    account = await world.newAccount();
    await world.link(account, 'kone', vendor.user.credentials);
  });
  afterEach(async () => {
    await world.remove();
    await hosts.close();
    await served.close();
  });

  const signIns = () => served.asked.filter((call) => call === 'POST /api/v2/oauth2/token').length;
  const stateOf = async () => (await world.read(account, A)).state as Record<string, unknown>;

  it('KONE on a port, to the state of a lift is linked and read over short connections, also with a token that is refused meanwhile', async () => {
    const { online, operation_state, door_open } = await stateOf();
    assert.deepEqual([online, operation_state, door_open], [true, 'STANDING', false]);
    assert.equal(signIns(), 1);
    vendor.expireTokens();
    vendor.change(A, { isFaulty: true });
    world.clock.turn(60_000);
    assert.equal((await stateOf()).operation_state, 'FAULT');
    assert.equal(signIns(), 2);
    const link = (await world.links.list(account))[0]?.id ?? '';
    const limits = await world.budgets.view(kone, [{ account, link }]);
    assert.ok((limits.find(({ name }) => name === 'calls')?.used ?? 0) >= 3, 'connections count');
  });

  it('KONE on a port, to the state of a lift is reported by the stream', async () => {
    world.streams.start();
    await until('it is open', async () => {
      world.clock.turn(100);
      await world.streams.settled();
      return world.streams.counts()[0]?.count === 1;
    });
    vendor.change(A, { isAlarm: true });
    await until(
      'the alarm has arrived',
      async () => (await world.devices.find(account, A)).snapshot?.state.operation_state === 'ALARM',
    );
  });

  it('KONE on a port, to the state of a lift takes no command, and says why', async () => {
    await assert.rejects(world.send(account, A, { type: 'turn_off' }), {
      code: 'device.capability_missing',
      message: /\(it has none\); KONE's API calls lifts/,
    });
  });

  it('KONE on a port, to the state of a lift is linked again where the client secret is no longer valid', async () => {
    vendor.fault('login_lost');
    vendor.expireTokens();
    world.clock.turn(60_000);
    await assert.rejects(world.read(account, A), { code: 'vendor.login_expired' });
  });
});
