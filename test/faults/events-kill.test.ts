import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../../src/core/clock.ts';
import type { Database } from '../../src/db/database.ts';
import { type LoggedEvent, type Position, rendered } from '../../src/domain/records/events/index.ts';
import { createEventStore } from '../../src/domain/records/events/store.ts';
import { type Core, openCore } from '../kit/core-world.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { seeded } from './seeded.ts';

const KILLS = 4;
/** More than a process uses. */
const VALUES = 1_000_000;
/** What it has done before it is killed, at least and at most. */
const DONE = { least: 60, most: 400 };
/** Its connections to PostgreSQL are found by this name. */
const KILLED = 'until_killed';
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

async function newAccount(place: Place): Promise<number> {
  const database = await place.open();
  const { id } = await database.queries
    .insertInto('accounts')
    .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  await database.close();
  return id;
}

/**
 * What a process had done when it was killed. On the embedded database that is before one of its statements, in the midst of a
 * transaction too; on PostgreSQL while statements of its connections run.
 */
async function doneUntilKilled(
  place: Place,
  account: number,
  { first, after }: { first: number; after: number },
): Promise<string[][]> {
  const script = join(import.meta.dirname, 'log-until-killed.ts');
  const isEmbedded = place.url === undefined;
  // Several statements for each thing that is done.
  const env = isEmbedded ? { FAULT_SIGNAL: 'SIGKILL', FAULT_AT: String(after * 3) } : {};
  const imports = isEmbedded ? ['--import', join(import.meta.dirname, 'at-statement.ts')] : [];
  const url = isEmbedded ? [] : [`${place.url}?application_name=${KILLED}`];
  const values = [place.dataDir, account, first, isEmbedded ? 0 : after].map(String);
  const child = spawn(process.execPath, [...imports, script, ...values, ...url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [printed, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(signal, 'SIGKILL');
  return printed
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}

/** A server may still run the last statement of a client that is dead, and commit it. */
const isGone = async ({ engine, queries }: Database): Promise<boolean> => {
  if (engine === 'sqlite') return true;
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name = ${KILLED}`.execute(
    queries,
  );
  return rows.length === 0;
};

/** Reads with one cursor, whichever process answers. */
function reader(account: number) {
  let after: Position | undefined;
  const found: LoggedEvent[] = [];
  return {
    found,
    async readOn(core: Core): Promise<void> {
      for (let hasMore = true; hasMore; ) {
        const page = await core.eventLog.page({ account, after, filter: {}, limit: 23 });
        after = page.end;
        found.push(...page.events.map(rendered));
        hasMore = page.hasMore;
      }
    },
  };
}

type Values = Readonly<Record<string, unknown>>;
type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** The states to which the events of devices lead, each of which must begin where the one before has ended. */
function statesOf(events: readonly LoggedEvent[]): Map<string, Values> {
  const states = new Map<string, Values>();
  for (const { id, type, subject, data } of events) {
    const device = String(subject.device);
    const state = states.get(device);
    if (type === 'device.linked') {
      assert.equal(state, undefined, `${device} is linked twice, by ${id}`);
      states.set(device, {});
    } else if (type === 'device.removed') {
      assert.ok(states.delete(device), `${device} is removed twice, by ${id}`);
    } else if (type === 'device.unreachable' || type === 'device.reachable') {
      // The change of the state comes before it, and has it too.
      assert.equal(state?.online, type === 'device.reachable', `${device} before ${id}`);
    } else if (type === 'device.state_changed') {
      assert.ok(state !== undefined, `${device} is not linked at ${id}`);
      const after: Record<string, unknown> = { ...state };
      for (const [field, { from, to }] of Object.entries(data.changes as Changes)) {
        assert.deepEqual(from, after[field] ?? null, `${field} of ${device} before ${id}`);
        if (to === null) delete after[field];
        else after[field] = to;
      }
      states.set(device, after);
    }
  }
  return states;
}

async function storedStates({ queries }: Database): Promise<Map<string, Values>> {
  const rows = await queries.selectFrom('devices').select(['id', 'state_json']).execute();
  return new Map(rows.map(({ id, state_json }) => [id, JSON.parse(state_json ?? '{}') as Values]));
}

const ENDS: Readonly<Record<string, string>> = {
  done: 'command.succeeded',
  failed: 'command.failed',
  unknown: 'command.outcome_unknown',
};
const isCommand = ({ type }: LoggedEvent) => type.startsWith('command.');
const commandOf = ({ data, type }: LoggedEvent) => `${data.command_id} ${type}`;

/** As `commandOf` has them. */
async function endedCommands({ queries }: Database): Promise<string[]> {
  const rows = await queries.selectFrom('commands').select(['id', 'status']).execute();
  return rows
    .filter(({ status }) => status !== 'running')
    .map(({ id, status }) => `${id} ${ENDS[status]}`)
    .toSorted();
}

/** Links that the events have begun and not ended. */
function linksOf(events: readonly LoggedEvent[]): string[] {
  const links = new Set<string>();
  for (const { type, subject } of events) {
    if (type === 'link.linked') links.add(String(subject.link));
    if (type === 'link.removed') links.delete(String(subject.link));
  }
  return [...links].toSorted();
}

/** What an event says, in the words of the process that had it done. */
function wordsOf({ type, subject, data }: LoggedEvent): string[] {
  const { power_w } = (data.changes ?? {}) as Changes;
  if (type === 'device.state_changed') return [`seen ${subject.device} ${power_w?.to}`];
  if (type === 'link.linked') return [`linked ${subject.user_ref} ${subject.link}`];
  return type === 'link.removed' ? [`removed ${subject.user_ref} ${subject.link}`] : [];
}

onEachEngine('the event log of a process that is killed', (engine) => {
  it(`the event log of a process that is killed has each change and nothing else, over ${KILLS} kills (TEST_SEED=${seed})`, async (test) => {
    const random = seeded(seed);
    const place = await makePlace(engine);
    test.after(() => place.remove());
    const account = await newAccount(place);
    const { found, readOn } = reader(account);
    const acknowledged: string[][] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const after = DONE.least + Math.floor(random() * (DONE.most - DONE.least));
      const done = await doneUntilKilled(place, account, { first: (kill + 1) * VALUES, after });
      acknowledged.push(...done);

      const core = await openCore({ place, clock: systemClock, adapters: [testVendor().adapter] });
      const { database } = core;
      await until('the dead process has left', () => isGone(database));
      await until('all can be read', async () => (await createEventStore(database).heldSince()) === null);
      await readOn(core);
      assert.deepEqual(statesOf(found), await storedStates(database));
      assert.deepEqual(found.filter(isCommand).map(commandOf).toSorted(), await endedCommands(database));
      const links = await database.queries.selectFrom('links').select('id').execute();
      assert.deepEqual(linksOf(found), links.map(({ id }) => id).toSorted());
      const words = new Set(found.flatMap(wordsOf));
      for (const line of done.map((parts) => parts.join(' ')))
        assert.ok(line.startsWith('commanded ') || words.has(line), `no event: ${line}`);
      await core.close();
    }

    const core = await openCore({ place, clock: systemClock, adapters: [testVendor().adapter] });
    const whole = reader(account);
    await until('all can be read', async () => (await createEventStore(core.database).heldSince()) === null);
    await readOn(core);
    await whole.readOn(core);
    await core.close();
    assert.deepEqual(whole.found, found);
    assert.equal(new Set(found.map(({ id }) => id)).size, found.length);
    for (const what of ['seen', 'commanded', 'linked', 'removed'])
      assert.ok(
        acknowledged.some(([word]) => word === what),
        `nothing was ${what}`,
      );
    test.diagnostic(`${acknowledged.length} acknowledged, ${found.length} events`);
  });
});
