import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { ENGINES, makePlace, type Place } from '../../test/kit/databases.ts';
import { until } from '../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../core/clock.ts';
import { AppError, OperatorError } from '../core/errors.ts';
import { systemRandom } from '../core/ids.ts';
import { silentLog } from '../core/log.ts';
import type { Database } from './database.ts';
import { ownMoments } from './moments.ts';
import { faultOfServer, postgresDialect, postgresPool } from './postgres.ts';
import { PostgresListener } from './postgres-listener.ts';

it('an error of PostgreSQL is told apart: a full disk, a server that takes only reads, one that is away, and a fault of ours', () => {
  const codeOf = (code: string) => faultOfServer(Object.assign(new Error('refused'), { code }))?.code;
  assert.deepEqual(['53100', '25006', '53300', '57P01', '08006', 'ECONNREFUSED', '23505'].map(codeOf), [
    'database.full',
    'database.unavailable',
    'database.unavailable',
    'database.unavailable',
    'database.unavailable',
    'database.unavailable',
    undefined,
  ]);
});

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

describe('PostgreSQL', { skip }, () => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  let url: string;
  beforeEach(async () => {
    place = await makePlace('postgres');
    clock = turnedClock();
    database = await place.open(clock);
    url = place.url ?? '';
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const write = () =>
    database.queries
      .updateTable('retention_time')
      .set({ looks: 0 })
      .execute()
      .then(
        () => 'written',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
  const whatIsWrong = () =>
    database.check().then(
      () => 'nothing',
      (error: Error) => error.message,
    );

  /** Sets whether connections that begin from now on take writes, and ends those that are there. */
  async function setReadsOnly(isOn: boolean): Promise<void> {
    const of = new URL(url);
    const name = of.pathname.slice(1);
    of.pathname = 'postgres';
    const admin = new pg.Client(of.href);
    await admin.connect();
    const setting = isOn ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only';
    await admin.query(`alter database ${name} ${setting}`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await admin.end();
  }

  it('PostgreSQL that only takes reads is no database to be ready with, and is used again once it takes writes', async () => {
    assert.equal(await whatIsWrong(), 'nothing');
    await setReadsOnly(true);
    await until('the connections are new', async () => (await write()) === 'database.unavailable');
    await until('it says so', async () => /^PostgreSQL only takes reads/.test(await whatIsWrong()));
    await setReadsOnly(false);
    await until('writes work again', async () => (await write()) === 'written');
    await until('it is ready', async () => {
      clock.turn(3_000);
      return (await whatIsWrong()) === 'nothing';
    });
  });

  it('PostgreSQL whose disk is full refuses writes by a code of its own, and is not ready for a minute', async () => {
    const full = sql`do $$ begin raise exception 'no space left' using errcode = '53100'; end $$`;
    await assert.rejects(full.execute(database.queries), { code: 'database.full', retryAfterSeconds: 60 });
    assert.match(await whatIsWrong(), /^the disk of PostgreSQL is full/);
    assert.equal(await write(), 'written');
    clock.turn(60_000);
    assert.equal(await whatIsWrong(), 'nothing');
  });

  it('PostgreSQL behind a pooler that drops LISTEN refuses to start, and is noticed while elnav runs', async () => {
    const sender = new pg.Client(url);
    await sender.connect();
    let isDropped = true;
    const options = {
      ...{ url, clock, random: systemRandom, log: silentLog, moments: ownMoments(clock) },
      async notify(channel: string, text: string) {
        if (!isDropped) await sender.query('select pg_notify($1, $2)', [channel, text]);
      },
    };
    let losses = 0;
    const listener = new PostgresListener(options, {
      heard: () => {},
      lost: () => {
        losses += 1;
      },
      back: () => {},
    });
    await assert.rejects(
      listener.connect(),
      (error) => error instanceof OperatorError && /pooler in transaction mode/.test(error.message),
    );
    isDropped = false;
    await listener.connect();
    assert.deepEqual([listener.client !== undefined, listener.lostBecause], [true, undefined]);
    isDropped = true;
    clock.turn(2_000);
    await until('it is noticed', () => losses === 1);
    assert.match(listener.lostBecause ?? '', /pooler in transaction mode/);
    await listener.close();
    await sender.end();
  });

  it('PostgreSQL gets the same name for the same prepared statement from every process', async () => {
    const namesOf = async (texts: readonly string[]) => {
      const pool = postgresPool(url, silentLog);
      pool.options.max = 1;
      const queries = new Kysely({
        dialect: postgresDialect(pool, { isPrepared: true, onFull: () => {} }),
      });
      for (const text of texts) await sql.raw(text).execute(queries);
      const { rows } = await pool.query('select name, statement from pg_prepared_statements order by 2');
      await queries.destroy();
      return rows;
    };
    const one = await namesOf(['select 1 as a', 'select 2 as a']);
    assert.equal(one.length, 2);
    assert.deepEqual(await namesOf(['select 2 as a', 'select 1 as a']), one);
  });
});
