import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { answers, makeReceiver, type Receiver } from '../../../../test/kit/receiver.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type ApiDocument, dereferenced } from '../../../pages/reference/document.ts';

interface Shown {
  readonly id: string;
  readonly secret?: string | null;
  readonly [field: string]: unknown;
}

onEachEngine('/subscriptions', (engine) => {
  const vendor = testVendor();
  let world: World;
  let caller: Caller;
  let receiver: Receiver;
  before(async () => {
    vendor.devices = ['light-1'];
    world = await makeWorld({
      engine,
      adapters: [vendor.adapter],
      env: { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' },
    });
    caller = await world.newAccount();
    receiver = await makeReceiver();
  });
  after(async () => {
    await world.close();
    await receiver.close();
  });

  const create = async (body: object = {}, by = caller): Promise<Shown> => {
    const made = await by.call('POST', '/subscriptions', { url: receiver.url, ...body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    return made.body as Shown;
  };
  const get = async (path: string, by = caller) => (await by.call('GET', path)).body;
  const link = async (by: Caller, user: string) => {
    const body = { vendor: 'testvendor', user_ref: user, credentials: { user, password: 'p' } };
    assert.equal((await by.call('POST', '/link', body)).status, 200);
  };

  it('/subscriptions are created with a secret that is shown once, listed, changed and deleted', async () => {
    const { secret, ...made } = await create({ types: ['link.linked'], user_ref: 'anna' });
    assert.match(secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id, created_at: _created, ...rest } = made;
    assert.deepEqual(rest, {
      url: receiver.url,
      ...{ status: 'active', reason: null, types: ['link.linked'], device: null, user_ref: 'anna' },
      ...{ version: 1, signature: 'hmac-sha256', public_key: null, lag_seconds: 0, failures: 0 },
      ...{ failing_since: null, next_attempt_at: null, lost: null },
    });
    assert.deepEqual(await get(`/subscriptions/${id}`), made);
    assert.deepEqual(await get('/subscriptions'), [made]);
    const changed = await caller.call('PATCH', `/subscriptions/${id}`, { types: null, device: 'light-1' });
    assert.deepEqual(changed.body, { ...made, types: null, device: 'light-1' });
    assert.equal((await caller.call('DELETE', `/subscriptions/${id}`)).status, 204);
    assert.equal((await caller.call('DELETE', `/subscriptions/${id}`)).status, 404);
    assert.deepEqual(await get('/subscriptions'), []);
  });

  it('/subscriptions post what happens, and say how each attempt went', async () => {
    const by = await world.newAccount();
    const { id } = await create({ types: ['link.linked', 'device.linked'] }, by);
    await link(by, 'bo');
    await until('both are posted', () => receiver.handled.length === 2);
    assert.deepEqual(
      receiver.handled.map(({ type }) => type),
      ['link.linked', 'device.linked'],
    );
    const listed = (await get('/events?types=link.linked,device.linked', by)) as { events: unknown };
    assert.deepEqual(receiver.handled, listed.events);
    await until('an attempt is stored', async () => {
      const [attempt] = (await get(`/subscriptions/${id}/attempts`, by)) as Shown[];
      return attempt?.status === 204;
    });
  });

  it('/subscriptions send a test event, and return what the receiver said', async () => {
    const { id } = await create();
    receiver.behaviour = answers(401, 'who are you?'.repeat(500));
    const { status, body } = await caller.call('POST', `/subscriptions/${id}/test`);
    receiver.behaviour = answers(204);
    assert.equal(status, 200);
    const { duration_ms: _duration, webhook_id: messageId, response, ...said } = body as Shown;
    assert.deepEqual(said, { status: 401, error: 'the receiver answered 401, which is no 2xx' });
    assert.equal(String(response).length, 1_024);
    assert.equal(receiver.received.at(-1)?.headers['webhook-id'], messageId);
    assert.deepEqual(
      receiver.received.at(-1)?.events.map(({ type }) => String(type)),
      ['subscription.test'],
    );
    assert.deepEqual(await get(`/subscriptions/${id}/attempts`), []);
  });

  it('/subscriptions post bodies and headers that match the webhook of the document', async () => {
    const document = dereferenced((await caller.call('GET', '/openapi.json')).body as ApiDocument);
    const { parameters = [], requestBody } = document.webhooks?.events?.post ?? {};
    const matches = Compile(requestBody?.content['application/json']?.schema ?? { not: {} });
    const { id } = await create();
    await link(caller, 'disa');
    await caller.call('POST', `/subscriptions/${id}/test`);
    const types = new Set(
      receiver.received.flatMap(({ events }) => events.map((event) => String(event.type))),
    );
    for (const type of ['link.linked', 'device.linked', 'subscription.test'])
      assert.ok(types.has(type), type);
    for (const { body, headers } of receiver.received) {
      assert.ok(matches.Check(JSON.parse(body)), body);
      for (const { name, schema = {} } of parameters)
        assert.ok(Compile(schema).Check(headers[name]), `${name}: ${headers[name]}`);
    }
    assert.equal(parameters.length, 3);
    assert.equal(matches.Check({ events: [{ type: 'device.linked' }] }), false);
  });

  it('/subscriptions are rotated, replayed and resumed', async () => {
    const by = await world.newAccount();
    await link(by, 'cecilia');
    const { id, secret } = await create({}, by);
    const rotated = await by.call('POST', `/subscriptions/${id}/rotate`);
    assert.equal(rotated.headers.get('cache-control'), 'no-store');
    assert.notEqual((rotated.body as Shown).secret, secret);
    const handled = receiver.handled.length;
    assert.equal((await by.call('POST', `/subscriptions/${id}/replay`, { after: null })).status, 200);
    await until('the whole log is posted', () => receiver.handled.length >= handled + 2);
    assert.equal((await by.call('POST', `/subscriptions/${id}/resume`)).status, 200);
    const { cursor } = (await get('/events', by)) as { cursor: string };
    const skipped = await by.call('POST', `/subscriptions/${id}/replay`, { after: cursor });
    assert.equal(skipped.status, 200);
  });

  it('/subscriptions refuse what is wrong, and say what would be right', async () => {
    const { id } = await create();
    const stranger = await world.newAccount();
    const { cursor: foreign } = (await get('/events', stranger)) as { cursor: string };
    const url = 'https://app.example.com/';
    const faults: readonly (readonly [string, string, object, number, RegExp])[] = [
      ['POST', '', {}, 400, /body is missing url/],
      ['POST', '', { url: 'app.example.com' }, 400, /url must be an address with https/],
      ['POST', '', { url: 'ftp://app.example.com' }, 400, /url must be an address with https/],
      [
        'POST',
        '',
        { url: 'https://10.0.0.1/' },
        403,
        /events are not posted to 10\.0\.0\.1: url must be a public/,
      ],
      ['POST', '', { url: 'https://u:p@app.example.com/' }, 403, /without a user name/],
      ['POST', '', { url: 'http://93.184.216.34/' }, 403, /with https/],
      [
        'POST',
        '',
        { url, types: ['device.moved'] },
        400,
        /types has "device\.moved".* there are device\.linked/,
      ],
      ['POST', '', { url, types: [] }, 400, /body\.types/],
      ['POST', '', { url, version: 2 }, 400, /body\.version/],
      ['POST', '', { url, signature: 'rsa' }, 400, /body\.signature/],
      ['PATCH', `/${id}`, { url: 'https://[::1]/' }, 403, /events are not posted to \[::1\]/],
      ['PATCH', `/${id}`, { types: ['x'] }, 400, /no type of event/],
      ['POST', `/${id}/replay`, { after: 'nonsense' }, 400, /after must be a cursor/],
      ['POST', `/${id}/replay`, { after: foreign }, 400, /after must be a cursor/],
      ['PATCH', `/${id}`, { urls: url }, 400, /body must have at least one of url, types, device, user_ref/],
      ['POST', `/${id}/replay`, {}, 400, /body is missing after/],
      [
        'POST',
        '/nobody/replay',
        { after: null },
        404,
        /there is no subscription nobody; GET \/subscriptions lists them/,
      ],
    ];
    for (const [method, path, body, status, sentence] of faults) {
      const answer = await caller.call(method, `/subscriptions${path}`, body);
      assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}`);
      assert.match((answer.body as { error: string }).error, sentence);
    }
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['POST', '/resume'],
      ['GET', '/attempts'],
    ] as const)
      assert.equal((await stranger.call(method, `/subscriptions/${id}${path}`)).status, 404);
  });

  it('/subscriptions keep their secret, their place in the log and their owner when they are changed', async () => {
    const by = await world.newAccount();
    const stranger = await world.newAccount();
    await link(by, 'dora');
    const { id } = await create({ types: ['link.removed'] }, by);
    const handled = receiver.handled.length;
    const refused = await stranger.call('PATCH', `/subscriptions/${id}`, { url: 'https://app.example.com/' });
    assert.equal(refused.status, 404);
    const wrong = await by.call('PATCH', `/subscriptions/${id}`, { url: 'https://10.0.0.1/', types: null });
    assert.equal(wrong.status, 403);
    assert.deepEqual(((await get(`/subscriptions/${id}`, by)) as Shown).types, ['link.removed']);
    const url = `${receiver.url}?changed`;
    const changed = await by.call('PATCH', `/subscriptions/${id}`, { url, types: ['device.linked'] });
    const { secret, ...body } = changed.body as Shown;
    assert.equal(secret, undefined);
    assert.deepEqual([body.url, body.types, body.status], [url, ['device.linked'], 'active']);
    // What had happened before it was created is not posted now.
    vendor.devices = ['light-1', 'light-2'];
    await link(by, 'dora');
    vendor.devices = ['light-1'];
    await until('the new device is posted', () => receiver.handled.length === handled + 1);
    const { subject } = receiver.handled.at(-1) ?? {};
    assert.equal((subject as { device?: string } | undefined)?.device, 'light-2');
  });

  it('/subscriptions are 20 of an account at most', async () => {
    const by = await world.newAccount();
    for (let made = 0; made < 20; made += 1) await create({}, by);
    const { status, headers } = await by.call('POST', '/subscriptions', { url: receiver.url });
    assert.deepEqual([status, headers.get('elnav-error')], [409, 'subscription.too_many']);
  });

  it('/subscriptions need the scope link:write', async () => {
    const reader = await world.newAccount('devices:read');
    assert.equal((await reader.call('GET', '/subscriptions')).status, 403);
  });
});
