import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type LoggedEvent, type Position, rendered } from '../../src/domain/records/events/index.ts';
import { type Core, openCore } from '../kit/core-world.ts';
import { ENGINES, makePlace } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { fasterClock } from './faster-clock.ts';
import { seeded } from './seeded.ts';

const KILLS = Number(process.env.TEST_KILLS ?? 2);
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
const INSTANCES = 3;
const PATHS = ['/events/x', '/events/y', '/events/z'];
/** What a dead process has claimed is free after three seconds. */
const FASTER = 10;
/** More than a process writes. */
const NUMBERS = 1_000_000;
const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a script and hands on each line that it prints whole. */
function run(script: string, values: readonly string[], line: (line: string) => void): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', line);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

/** Waits until PostgreSQL has ended what killed processes asked it for: it commits that after their death. */
async function untilIdle({ database }: Core): Promise<void> {
  await until('nothing of killed processes is running', async () => {
    const { rows } = await sql<{ running: number }>`
      select count(*)::int as running from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(
      database.queries,
    );
    return rows[0]?.running === 0;
  });
}

async function logOf({ eventLog }: Core, account: number): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = [];
  for (let after: Position | undefined, hasMore = true; hasMore; ) {
    const page = await eventLog.page({ account, after, filter: {}, limit: 500 });
    ({ end: after, hasMore } = page);
    log.push(...page.events.map(rendered));
  }
  return log;
}

describe('the deliveries of three instances that are killed in turn', { skip }, () => {
  it(`the deliveries of three instances that are killed in turn miss nothing and keep their order, over ${KILLS} kills (TEST_SEED=${seed})`, async (test) => {
    const random = seeded(seed);
    const place = await makePlace('postgres');
    test.after(place.remove);
    const core = await openCore({ place, clock: fasterClock(FASTER), adapters: [] });
    test.after(core.close);
    const received = new Map<string, string[]>(PATHS.map((path) => [path, []]));
    let url = '';
    const receiver = run('receive-until-killed.ts', [], (line) => {
      if (url === '') url = line;
      else {
        const { path, ids } = JSON.parse(line) as { path: string; ids: string[] };
        received.get(path)?.push(...ids);
      }
    });
    await until('the receiver listens', () => url !== '');
    const { id: account } = await core.database.queries
      .insertInto('accounts')
      .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const path of PATHS) {
      const wanted = { url: new URL(path, url).href, types: null, device: null, userRef: null };
      await core.subscriptions.create(account, wanted, 'hmac-sha256');
    }

    const committed: string[] = [];
    let begun = 0;
    const begin = async () => {
      begun += 1;
      const values = [place.dataDir, account, begun * NUMBERS, place.url ?? '', FASTER].map(String);
      let isWriting = false;
      const instance = run('deliver-until-killed.ts', values, (line) => {
        isWriting = true;
        committed.push(line);
      });
      await until('the instance writes', () => isWriting);
      return instance;
    };
    const instances = await Promise.all(Array.from({ length: INSTANCES }, begin));
    for (let killed = 0; killed < KILLS; killed += 1) {
      await sleep(random() * 600);
      const victim = instances.shift();
      assert.ok(victim !== undefined);
      await kill(victim);
      instances.push(await begin());
    }
    // The last ones die at once, and another goes on.
    await Promise.all(instances.map(kill));
    await untilIdle(core);
    const log = (await logOf(core, account)).map(({ id, subject }) => ({ id, ...subject }));
    const ids = log.map(({ id }) => id);
    core.subscriptions.start();
    const last = ids.at(-1) ?? '';
    await until('all are delivered', () => PATHS.every((path) => received.get(path)?.includes(last)));
    await kill(receiver);

    for (const path of PATHS)
      assert.deepEqual([...new Set(received.get(path))], ids, 'each in the order of the log');
    const users = new Set(log.map(({ user_ref }) => user_ref));
    assert.deepEqual(
      committed.filter((number) => !users.has(number)),
      [],
      'what was committed is in the log',
    );
    const all = PATHS.reduce((sum, path) => sum + (received.get(path)?.length ?? 0), 0);
    test.diagnostic(`${ids.length} events, of ${all} deliveries ${all - PATHS.length * ids.length} again`);
  });
});
