import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { addHistoryRoutes, type HistoryRoutes } from './history.ts';

/** Turns of the event loop that a request needs until its page is made. */
const TURNS = 20;

it('GET /devices/{id}/history makes two pages of an account at a time, of at most 2,500 points, and those of others meanwhile', async () => {
  const clock = turnedClock();
  const asked: { account: number; limit: number; end: () => void }[] = [];
  const device = { row: { vendor: 'shelly', id: 'charger-1', type: 'charger' }, snapshot: undefined };
  const { app } = bareServer({
    ...{ service: 'connect', clock, random: systemRandom },
    gate: {
      admit(request) {
        request.principal = { account: Number(request.headers['x-account']) } as typeof request.principal;
      },
      count: () => {},
    },
  });
  const routes = {
    clock,
    devices: { find: async () => device },
    history: {
      async read({ account }: { account: number }, { limit }: { limit: number }) {
        const page = Promise.withResolvers<void>();
        asked.push({ account, limit, end: page.resolve });
        await page.promise;
        return { points: [], gaps: [], next: null, fields: [] };
      },
    },
  } as unknown as HistoryRoutes;
  addHistoryRoutes(app, routes);
  const call = async (account: number) => {
    const url = '/devices/charger-1/history?resolution=15m&limit=10000';
    const { statusCode, headers } = await app.inject({ url, headers: { 'x-account': String(account) } });
    return [statusCode, headers['elnav-error']];
  };
  const settled = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  };

  const many = Promise.all([call(1), call(1), call(1), call(1)]);
  await settled();
  assert.deepEqual(
    asked.map(({ account, limit }) => [account, limit]),
    [
      [1, 2_500],
      [1, 2_500],
    ],
  );
  const other = call(2);
  await settled();
  assert.deepEqual(
    asked.map(({ account }) => account),
    [1, 1, 2],
  );
  asked[2]?.end();
  assert.deepEqual(await other, [200, undefined]);
  asked[0]?.end();
  await settled();
  assert.equal(asked.length, 4);
  const more = Promise.all([call(3), call(4)]);
  const before = asked.length;
  let most = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const had = asked.length;
    await setImmediate();
    most = Math.max(most, asked.length - had);
  }
  assert.deepEqual(
    [asked.length - before, most],
    [2, 1],
    'one page at most begins in a turn of the event loop',
  );
  clock.turn(30_000);
  for (const { end } of asked) end();
  await more;
  assert.deepEqual((await many).map(([status, code]) => `${status} ${code ?? ''}`.trim()).sort(), [
    '200',
    '200',
    '200',
    '429 limit.busy',
  ]);
});
