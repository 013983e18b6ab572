import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LATER } from '../../test/faults/later-migration.ts';
import { makePlace, onEachEngine } from '../../test/kit/databases.ts';
import { turnedClock } from '../core/clock.ts';
import { migrated } from './migrated.ts';
import { VERSION } from './version.ts';

onEachEngine('a database that is migrated', (engine) => {
  it('a database that is migrated has a line in the audit trail, and a new one none', async (test) => {
    const place = await makePlace(engine);
    test.after(() => place.remove());
    const database = await place.open();
    test.after(() => database.close());
    const lines = () =>
      database.queries.selectFrom('audit').select(['actor', 'action', 'target', 'detail_json']).execute();
    const clock = turnedClock();
    await migrated(database, clock);
    assert.deepEqual(await lines(), []);
    assert.deepEqual(await migrated(database, clock, LATER), ['9998-later']);
    assert.deepEqual(await migrated(database, clock, LATER), []);
    const [line, ...more] = await lines();
    assert.deepEqual(more, []);
    const { detail_json, ...rest } = line ?? assert.fail();
    assert.deepEqual(rest, { actor: 'command', action: 'database.migrated', target: 'database' });
    assert.deepEqual(JSON.parse(detail_json), { migrations: ['9998-later'], version: VERSION });
  });
});
