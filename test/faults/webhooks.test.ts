import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { envOf, type Service, startService, stopService, until } from '../kit/service.ts';
import { seeded } from './seeded.ts';

const KILLS = 6;
const CLIENTS = 20;
const SECRET = 'the client secret of the tests';
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** The deliveries that a vendor posted, and those that were acknowledged. */
interface Posted {
  sent: number;
  acknowledged: number;
}

/** Posts distinct deliveries one after the other until the service was killed; any other failure is one of the test. */
async function postUntilKilled(
  { connect }: Service,
  client: string,
  { posted, isKilled }: { readonly posted: Posted; readonly isKilled: () => boolean },
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const body = JSON.stringify({ event_type: 'set_point', home_id: `${client}-${turn}`, room_id: '1' });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    posted.sent += 1;
    try {
      const answer = await fetch(`${connect}/webhooks/netatmo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-netatmo-secret': signature },
        body,
      });
      assert.equal(answer.status, 202);
      assert.equal(await answer.text(), '');
      posted.acknowledged += 1;
    } catch (error) {
      if (error instanceof assert.AssertionError || !isKilled()) throw error;
      return;
    }
  }
}

async function statuses(place: Place): Promise<Map<string, number>> {
  const database = await place.open();
  const rows = await database.queries
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  await database.close();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

onEachEngine('kill -9 while a vendor posts', (engine) => {
  it(`kill -9 while a vendor posts loses no delivery that was acknowledged, ${KILLS} times (TEST_SEED=${seed})`, async (t) => {
    const random = seeded(seed);
    const place = await makePlace(engine);
    const env = { ...envOf(place), ELNAV_NETATMO_CLIENT_ID: 'client', ELNAV_NETATMO_CLIENT_SECRET: SECRET };
    const posted: Posted = { sent: 0, acknowledged: 0 };
    let service: Service = await startService({ env });
    for (let round = 0; round < KILLS; round += 1) {
      const killed = service;
      let isKilled = false;
      const clients = Promise.all(
        Array.from({ length: CLIENTS }, (_, client) =>
          postUntilKilled(killed, `${round}-${client}`, { posted, isKilled: () => isKilled }),
        ),
      );
      const enough = posted.acknowledged + 50 + random() * 200;
      const kill = async () => {
        await until('enough is acknowledged', () => posted.acknowledged >= enough || undefined);
        await setTimeout(random() * 20);
        isKilled = true;
        killed.signal('SIGKILL');
      };
      await Promise.all([clients, kill()]);
      assert.equal((await service.exited).signal, 'SIGKILL');
      service = await startService({ env });
    }
    // Pending deliveries are applied by the last process.
    await until('all is applied', async () => {
      const text = await (await fetch(`${service.connect}/metrics`)).text();
      // On PostgreSQL once the lease of the killed process has expired.
      return (
        Number(/elnav_webhook_backlog\{vendor="netatmo"\} (\d+)/.exec(text)?.[1] ?? 0) === 0 || undefined
      );
    });
    await stopService(service);
    const found = await statuses(place);
    await place.remove();
    t.diagnostic(`${posted.acknowledged} of ${posted.sent} acknowledged, ${[...found].join(' ')}`);
    assert.deepEqual([...found.keys()], ['done']);
    const kept = found.get('done') ?? 0;
    assert.ok(kept >= posted.acknowledged, `${posted.acknowledged} acknowledged, ${kept} kept`);
    assert.ok(kept <= posted.sent, `${posted.sent} sent, ${kept} kept`);
    assert.ok(posted.sent - posted.acknowledged >= KILLS, 'some were cut off');
  });
});
