import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { createSetPointStore } from './store.ts';
import { BATTERY, type Keeping, keeping } from './test-keeping.ts';
import { willKeyOf } from './wills.ts';

const KEY = willKeyOf({ vendor: 'testvendor', device: BATTERY, type: 'set_battery_power' });

async function versionOf({ core, account }: Keeping): Promise<string> {
  const [row] = await createSetPointStore(core.database).ofDevice(account, 'testvendor', BATTERY);
  return row?.version ?? '';
}

const report = ({ core, account }: Keeping, state: 'kept' | 'begun' | 'done', version: string) =>
  core.setPoints.takeGatewayReport({ account, id: 'gateway-1' }, [{ key: KEY, version, state }]);

const watts = ({ told }: Keeping) => told.map(({ watt }) => watt);

onEachEngine('what a gateway did while it did not hear of Connect', (engine) => {
  it('what a gateway did while it did not hear of Connect ends the set-point that it released: nothing is sent any more', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    assert.deepEqual(await report(here, 'done', await versionOf(here)), [KEY]);
    assert.deepEqual(await here.noted(), []);
    await here.pass(120);
    assert.deepEqual(watts(here), [-3_000]);
  });

  it('what a gateway did while it did not hear of Connect has the set-point released once more that it only began to release', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    assert.deepEqual(await report(here, 'begun', await versionOf(here)), [KEY]);
    await here.pass(120);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.deepEqual(await here.noted(), []);
  });

  it('what a gateway did while it did not hear of Connect does not end what was sent since', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const version = await versionOf(here);
    await here.discharge(1_000);
    for (const state of ['begun', 'done'] as const)
      assert.deepEqual(await report(here, state, version), [KEY]);
    await here.pass(61);
    assert.deepEqual(watts(here), [-3_000, -1_000, -1_000]);
  });

  it('what a gateway did while it did not hear of Connect leaves a will that still stands, and has one withdrawn for which nothing is in force', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    assert.deepEqual(await report(here, 'kept', 'any'), []);
    await here.core.setPoints.end({
      ...{ account: here.account, deviceId: BATTERY, vendor: undefined },
      ...{ type: 'set_battery_power', keyId: 'k' },
    });
    assert.deepEqual(await report(here, 'kept', 'any'), [KEY]);
    const { takeGatewayReport } = here.core.setPoints;
    const strange = { key: 'not ours', version: 'v', state: 'done' } as const;
    assert.deepEqual(await takeGatewayReport({ account: here.account, id: 'g' }, [strange]), ['not ours']);
  });

  it('what a gateway did while it did not hear of Connect is nothing to the set-points of another account', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const other = { ...here, account: await here.core.newAccount() };
    assert.deepEqual(await report(other, 'done', await versionOf(here)), [KEY]);
    assert.equal((await here.noted()).length, 1);
  });
});
