import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const A_MINUTE = 600;
const AT_ONCE = 40;

describe('the rate limits of the linking pages', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    // No test advances it: all requests are in one minute.
    const clock = turnedClock();
    world = await makeWorld({ engine: 'sqlite', clock, env: { ELNAV_SIMULATE: 'netatmo' } });
    caller = await world.newAccount();
  });
  after(() => world.close());

  /** The statuses of a number of responses, with their counts. */
  async function statusesOf(times: number, ask: () => Promise<Response>): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (let asked = 0; asked < times; asked += AT_ONCE) {
      const most = Math.min(AT_ONCE, times - asked);
      for (const { status } of await Promise.all(Array.from({ length: most }, ask)))
        counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  it('the rate limits of the linking pages allow 600 returns from vendors per minute and address', async () => {
    const ask = () => fetch(`${world.connect}/oauth/netatmo/callback?code=x&state=unknown`);
    assert.deepEqual(await statusesOf(A_MINUTE + 5, ask), { 400: A_MINUTE, 429: 5 });
    const refused = await ask();
    assert.equal(refused.headers.get('elnav-error'), 'limit.exceeded');
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  });

  it('the rate limits of the linking pages allow 600 confirmations to continue to a vendor per minute and address', async () => {
    const { body } = await caller.call('POST', '/link/sessions', { user_ref: 'anna', vendor: 'netatmo' });
    const { url } = body as { url: string };
    const browser = new CookieBrowser();
    const ask = () => browser.post(`${url}/netatmo`, {});
    assert.deepEqual(await statusesOf(A_MINUTE + 5, ask), { 303: A_MINUTE, 429: 5 });
  });
});
