import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import type { Tokens } from '../../../adapter/login.ts';
import { turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import { createVault } from '../../vendor-calls/calls/index.ts';
import { createLinkCodes } from './link-codes.ts';

onEachEngine('link codes', (engine) => {
  const clock = turnedClock();
  const tokens = { access: 'canary-access', refresh: 'r', expiresAt: 1 };
  let place: Place;
  let database: Database;
  const codes = () => {
    const vault = createVault([{ id: 'k', key: Buffer.alloc(32) }], systemRandom);
    return createLinkCodes({ database, vault, clock, random: systemRandom });
  };
  const same = async (given: Tokens) => given;
  const rows = () => database.queries.selectFrom('link_codes').selectAll().execute();
  before(async () => {
    place = await makePlace(engine);
    database = await place.open(clock);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  it('link codes stand for the tokens once, at their vendor, and are stored without what they stand for', async () => {
    const { code } = await codes().issue('v', tokens);
    const stored = JSON.stringify(await rows());
    assert.ok(!stored.includes(code) && !stored.includes('canary-access'));
    assert.deepEqual(await codes().spend('v', code, same), tokens);
    await assert.rejects(codes().spend('v', code, same), { code: 'link.credentials_refused' });
    const other = await codes().issue('v', tokens);
    await assert.rejects(codes().spend('w', other.code, same), /belongs to the vendor v, not to w/);
    await assert.rejects(codes().spend('v', other.code, same), { code: 'link.credentials_refused' });
  });

  it('link codes of two that spend one at once serve one', async () => {
    const { code } = await codes().issue('v', tokens);
    const spent = await Promise.allSettled([codes().spend('v', code, same), codes().spend('v', code, same)]);
    assert.deepEqual(spent.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it('link codes are good again when the vendor was away, and spent when it refused', async () => {
    const failing = (code: 'vendor.unreachable' | 'link.credentials_refused') => async () => {
      throw new AppError(code, 'no');
    };
    const { code } = await codes().issue('v', tokens);
    await assert.rejects(codes().spend('v', code, failing('vendor.unreachable')), {
      code: 'vendor.unreachable',
    });
    assert.deepEqual(await codes().spend('v', code, same), tokens);
    const other = await codes().issue('v', tokens);
    await assert.rejects(codes().spend('v', other.code, failing('link.credentials_refused')));
    await assert.rejects(codes().spend('v', other.code, same), { code: 'link.credentials_refused' });
  });

  it('link codes end after a quarter of an hour, and are not kept longer than until the next one is made', async () => {
    const { code, expiresAt } = await codes().issue('v', tokens);
    assert.equal(expiresAt, clock.now() + 900_000);
    clock.turn(900_000);
    await assert.rejects(codes().spend('v', code, same), { code: 'link.credentials_refused' });
    await codes().issue('v', tokens);
    assert.equal((await rows()).length, 1);
  });
});
