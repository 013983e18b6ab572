import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSubscriptionStore } from '../../src/domain/records/subscriptions/store.ts';
import { makeCoreWorld } from '../kit/core-world.ts';
import { usersOf, writeEvents } from '../kit/deliveries.ts';
import { makeReceiver } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';

it('subscriptions that a killed process was serving are served at once by the next start on the embedded database', async (t) => {
  const clock = runningClock();
  const core = await makeCoreWorld('sqlite', [], { clock });
  const receiver = await makeReceiver();
  t.after(async () => {
    await core.remove();
    await receiver.close();
  });
  const account = await core.newAccount();
  const wanted = { url: receiver.url, types: null, device: null, userRef: null };
  await core.subscriptions.create(account, wanted, 'hmac-sha256');
  const all = await writeEvents(core, account, { count: 2 });
  const claims = createSubscriptionStore(core.database);
  const claimed = await claims.claim({
    queue: 'first',
    without: [],
    accounts: [account],
    most: 5,
    claimMs: 3_600_000,
  });
  assert.equal(claimed.length, 1);
  core.subscriptions.start();
  await until('they are delivered', () => receiver.handled.length === 2);
  assert.deepEqual(usersOf(receiver.handled), all);
});
