import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import type { Kept, RequestFacts } from '../../../core/traces.ts';
import { BOUNDS } from './followed.ts';
import { createRequests, type Requests, routeFilter, statusFilter } from './index.ts';

interface Sent {
  readonly id: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number | null;
  readonly ms?: number;
  readonly kept?: Kept;
  readonly facts?: Partial<RequestFacts>;
  readonly work?: () => Promise<void>;
}

const REFUSED = { code: 'vendor.refused', sentence: 'the vendor refused it' } as const;
const isCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('requests by their ids', (engine) => {
  const vendor = testVendor();
  let core: CoreWorld;
  let account: number;
  let metrics: ReturnType<typeof createMetrics>;
  let requests: Requests;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter]);
  });
  after(() => core.remove());
  const open = (keptDays = 7) => {
    metrics = createMetrics();
    const { database, clock } = core;
    return createRequests({
      host: { database, clock, random: systemRandom, log: silentLog, metrics },
      instance: 'here:1',
      keptDays,
    });
  };
  beforeEach(async () => {
    account = await core.newAccount();
    requests = open();
  });

  /** A request from its beginning to its end. */
  async function send({ work = async () => {}, ...sent }: Sent): Promise<void> {
    const { id, method = 'GET', route = '/devices/:id', status = 200, ms = 5, kept = 'failures' } = sent;
    const begun = requests.traces?.request({ service: 'connect', method, route, id, headers: {}, kept });
    assert.ok(begun !== undefined);
    await begun.run(work);
    const facts = {
      ...{ account, keyId: 'k1', caller: String(sent.facts?.account ?? account) },
      ...{ device: null, link: null, vendor: null, error: null },
      ...sent.facts,
    };
    begun.end({ status, durationMs: ms, facts: () => facts });
  }
  const call = (name: string, outcome = 'ok', status?: number) => {
    const made = requests.traces?.call({ vendor: 'testvendor', call: name, link: 'a-link' });
    made?.end({ outcome, status });
    return made;
  };
  const lost = async (reason: string): Promise<number> => {
    const { values } = await metrics.requestsNotKept.get();
    return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  };
  const idsOf = async (query: object = {}): Promise<string[]> =>
    (await requests.ofAccount.list(account, { limit: 100, ...query })).requests.map(
      ({ request_id }) => request_id,
    );

  it('requests by their ids has what failed with its sentence and its calls, and says when nothing is kept', async () => {
    await send({
      id: 'refused-1',
      method: 'POST',
      route: '/devices/:id/command',
      status: 502,
      ms: 40.4,
      kept: 'all',
      facts: { error: REFUSED },
      async work() {
        await setImmediate();
        call('read', 'ok', 200);
        call('command', 'vendor.refused', 409);
      },
    });
    const { at, calls, ...found } = await requests.ofAccount.find(account, 'refused-1');
    assert.equal(at, new Date(core.clock.now() - 40).toISOString());
    assert.deepEqual(found, {
      ...{ request_id: 'refused-1', service: 'connect', method: 'POST', route: '/devices/:id/command' },
      ...{ status: 502, duration_ms: 40, error_code: 'vendor.refused', error: 'the vendor refused it' },
      ...{ key_id: 'k1', device: null, link: null, vendor: 'testvendor', more_calls: 0 },
    });
    assert.deepEqual(
      calls.map(({ started_ms, duration_ms, ...rest }) => rest),
      [
        { vendor: 'testvendor', call: 'read', outcome: 'ok', status: 200 },
        { vendor: 'testvendor', call: 'command', outcome: 'vendor.refused', status: 409 },
      ],
    );
    const operators = await requests.ofOperator.find('refused-1');
    assert.deepEqual([operators.user_id, operators.instance], [account, 'here:1']);
    await assert.rejects(requests.ofAccount.find(account, 'refused-2'), isCode('request.not_found'));
  });

  it('requests by their ids keeps failures, writes, requests without a response and slow reads of vendors; other reads not', async () => {
    await send({ id: 'read' });
    await send({ id: 'slow', ms: 4_000 });
    await send({ id: 'slow-at-vendor', ms: 1_000, work: async () => void call('read') });
    await send({ id: 'quick-at-vendor', ms: 999, work: async () => void call('read') });
    await send({ id: 'write', method: 'POST', kept: 'all' });
    await send({ id: 'failed', status: 404 });
    await send({ id: 'gone', status: null });
    assert.deepEqual((await idsOf()).toSorted(), ['failed', 'gone', 'slow-at-vendor', 'write']);
  });

  if (engine === 'postgres')
    it('requests by their ids is found while it is being written', async () => {
      await send({ id: 'being-written', status: 404 });
      let find: Promise<unknown> = Promise.resolve();
      await core.database.transaction(async (queries) => {
        await sql`lock table requests in share mode`.execute(queries);
        core.clock.turn(1_000);
        await setImmediate();
        find = requests.ofAccount.find(account, 'being-written');
        // Without a wait for what is being written, the search has ended by now.
        await Promise.race([find.catch(() => {}), sql`select pg_sleep(0.1)`.execute(queries)]);
      });
      await find;
    });

  it('requests by their ids belongs to the account alone, whoever chose the id', async () => {
    const other = await core.newAccount();
    await send({ id: 'chosen', status: 404 });
    await send({ id: 'chosen', status: 429, facts: { account: other } });
    await send({ id: 'no-account', status: 401, facts: { account: null, caller: '192.0.2.1' } });
    assert.equal((await requests.ofAccount.find(account, 'chosen')).status, 404);
    assert.equal((await requests.ofAccount.find(other, 'chosen')).status, 429);
    await assert.rejects(requests.ofAccount.find(other, 'no-account'), isCode('request.not_found'));
    assert.deepEqual(await idsOf({ requestId: 'no-account' }), []);
    assert.equal((await requests.ofOperator.find('no-account')).user_id, null);
    await assert.rejects(requests.ofOperator.find('chosen'), isCode('request.ambiguous'));
    const all = await requests.ofOperator.list({ requestId: 'chosen', limit: 10 });
    assert.deepEqual(new Set(all.requests.map(({ user_id }) => user_id)), new Set([account, other]));
  });

  it('requests by their ids lists by status, route, time and id, newest first, page by page', async () => {
    for (const [index, status] of [200, 404, 502, null, 503].entries()) {
      await send({
        id: `r${index}`,
        status,
        kept: 'all',
        route: `/${index % 2 === 0 ? 'links' : 'devices'}/:id`,
      });
      core.clock.turn(1_000);
    }
    assert.deepEqual(await idsOf(), ['r4', 'r3', 'r2', 'r1', 'r0']);
    assert.deepEqual(await idsOf({ status: statusFilter('failed') }), ['r4', 'r3', 'r2', 'r1']);
    assert.deepEqual(await idsOf({ status: statusFilter('5xx') }), ['r4', 'r2']);
    assert.deepEqual(await idsOf({ status: statusFilter('404') }), ['r1']);
    assert.deepEqual(await idsOf(routeFilter('GET /links/{id}')), ['r4', 'r2', 'r0']);
    assert.deepEqual(await idsOf(routeFilter('/devices/:id')), ['r3', 'r1']);
    assert.deepEqual(await idsOf(routeFilter('post /links/:id')), []);
    assert.deepEqual(await idsOf({ since: core.clock.now() - 2_005 }), ['r4', 'r3']);
    assert.deepEqual(await idsOf({ requestId: 'r2' }), ['r2']);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await requests.ofAccount.list(account, { limit: 2, cursor });
      seen.push(...page.requests.map(({ request_id }) => request_id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, ['r4', 'r3', 'r2', 'r1', 'r0']);
    await assert.rejects(
      requests.ofAccount.list(account, { limit: 2, cursor: 'bogus' }),
      isCode('request.invalid'),
    );
  });

  it('requests by their ids looks at a bounded number of requests for a page, and goes on with the next', async () => {
    const rows = Array.from({ length: 5_101 }, (_, index) => ({
      ...{ account_id: account, at: 1_000 + index, id: `row-${index}`, request_id: `many-${index}` },
      ...{ service: 'connect', instance: 'i', key_id: null, method: 'GET', route: '/links' },
      ...{ status: index === 0 ? 502 : 404, error_code: null, error: null, duration_ms: 1 },
      ...{ device_id: null, link_id: null, vendor: null, calls_json: '{"calls":[],"more":0}' },
    }));
    for (let at = 0; at < rows.length; at += 500)
      await core.database.queries
        .insertInto('requests')
        .values(rows.slice(at, at + 500))
        .execute();
    const query = { status: statusFilter('5xx'), limit: 10 };
    const first = await requests.ofAccount.list(account, query);
    assert.deepEqual(first.requests, []);
    assert.ok(first.cursor !== null);
    const second = await requests.ofAccount.list(account, { ...query, cursor: first.cursor });
    assert.deepEqual(
      second.requests.map(({ request_id }) => request_id),
      ['many-0'],
    );
    assert.equal(second.cursor, null);
  });

  it('requests by their ids says what a filter is that nobody understands', () => {
    for (const text of ['', 'ok', '6xx', '50', '5xxx', '1000'])
      assert.equal(statusFilter(text), undefined, text);
  });

  it('requests by their ids has the device and the link of the account, never what was typed or what is gone', async () => {
    await core.link(account, 'testvendor');
    const [device] = await core.list(account);
    const { link_id } = await core.database.queries
      .selectFrom('devices')
      .select('link_id')
      .where('account_id', '=', account)
      .executeTakeFirstOrThrow();
    const id = String(device?.id);
    await send({ id: 'own', status: 422, facts: { device: id } });
    await send({ id: 'typed', status: 404, facts: { device: 'no\0body\ud800', link: 'nothing' } });
    const own = await requests.ofAccount.find(account, 'own');
    assert.deepEqual([own.device, own.link, own.vendor], [id, link_id, 'testvendor']);
    const typed = await requests.ofAccount.find(account, 'typed');
    assert.deepEqual([typed.device, typed.link, typed.vendor], [null, null, null]);
    const other = await core.newAccount();
    await send({ id: 'foreign', status: 404, facts: { account: other, device: id, link: link_id } });
    const foreign = await requests.ofAccount.find(other, 'foreign');
    assert.deepEqual([foreign.device, foreign.link], [null, null]);
  });

  it('requests by their ids stores texts that no database takes', async () => {
    const sentence = `NUL \0, half \ud83d, ${'x'.repeat(5_000)}`;
    await send({ id: 'odd', status: 400, facts: { error: { code: 'request.invalid', sentence } } });
    const { error } = await requests.ofAccount.find(account, 'odd');
    assert.ok(error?.startsWith('NUL \u{fffd}, half \u{fffd}, xxx'));
    assert.equal(error?.length, 1_000);
  });

  it('requests by their ids counts the calls that it has no room for, and none that goes on after the response', async () => {
    let late: () => unknown = () => {};
    await send({
      id: 'many',
      status: 502,
      async work() {
        for (let made = 0; made < 53; made += 1) call('unlink');
        const { promise, resolve } = Promise.withResolvers<void>();
        late = () => resolve();
        void promise.then(() => assert.equal(call('poll'), undefined));
      },
    });
    late();
    await setImmediate();
    const { calls, more_calls } = await requests.ofAccount.find(account, 'many');
    assert.deepEqual([calls.length, more_calls], [50, 3]);
    assert.equal(call('poll'), undefined, 'work of no request');
  });

  it('requests by their ids keeps a bounded number of a minute, and the next minute again', async () => {
    const flood = (count: number, facts: Partial<RequestFacts>, route = '/links') =>
      Promise.all(
        Array.from({ length: count }, (_, index) => send({ id: `f${index}`, status: 429, route, facts })),
      );
    await flood(BOUNDS.sameFailures + 5, {});
    assert.equal((await idsOf()).length, BOUNDS.sameFailures);
    assert.equal(await lost('flood'), 5);
    await send({ id: 'another-code', status: 404 });
    assert.deepEqual(await idsOf({ requestId: 'another-code' }), ['another-code']);
    core.clock.turn(60_000);
    await send({ id: 'next-minute', status: 429, route: '/links' });
    assert.deepEqual(await idsOf({ requestId: 'next-minute' }), ['next-minute']);

    for (let caller = 0; caller < 10; caller += 1)
      await flood(50, { account: null, caller: `192.0.2.${caller}` }, '/strangers');
    const strangers = await requests.ofOperator.list({ account: 0, route: '/strangers', limit: 500 });
    assert.equal(strangers.requests.length, BOUNDS.failuresOfStrangers);
    await send({ id: 'beside-strangers', status: 401 });
    assert.deepEqual(await idsOf({ requestId: 'beside-strangers' }), ['beside-strangers']);
  });

  it('requests by their ids is removed after its days', async () => {
    await send({ id: 'old', status: 404 });
    await requests.ofAccount.find(account, 'old');
    core.clock.turn(7 * DAY_MS + 1_000);
    await send({ id: 'new', status: 404 });
    await requests.ofAccount.find(account, 'new');
    const retention = requests.keep();
    // In batches: what other tests have left is as old.
    await until('the old one is removed', async () => {
      core.clock.turn(60_000);
      return (await idsOf()).length === 1;
    });
    await retention.close();
    assert.deepEqual(await idsOf(), ['new']);
  });

  it('requests by their ids keeps nothing where it is turned off, and says so', async () => {
    requests = open(0);
    assert.equal(requests.traces, undefined);
    await assert.rejects(requests.ofAccount.find(account, 'x'), /ELNAV_REQUESTS_KEEP_DAYS is 0/);
  });
});
