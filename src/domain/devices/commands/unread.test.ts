import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';

const ON = { type: 'turn_on' } as const;

onEachEngine('the answer of a command whose device cannot be read afterwards', (engine: Engine) => {
  async function world(test: Pick<TestContext, 'after'>) {
    const vendor = testVendor({ pollSeconds: 600, revertSeconds: null });
    vendor.devices = ['light-1', 'battery-1'];
    const core = await makeCoreWorld(engine, [vendor.adapter]);
    test.after(() => core.remove());
    const account = await core.newAccount();
    await core.link(account, 'testvendor');
    const stored = () =>
      core.database.queries.selectFrom('commands').select(['status', 'error']).executeTakeFirstOrThrow();
    const failReads = (code: ErrorCodeName) => {
      vendor.onRead = async () => {
        throw new AppError(code, 'it cannot be read', { retryAfterSeconds: 8 });
      };
    };
    return { vendor, core, account, stored, failReads };
  }

  const codes = [
    'vendor.rate_limited',
    'vendor.unreachable',
    'vendor.timeout',
    'vendor.answer_invalid',
    'server.stopping',
  ] as const;
  for (const code of codes)
    it(`a command that was carried out is answered so where the read after it ends with ${code}`, async (test) => {
      const { vendor, core, account, stored, failReads } = await world(test);
      await core.read(account, 'light-1');
      const observedAt = new Date(core.clock.now()).toISOString();
      core.clock.turn(5_000);
      failReads(code);
      const answer = await core.send(account, 'light-1', ON);
      // Who does not respond is offline, whatever the command did.
      const online = code !== 'vendor.unreachable' && code !== 'vendor.timeout';
      assert.deepEqual(answer.state, { online, power_on: false, power_w: 10 }, 'as it was before');
      assert.deepEqual(answer.unconfirmed, { reason: 'it cannot be read', observed_at: observedAt });
      assert.deepEqual({ ...(await stored()) }, { status: 'done', error: null });

      vendor.onRead = async () => {};
      vendor.reading = { online: true, on: true, watt: 20 };
      const { state } = await core.read(account, 'light-1');
      assert.deepEqual(state, { online: true, power_on: true, power_w: 20 }, 'the next read asks the vendor');
      const confirmed = await core.send(account, 'light-1', ON);
      assert.equal('unconfirmed' in confirmed, false);
    });

  it('a command to a device of which nothing was known is answered with no more than that it was carried out', async (test) => {
    const { core, account, failReads } = await world(test);
    failReads('vendor.rate_limited');
    const { state, unconfirmed } = await core.send(account, 'light-1', ON);
    assert.deepEqual(state, { online: true });
    assert.equal(unconfirmed?.observed_at, null);
  });

  it('a command is answered as carried out where an adapter fails in the read after it, without the words of the fault', async (test) => {
    const { vendor, core, account } = await world(test);
    Object.assign(vendor, { reading: null });
    const { unconfirmed } = await core.send(account, 'light-1', ON);
    assert.equal(unconfirmed?.reason, 'an unexpected error occurred');
  });

  it('the end of a set-point is answered as carried out where the battery cannot be read after it', async (test) => {
    const { core, account, failReads } = await world(test);
    await core.send(account, 'battery-1', { type: 'set_battery_power', power_w: -3_000 });
    failReads('vendor.rate_limited');
    const ended = await core.setPoints.end({
      ...{ account, deviceId: 'battery-1', vendor: undefined },
      ...{ type: 'set_battery_power', keyId: 'k' },
    });
    assert.equal(ended.unconfirmed?.reason, 'it cannot be read');
    assert.equal(ended.state.power_w, 10);
  });
});
