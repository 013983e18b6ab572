import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { DAY_MS, MINUTE_MS } from '../../../core/durations.ts';

onEachEngine('commands that are kept', (engine) => {
  let core: CoreWorld;
  before(async () => {
    core = await makeCoreWorld(engine, [testVendor().adapter]);
  });
  after(() => core.remove());

  it('commands that are kept are those of the last days, and those that run', async () => {
    const account = await core.newAccount();
    await core.link(account, 'testvendor');
    const kept = async () => {
      const rows = await core.database.queries.selectFrom('commands').select('status').execute();
      return rows.map(({ status }) => status).sort();
    };
    for (const type of ['turn_on', 'turn_off'] as const) await core.send(account, 'light-1', { type });
    const [row] = await core.database.queries.selectFrom('commands').selectAll().limit(1).execute();
    assert.ok(row !== undefined);
    const running = { ...row, id: 'running', device_id: 'light-2', status: 'running' };
    await core.database.queries.insertInto('commands').values(running).execute();
    core.clock.turn(91 * DAY_MS);
    await core.send(account, 'light-1', { type: 'turn_on' });
    assert.equal((await kept()).length, 4);
    const retention = core.commands.keep(90);
    await until('old commands are removed', async () => {
      core.clock.turn(MINUTE_MS);
      return (await kept()).length === 2;
    });
    await retention.close();
    assert.deepEqual(await kept(), ['done', 'running']);
  });
});
