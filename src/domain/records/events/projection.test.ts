import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ENGINES, type Engine, makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { systemRandom } from '../../../core/ids.ts';
import { type Log, silentLog } from '../../../core/log.ts';
import { createMetrics, type Metrics } from '../../../core/metrics.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { createEventLog, type EventLog, type EventRow, type Projection } from './index.ts';
import { createEventStore } from './store.ts';

/** A process with the projection of the tests: it stores the `n` of each event, in a table of its own. */
interface Process {
  readonly database: Database;
  readonly eventLog: EventLog;
  readonly warnings: string[];
  readonly metrics: Metrics;
  begin(apply?: (rows: readonly EventRow[], transaction: Queries) => Promise<void>): Projection;
  end(): Promise<void>;
}

const numbersOf = (rows: readonly EventRow[]) => rows.map((row) => JSON.parse(row.data_json).n as number);

async function open(place: Place, clock: TurnedClock): Promise<Process> {
  const warnings: string[] = [];
  const note = (_: object, text: string) => void warnings.push(text);
  const log = { ...silentLog, warn: note, error: note } as unknown as Log;
  const database = await place.open(clock);
  const metrics = createMetrics();
  const host = { database, clock, random: systemRandom, log, metrics };
  const eventLog = await createEventLog(host);
  const begun: Projection[] = [];
  return {
    database,
    eventLog,
    ...{ warnings, metrics },
    begin(before = async () => {}) {
      const projection = eventLog.project({
        name: 'tests',
        types: ['link.recovered'],
        async apply(transaction: Queries, rows) {
          const numbers = numbersOf(rows).map((n) => ({ n }));
          await sql`insert into applied (n) select n from ${database.rows({ n: 'bigint' }, numbers)} as r`.execute(
            transaction,
          );
          await before(rows, transaction);
        },
      });
      begun.push(projection);
      return projection;
    },
    async end() {
      for (const one of begun) await one.close();
      await eventLog.close();
      await database.close();
    },
  };
}

interface World extends Process {
  readonly place: Place;
  readonly clock: TurnedClock;
  write(numbers: readonly number[], type?: string): Promise<void>;
  applied(): Promise<number[]>;
  /** Lets time pass until something holds. */
  passUntil(what: string, holds: () => boolean | Promise<boolean>, ms?: number): Promise<void>;
  /** Lets time pass until so many are applied, and for a while more. */
  passUntilApplied(count: number): Promise<void>;
  stored(): Promise<string>;
  remove(): Promise<void>;
}

