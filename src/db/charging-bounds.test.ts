import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

it('records of a first connector whose device got another id later are found under that id', async () => {
  const database = new Kysely<Tables>({ dialect: sqliteDialect(new DatabaseSync(':memory:')) });
  const names = Object.keys(migrations).sort();
  const at = names.indexOf('0017-charging-bounds');
  assert.ok(at > 0);
  for (const name of names.slice(0, at)) await migrations[name]?.up(database);
  await sql`pragma foreign_keys = off`.execute(database);
  for (const [link, id] of [
    ['renamed', 'R9:1'],
    ['renamed', 'R9:2'],
    ['single', 'S1'],
  ]) {
    await sql`
      insert into devices (account_id, vendor, id, link_id, user_ref, device_type, capabilities_json, details_json, created_at)
      values (1, 'ocpp', ${id}, ${link}, 'anna', 'charger', '[]', '{}', 1)`.execute(database);
  }
  for (const [link, id, transaction] of [
    ['renamed', 'R9', '7'],
    ['renamed', 'R9:2', 'made-up'],
    ['single', 'S1', '2000000001'],
  ]) {
    await sql`
      insert into charging_transactions (account_id, link_id, transaction_id, device_id)
      values (1, ${link}, ${transaction}, ${id})`.execute(database);
    await sql`
      insert into meter_readings (account_id, link_id, device_id, at, samples_json)
      values (1, ${link}, ${id}, 5, '[]')`.execute(database);
  }
  await migrations['0017-charging-bounds']?.up(database);
  const transactions = await database
    .selectFrom('charging_transactions')
    .select(['device_id', 'transaction_id', 'number'])
    .orderBy('device_id')
    .execute();
  assert.deepEqual(
    transactions.map((row) => [row.device_id, row.transaction_id, row.number]),
    [
      ['R9:1', '7', 7],
      ['R9:2', 'made-up', null],
      ['S1', '2000000001', null],
    ],
  );
  const readings = await database
    .selectFrom('meter_readings')
    .select('device_id')
    .orderBy('device_id')
    .execute();
  assert.deepEqual(
    readings.map((row) => row.device_id),
    ['R9:1', 'R9:2', 'S1'],
  );
  await database.destroy();
});
