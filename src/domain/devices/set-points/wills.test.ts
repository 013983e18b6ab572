import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SetPoint } from '../../../adapter/commands.ts';
import type { Session } from '../../../adapter/session.ts';
import { createLog } from '../../../core/log.ts';
import type { LinkRow } from '../../vendor-calls/calls/index.ts';
import { createWills, setPointKeyIn, type WillsOfGateways, willKeyOf } from './wills.ts';

const DEVICE = { account: 1, link: 'l', vendor: 'batteries', id: 'b', type: 'battery', details: {} } as const;
const OF = {
  account: 1,
  link: 'l',
  vendor: 'batteries',
  device: 'b',
  type: 'set_battery_power',
  version: 'v',
};
const KEY = willKeyOf(OF);
const STEPS = [{ host: '192.168.1.5', port: 502, exchanges: [] }];
const KEPT: SetPoint = { release: async () => {}, releaseBytes: async () => STEPS };
// Not looked at by what the tests make.
const SESSION = {} as Session;

function world(gateway: string | null = 'home') {
  const told: string[] = [];
  const logged: string[] = [];
  const here = {
    ...{ told, logged },
    keeps: 'yes' as ReturnType<WillsOfGateways['keeps']>,
    isReachable: true,
  };
  const tell = async (line: string) => {
    if (!here.isReachable) throw new Error('it is gone');
    told.push(line);
  };
  const wills = createWills({
    gateways: {
      keeps: () => here.keeps,
      leave: (to, { key, version, afterMs }) => tell(`${to} leave ${key} ${version} ${afterMs}`),
      withdraw: (to, keys) => tell(`${to} withdraw ${keys.join()}`),
    },
    // Nothing else of the link is looked at.
    calls: { find: async () => ({ gateway }) as LinkRow },
    log: createLog('warn', { write: (line) => void logged.push(line) }),
  });
  return Object.assign(here, { wills });
}

describe('a will that Connect leaves with a gateway', () => {
  it('a will that Connect leaves with a gateway is what the adapter made, for three minutes, and is withdrawn by the release', async () => {
    const { wills, told } = world();
    const steps = await wills.make(SESSION, DEVICE, KEPT);
    assert.deepEqual(steps, STEPS);
    await wills.leave(OF, steps);
    await wills.withdraw(OF, KEPT);
    assert.deepEqual(told, [`home leave ${KEY} v 180000`, `home withdraw ${KEY}`]);
  });

  it('a will that Connect leaves with a gateway is withdrawn where the next command leaves none', async () => {
    const { wills, told } = world();
    await wills.leave(OF, undefined);
    assert.deepEqual(told, [`home withdraw ${KEY}`]);
  });

  it('a will that Connect leaves with a gateway is no business of links without a gateway, of kinds without bytes, nor of gateways elsewhere', async () => {
    const without = world(null);
    const elsewhere = Object.assign(world(), { keeps: 'not_here' as const });
    for (const { wills, told } of [without, elsewhere]) {
      assert.equal(await wills.make(SESSION, DEVICE, KEPT), undefined);
      await wills.leave(OF, STEPS);
      await wills.withdraw(OF, KEPT);
      assert.deepEqual(told, []);
    }
    const { wills, told } = world();
    const release = async () => {};
    assert.equal(await wills.make(SESSION, DEVICE, { release }), undefined);
    await wills.withdraw(OF, { release });
    assert.deepEqual(told, []);
  });

  it('a will that Connect leaves with a gateway is not asked of a gateway that is too old, which is logged once', async () => {
    const here = Object.assign(world(), { keeps: 'too_old' as const });
    for (let renewals = 0; renewals < 3; renewals += 1) await here.wills.leave(OF, STEPS);
    assert.deepEqual(here.told, []);
    assert.equal(here.logged.length, 1);
    assert.match(here.logged.join(), /too old/);
  });

  it('a will that Connect leaves with a gateway fails no command: what could not be made or left is logged', async () => {
    const here = Object.assign(world(), { isReachable: false });
    const broken: SetPoint = { ...KEPT, releaseBytes: () => Promise.reject(new Error('broken')) };
    assert.equal(await here.wills.make(SESSION, DEVICE, broken), undefined);
    await here.wills.leave(OF, STEPS);
    await here.wills.leave(OF, STEPS);
    assert.equal(here.logged.length, 2);
  });
});

describe('the key of a will', () => {
  it('the key of a will names the set-point; another is none of ours', () => {
    const { vendor, device, type } = OF;
    assert.deepEqual(setPointKeyIn(KEY), { vendor, device, type });
    for (const strange of ['', 'x', '{}', '["a","b"]', '[1,2,3]'])
      assert.equal(setPointKeyIn(strange), undefined);
  });
});
