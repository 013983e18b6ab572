import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { after, it } from 'node:test';
import pg from 'pg';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';

const DEVICES = 40;

/** Statements that change something, on either driver: as many commits at most. */
const writes: string[] = [];
/** Statements that read what vendors keep. */
const reads: string[] = [];
const note = (text: string) => {
  if (/^\s*select.*link_documents/is.test(text)) reads.push(text);
  if (/^\s*(with r as|insert|update|delete)/i.test(text)) writes.push(text.trim().slice(0, 40));
};
const { run, all } = StatementSync.prototype;
const { query } = pg.Client.prototype;
StatementSync.prototype.run = function noted(this: StatementSync, ...parameters: unknown[]) {
  note(this.sourceSQL);
  return run.apply(this, parameters as never);
};
StatementSync.prototype.all = function noted(this: StatementSync, ...parameters: unknown[]) {
  note(this.sourceSQL);
  return all.apply(this, parameters as never);
};
pg.Client.prototype.query = function noted(this: pg.Client, ...parameters: unknown[]) {
  const [asked] = parameters as [string | pg.QueryConfig];
  note(typeof asked === 'string' ? asked : asked.text);
  return query.apply(this, parameters as never);
} as typeof query;
after(() => {
  Object.assign(StatementSync.prototype, { run, all });
  pg.Client.prototype.query = query;
});

onEachEngine('commands to many devices at once', (engine) => {
  it('commands to many devices at once share their commits: before they are sent, after, and for what the devices are like then', async (t) => {
    const vendor = testVendor();
    const world = await makeCoreWorld(engine, [vendor.adapter]);
    t.after(() => world.remove());
    const account = await world.newAccount();
    vendor.devices = Array.from({ length: DEVICES }, (_, index) => `light-${index}`);
    await world.link(account, 'testvendor');
    vendor.onCommand = async (_device, _command, session) => {
      await session.documents.get('note');
    };
    writes.length = 0;
    reads.length = 0;
    const sent = vendor.devices.map((id) => world.send(account, id, { type: 'turn_on' }));
    await Promise.all(sent);
    assert.equal(vendor.count('command'), DEVICES);
    assert.ok(writes.length >= 3, `only ${writes.length} statements were seen`);
    // Alone they would take four for each device; how many share one depends on how busy the machine is.
    assert.ok(
      writes.length <= DEVICES,
      `${DEVICES} commands took ${writes.length} statements: ${writes.join('\n')}`,
    );
    assert.ok(reads.length >= 1 && reads.length <= DEVICES / 2, `${reads.length} statements read documents`);
    const ended = await world.database.queries
      .selectFrom('commands')
      .select('id')
      .where('status', '=', 'done')
      .execute();
    assert.equal(ended.length, DEVICES);
  });
});
