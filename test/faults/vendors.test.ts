import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePlace, type Place } from '../kit/databases.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
} from '../kit/service.ts';

interface ListedLink {
  readonly status: string;
  readonly status_reason: string | null;
}

describe('a vendor that fails', () => {
  let place: Place;
  let service: Service;
  let call: Call;
  let base: string;

  before(async () => {
    place = await makePlace('sqlite');
    service = await startService({ env: { ...envOf(place), ELNAV_LOG_LEVEL: 'silent' } });
    base = service.connect;
    call = callWith((await openAccount(service.grid)).key);
  });
  after(async () => {
    await stopService(service);
    await place.remove();
  });

  async function linkLamp(userRef: string, faultOfIt: string | null): Promise<string> {
    const body = { vendor: 'sandbox', user_ref: userRef, credentials: { device_types: ['light'] } };
    const { body: linked } = await call(base, { path: '/link', body });
    const id = (linked as { devices: { id: string }[] }).devices[0]?.id ?? '';
    assert.equal((await call(base, { path: `/devices/${id}` })).status, 200);
    await fault(id, faultOfIt);
    return id;
  }
  async function fault(id: string, fail: string | null): Promise<void> {
    const answer = await call(base, { path: `/sandbox/devices/${id}`, body: { fail } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
  async function linkOf(userRef: string): Promise<ListedLink | undefined> {
    const links = (await call(base, { path: '/links' })).body as (ListedLink & { user_ref: string })[];
    return links.find(({ user_ref }) => user_ref === userRef);
  }
  const turnOff = (id: string, headers = {}) =>
    call(base, { path: `/devices/${id}/command`, body: { type: 'turn_off' }, headers });

  const kinds = [
    ['refuse', ['vendor.refused', 'vendor.refused'], /fail": "refuse"|refuse/, null],
    [
      'garbage',
      ['vendor.answer_invalid', 'command.outcome_unknown'],
      /was not understood|no answer that tells what became of it/,
      null,
    ],
    ['rate_limited', ['vendor.rate_limited', 'vendor.rate_limited'], /retry in 30 seconds/, '30'],
  ] as const;
  for (const [kind, [ofRead, ofCommand], sentence, retryAfter] of kinds) {
    it(`a vendor that fails with ${kind} gives a 502 that says so, and leaves the link active`, async () => {
      const id = await linkLamp(kind, kind);
      const answers = [
        [await call(base, { path: `/devices/${id}` }), ofRead],
        [await turnOff(id), ofCommand],
      ] as const;
      for (const [answer, code] of answers) {
        assert.equal(answer.status, 502);
        assert.equal(answer.headers.get('elnav-error'), code);
        assert.equal(answer.headers.get('retry-after'), retryAfter);
        assert.match((answer.body as { error: string }).error, sentence);
        assert.doesNotMatch(JSON.stringify(answer.body), /html|\\u00ff|stack/i);
      }
      assert.equal((await linkOf(kind))?.status, 'active');
      const listed = JSON.stringify((await call(base, { path: '/devices' })).body);
      assert.match(listed, new RegExp(`${id}.*"online":true`), 'the last state stays listed');
      await fault(id, null);
      assert.equal((await turnOff(id)).status, 200);
    });
  }

  it('a vendor that fails without a response delays nobody else, and gives a 502 within 15 seconds', async (t) => {
    const silent = await Promise.all(
      Array.from({ length: 20 }, (_, index) => linkLamp(`silent-${index}`, 'timeout')),
    );
    const well = await linkLamp('well', null);
    const began = performance.now();
    const hanging = silent.flatMap((id, index) => [
      call(base, { path: `/devices/${id}` }),
      turnOff(id, { 'idempotency-key': `silent-${index}` }),
    ]);
    let done = false;
    const all = Promise.all(hanging).finally(() => {
      done = true;
    });
    let slowest = 0;
    let others = 0;
    while (!done) {
      const from = performance.now();
      const answers = [await call(base, { path: `/devices/${well}` }), await turnOff(well)];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
      slowest = Math.max(slowest, performance.now() - from);
      others += answers.length;
    }
    const answers = await all;
    const took = performance.now() - began;
    for (const answer of answers) {
      assert.equal(answer.status, 502);
      assert.equal(answer.headers.get('elnav-error'), 'vendor.timeout');
      assert.match((answer.body as { error: string }).error, /sandbox did not respond/);
    }
    assert.ok(took < 15_000, `${took} ms`);
    assert.ok(others > 100, `only ${others} other requests were answered`);
    assert.ok(slowest < 2_000, `another device waited ${slowest} ms`);
    t.diagnostic(`${others} others meanwhile; two of them together took at most ${Math.round(slowest)} ms`);

    const link = await linkOf('silent-0');
    assert.equal(link?.status, 'unreachable');
    assert.match(link?.status_reason ?? '', /did not respond/);
    const replay = await turnOff(silent[0] ?? '', { 'idempotency-key': 'silent-0' });
    assert.equal(replay.headers.get('elnav-error'), 'vendor.timeout', 'the command is not sent again');
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    await fault(silent[0] ?? '', null);
    assert.equal((await call(base, { path: `/devices/${silent[0]}` })).status, 200);
    assert.equal((await linkOf('silent-0'))?.status, 'active');
  });
});