async function make(engine: Engine): Promise<World> {
  const clock = turnedClock();
  const place = await makePlace(engine);
  const first = await open(place, clock);
  const { database } = first;
  await sql`create table applied (place ${sql.raw(engine === 'sqlite' ? 'integer' : 'bigserial')} primary key, n integer)`.execute(
    database.queries,
  );
  const applied = async () =>
    (await sql<{ n: number }>`select n from applied order by place`.execute(database.queries)).rows.map(
      ({ n }) => n,
    );
  const passUntil: World['passUntil'] = (what, holds, ms = 100) =>
    until(what, async () => {
      clock.turn(ms);
      // A process that is at work gets on meanwhile.
      await sql`select 1`.execute(database.queries);
      return holds();
    });
  const store = createEventStore(database);
  return {
    ...first,
    place,
    clock,
    async write(numbers, type = 'link.recovered') {
      const of = { account: 1, type, link: 'link-1', vendor: 'sandbox', userRef: 'anna' };
      await database.transaction((transaction) =>
        database.events.append(
          transaction,
          numbers.map((n) => ({ ...of, occurredAt: clock.now(), data: { n } })),
        ),
      );
      await until('what is committed can be read', async () => (await store.heldSince()) === null);
    },
    applied,
    passUntil,
    async passUntilApplied(count) {
      await passUntil(`${count} events are applied`, async () => (await applied()).length >= count);
      for (let turn = 0; turn < 30; turn += 1) await passUntil('time passes', () => true);
    },
    stored: async () =>
      JSON.stringify(await database.queries.selectFrom('event_readers').selectAll().execute()),
    async remove() {
      await first.end();
      await place.remove();
    },
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

onEachEngine('a projection of the log', (engine) => {
  let world: World;
  beforeEach(async () => {
    world = await make(engine);
  });
  afterEach(() => world.remove());

  it('a projection of the log applies what there is from the oldest event on, and what comes then, each once and in order', async () => {
    await world.write(range(0, 4_500));
    const sizes: number[] = [];
    world.begin(async (rows) => void sizes.push(rows.length));
    await world.passUntilApplied(4_500);
    await world.write(range(4_500, 4_503));
    await world.passUntilApplied(4_503);
    assert.deepEqual(await world.applied(), range(0, 4_503));
    assert.deepEqual(sizes.slice(0, 2), engine === 'sqlite' ? [1_000, 1_000] : [4_000, 500]);
  });

  it('a projection of the log goes on where it was when it begins again', async () => {
    await world.write([1, 2]);
    const first = world.begin();
    await world.passUntilApplied(2);
    await first.close();
    await world.write([3]);
    world.begin();
    await world.passUntilApplied(3);
    assert.deepEqual(await world.applied(), [1, 2, 3]);
  });

  it('a projection of the log stores nothing of a batch that fails, and tries again, later each time', async () => {
    await world.write([1, 2]);
    const at: number[] = [];
    world.begin(async (_, transaction) => {
      at.push(world.clock.now());
      // Something is written while it fails: that does not have it try sooner.
      const written = { account: 1, type: 'link.removed', link: null, occurredAt: 1, data: {} };
      await world.database.events.append(transaction, [written]);
      world.clock.turn(200);
      if (at.length < 4) throw new Error('refused by the test');
    });
    await world.passUntil('it has failed', () => at.length === 1);
    assert.deepEqual(await world.applied(), []);
    // Nor does a write afterwards.
    await world.write([3]);
    await world.passUntilApplied(3);
    assert.deepEqual(await world.applied(), [1, 2, 3]);
    const [first = 0, second = 0, third = 0, fourth = 0] = at;
    assert.ok(second - first >= 1_000 && third - second >= 2_000 && fourth - third >= 4_000, `${at}`);
    assert.deepEqual(world.warnings, ['events could not be applied']);
  });

  it('a projection of the log says how far it is behind the log, by the oldest event that it wants and has not applied', async () => {
    const lag = async () => {
      const shown = await world.metrics.registry.getSingleMetricAsString(
        'elnav_event_projection_lag_seconds',
      );
      return Number(/\{projection="tests"\} (\S+)/.exec(shown)?.[1]);
    };
    await world.write([1]);
    world.clock.turn(60_000);
    let refuses = true;
    const failing = world.begin(async () => {
      if (refuses) throw new Error('refused by the test');
    });
    assert.equal(await lag(), 60, 'before it has read anything');
    await world.write([2]);
    world.clock.turn(30_000);
    assert.equal(await lag(), 90);
    refuses = false;
    await world.passUntilApplied(2);
    assert.equal(await lag(), 0);
    await world.write([3], 'link.removed');
    world.clock.turn(20_000);
    assert.equal(await lag(), 0, 'other events are none that it has to apply');
    await failing.close();
    await world.write([4]);
    world.clock.turn(10_000);
    assert.equal(await lag(), 10, 'nobody applies it');
  });

  it('a projection of the log passes other events by, and stores its place once a minute then', async () => {
    world.begin();
    await world.write([1]);
    await world.passUntilApplied(1);
    const begun = await world.stored();
    await world.write([2, 3], 'link.removed');
    for (let second = 0; second < 50; second += 1) await world.passUntil('time passes', () => true, 1_000);
    assert.equal(await world.stored(), begun);
    await world.passUntil('its place is stored', async () => (await world.stored()) !== begun, 1_000);
    await world.write([4]);
    await world.passUntilApplied(2);
    assert.deepEqual(await world.applied(), [1, 4]);
  });

  it('a projection of the log goes on from the oldest event where its place is older, and says so', async () => {
    const first = world.begin();
    await world.write([1]);
    await world.passUntilApplied(1);
    await first.close();
    await world.write([2, 3]);
    world.clock.turn(2 * DAY_MS);
    await world.write([4]);
    const retention = world.eventLog.keep(1);
    const count = async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from events`.execute(
        world.database.queries,
      );
      return Number(rows[0]?.n);
    };
    await world.passUntil('old events are removed', async () => (await count()) === 1, 60_000);
    await retention.close();
    world.begin();
    await world.passUntilApplied(2);
    assert.deepEqual(await world.applied(), [1, 4]);
    assert.deepEqual(world.warnings, ['events were removed before they were applied']);
  });
});

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

describe('a projection in two processes', { skip }, () => {
  let world: World;
  let other: Process;
  beforeEach(async () => {
    world = await make('postgres');
    other = await open(world.place, world.clock);
  });
  afterEach(async () => {
    await other.end();
    await world.remove();
  });

  it('a projection in two processes runs in one at a time, and in the other when that ends', async () => {
    const by: string[] = [];
    const first = world.begin(async () => void by.push('first'));
    await world.write([1]);
    await world.passUntilApplied(1);
    other.begin(async () => void by.push('second'));
    for (let n = 2; n < 6; n += 1) {
      await world.write([n]);
      await world.passUntilApplied(n);
    }
    await first.close();
    await world.write([6]);
    await world.passUntilApplied(6);
    assert.deepEqual(by, ['first', 'first', 'first', 'first', 'first', 'second']);
    assert.deepEqual(await world.applied(), range(1, 7));
  });

  for (const [what, before] of [
    ['from the first event on', 0],
    ['later on', 1],
  ] as const)
    it(`a projection in two processes applies each event once where one stalls beyond its lease, ${what}`, async () => {
      const held = Promise.withResolvers<void>();
      let calls = 0;
      world.begin(async () => {
        calls += 1;
        if (calls === before + 1) await held.promise;
      });
      await world.write(range(0, before));
      await world.passUntilApplied(before);
      await world.write([7]);
      await world.passUntil('the first is at work', () => calls === before + 1);
      other.begin();
      await world.passUntil('the second waits for it', async () => {
        const { rows } = await sql<{ n: number }>`
          select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          world.database.queries,
        );
        return Number(rows[0]?.n) > 0;
      });
      held.resolve();
      await world.write([8]);
      await world.passUntilApplied(before + 2);
      assert.deepEqual(await world.applied(), [...range(0, before), 7, 8]);
    });
});
