import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, before, it } from 'node:test';
import { createLog } from '../../src/core/log.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Found {
  readonly request_id: string;
  readonly user_id?: number | null;
  readonly instance?: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly duration_ms: number;
  readonly calls: readonly {
    readonly call: string;
    readonly outcome: string;
    readonly status: number | null;
  }[];
}

onEachEngine('a request by its id', (engine) => {
  const vendor = testVendor();
  let answers = 200;
  const lines: Record<string, unknown>[] = [];
  const cloud = createServer((_request, response) => {
    response.writeHead(answers, { 'content-type': 'application/json' }).end('{}');
  });
  let world: World;
  let caller: Caller;
  let other: Caller;
  before(async () => {
    await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`;
    vendor.onCommand = async (_device, _command, session) => {
      await session.http.send({ path: '/command', method: 'POST', use: 'command' });
    };
    world = await makeWorld({
      engine,
      adapters: [{ ...vendor.adapter, hosts: { api: 'https://vendor.example' } }],
      env: { ELNAV_TESTVENDOR_BASE_URL: url },
      log: createLog('info', {
        write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
      }),
    });
    caller = await world.newAccount();
    other = await world.newAccount();
    const credentials = { user: 'u', password: 'p' };
    await caller.call('POST', '/link', { vendor: 'testvendor', user_ref: 'anna', credentials });
  });
  after(async () => {
    await world.close();
    cloud.closeAllConnections();
    await new Promise((resolve) => cloud.close(resolve));
  });

  const own = async (id: string, who = caller) => {
    const { status, body } = await who.call('GET', `/requests/${id}`);
    return { status, body: body as Found };
  };
  const operators = async (id: string) =>
    (await (await world.admin('GET', `/admin/requests/${id}`)).json()) as Found;

  it('a request by its id tells a developer what a command came to and which calls it made, and the operator also whose it was', async () => {
    answers = 400;
    const sent = await caller.call('POST', '/devices/light-1/command', { type: 'turn_on' });
    const id = sent.headers.get('x-request-id') ?? '';
    assert.equal(sent.status, 502);
    answers = 200;
    const { status, body } = await own(id);
    assert.equal(status, 200);
    const { calls, duration_ms, ...rest } = body;
    const [links] = (await caller.call('GET', '/links')).body as { id: string }[];
    assert.ok(Number.isInteger(duration_ms));
    assert.deepEqual(Object.keys(rest).toSorted().slice(0, 3), ['at', 'device', 'error']);
    assert.deepEqual(
      { ...rest, at: undefined },
      {
        ...{
          request_id: id,
          at: undefined,
          service: 'connect',
          method: 'POST',
          route: '/devices/:id/command',
        },
        ...{ status: 502, error_code: sent.headers.get('elnav-error') },
        error: (sent.body as { error: string }).error,
        ...{ key_id: caller.keyId, device: 'light-1', link: links?.id, vendor: 'testvendor', more_calls: 0 },
      },
    );
    assert.deepEqual(
      calls.map(({ call, outcome, status }) => ({ call, outcome, status })),
      // What came back was not understood, so that the outcome of the command is not known.
      [{ call: 'command', outcome: 'vendor.answer_invalid', status: 400 }],
    );
    const { user_id, instance, ...same } = await operators(id);
    assert.equal(user_id, caller.userId);
    assert.match(instance ?? '', /:\d+$/);
    assert.deepEqual(same, body);
    assert.deepEqual((await own(id, other)).status, 404);
    assert.deepEqual((await own(id, other)).body, (await own('nothing', other)).body);
  });

  it('the line of the log of a request that failed has whose it was and what it was about', async () => {
    lines.length = 0;
    answers = 400;
    const sent = await caller.call('POST', '/devices/light-1/command', { type: 'turn_on' });
    answers = 200;
    assert.equal(sent.status, 502);
    const [link] = (await caller.call('GET', '/links')).body as { id: string }[];
    const found = lines.filter(({ reqId }) => reqId === sent.headers.get('x-request-id'));
    const [{ method, route, status, code, account, key_id, device, link: of, vendor: at } = {}, ...more] =
      found;
    assert.deepEqual(more, []);
    assert.deepEqual(
      { method, route, status, code, account, key_id, device, link: of, vendor: at },
      {
        ...{ method: 'POST', route: '/devices/:id/command', status: 502, code: 'command.outcome_unknown' },
        ...{ account: caller.userId, key_id: caller.keyId },
        ...{ device: 'light-1', link: link?.id, vendor: 'testvendor' },
      },
    );
  });

  it('a request by its id has each of several commands at once with its own calls alone', async () => {
    const ids = ['one', 'two', 'three'];
    const command = { type: 'turn_on' };
    await Promise.all(
      ids.map((id) => caller.call('POST', '/devices/light-1/command', command, { 'x-request-id': id })),
    );
    for (const id of ids) {
      const { calls } = (await own(id)).body;
      assert.equal(calls.filter(({ call }) => call === 'command').length, 1, id);
    }
  });

  it('a request by its id does not have reads that succeed, and has those that fail', async () => {
    const { status, headers } = await caller.call('GET', '/links');
    assert.equal(status, 200);
    assert.equal((await own(headers.get('x-request-id') ?? '')).status, 404);
    const missing = await caller.call('GET', '/devices/somebody-elses-lamp');
    const { body } = await own(missing.headers.get('x-request-id') ?? '');
    assert.deepEqual([body.status, body.error_code], [404, 'device.not_found']);
    assert.equal(body.error, 'there is no device {id}');
  });

  it('a request by its id has what was refused before there was a key or a route, without the path', async () => {
    const answered = await Promise.all([
      fetch(`${world.connect}/devices`),
      fetch(`${world.connect}/link/sessions/a-secret-session`, { method: 'PUT' }),
      fetch(`${world.grid}/auth/magic/verify/a-secret-token/x`),
      fetch(`${world.connect}/devices/%zz-a-secret`),
    ]);
    const found = await Promise.all(
      answered.map(async ({ headers }) => operators(headers.get('x-request-id') ?? '')),
    );
    assert.deepEqual(
      found.map(({ status, error_code, user_id }) => [status, error_code, user_id]),
      [
        [401, 'key.missing', null],
        [405, 'route.method_not_allowed', null],
        [404, 'route.not_found', null],
        [400, 'request.malformed', null],
      ],
    );
    assert.doesNotMatch(JSON.stringify(found), /a-secret/);
  });

  it('a request by its id has a request that is no HTTP, and one whose caller did not wait', async () => {
    const { hostname, port } = new URL(world.connect);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (part) => {
      answer += String(part);
    });
    socket.end('NONSENSE\r\n\r\n');
    await until('it is refused', () => /x-request-id: (\S+)/.test(answer));
    const broken = await operators(/x-request-id: (\S+)/.exec(answer)?.[1] ?? '');
    assert.deepEqual([broken.status, broken.error_code], [400, 'request.malformed']);

    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const send = vendor.onRead;
    vendor.onRead = async () => {
      asked.resolve();
      await held.promise;
    };
    const impatient = new AbortController();
    const headers = { 'x-api-key': caller.key, 'x-request-id': 'impatient' };
    const waiting = fetch(`${world.connect}/devices/light-1`, { headers, signal: impatient.signal });
    await asked.promise;
    impatient.abort();
    await assert.rejects(waiting);
    await until('it is kept', async () => (await own('impatient')).status === 200);
    held.resolve();
    vendor.onRead = send;
    const { body } = await own('impatient');
    assert.deepEqual([body.status, body.error_code], [null, null]);
  });

  it('a request by its id lists those of the account on both services, and filters them', async () => {
    const mine = (await caller.call('GET', '/requests?status=failed&limit=100')).body as {
      requests: Found[];
    };
    assert.ok(mine.requests.length >= 3);
    assert.ok(mine.requests.every(({ status }) => status === null || status >= 400));
    const commands = (await caller.call('GET', '/requests?route=POST%20/devices/%7Bid%7D/command')).body as {
      requests: Found[];
    };
    assert.ok(commands.requests.some(({ request_id }) => request_id === 'two'));
    const none = await other.call('GET', '/requests');
    assert.deepEqual(none.body, { requests: [], cursor: null });
    const refused = await fetch(`${world.grid}/api/v1/lookup/postal?code=nonsense`, {
      headers: { 'x-api-key': other.key },
    });
    assert.equal(refused.status, 422);
    const [onGrid] = ((await other.call('GET', '/requests')).body as { requests: Found[] }).requests;
    assert.equal(onGrid?.request_id, refused.headers.get('x-request-id'));
    for (const query of ['status=ok', 'since=yesterday', 'limit=0', 'cursor=!'])
      assert.equal((await caller.call('GET', `/requests?${query}`)).status, 400, query);
    for (const query of ['status=ok', 'since=yesterday', 'limit=0', 'user_id=x'])
      assert.equal((await world.admin('GET', `/admin/requests?${query}`)).status, 422, query);
    const ofOther = await world.admin('GET', `/admin/requests?user_id=${other.userId}&status=422`);
    const { requests } = (await ofOther.json()) as { requests: Found[] };
    assert.deepEqual(
      requests.map(({ user_id, request_id }) => [user_id, request_id]),
      [[other.userId, onGrid?.request_id]],
    );
  });
});

onEachEngine('without requests that are kept', (engine) => {
  it('everything else is as it is, and the setting is named', async () => {
    const world = await makeWorld({ engine, env: { ELNAV_REQUESTS_KEEP_DAYS: '0' } });
    const caller = await world.newAccount();
    const missing = await caller.call('GET', '/devices/none', undefined, { 'x-request-id': 'mine' });
    assert.deepEqual([missing.status, missing.headers.get('x-request-id')], [404, 'mine']);
    const { status, body } = await caller.call('GET', '/requests/mine');
    assert.equal(status, 404);
    assert.match((body as { error: string }).error, /ELNAV_REQUESTS_KEEP_DAYS is 0/);
    assert.deepEqual((await caller.call('GET', '/requests')).body, { requests: [], cursor: null });
    await world.close();
  });
});
