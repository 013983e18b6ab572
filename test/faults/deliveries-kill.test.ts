import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../../src/core/clock.ts';
import { type LoggedEvent, type Position, rendered } from '../../src/domain/records/events/index.ts';
import { openCore } from '../kit/core-world.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { answers, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { until } from '../kit/until.ts';
import { seeded } from './seeded.ts';

const KILLS = Number(process.env.TEST_KILLS ?? 6);
/** More than a process writes. */
const NUMBERS = 1_000_000;
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** When a process dies: before the receiver answers, when it has answered, or some time after. */
const MOMENTS = ['before the response', 'at the response', 'later'] as const;

interface Kill {
  readonly moment: (typeof MOMENTS)[number];
  /** The delivery of the process at which it happens. */
  readonly delivery: number;
  readonly laterMs: number;
}

/** The numbers of the events that a process had committed when it was killed. */
async function writtenUntilKilled(
  place: Place,
  { account, first, receiver, kill }: { account: number; first: number; receiver: Receiver; kill: Kill },
): Promise<string[]> {
  const script = join(import.meta.dirname, 'deliver-until-killed.ts');
  const values = [place.dataDir, account, first].map(String);
  const child: ChildProcess = spawn(
    process.execPath,
    [script, ...values, ...(place.url === undefined ? [] : [place.url])],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let deliveries = 0;
  receiver.behaviour = (request, response, received) => {
    deliveries += 1;
    if (deliveries === kill.delivery) {
      if (kill.moment === 'before the response') {
        child.kill('SIGKILL');
        return;
      }
      if (kill.moment === 'at the response') response.once('finish', () => child.kill('SIGKILL'));
      else setTimeout(() => child.kill('SIGKILL'), kill.laterMs);
    }
    answers(204)(request, response, received);
  };
  assert.ok(child.stdout !== null);
  const [printed, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(signal, 'SIGKILL');
  return printed.split('\n').filter((line) => line !== '');
}

const idOf = ({ id }: LoggedEvent) => id;

onEachEngine('the deliveries of a process that is killed', (engine) => {
  it(`the deliveries of a process that is killed miss nothing and keep their order, over ${KILLS} kills (TEST_SEED=${seed})`, async (test) => {
    const random = seeded(seed);
    const below = (most: number) => Math.floor(random() * most);
    const place = await makePlace(engine);
    const receiver = await makeReceiver();
    test.after(async () => {
      await receiver.close();
      await place.remove();
    });
    const open = () => openCore({ place, clock: systemClock, adapters: [] });
    const first = await open();
    const { id: account } = await first.database.queries
      .insertInto('accounts')
      .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const everything = { types: null, device: null, userRef: null };
    await first.subscriptions.create(account, { url: receiver.url, ...everything }, 'hmac-sha256');
    await first.close();

    const committed: string[] = [];
    for (let index = 0; index < KILLS; index += 1) {
      const kill = {
        moment: MOMENTS[index % MOMENTS.length] ?? 'later',
        delivery: 1 + below(8),
        laterMs: below(60),
      };
      committed.push(
        ...(await writtenUntilKilled(place, { account, first: (index + 1) * NUMBERS, receiver, kill })),
      );
      const database = await place.open(systemClock);
      // For the 30 seconds after which what a dead process has claimed is free.
      await sql`update subscriptions set free_at = 0`.execute(database.queries);
      await database.close();
    }

    receiver.behaviour = answers(204);
    const last = await open();
    const log: LoggedEvent[] = [];
    let after: Position | undefined;
    for (let hasMore = true; hasMore; ) {
      const page = await last.eventLog.page({ account, after, filter: {}, limit: 500 });
      ({ end: after, hasMore } = page);
      log.push(...page.events.map(rendered));
    }
    last.subscriptions.start();
    const lastId = log.at(-1)?.id;
    await until('all are delivered', () => receiver.handled.some(({ id }) => id === lastId));
    await last.close();

    const handled = receiver.handled.map(idOf);
    assert.deepEqual([...new Set(handled)], log.map(idOf), 'each in the order of the log');
    const users = new Set(log.map(({ subject }) => subject.user_ref));
    assert.deepEqual(
      committed.filter((number) => !users.has(number)),
      [],
      'what was committed is in the log',
    );
    test.diagnostic(`${log.length} events, ${handled.length - log.length} of them delivered again`);
  });
});
