import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { fakeSource, scriptedSource } from '../../../../test/kit/market.ts';
import { until } from '../../../../test/kit/until.ts';
import { makeWorld, type World } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';

/** More than the buffers of the system hold. */
const LONG = '/api/v1/prices/history?from=2026-06-01&to=2026-09-30';
const MOST = 10;

describe('answers of history', () => {
  let world: World;
  let clock: TurnedClock;
  const asked: ClientRequest[] = [];
  before(async () => {
    clock = turnedClock(Date.parse('2026-10-29T09:07:00Z'));
    world = await makeWorld({
      engine: 'sqlite',
      clock,
      priceSources: [fakeSource(clock, 'told')],
      productionSource: scriptedSource(),
      env: { ELNAV_TRUST_PROXY: '127.0.0.1' },
    });
    assert.equal((await world.admin('POST', `/admin/prices/backfill?${LONG.split('?')[1]}`)).status, 200);
    await until('it is filled in', async () => {
      for (let piece = 0; piece < 50; piece += 1) {
        clock.turn(100);
        await new Promise(setImmediate);
      }
      const list = await (await world.admin('GET', '/admin/prices/backfill')).json();
      return (list as { status: string }[]).every(({ status }) => status === 'done');
    });
  });
  after(async () => {
    for (const one of asked) one.destroy();
    await world.close();
  });

  /** The head of an answer whose body nobody reads. */
  const unread = (address: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname, port } = new URL(world.grid);
      const sent = request(
        { hostname, port, path, agent: false, headers: { 'x-forwarded-for': address, ...headers } },
        (answer) => {
          answer.on('error', () => {});
          resolve(answer.pause());
        },
      );
      asked.push(sent.on('error', reject));
      sent.end();
    });

  it('answers of history are open ten at a time for one address or account, and for half a minute where nobody reads them', async () => {
    const open = await Promise.all(Array.from({ length: MOST }, () => unread('192.0.2.1', LONG)));
    assert.deepEqual(
      open.map(({ statusCode }) => statusCode),
      Array(MOST).fill(200),
    );
    for (const path of [LONG, '/api/v1/production/history?from=2026-10-28']) {
      const { statusCode, headers } = await unread('192.0.2.1', path);
      assert.deepEqual(
        [statusCode, headers['elnav-error'], headers['retry-after']],
        [429, 'limit.busy', '30'],
        path,
      );
    }
    const { key } = await world.newAccount();
    for (const [address, headers] of [
      ['192.0.2.2', {}],
      ['192.0.2.1', { 'x-api-key': key }],
    ] as const)
      assert.equal((await unread(address, LONG, headers)).statusCode, 200);

    open[0]?.destroy();
    await until(
      'there is room for another',
      async () => (await unread('192.0.2.1', LONG)).statusCode === 200,
    );
    assert.equal((await unread('192.0.2.1', LONG)).statusCode, 429);

    clock.turn(30_000);
    await until('there is room again', async () => (await unread('192.0.2.1', LONG)).statusCode === 200);
    for (const answer of open.slice(1)) answer.resume();
    await until('all have been cut off', () => open.every(({ closed, complete }) => closed && !complete));
  });
});
