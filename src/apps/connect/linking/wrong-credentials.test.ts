import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { silentLog } from '../../../core/log.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import { createLimits } from '../../../http/rate-limit.ts';
import { type GuessLimit, guessLimit } from './wrong-credentials.ts';

const PRO = 2;

describe('the limit of wrong credentials', () => {
  const { adapter } = testVendor();
  let guarded: GuessLimit;
  let clock: TurnedClock;
  let sent: number;
  beforeEach(() => {
    const accounts = {} as unknown as Accounts;
    clock = turnedClock();
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    guarded = guessLimit({
      adapters: new Map([[adapter.slug, adapter]]),
      limits,
      tierOf: async (account) => (account === PRO ? 'pro' : 'free'),
    });
    sent = 0;
  });

  const guess = (user: string, password: string, account = 1) =>
    guarded({ account, vendor: adapter.slug, credentials: { user, password } }, async () => {
      sent += 1;
      await new Promise(setImmediate);
      if (password !== 'right') throw new AppError('link.credentials_refused', 'refused');
    });
  const codesOf = async (guesses: readonly Promise<void>[]) => {
    const ended = await Promise.allSettled(guesses);
    return ended.map((one) => (one.status === 'fulfilled' ? null : (one.reason as AppError).code));
  };

  it('the limit of wrong credentials sends no more than ten to the vendor, also of many at once', async () => {
    const codes = await codesOf(Array.from({ length: 40 }, (_, index) => guess('anna', `p${index}`)));
    assert.equal(sent, 10);
    assert.deepEqual(new Set(codes), new Set(['link.credentials_refused', 'limit.exceeded', 'limit.busy']));
    assert.deepEqual(await codesOf([guess('anna', 'right')]), ['limit.exceeded']);
    assert.deepEqual(await codesOf([guess('bo', 'right')]), [null], 'other users are not slowed down');
  });

  it('the limit of wrong credentials counts no try that the vendor accepts, and refuses none of a few at once', async () => {
    for (let round = 0; round < 4; round += 1)
      assert.deepEqual(
        new Set(await codesOf(Array.from({ length: 8 }, () => guess('anna', 'right')))),
        new Set([null]),
      );
    assert.equal(sent, 32);
  });

  /** Tries a password of so many users at once; answers how many of them the vendor has seen. */
  const seenOf = async (name: string, users: number, account = 1): Promise<number> => {
    const before = sent;
    await codesOf(Array.from({ length: users }, (_, index) => guess(`${name}-${index}`, 'stolen', account)));
    return sent - before;
  };

  it('the limit of wrong credentials lets a vendor refuse ten users of a free account in an hour, also of many at once', async () => {
    const seen = await seenOf('first', 150);
    assert.ok(seen >= 10 && seen < 14, `${seen} users were tried`);
    assert.deepEqual(await codesOf([guess('anna', 'right')]), ['limit.exceeded']);
    assert.deepEqual(
      await codesOf([guess('first-0', 'stolen')]),
      ['link.credentials_refused'],
      'no other user',
    );
    assert.deepEqual(
      await codesOf([guess('anna', 'right', 3)]),
      [null],
      'another account is not slowed down',
    );
    clock.turn(HOUR_MS);
    assert.deepEqual(await codesOf([guess('anna', 'right')]), [null]);
  });

  it('the limit of wrong credentials lets a vendor refuse a hundred users of a free account in a day, and a hundred in an hour of a large one', async () => {
    const large = await seenOf('large', 200, PRO);
    assert.ok(large >= 100 && large < 104, `${large} users were tried`);
    let seen = 0;
    for (let hour = 0; hour < 12; hour += 1) {
      seen += await seenOf(`hour-${hour}`, 12);
      clock.turn(HOUR_MS);
    }
    assert.ok(seen >= 100 && seen < 140, `${seen} users were tried`);
    assert.deepEqual(await codesOf([guess('anna', 'right')]), ['limit.exceeded']);
    clock.turn(DAY_MS);
    assert.deepEqual(await codesOf([guess('anna', 'right')]), [null]);
  });

  it('the limit of wrong credentials counts a user once, however often the password is mistyped', async () => {
    for (let again = 0; again < 9; again += 1) await codesOf([guess('anna', `p${again}`)]);
    assert.deepEqual(await codesOf([guess('bo', 'right')]), [null]);
    assert.equal(await seenOf('other', 9), 9);
  });
});
