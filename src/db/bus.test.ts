import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { tcpProxy } from '../../test/kit/tcp-proxy.ts';
import { until } from '../../test/kit/until.ts';
import { turnedClock } from '../core/clock.ts';
import type { Json } from '../core/json.ts';
import type { Peer, QuestionResult } from './bus.ts';
import type { Database } from './database.ts';

/** What the driver warns of is said once for each process. */
const warned: string[] = [];
process.on('warning', ({ name, message }) => warned.push(`${name}: ${message}`));

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

  it('the bus has reached every process when publishAndWait resolves', async () => {
    const received: Json[] = [];
    there.bus.on('wait', (message) => {
      received.push(message);
      return undefined;
    });
    for (let round = 0; round < 20; round += 1) {
      await here.bus.publishAndWait('wait', { round });
      assert.equal(received.length, round + 1);
    }
  });

  it('the bus carries messages larger than one payload, in any language', async () => {
    const text = 'åäö€🙂'.repeat(5_000);
    let received: Json = null;
    there.bus.on('long', (message) => {
      received = message;
      return undefined;
    });
    await here.bus.publishAndWait('long', { text });
    assert.equal(JSON.stringify(received) === JSON.stringify({ text }), true);
  });

  it('the bus delivers each of many messages that are sent at once, in their order, and asks its connection for one thing at a time', async () => {
    const received: Json[] = [];
    there.bus.on('many', (message) => {
      received.push(message);
      return undefined;
    });
    const sent = Array.from({ length: 50 }, (_, index) => index);
    await Promise.all(sent.map((index) => here.bus.publish('many', index)));
    await until('all messages arrive', () => received.length === sent.length);
    assert.deepEqual(received, sent);
    await new Promise(setImmediate);
    assert.deepEqual(warned, []);
  });
});

onEachEngine('asking over the bus', (engine) => {
  if (engine === 'sqlite') return;
  it('asking over the bus returns the response of the process that has one, and undefined when none has', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const there = await place.open();
    there.bus.on('sum', (message) => (Array.isArray(message) ? message.length : undefined));
    const sum = await here.bus.request('sum', [1, 2], { timeoutMs: 60_000 });
    assert.deepEqual([sum.state, sum.state === 'answered' && sum.message], ['answered', 2]);
    assert.deepEqual(await here.bus.request('sum', 'not mine', { timeoutMs: 50 }), { state: 'silent' });
    await here.close();
    await there.close();
    await place.remove();
  });

  it('asking over the bus does not wait where there is no other process', async () => {
    const place = await makePlace(engine);
    // Its clock does not advance, so that the question has no end of its own.
    const here = await place.open(turnedClock());
    assert.deepEqual(await here.bus.request('sum', [1], { timeoutMs: 1 }), { state: 'silent' });
    await here.close();
    await place.remove();
  });

  it('asking over the bus is not live while its connection is lost, reports the gap, and reconnects', async () => {
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
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'elnav_%' and datname = current_database()",
    );
    await killer.end();
    await gap;
    while (!here.bus.live) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(gaps >= 2, 'once when lost, once when back');
    await here.close();
    await place.remove();
  });

  it('asking over the bus still delivers messages that could not be sent while its connection was lost', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const there = await place.open();
    const received: Json[] = [];
    there.bus.on('news', (message) => {
      received.push(message);
      return undefined;
    });
    const killer = new pg.Client({ connectionString: place.url });
    await killer.connect();
    const listeners = `from pg_stat_activity where application_name = 'elnav_' || left(encode(sha256((current_database() || '.' || current_schema())::bytea), 'hex'), 16)`;
    const { rows } = await killer.query<{ pid: number }>(`select pid ${listeners} order by backend_start`);
    const theirs = rows[1]?.pid;
    for (let round = 0; round < 10; round += 1) {
      await killer.query(`select pg_terminate_backend(pid) ${listeners} and pid <> $1`, [theirs]);
      await here.bus.publishAndWait('news', round);
      assert.deepEqual(
        received,
        Array.from({ length: round + 1 }, (_, index) => index),
      );
    }
    await killer.end();
    await here.close();
    await there.close();
    await place.remove();
  });

  it('asking over the bus names the peers that did not acknowledge, soon notices that it is disconnected, and is counted once after a reconnect', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const wire = await tcpProxy(place.url ?? '');
    const url = new URL(wire.through(place.url ?? ''));
    // So long that only the heartbeat can detect it.
    url.searchParams.set('query_timeout', '60000');
    const there = await place.through(url.href).open();
    assert.deepEqual(await here.bus.publishAndWait('news', 1), []);
    wire.freeze();
    const silent = await here.bus.publishAndWait('news', 2);
    assert.equal(silent.length, 1);
    assert.ok(typeof silent[0] === 'number');
    await until('it notices the lost connection', () => !there.bus.live);
    await wire.resume();
    await until('it has reconnected', () => there.bus.live);
    assert.deepEqual(await here.bus.publishAndWait('news', 3), []);
    await there.close();
    await here.close();
    await wire.close();
    await place.remove();
  });

  it('asking over the bus tells whether a question could not be sent, its peer has gone, or the connection was lost meanwhile', async () => {
    const place = await makePlace(engine);
    const clock = turnedClock();
    const here = await place.open(clock);
    const there = await place.open();
    there.bus.on('hang', () => new Promise(() => {}));
    there.bus.on('who', () => 'me');
    const killer = await place.open();
    const end = (peer: Peer) => sql`select pg_terminate_backend(${peer})`.execute(killer.queries);
    const who = await here.bus.request('who', null, { timeoutMs: 60_000 });
    const peer = who.state === 'answered' ? who.peer : undefined;
    assert.ok(peer !== undefined);
    let asked: QuestionResult | undefined;
    const ask = () => {
      asked = undefined;
      void here.bus.request('hang', null, { timeoutMs: 3_600_000, peer }).then((answer) => {
        asked = answer;
      });
    };
    ask();
    clock.turn(1_000);
    await until(
      'its peer was checked',
      async () => (await here.queries.selectFrom('leases').selectAll().execute()).length === 0,
    );
    assert.equal(asked, undefined);
    await end(peer);
    await until('the lost peer is noticed', async () => {
      clock.turn(1_000);
      // Time must not run ahead of a slow database, or the hour of the question is over first.
      await end(0);
      return asked !== undefined;
    });
    assert.deepEqual(asked, { state: 'gone' });

    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where application_name like 'elnav_%' and datname = current_database()`.execute(
      killer.queries,
    );
    ask();
    for (const { pid } of rows) await end(pid);
    await until('the lost connection is noticed', () => asked !== undefined);
    assert.deepEqual(asked, { state: 'lost', isSent: true });
    assert.equal(here.bus.live, false);
    assert.deepEqual(await here.bus.request('who', null, { timeoutMs: 1 }), { state: 'lost', isSent: false });
    for (const database of [here, there, killer]) await database.close();
    await place.remove();
  });
});
