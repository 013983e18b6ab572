import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OUTBOUND_ON } from '../../src/core/outbound.ts';
import type { Poster } from '../../src/domain/records/subscriptions/index.ts';
import { createPoster, permittedAddresses } from '../../src/outbound/index.ts';
import { type Core, type CoreWorld, makeCoreWorld, openCore } from '../kit/core-world.ts';
import { ENGINES } from '../kit/databases.ts';
import { usersOf, writeEvents } from '../kit/deliveries.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { answers, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';
const DEVICES = ['a', 'b', 'c'];
/** As long as a process that has died keeps its claims. */
const CLAIM_MS = 30_000;

describe('two instances that deliver for the same subscriptions', { skip }, () => {
  const clock = runningClock();
  let core: CoreWorld;
  let account: number;
  let receiver: Receiver;
  before(async () => {
    core = await makeCoreWorld('postgres', [], { clock });
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
  });
  // What one test leaves to be delivered is nothing to the next one.
  afterEach(async () => {
    for (const { id } of await core.subscriptions.list(account))
      await core.subscriptions.remove({ account, id });
  });

  const write = (by: Core, count: number) => writeEvents(by, account, { count, devices: DEVICES });
  const subscribe = async (path: string) => {
    const wanted = { url: `${receiver.url}/${path}`, types: null, device: null, userRef: null };
    return (await core.subscriptions.create(account, wanted, 'hmac-sha256')).id;
  };
  const usersAt = (path: string) =>
    usersOf(receiver.received.filter((one) => one.path.endsWith(`/${path}`)).flatMap(({ events }) => events));
  const receives = async (test: { after(end: () => Promise<void>): void }) => {
    receiver = await makeReceiver();
    test.after(() => receiver.close());
  };

  it('two instances that deliver for the same subscriptions post each event once and in its order, one delivery of a subscription at a time', async (test) => {
    await receives(test);
    const other = await core.another();
    test.after(() => other.close());
    const underWay = new Map<string, number>();
    let most = 0;
    receiver.behaviour = async (request, response, received) => {
      const now = (underWay.get(received.path) ?? 0) + 1;
      most = Math.max(most, now);
      underWay.set(received.path, now);
      await sleep(3);
      underWay.set(received.path, (underWay.get(received.path) ?? 0) - 1);
      answers(204)(request, response, received);
    };
    const paths = ['x', 'y', 'z'];
    for (const path of paths) await subscribe(path);
    for (const one of [core, other]) one.subscriptions.start();
    const deliveredBy = async (one: Core) => {
      const { values } = await one.metrics.subscriptionDeliveries.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    const names: string[] = [];
    await until('both instances have delivered often', async () => {
      names.push(...(await write(core, 3)), ...(await write(other, 3)));
      return (await deliveredBy(core)) > 5 && (await deliveredBy(other)) > 5;
    });
    await until('all is delivered', () => paths.every((path) => usersAt(path).length >= names.length));
    for (const path of paths) assert.deepEqual(usersAt(path), names, path);
    assert.equal(most, 1);
    await core.subscriptions.stop();
  });

  it('two instances that deliver for the same subscriptions of which one dies, take over what it has claimed once the claim has expired', async (test) => {
    await receives(test);
    const inner = createPoster({
      guard: permittedAddresses(LOOPBACK),
      clock,
      userAgent: 'elnav/test',
      outbound: OUTBOUND_ON,
    });
    const revived = Promise.withResolvers<void>();
    let posted = 0;
    /** Of a process that stalls when the receiver has answered, and that goes on much later. */
    const poster: Poster = {
      check: inner.check,
      async post(...given) {
        const answered = await inner.post(...given);
        posted += 1;
        await revived.promise;
        return answered;
      },
    };
    const died = await openCore({ place: core.place, clock, adapters: [], poster });
    test.after(async () => {
      revived.resolve();
      await died.close();
      await inner.close();
    });
    const id = await subscribe('x');
    died.subscriptions.start();
    const names = await write(core, 3);
    await until('the one that dies has posted some', () => posted === 1);
    const seen = usersAt('x').length;
    await died.subscriptions.stop();

    const living = await core.another();
    test.after(() => living.close());
    living.subscriptions.start();
    clock.turn(CLAIM_MS - 5_000);
    await sleep(300);
    assert.equal(usersAt('x').length, seen, 'the claim of the other still holds');
    clock.turn(6_000);
    await until('the other one has delivered all', () => usersAt('x').length === seen + names.length);
    assert.deepEqual(usersAt('x').slice(seen), names, 'what was posted is posted again, as nobody stored it');

    names.push(...(await write(living, 3)));
    await until('it goes on', () => usersAt('x').length === seen + names.length);
    // What it knows is older than the cursor.
    revived.resolve();
    await sleep(200);
    names.push(...(await write(living, 3)));
    await until('it goes on', () => usersAt('x').length >= seen + names.length);
    await sleep(200);
    assert.deepEqual(usersAt('x').slice(seen), names);
    assert.equal((await core.subscriptions.find({ account, id })).failures, 0);
  });
});
