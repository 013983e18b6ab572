import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import pg from 'pg';
import { makePlace, onEachEngine, type Place } from '../../test/databases.ts';
import type { Json } from '../core/json.ts';
import type { Database } from './database.ts';

onEachEngine('the bus', (engine) => {
  let place: Place;
  let here: Database;
  let there: Database;
  before(async () => {
    place = await makePlace(engine);
    here = await place.open();
    there = engine === 'sqlite' ? here : await place.open();
  });
  after(async () => {
    await here.close();
    if (there !== here) await there.close();
    await place.remove();
  });

  it('has reached every process when publishAndWait resolves', async () => {
    const seen: Json[] = [];
    there.bus.on('wait', (message) => {
      seen.push(message);
      return undefined;
    });
    for (let round = 0; round < 20; round += 1) {
      await here.bus.publishAndWait('wait', { round });
      assert.equal(seen.length, round + 1);
    }
  });

  it('carries messages far beyond one payload, letters of any language included', async () => {
    const text = 'åäö€🙂'.repeat(5_000);
    let seen: Json = null;
    there.bus.on('long', (message) => {
      seen = message;
      return undefined;
    });
    await here.bus.publishAndWait('long', { text });
    assert.equal(JSON.stringify(seen) === JSON.stringify({ text }), true);
  });
});

onEachEngine('asking over the bus', (engine) => {
  if (engine === 'sqlite') return;
  it('answers from the process that knows, and undefined when none does', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const there = await place.open();
    there.bus.on('sum', (message) => (Array.isArray(message) ? message.length : undefined));
    assert.equal(await here.bus.request('sum', [1, 2], 2_000), 2);
    assert.equal(await here.bus.request('sum', 'not mine', 50), undefined);
    await here.close();
    await there.close();
    await place.remove();
  });

  it('is not live while its connection is lost, tells of the gap, and comes back', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    let gaps = 0;
    const gap = new Promise<void>((resolve) => {
      here.bus.onGap(() => {
        gaps += 1;
        resolve();
      });
    });
    const killer = new pg.Client({ connectionString: place.url });
    await killer.connect();
    await killer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen ' || application_name and application_name like 'elnav_%' and pid <> pg_backend_pid()",
    );
    await killer.end();
    await gap;
    while (!here.bus.live) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(gaps >= 2, 'once when lost, once when back');
    await here.close();
    await place.remove();
  });

  it('still tells what it could not tell while its connection was lost', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const there = await place.open();
    const seen: Json[] = [];
    there.bus.on('told', (message) => {
      seen.push(message);
      return undefined;
    });
    const killer = new pg.Client({ connectionString: place.url });
    await killer.connect();
    const listeners = `from pg_stat_activity where application_name = 'elnav_' || left(encode(sha256((current_database() || '.' || current_schema())::bytea), 'hex'), 16)`;
    const { rows } = await killer.query<{ pid: number }>(`select pid ${listeners} order by backend_start`);
    const theirs = rows[1]?.pid;
    for (let round = 0; round < 10; round += 1) {
      await killer.query(`select pg_terminate_backend(pid) ${listeners} and pid <> $1`, [theirs]);
      await here.bus.publishAndWait('told', round);
      assert.deepEqual(
        seen,
        Array.from({ length: round + 1 }, (_, index) => index),
      );
    }
    await killer.end();
    await here.close();
    await there.close();
    await place.remove();
  });
});
