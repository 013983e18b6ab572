import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { makePlace, onEachEngine } from '../../../../test/kit/databases.ts';
import { tcpProxy } from '../../../../test/kit/tcp-proxy.ts';
import { until } from '../../../../test/kit/until.ts';
import { turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import { MOST_WAITING } from './followed.ts';
import { createRequests } from './index.ts';

const MINUTE_MS = 60_000;
const [MINUTES, EACH] = [5, 1_200];

onEachEngine('requests while the database is away', (engine) => {
  it('requests while the database is away wait for nothing, and the newest failures are written once it is back', async () => {
    const place = await makePlace(engine);
    const wire = engine === 'postgres' ? await tcpProxy(place.url ?? '') : undefined;
    const clock = turnedClock();
    const database = await (wire === undefined ? place : place.through(wire.through(place.url ?? ''))).open(
      clock,
    );
    const readOnly = (state: 'on' | 'off') =>
      sql`pragma query_only = ${sql.raw(state)}`.execute(database.queries);
    const metrics = createMetrics();
    const host = { database, clock, random: systemRandom, log: silentLog, metrics };
    const requests = createRequests({ host, instance: 'here:1', keptDays: 7 });
    const send = (index: number, status: number) => {
      const route = `/r${index % 20}`;
      const begun = { service: 'connect', method: 'POST', route, headers: {}, kept: 'all' } as const;
      const id = `${status}-${index}`;
      requests.traces?.request({ ...begun, id }).end({
        ...{ status, durationMs: 0 },
        facts: () => ({
          ...{ account: 7, keyId: 'k', caller: `caller-${index % 7}` },
          ...{ device: null, link: null, vendor: null, error: null },
        }),
      });
    };

    await (wire === undefined ? readOnly('on') : wire.cut());
    for (let minute = 0; minute < MINUTES; minute += 1) {
      // Nothing here waits: both kinds arrive within one turn of the event loop.
      for (let index = 0; index < EACH; index += 1) {
        send(minute * EACH + index, 200);
        send(minute * EACH + index, 502);
      }
      clock.turn(MINUTE_MS);
    }
    await until('what there is no room for is counted', async () => {
      const { values } = await metrics.requestsNotKept.get();
      const lost = values.find(({ labels }) => labels.reason === 'full')?.value;
      return values.length === 1 && lost === 2 * MINUTES * EACH - MOST_WAITING;
    });

    await (wire === undefined ? readOnly('off') : wire.resume());
    const stored = async () =>
      Number(
        (
          await database.queries
            .selectFrom('requests')
            .select((select) => select.fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      );
    await until('all of them are written', async () => {
      clock.turn(MINUTE_MS);
      return (await stored().catch(() => 0)) === MOST_WAITING;
    });
    const newest = await requests.ofAccount.list(7, { limit: 1 });
    assert.equal(newest.requests[0]?.status, 502);
    const has = (id: string) =>
      requests.ofAccount.find(7, id).then(
        () => true,
        () => false,
      );
    const first = MINUTES * EACH - MOST_WAITING;
    assert.deepEqual(
      await Promise.all(
        [`502-${MINUTES * EACH - 1}`, `502-${first}`, `502-${first - 1}`, `200-${MINUTES * EACH - 1}`].map(
          has,
        ),
      ),
      [true, true, false, false],
    );
    await requests.close();
    await database.close();
    await wire?.close();
    await place.remove();
  });
});
