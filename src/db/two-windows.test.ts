import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { makeEmptyPlace, onEachEngine } from '../../test/kit/databases.ts';
import { silentLog } from '../core/log.ts';
import { migrations } from './migrations/index.ts';
import { postgresDialect, postgresPool } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

onEachEngine('the use of vendor limits that older versions stored', (engine) => {
  it('keeps the two latest windows of every limit', async () => {
    const place = await makeEmptyPlace(engine);
    const database = new Kysely<Tables>({
      dialect:
        place.url === undefined
          ? sqliteDialect(new DatabaseSync(':memory:'))
          : postgresDialect(postgresPool(place.url, silentLog), { isPrepared: false }),
    });
    const names = Object.keys(migrations).sort();
    const at = names.indexOf('0021-two-windows');
    assert.ok(at > 0);
    for (const name of names.slice(0, at)) await migrations[name]?.up(database);
    for (const [subject, start, used] of [
      ['1/a', 100, 1],
      ['1/a', 200, 2],
      ['1/a', 300, 3],
      ['1/b', 300, 4],
    ]) {
      await sql`
        insert into vendor_budgets (vendor, rule, subject, window_start, used)
        values ('v', 'calls', ${subject}, ${start}, ${used})`.execute(database);
    }
    await migrations['0021-two-windows']?.up(database);
    const rows = await database
      .selectFrom('vendor_use')
      .select(['subject', 'window_start', 'used', 'before_start', 'used_before'])
      .orderBy('subject')
      .execute();
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['1/a', 300, 3, 200, 2],
        ['1/b', 300, 4, null, 0],
      ],
    );
    await database.destroy();
    await place.remove();
  });
});
