import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import { createLinkSessions, type LinkSessions } from './link-sessions.ts';
import { createSignInStore } from './store-sign-ins.ts';

const MADE = { link: 'link-1', devices: [] };

onEachEngine('link sessions', (engine) => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  let sessions: LinkSessions;
  before(async () => {
    place = await makePlace(engine);
    clock = turnedClock();
    database = await place.open(clock);
    sessions = createLinkSessions({
      store: createSignInStore(database),
      adapters: new Map(),
      publicUrl: () => 'https://elnav.example',
      requireGateway: async () => {},
      clock,
      random: systemRandom,
    });
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  const begin = async () => {
    const { session } = await sessions.begin({
      account: 1,
      userRef: 'anna',
      vendor: undefined,
      redirectUri: undefined,
    });
    return { session, row: await sessions.open(session) };
  };

  it('link sessions are used once, and show what came of it to the browser that did', async () => {
    const { session, row } = await begin();
    assert.equal(await sessions.usedBy('mine', session), undefined, 'it is not used yet');
    let done = 0;
    const use = () =>
      sessions.use(row, {
        browser: 'mine',
        vendor: 'easee',
        work: async () => {
          done += 1;
          assert.equal((await sessions.usedBy('mine', session))?.linked, null, 'it is at work');
          return MADE;
        },
      });
    const ended = await Promise.allSettled([use(), use()]);
    assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(done, 1);
    const used = await sessions.usedBy('mine', session);
    assert.deepEqual(used?.linked, { vendor: 'easee', link: 'link-1' });
    assert.equal(await sessions.usedBy('another', session), undefined);
    assert.equal(await sessions.usedBy(undefined, session), undefined);
    clock.turn(86_400_000);
    assert.equal(await sessions.usedBy('mine', session), undefined, 'the day is over');
  });

  it('link sessions can be used again two minutes after a process was killed at work', async () => {
    const { session, row } = await begin();
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
    const work = () => {
      begins();
      return new Promise<never>(() => {});
    };
    void sessions.use(row, { browser: 'mine', vendor: 'easee', work });
    await begun;
    const again = { browser: 'mine', vendor: 'easee', work: async () => MADE };
    clock.turn(119_999);
    await assert.rejects(sessions.open(session), { code: 'session.invalid' });
    await assert.rejects(sessions.use(row, again), { code: 'session.invalid' });
    clock.turn(1);
    assert.equal(await sessions.usedBy('mine', session), undefined, 'nothing is waited for');
    await sessions.use(await sessions.open(session), again);
    clock.turn(600_000);
    await assert.rejects(sessions.use(row, again), { code: 'session.invalid' }, 'what is linked stays so');
  });

  it('link sessions can be used again after work that failed, by any browser', async () => {
    const { session, row } = await begin();
    const work = async () => {
      throw new AppError('vendor.unreachable', 'it is unreachable');
    };
    await assert.rejects(sessions.use(row, { browser: 'mine', vendor: 'easee', work }), {
      code: 'vendor.unreachable',
    });
    assert.equal(await sessions.usedBy('mine', session), undefined);
    const program = { browser: undefined, vendor: 'sandbox', work: async () => MADE };
    await sessions.use(await sessions.open(session), program);
    // Another tab, that was open before, gives up.
    await sessions.fail(row, 'cancelled');
    const { status, reason } = await sessions.view(1, session);
    assert.deepEqual([status, reason], ['linked', null]);
    assert.equal(await sessions.usedBy(undefined, session), undefined);
    await assert.rejects(sessions.open(session), { code: 'session.invalid' });
  });
});
