import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ENGINES, makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { createLease } from '../../../db/lease.ts';
import { createHeartbeat, HEARTBEAT_MS, type InstanceReport, listInstances } from './index.ts';

const REPORT: InstanceReport = {
  memory_bytes: 170_000_000,
  event_loop_p99_ms: 1.5,
  log_lag_ms: 120,
  streams: 3,
  event_streams: 2,
  stations: 1,
  gateways: 4,
  paused_vendors: ['easee'],
  vendors_succeeded: { tesla: 1_795_000_000_000 },
  failing_checks: [{ check: 'redis', message: 'lost' }],
};

interface Beating {
  readonly report: () => Promise<InstanceReport>;
  /** Of a process that is killed: it stands still. */
  readonly itsClock: TurnedClock;
}

onEachEngine('instances', (engine) => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  before(async () => {
    place = await makePlace(engine);
  });
  after(() => place.remove());
  beforeEach(() => {
    clock = turnedClock();
  });

  const beat = (of: Database, { report = async () => REPORT, itsClock = clock }: Partial<Beating> = {}) =>
    createHeartbeat({
      ...{ database: of, clock: itsClock, log: silentLog, report },
      services: ['connect', 'grid'],
      version: '1.2.3',
      hostName: 'web-1',
      pid: 4711,
    });

  it('instances report how they are every 15 seconds, and leave no row when they stop', async () => {
    database = await place.open(clock);
    let memory = 1;
    const alive = beat(database, { report: async () => ({ ...REPORT, memory_bytes: memory }) });
    alive.start();
    await alive.settled();
    const startedAt = clock.now();
    const [first, ...others] = await listInstances(database);
    assert.deepEqual(others, []);
    assert.deepEqual(first, {
      id: database.instance,
      services: ['connect', 'grid'],
      version: '1.2.3',
      host: 'web-1',
      pid: 4711,
      startedAt,
      seenAt: startedAt,
      isAlive: true,
      report: { ...REPORT, memory_bytes: 1 },
      leads: engine === 'postgres' ? [] : null,
    });
    memory = 2;
    clock.turn(HEARTBEAT_MS);
    await alive.settled();
    const [second] = await listInstances(database);
    assert.equal(second?.seenAt, startedAt + HEARTBEAT_MS);
    assert.equal(second.startedAt, startedAt);
    assert.equal(second.report?.memory_bytes, 2);
    await alive.close();
    assert.deepEqual(await listInstances(database), []);
    await database.close();
  });

  it('instances are dead when they have reported nothing for a while, and forgotten after an hour', async () => {
    database = await place.open(clock);
    // What a killed process leaves.
    const killed = beat({ ...database, instance: 'killed' }, { itsClock: turnedClock() });
    killed.start();
    await killed.settled();
    clock.turn(3 * HEARTBEAT_MS);
    const alive = beat(database);
    alive.start();
    await alive.settled();
    const states = async () =>
      Object.fromEntries((await listInstances(database)).map((one) => [one.id, one.isAlive]));
    assert.deepEqual(await states(), { killed: true, [database.instance]: true });
    clock.turn(HEARTBEAT_MS);
    await alive.settled();
    assert.deepEqual(await states(), { killed: false, [database.instance]: true });
    clock.turn(3_600_000);
    await alive.settled();
    assert.deepEqual(await states(), { [database.instance]: true });
    await alive.close();
    await database.close();
  });

  it('instances are listed although another version reports in another form', async () => {
    database = await place.open(clock);
    await database.queries
      .insertInto('instances')
      .values({
        ...{ id: 'newer', services: 'grid', version: '9.0.0', host: 'web-2', pid: 1 },
        ...{ started_at: clock.now(), seen_at: clock.now(), report_json: '{"memory":"much"}' },
      })
      .execute();
    const [newer] = await listInstances(database);
    assert.deepEqual([newer?.id, newer?.report], ['newer', null]);
    await database.queries.deleteFrom('instances').execute();
    await database.close();
  });
});

describe('two instances', {
  skip: ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set',
}, () => {
  it('two instances see each other, and which of them does the work of all', async () => {
    const place = await makePlace('postgres');
    const [a, b] = [await place.open(), await place.open()];
    const common = { random: systemRandom, lengthMs: 30_000 };
    assert.equal(await createLease({ ...common, database: a, name: 'prices' }).hold(), true);
    assert.equal(await createLease({ ...common, database: b, name: 'projection.history' }).hold(), true);
    const clock = turnedClock();
    const all = [a, b].map((database) =>
      createHeartbeat({
        ...{ database, clock, log: silentLog, report: async () => REPORT },
        ...{ services: ['grid'], version: '1.2.3', hostName: 'web', pid: 1 },
      }),
    );
    for (const one of all) {
      one.start();
      await one.settled();
    }
    for (const seer of [a, b]) {
      const seen = await listInstances(seer);
      assert.deepEqual(
        seen.map(({ id, leads }) => [id, leads]).toSorted(),
        [
          [a.instance, ['prices']],
          [b.instance, ['projection.history']],
        ].toSorted(),
      );
    }
    for (const one of all) await one.close();
    await a.close();
    await b.close();
    await place.remove();
  });
});
