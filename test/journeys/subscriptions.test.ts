import assert from 'node:assert/strict';
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { after, afterEach, before, beforeEach, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../src/core/durations.ts';
import { Expired } from '../../src/domain/records/events/index.ts';
import { createEventStore } from '../../src/domain/records/events/store.ts';
import type { Wanted } from '../../src/domain/records/subscriptions/index.ts';
import { createSubscriptionStore } from '../../src/domain/records/subscriptions/store.ts';
import { type Core, type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { attemptsOf, turnUntil as turnOnUntil, usersOf, writeEvents } from '../kit/deliveries.ts';
import { answers, hangs, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';

onEachEngine('subscriptions', (engine) => {
  const clock = runningClock();
  let core: CoreWorld;
  let account: number;
  let receiver: Receiver;
  before(async () => {
    core = await makeCoreWorld(engine, [], { clock });
    core.subscriptions.start();
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    receiver = await makeReceiver();
  });
  afterEach(() => receiver.close());

  const subscribe = (more: Partial<Wanted> = {}, signature: 'hmac-sha256' | 'ed25519' = 'hmac-sha256') =>
    core.subscriptions.create(
      account,
      { url: receiver.url, types: null, device: null, userRef: null, ...more },
      signature,
    );
  /** Writes so many events of devices in turn, and answers what a receiver shall get. */
  const write = (count: number, { devices = ['a', 'b'], of = account, in: on = core as Core } = {}) =>
    writeEvents(on, of, { count, devices });
  const handled = (names: readonly string[]) =>
    until(`${names.length} events are handled`, () => usersOf(receiver.handled).length >= names.length).then(
      () => assert.deepEqual(usersOf(receiver.handled), names),
    );
  const key = (id: string) => ({ account, id });
  const failed = (id: string, failures: number) => attemptsOf(core, key(id)).failed(failures);
  const turnToNext = (id: string) => attemptsOf(core, key(id)).turnToNext();
  const nextAttempt = (id: string) => attemptsOf(core, key(id)).next();
  const turnUntil = (what: string, ms: number, holds: () => boolean | Promise<boolean>) =>
    turnOnUntil(core, what, { ms, holds });
  const paused = (id: string, step = HOUR_MS) =>
    turnUntil('it is paused', step, async () => (await core.subscriptions.find(key(id))).status === 'paused');

  it('subscriptions post what happens in its order, signed', async () => {
    const { secret } = await subscribe();
    await handled(await write(5));
    for (const { headers, body } of receiver.received) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const hmacKey = Buffer.from(secret?.replace('whsec_', '') ?? '', 'base64');
      const signature = createHmac('sha256', hmacKey).update(signed).digest('base64');
      assert.equal(headers['webhook-signature'], `v1,${signature}`);
      assert.equal(headers['content-type'], 'application/json');
    }
    assert.equal(
      new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size,
      receiver.received.length,
    );
  });

  it('subscriptions of a suspended account wait, keep their place, and go on afterwards', async () => {
    const suspend = (at: number | null) =>
      core.database.queries
        .updateTable('accounts')
        .set({ suspended_at: at })
        .where('id', '=', account)
        .execute();
    await subscribe();
    await suspend(1);
    const names = await write(3);
    const other = await core.newAccount();
    const theirs = await makeReceiver();
    await core.subscriptions.create(
      other,
      { url: theirs.url, types: null, device: null, userRef: null },
      'hmac-sha256',
    );
    await write(3, { of: other });
    await until('the other account gets its events', () => theirs.handled.length >= 3);
    await theirs.close();
    assert.equal(receiver.received.length, 0);
    await suspend(null);
    await handled(names);
  });

  it('subscriptions are signed with Ed25519 where that is wanted', async () => {
    const { public_key: publicKey, secret } = await subscribe({}, 'ed25519');
    assert.equal(secret, null);
    assert.match(publicKey ?? '', /^whpk_/);
    await handled(await write(1));
    const [{ headers = {}, body = '' } = {}] = receiver.received;
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(publicKey?.slice(5) ?? '', 'base64'),
    ]);
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    const [version, signature = ''] = headers['webhook-signature']?.split(',') ?? [];
    assert.equal(version, 'v1a');
    const trusted = createPublicKey({ key: der, format: 'der', type: 'spki' });
    assert.ok(verify(null, signed, trusted, Buffer.from(signature, 'base64')));
  });

  it('subscriptions send up to 100 events at a time, and only those that are wanted', async () => {
    const { id } = await subscribe({ device: 'a', types: ['device.reachable'] });
    receiver.behaviour = answers(500);
    await write(1, { devices: ['a'] });
    await failed(id, 1);
    receiver.received.length = 0;
    const all = await write(249, { devices: ['a', 'b'] });
    // PostgreSQL shows events once all transactions that began before them have ended.
    const whole = { account, after: undefined, filter: {}, limit: 1_000 };
    await until('all can be read', async () => (await core.eventLog.page(whole)).events.length === 250);
    receiver.behaviour = answers(204);
    await turnToNext(id);
    await until('all of device a are handled', () => receiver.handled.length === 1 + 125);
    assert.deepEqual(
      usersOf(receiver.handled).slice(1),
      all.filter((_, index) => index % 2 === 0),
    );
    const sizes = receiver.received
      .filter(({ events }) => events.length > 1)
      .map(({ events }) => events.length);
    assert.equal(sizes[0], 100);
    await write(3, { devices: ['b'] });
    await turnUntil('the cursor is beyond what is not wanted', 1_000, async () => {
      return (await core.subscriptions.find(key(id))).lag_seconds === 0;
    });
    assert.equal(receiver.handled.length, 126);
  });

  it('subscriptions repeat the same events with the same id while a receiver answers 500 for a day, and go on then', async () => {
    const { id } = await subscribe();
    receiver.behaviour = answers(500, 'out of order');
    const first = await write(2);
    await failed(id, 1);
    const begun = clock.now();
    const second = await write(150);
    while (clock.now() - begun < DAY_MS) await nextAttempt(id);
    const repeated = new Set(
      receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`),
    );
    assert.equal(repeated.size, 1);
    const seen = await core.subscriptions.find(key(id));
    assert.deepEqual([seen.status, seen.reason], ['active', null]);
    assert.ok(seen.lag_seconds > 20 * 3_600, String(seen.lag_seconds));
    const [attempt] = await core.subscriptions.attempts(key(id));
    assert.deepEqual(
      [attempt?.status, attempt?.error, attempt?.response],
      [500, 'the receiver answered 500, which is no 2xx', 'out of order'],
    );
    receiver.behaviour = answers(204);
    await turnToNext(id);
    await handled([...first, ...second]);
    assert.equal((await core.subscriptions.find(key(id))).failures, 0);
  });

  it('subscriptions wait as long as a receiver asks them to, an hour at most', async () => {
    const { id } = await subscribe();
    const waits: number[] = [];
    for (const [index, asked] of ['600', '86400', 'soon'].entries()) {
      receiver.behaviour = answers(503, '', { 'retry-after': asked });
      if (index === 0) await write(1);
      else await turnToNext(id);
      await failed(id, index + 1);
      const { next_attempt_at: next } = await core.subscriptions.find(key(id));
      waits.push(Math.round((Date.parse(next ?? '') - clock.now()) / 60_000));
    }
    assert.deepEqual(waits, [10, 60, 0]);
  });

  it('subscriptions give every event once and in order to a receiver that was away for 27 hours', async () => {
    const { id } = await subscribe();
    const url = new URL(receiver.url);
    await receiver.close();
    const all: string[] = [];
    for (let hour = 0; hour < 27; hour += 1) {
      all.push(...(await write(8)));
      await failed(id, 1);
      await nextAttempt(id);
      clock.turn(HOUR_MS);
    }
    receiver = await makeReceiver(Number(url.port));
    await turnToNext(id);
    await handled(all);
  });

  it('subscriptions are paused after 72 hours of failures, keep their place, and deliver all of it when resumed', async () => {
    const { id } = await subscribe();
    receiver.behaviour = answers(503);
    const first = await write(3);
    await failed(id, 1);
    const begun = clock.now();
    while ((await core.subscriptions.find(key(id))).status === 'active') await nextAttempt(id);
    const { reason, next_attempt_at: next } = await core.subscriptions.find(key(id));
    assert.deepEqual([reason, next], ['failing', null]);
    assert.ok(clock.now() - begun >= 72 * HOUR_MS && clock.now() - begun < 74 * HOUR_MS);
    const tries = receiver.received.length;
    const second = await write(3);
    clock.turn(2 * HOUR_MS);
    receiver.behaviour = answers(204);
    const resumed = await core.subscriptions.resume(key(id));
    assert.deepEqual([resumed.status, resumed.reason, resumed.lost], ['active', null, null]);
    await until('all is handled', () => receiver.handled.length === 7);
    assert.deepEqual(usersOf(receiver.handled), [...first, ...second]);
    // It is told afterwards itself, as others of the account were at once.
    const pause = receiver.handled.find(({ type }) => type === 'subscription.paused');
    assert.deepEqual(pause?.data, { subscription_id: id, url: receiver.url, reason: 'failing' });
    assert.ok(receiver.received.length - tries <= 2, 'nothing is sent while it is paused');
  });

  it('subscriptions end with 410, until they are resumed', async () => {
    const { id } = await subscribe();
    receiver.behaviour = answers(410);
    const first = await write(1);
    await paused(id, 1);
    assert.equal((await core.subscriptions.find(key(id))).reason, 'gone');
    assert.equal(receiver.received.length, 1);
    receiver.behaviour = answers(204);
    await core.subscriptions.resume(key(id));
    await handled(first);
  });

  it('subscriptions give up a receiver that hangs after 15 seconds, one that drips, and one that redirects', async () => {
    const { id } = await subscribe();
    let drops = 0;
    receiver.behaviour = hangs;
    await write(1);
    await until('it is sent', () => receiver.received.length === 1);
    clock.turn(15_000);
    await failed(id, 1);
    receiver.behaviour = (_, response) => {
      response.writeHead(500);
      const dripping = setInterval(() => {
        response.write('.');
        drops += 1;
      }, 5);
      response.once('close', () => clearInterval(dripping));
    };
    await turnToNext(id);
    await until('it drips', () => drops > 20);
    await turnUntil('it is cut off', 100, async () => {
      return (await core.subscriptions.find(key(id))).failures >= 2;
    });
    receiver.behaviour = answers(302, 'moved', { location: '/elsewhere' });
    await nextAttempt(id);
    const [redirected, dripped, hung] = await core.subscriptions.attempts(key(id));
    assert.match(redirected?.error ?? '', /redirects \(302\), which is not followed/);
    assert.deepEqual([dripped?.status, dripped?.response?.startsWith('.')], [500, true]);
    assert.deepEqual([hung?.status, hung?.error], [null, 'the receiver did not respond in time']);
    assert.ok((hung?.duration_ms ?? 0) >= 15_000);
    assert.ok(receiver.received.every(({ path }) => path === '/events'));
  });

  it('subscriptions have two signatures for a day after a rotation', async () => {
    const { id, secret } = await subscribe();
    const { secret: next } = await core.subscriptions.rotate(key(id));
    assert.notEqual(next, secret);
    await handled(await write(1));
    await until('the end of it is stored', async () => {
      return (await core.subscriptions.attempts(key(id))).length === 1;
    });
    const signedBy = (given: string | null, index: number) => {
      const { headers = {}, body = '' } = receiver.received[index] ?? {};
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      return createHmac('sha256', Buffer.from(given?.slice(6) ?? '', 'base64'))
        .update(signed)
        .digest('base64');
    };
    const header = (index: number) => receiver.received[index]?.headers['webhook-signature'];
    assert.equal(header(0), `v1,${signedBy(next, 0)} v1,${signedBy(secret, 0)}`);
    clock.turn(DAY_MS);
    await write(1);
    await until('it is handled', () => receiver.handled.length === 2);
    assert.equal(header(1), `v1,${signedBy(next, 1)}`);
  });

  it('subscriptions deliver again from a cursor, or from the oldest event that is kept', async () => {
    const { id } = await subscribe();
    const all = await write(4, { devices: ['a'] });
    await handled(all);
    const page = await core.eventLog.page({ account, after: undefined, filter: {}, limit: 2 });
    await core.subscriptions.replay(key(id), page.end);
    await handled([...all, ...all.slice(2)]);
    await core.subscriptions.replay(key(id), undefined);
    await handled([...all, ...all.slice(2), ...all]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(
      new Set(ids).size,
      ids.length,
      'a receiver that knows the ids of deliveries takes a replay for new',
    );
  });

  it('subscriptions say what was lost where the log does not reach back that far', async () => {
    const { id } = await subscribe();
    const quiet = await subscribe({ types: ['link.removed'] });
    receiver.behaviour = answers(410);
    const before = await core.eventLog.bounds();
    await write(5);
    await paused(id, 1);
    clock.turn(40 * DAY_MS);
    const kept = await write(2);
    const turnedAt = clock.now();
    // Once an hour; before that, its place is one that the log does not reach back to either.
    await turnUntil('the quiet one goes on', HOUR_MS, async () => {
      const { covered_at } = await core.database.queries
        .selectFrom('subscriptions')
        .select('covered_at')
        .where('account_id', '=', account)
        .where('id', '=', quiet.id)
        .executeTakeFirstOrThrow();
      return covered_at >= turnedAt;
    });
    await createEventStore(core.database).removeBefore(clock.now() - 30 * DAY_MS, 10_000);
    await assert.rejects(core.subscriptions.replay(key(id), before.end), Expired);
    receiver.behaviour = answers(204);
    const { lost } = await core.subscriptions.resume(key(id));
    assert.ok(
      lost !== null && Date.parse(lost.to) - Date.parse(lost.from) > 39 * DAY_MS,
      JSON.stringify(lost),
    );
    await handled(kept);
    assert.equal((await core.subscriptions.find(key(quiet.id))).lost, null);
  });

  it('subscriptions are delivered by another process once the claim of one that died has expired', async (t) => {
    const died = await makeCoreWorld(engine, [], { clock });
    t.after(() => died.remove());
    const store = createSubscriptionStore(died.database);
    const of = await died.newAccount();
    const wanted = { url: receiver.url, types: null, device: null, userRef: null };
    const { id } = await died.subscriptions.create(of, wanted, 'hmac-sha256');
    const all = await write(2, { of, in: died });
    const { heldSince } = createEventStore(died.database);
    await until('what is committed can be read', async () => (await heldSince()) === null);
    const claim = () =>
      store.claim({ queue: 'first', without: [], accounts: [of], most: 5, claimMs: 30_000 });
    const [claimed] = await claim();
    assert.equal(claimed?.id, id);
    assert.deepEqual(await claim(), [], 'nobody else gets it meanwhile');
    clock.turn(30_000);
    const [again] = await claim();
    assert.equal(again?.id, id);
    assert.ok(claimed !== undefined);
    const late = { row: claimed, freeAt: 0, cursor: { tx: 9, id: 9 }, coveredAt: 0, pending: 0, failures: 9 };
    const ended = { failingSince: 1, retryAt: 0, reason: 'gone' as const, lost: null, attempt: null };
    assert.equal(await store.finish({ ...late, ...ended }), false);
    assert.equal((await died.subscriptions.find({ account: of, id })).status, 'active');
    died.subscriptions.start();
    await turnUntil('the claim expires', 1_000, () => receiver.handled.length === 2);
    assert.deepEqual(usersOf(receiver.handled), all);
  });
});
