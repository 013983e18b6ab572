import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { ADMIN, openAccounts } from '../../../../test/kit/accounts.ts';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Accounts } from '../../access/accounts/index.ts';
import { createClosing, SETTLED_MS } from './index.ts';
import { ERASED, NOT_ERASED } from './store.ts';

type Row = Readonly<Record<string, unknown>>;

/** Columns whose values no two accounts share. */
const OF_ALL = /(^|_)sha256$|^(api_keys|gateways|partner_applications)\.id$/;
/** Columns that name an account, or a session or link of one. */
const NAMES_SOMEBODY = /^(account_id|session_sha256|subject|user_ref|device)$/;
const NUMBERED = new Set(['device_polls.id', 'history_devices.number', 'events.id']);
const ROWS = 3;

const tablesOf = async (queries: Queries) =>
  (await queries.introspection.getTables()).filter(({ name }) => !/^kysely_|^history_\w+_\w+$/.test(name));

/** A row for every table that is erased, several of each, with the same ids for every account where the table permits it. */
async function plant({ engine, queries }: Database, account: number): Promise<void> {
  const tables = new Map((await tablesOf(queries)).map(({ name, columns }) => [name, columns]));
  const insert = async (table: string, at: number, given: Row = {}) => {
    const columns = (tables.get(table) ?? []).filter(({ name }) => !NUMBERED.has(`${table}.${name}`));
    const values = columns.map(({ name, dataType }) => {
      if (Object.hasOwn(given, name)) return given[name];
      if (name === 'account_id') return account;
      if (name === 'subject') return `${account}/l${at}`;
      if (!/text|varchar/i.test(dataType)) return /bytea|blob/i.test(dataType) ? null : at;
      const text = name === 'link_id' || `${table}.${name}` === 'links.id' ? `l${at}` : `t${at}`;
      return OF_ALL.test(`${table}.${name}`) || OF_ALL.test(name) ? `of-${account}-${text}` : text;
    });
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
      values (${sql.join(values)})`.execute(queries);
  };
  for (const { table, by, key } of ERASED.toReversed()) {
    const isOfOne = by === 'account' && key.length === 1 && key[0] === 'account_id';
    if (by === 'device') continue;
    for (let at = 0; at < (isOfOne ? 1 : ROWS); at += 1) await insert(table, at);
  }
  const numbers = await queries
    .selectFrom('history_devices')
    .select('number')
    .where('account_id', '=', account)
    .execute();
  for (const table of ['history_readings', 'history_quarters']) {
    if (engine === 'postgres')
      await sql`create table if not exists ${sql.table(`${table}_all`)} partition of ${sql.table(table)} default`.execute(
        queries,
      );
    for (const { number } of numbers)
      for (let at = 0; at < ROWS; at += 1) await insert(table, at, { device: number });
  }
  const session = { session_sha256: `of-${account}-t0` };
  for (const table of ['console_sessions', 'console_codes', 'oauth_states', 'operator_changes'])
    await insert(table, 0, session);
}

/** How many rows each table has that are of an account, or name it. */
async function rowsOf(
  { queries }: Pick<Database, 'queries'>,
  account: number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const devices = new Set(
    (
      await queries.selectFrom('history_devices').select('number').where('account_id', '=', account).execute()
    ).map(({ number }) => number),
  );
  for (const { name } of await tablesOf(queries)) {
    if (name === 'audit') continue;
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(queries);
    counts[name] = rows.filter(
      (row) =>
        (name === 'accounts' ? row.id : row.account_id) === account ||
        (/^history_(readings|quarters)$/.test(name) && devices.has(Number(row.device))) ||
        Object.values(row).some(
          (value) =>
            typeof value === 'string' &&
            (value.startsWith(`of-${account}-`) || value.startsWith(`${account}/`)),
        ),
    ).length;
  }
  return counts;
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);

interface Process {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly closing: ReturnType<typeof createClosing>;
}

/** A process that erases; `links` are removed as this says. */
async function startProcess(
  place: Place,
  clock: TurnedClock,
  remove: (database: Database, account: number, link: string) => Promise<void>,
): Promise<Process> {
  const database = await place.open(clock);
  const accounts = await openAccounts(database, clock);
  const closing = createClosing({
    host: { database, clock, random: systemRandom, log: silentLog },
    adapters: new Map(),
    accounts,
    links: {
      async remove(account, link) {
        await remove(database, account, link);
        return undefined;
      },
    },
    gateways: { removeAll: async () => {} },
    subscriptions: { removeAll: async () => {} },
  });
  return { database, accounts, closing };
}

const removeRow = async ({ queries }: Database, account: number, link: string) => {
  await queries.deleteFrom('links').where('account_id', '=', account).where('id', '=', link).execute();
};

onEachEngine('the erasure of an account', (engine) => {
  it('the erasure of an account has decided on every table, and erases every one that names an account', async () => {
    const place = await makePlace(engine);
    const database = await place.open();
    const tables = await tablesOf(database.queries);
    const erased = new Set<string>(ERASED.map(({ table }) => table));
    assert.equal(erased.size, ERASED.length);
    for (const { name, columns } of tables) {
      assert.equal(
        erased.has(name) !== Object.hasOwn(NOT_ERASED, name),
        true,
        `${name}: erase it, or say why not`,
      );
      const naming = columns
        .filter((column) => NAMES_SOMEBODY.test(column.name))
        .map((column) => column.name);
      const isDecided =
        erased.has(name) ||
        /^goes /.test(String(Object.entries(NOT_ERASED).find(([one]) => one === name)?.[1]));
      if (naming.length > 0) assert.equal(isDecided, true, `${name} names somebody: ${naming.join(', ')}`);
    }
    assert.equal(tables.length, erased.size + Object.keys(NOT_ERASED).length);
    await database.close();
    await place.remove();
  });

  it('the erasure of an account goes on after each loss of the database, leaves no row of it, and takes none of another account', async () => {
    const place = await makePlace(engine);
    const clock = turnedClock();
    let process = await startProcess(place, clock, removeRow);
    const { users } = process.accounts;
    const create = async (name: string) =>
      (await users.create({ email: `${name}@example.com`, name, tier: 'free' }, ADMIN)).id;
    // The digits of the second begin with those of the first.
    const [first] = [
      await create('anna'),
      ...(await Promise.all(Array.from({ length: 8 }, (_, at) => create(`n${at}`)))),
    ];
    const second = await create('bo');
    assert.deepEqual([first, second], [1, 10]);
    for (const account of [first, second]) await plant(process.database, account);
    const ofOther = await rowsOf(process.database, second);
    const planted = await rowsOf(process.database, first);
    for (const { table } of ERASED)
      assert.ok((planted[table] ?? 0) > 0, `${table} has something of the account`);
    assert.deepEqual({ ...planted, accounts: 0 }, { ...ofOther, accounts: 0 });

    await users.close(first, 'anna@example.com', ADMIN);
    let left = sum(await rowsOf(process.database, first));
    let losses = 0;
    for (; left > 1; losses += 1) {
      const { database, closing, accounts } = process;
      closing.start();
      const before = left;
      await until('something is erased', async () => {
        clock.turn(50);
        left = sum(await rowsOf(database, first));
        return left < before;
      });
      // As where the process is killed: in the middle of whatever it does.
      const closed = database.close();
      clock.turn(50);
      await closed;
      await closing.close();
      await accounts.close().catch(() => {});
      // The other process does not wait for the lease of one that is gone.
      clock.turn(3 * 60_000);
      process = await startProcess(place, clock, removeRow);
      left = sum(await rowsOf(process.database, first));
    }
    assert.ok(losses > 10, `the database was lost ${losses} times`);

    process.closing.start();
    await until('the account is gone', async () => {
      clock.turn(1_000);
      return sum(await rowsOf(process.database, first)) === 0;
    });
    assert.deepEqual(await rowsOf(process.database, second), ofOther);
    assert.equal(await process.accounts.users.close(first, '', ADMIN), undefined);
    await process.closing.close();
    await process.accounts.close();
    await process.database.close();
    await place.remove();
  });

  it('the erasure of an account waits for what was under way, erases what that has left, and is held up by no link', async () => {
    const place = await makePlace(engine);
    const clock = turnedClock();
    const asked: string[] = [];
    const { database, accounts, closing } = await startProcess(place, clock, async (on, account, link) => {
      asked.push(link);
      if (link === 'l1') throw new Error('its vendor cannot be called');
      await removeRow(on, account, link);
    });
    const { id } = await accounts.users.create({ email: 'anna@example.com', name: '', tier: 'free' }, ADMIN);
    const other = await accounts.users.create({ email: 'bo@example.com', name: '', tier: 'free' }, ADMIN);
    await plant(database, id);
    closing.start();
    const began = clock.now();
    await accounts.users.close(id, 'anna@example.com', ADMIN);
    await accounts.users.close(other.id, 'bo@example.com', ADMIN);
    await until('all but the accounts is erased', async () => {
      clock.turn(500);
      return sum(await rowsOf(database, id)) === 1;
    });
    assert.deepEqual([asked.filter((link) => link === 'l1').length, new Set(asked).size], [3, ROWS]);
    // A counter of a call that ended late.
    await database.queries
      .insertInto('usage')
      .values({
        account_id: id,
        day: 'd',
        service: 's',
        route: 'r',
        key_id: 'k',
        status_class: '2xx',
        count: 1,
        last_at: 1,
      })
      .execute();
    assert.notEqual((await accounts.users.one(id)).closing_since, null);
    await until('both accounts are gone', async () => {
      clock.turn(10_000);
      return (await accounts.closing()).length === 0;
    });
    assert.ok(clock.now() - began >= SETTLED_MS);
    assert.equal(sum(await rowsOf(database, id)), 0);
    await closing.close();
    await accounts.close();
    await database.close();
    await place.remove();
  });
});
