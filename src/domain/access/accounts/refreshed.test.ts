import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN, TEST_KEYS } from '../../../../test/kit/accounts.ts';
import { ENGINES, makePlace } from '../../../../test/kit/databases.ts';
import { tcpProxy } from '../../../../test/kit/tcp-proxy.ts';
import { until } from '../../../../test/kit/until.ts';
import { systemClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createAccounts } from './index.ts';

describe('a revocation that an instance does not confirm', {
  skip: ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set',
}, () => {
  it('a revocation that an instance does not confirm reports that it is stored but not confirmed everywhere; a retry reaches every instance', async () => {
    const place = await makePlace('postgres');
    const wire = await tcpProxy(place.url ?? '');
    const here = await place.open();
    const there = await place.through(wire.through(place.url ?? '')).open();
    const accounts = await createAccounts({
      database: here,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      vaultKeys: TEST_KEYS,
    });
    const { id } = await accounts.users.create({ email: 'a@example.com', name: '', tier: 'free' }, ADMIN);
    const key = await accounts.keys.create(id, { label: '' }, ADMIN);
    wire.freeze();
    await assert.rejects(accounts.keys.revoke(key.id, ADMIN), {
      code: 'database.unavailable',
      message: /^the change is stored, but not everywhere yet: 1 of .*send the request again/,
    });
    await assert.rejects(async () => accounts.authenticate(key.api_key), { code: 'key.invalid' });
    await until('the other instance notices that its bus is down', () => !there.bus.live);
    await wire.resume();
    await until('the other instance is connected again', () => there.bus.live);
    assert.notEqual((await accounts.keys.revoke(key.id, ADMIN)).revoked_at, null);
    await accounts.close();
    await here.close();
    await there.close();
    await wire.close();
    await place.remove();
  });
});
