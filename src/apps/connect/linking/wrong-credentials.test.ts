import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { silentLog } from '../../../core/log.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import { createLimits } from '../../../http/rate-limit.ts';
import { type GuessLimit, guessLimit } from './wrong-credentials.ts';

describe('the limit of wrong credentials', () => {
  const { adapter } = testVendor();
  let guarded: GuessLimit;
  let sent: number;
  beforeEach(() => {
    const accounts = {} as unknown as Accounts;
    const limits = createLimits({ accounts, clock: turnedClock(), log: silentLog, redis: undefined });
    guarded = guessLimit(new Map([[adapter.slug, adapter]]), limits);
    sent = 0;
  });

  const guess = (user: string, password: string) =>
    guarded({ account: 1, vendor: adapter.slug, credentials: { user, password } }, async () => {
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
});
