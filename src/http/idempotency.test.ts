import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { until } from '../../test/kit/until.ts';
import { testVendor } from '../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, VAULT_KEYS, type World } from '../../test/kit/world.ts';
import { turnedClock } from '../core/clock.ts';
import { HOUR_MS } from '../core/durations.ts';
import { AppError } from '../core/errors.ts';
import { createKeyedHash } from '../core/keyed-hash.ts';
import { parseVaultKeys } from '../core/settings/index.ts';

onEachEngine('an idempotency key', (engine) => {
  const clock = turnedClock();
  const vendor = testVendor();
  let world: World;
  let caller: Caller;
  let keys = 0;
  before(async () => {
    world = await makeWorld({ engine, clock, adapters: [vendor.adapter] });
  });
  after(() => world.close());
  beforeEach(async () => {
    caller = await world.newAccount();
    vendor.onCommand = async () => {};
    vendor.onLink = async () => {};
    vendor.onRead = async () => {};
    vendor.calls.length = 0;
    keys += 1;
    await post(caller, '/link', LINK);
    vendor.calls.length = 0;
  });

  const LINK = { vendor: 'testvendor', user_ref: 'u', credentials: { user: 'u', password: 'p' } };
  const COMMAND = '/devices/light-1/command';

  /** Sends with the test's key, unless another is given. */
  async function post(who: Caller, path: string, body: unknown, key: string | null = null) {
    const response = await fetch(`${world.connect}${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': who.key,
        'content-type': 'application/json',
        ...(path === '/link' && key === null ? {} : { 'idempotency-key': key ?? `key ${keys}` }),
      },
      body: JSON.stringify(body),
    });
    const { status, headers } = response;
    return {
      status,
      text: await response.text(),
      code: headers.get('elnav-error'),
      type: headers.get('content-type'),
      retryAfter: headers.get('retry-after'),
      replayed: headers.get('idempotent-replayed'),
    };
  }

  const without = ({ replayed, ...answer }: Awaited<ReturnType<typeof post>>) => {
    assert.ok(replayed === null || replayed === 'true');
    return answer;
  };

  it('an idempotency key returns the same bytes again without calling the vendor', async () => {
    const first = await post(caller, COMMAND, { type: 'turn_on' });
    assert.equal(first.status, 200);
    assert.equal(first.replayed, null);
    vendor.reading = { online: true, on: true, watt: 77 };
    const again = await post(caller, COMMAND, { type: 'turn_on' });
    assert.equal(again.replayed, 'true');
    assert.deepEqual(without(again), without(first));
    assert.equal(vendor.count('command'), 1);

    const linked = await post(caller, '/link', LINK, 'link key');
    const linkedAgain = await post(caller, '/link', LINK, 'link key');
    assert.deepEqual(without(linkedAgain), without(linked));
    assert.equal(linkedAgain.replayed, 'true');
    assert.equal(vendor.count('link'), 1);
  });

  it('an idempotency key returns the same failure again', async () => {
    const failures: readonly [string, () => Promise<void>][] = [
      ['vendor.refused', () => Promise.reject(new AppError('vendor.refused', 'the lamp is broken'))],
      [
        'vendor.rate_limited',
        () => Promise.reject(new AppError('vendor.rate_limited', 'slowly', { retryAfterSeconds: 30 })),
      ],
      ['vendor.answer_invalid', () => Promise.reject(new TypeError('unexpected'))],
    ];
    for (const [code, onCommand] of failures) {
      vendor.onCommand = onCommand;
      const first = await post(caller, COMMAND, { type: 'turn_on' }, code);
      vendor.onCommand = async () => {};
      const again = await post(caller, COMMAND, { type: 'turn_on' }, code);
      assert.equal(first.code, code);
      assert.deepEqual({ ...without(again), retryAfter: null }, { ...without(first), retryAfter: null });
      assert.equal(again.replayed, 'true');
    }
    assert.equal(vendor.count('command'), failures.length);
  });

  it('an idempotency key is refused with a different request', async () => {
    await post(caller, COMMAND, { type: 'turn_on' });
    for (const [path, body] of [
      [COMMAND, { type: 'turn_off' }],
      [`${COMMAND}?vendor=testvendor`, { type: 'turn_on' }],
    ] as const) {
      const answer = await post(caller, path, body);
      assert.deepEqual([answer.status, answer.code], [422, 'idempotency.mismatch']);
    }
    assert.equal(vendor.count('command'), 1);
  });

  it('an idempotency key is specific to its route and its account', async () => {
    const other = await world.newAccount();
    await post(other, '/link', LINK);
    assert.equal((await post(caller, COMMAND, { type: 'turn_on' })).status, 200);
    const theirs = await post(other, COMMAND, { type: 'turn_off' });
    assert.deepEqual([theirs.status, theirs.replayed], [200, null]);
    const elsewhere = await post(caller, '/link', LINK, `key ${keys}`);
    assert.deepEqual([elsewhere.status, elsewhere.replayed], [200, null]);
  });

  it('an idempotency key gets 409 while the first request runs', async () => {
    const gate = Promise.withResolvers<void>();
    vendor.onCommand = () => gate.promise;
    const first = post(caller, COMMAND, { type: 'turn_on' });
    await until('the vendor has been called', () => vendor.count('command') === 1);
    const second = await post(caller, COMMAND, { type: 'turn_on' });
    assert.deepEqual([second.status, second.code], [409, 'idempotency.in_progress']);
    assert.ok(Number(second.retryAfter) >= 1);
    gate.resolve();
    assert.equal((await first).status, 200);
    assert.equal((await post(caller, COMMAND, { type: 'turn_on' })).replayed, 'true');
    assert.equal(vendor.count('command'), 1);
  });

  it('an idempotency key lets exactly one of many concurrent equal requests run', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(caller, COMMAND, { type: 'turn_on' })),
    );
    assert.equal(vendor.count('command'), 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    assert.ok(answers.some(({ status, replayed }) => status === 200 && replayed === null));
  });

  it('an idempotency key does not store a refusal from before the work began', async () => {
    const refused: readonly [string, unknown, number][] = [
      [COMMAND, { type: 'nonsense' }, 400],
      ['/devices/nothing/command', { type: 'turn_on' }, 404],
      [COMMAND, { type: 'start_charge' }, 422],
      [COMMAND, { type: 'set_light', dim: 101 }, 422],
    ];
    for (const [path, body, status] of refused) assert.equal((await post(caller, path, body)).status, status);
    const taken = await post(caller, COMMAND, { type: 'turn_on' });
    assert.deepEqual([taken.status, taken.replayed], [200, null]);
    const badLink = await post(caller, '/link', { ...LINK, vendor: 'nobody' }, 'link');
    assert.deepEqual([badLink.status, badLink.code], [400, 'vendor.unknown']);
    assert.equal((await post(caller, '/link', LINK, 'link')).status, 200);
  });

  it('an idempotency key expires after 24 hours', async () => {
    await post(caller, COMMAND, { type: 'turn_on' });
    clock.turn(24 * HOUR_MS - 1);
    assert.equal((await post(caller, COMMAND, { type: 'turn_on' })).replayed, 'true');
    clock.turn(1);
    assert.equal((await post(caller, COMMAND, { type: 'turn_off' })).replayed, null);
    assert.equal(vendor.count('command'), 2);
  });

  it('an idempotency key has 1 to 255 printable characters', async () => {
    for (const key of ['x'.repeat(256), 'caf\u00e9', 'a\tb']) {
      const answer = await post(caller, COMMAND, { type: 'turn_on' }, key);
      assert.deepEqual([answer.status, answer.code], [400, 'request.invalid'], key);
    }
    for (const key of ['x'.repeat(255), '!', 'a b', '__proto__', "'; drop table idempotent_requests --"])
      assert.equal((await post(caller, COMMAND, { type: 'turn_on' }, key)).status, 200, key);
  });
});

onEachEngine('a password in a request with an idempotency key', (engine) => {
  it('a password in a request with an idempotency key cannot be guessed from stored data', async () => {
    const place = await makePlace(engine);
    const world = await makeWorld({ engine, place });
    const caller = await world.newAccount();
    const credentials = { identity: 'HOME-7', password: 'canary-sommar-2026' };
    const body = { vendor: 'ocpp', user_ref: 'anna', credentials };
    const linked = await caller.call('POST', '/link', body, { 'idempotency-key': 'order-1' });
    assert.equal(linked.status, 200);
    await world.close();

    const guesses = serialisations(body, ['POST', '/link', 'POST /link', 'order-1', String(caller.userId)]);
    const hashes = new Set(guesses.flatMap((guess) => encodingsOf(hash('sha256', guess, 'buffer'))));
    const database = await place.open();
    const stored = await everyColumn(database);
    await database.close();
    assert.ok(
      stored.some((text) => text.includes('order-1')) && guesses.length > 20,
      'there was something stored',
    );
    assert.deepEqual(
      stored.filter((text) => [...hashes].some((guess) => text.includes(guess))),
      [],
    );
    assert.ok(!stored.some((text) => text.includes(credentials.password)));
    await place.remove();
  });
});

/** Texts that a fingerprint may have been computed from: each part of the body, with and without its surroundings. */
function serialisations(body: { readonly credentials: object }, around: readonly string[]): string[] {
  const { credentials } = body;
  const [method, url] = around;
  const parts: unknown[] = [body, credentials, ...Object.values(credentials)];
  return parts.flatMap((part) => [
    JSON.stringify(part),
    JSON.stringify([method, url, part]),
    JSON.stringify({ method, url, body: part }),
    ...(typeof part === 'string' ? [part] : []),
    ...around.flatMap((text) => [`${text}${JSON.stringify(part)}`, `${text} ${JSON.stringify(part)}`]),
  ]);
}

const encodingsOf = (digest: Buffer): string[] =>
  (['hex', 'base64', 'base64url'] as const).map((encoding) => digest.toString(encoding).slice(0, 22));

/** Every value of every row, as text. */
async function everyColumn({ queries }: Awaited<ReturnType<Place['open']>>): Promise<string[]> {
  const texts: string[] = [];
  for (const { name } of await queries.introspection.getTables()) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(queries);
    texts.push(...rows.flatMap((row) => Object.values(row).map(String)));
  }
  return texts;
}

onEachEngine('an idempotency key of a process that died', (engine) => {
  it('an idempotency key of a process that died responds 502, and the command is not sent again', async () => {
    const clock = turnedClock();
    const vendor = testVendor();
    const place = await makePlace(engine);
    const options = { engine, place, clock, adapters: [vendor.adapter] };
    const before = await makeWorld(options);
    const caller = await before.newAccount();
    const body = { vendor: 'testvendor', user_ref: 'u', credentials: { user: 'u', password: 'p' } };
    await caller.call('POST', '/link', body);
    await before.close();

    // The state that a process leaves behind when it is killed between the claim and the response.
    const url = '/devices/light-1/command';
    const command = { type: 'turn_on' };
    const hashes = createKeyedHash(parseVaultKeys(VAULT_KEYS), 'idempotency fingerprint');
    const database = await place.open(clock);
    await database.queries
      .insertInto('idempotent_requests')
      .values({
        account_id: caller.userId,
        route: 'POST /devices/:id/command',
        key: 'k',
        fingerprint: hashes.of(hash('sha256', JSON.stringify(['POST', url, command]), 'hex')),
        fingerprint_key: hashes.currentKey,
        status: 'running',
        started_at: clock.now() - 120_000,
        lease_until: clock.now(),
        claim: 'of-the-process-that-died',
        begun: 1,
        answer_status: null,
        answer_code: null,
        answer_body: null,
      })
      .execute();
    await database.close();

    const world = await makeWorld(options);
    const send = async (key: string) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': caller.key, 'idempotency-key': key };
      const init = { method: 'POST', headers, body: JSON.stringify(command) };
      const { status, headers: responseHeaders } = await fetch(`${world.connect}${url}`, init);
      return [status, responseHeaders.get('elnav-error')];
    };
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(await send('k'), [502, 'command.outcome_unknown']);
    assert.equal(vendor.count('command'), 0);
    assert.deepEqual(await send('another'), [200, null]);
    await world.close();
    await place.remove();
  });
});
