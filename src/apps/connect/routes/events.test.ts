import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

interface Discriminated {
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
}

interface List {
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly subject: { readonly device: string | null };
  }[];
  readonly cursor: string;
  readonly has_more: boolean;
}

onEachEngine('GET /events', (engine) => {
  const vendor = testVendor();
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine, adapters: [vendor.adapter] });
    caller = await world.newAccount();
    vendor.devices = ['light-1', 'light-2'];
    await link(caller, 'anna');
    await until('the links are in the log', async () => (await list('')).events.length === 3);
  });
  after(() => world.close());

  const link = async (by: Caller, user: string) => {
    const credentials = { user, password: 'p' };
    const body = { vendor: 'testvendor', user_ref: user, credentials };
    assert.equal((await by.call('POST', '/link', body)).status, 200);
  };
  const list = async (query: string, by = caller): Promise<List> => {
    const { status, body } = await by.call('GET', `/events${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as List;
  };
  const typesOf = ({ events }: List) => events.map(({ type }) => type);

  it('GET /events lists what happened, by page and by filter', async () => {
    const whole = await list('');
    assert.deepEqual(typesOf(whole), ['link.linked', 'device.linked', 'device.linked']);
    assert.equal(whole.has_more, false);
    const first = await list('?limit=2');
    assert.equal(first.has_more, true);
    const second = await list(`?limit=2&after=${first.cursor}`);
    assert.deepEqual([...first.events, ...second.events], whole.events);
    assert.equal(second.has_more, false);
    assert.deepEqual(typesOf(await list('?types=link.linked, device.removed&user_ref=anna')), [
      'link.linked',
    ]);
    assert.deepEqual(
      (await list('?device=light-2')).events.map(({ subject }) => subject.device),
      ['light-2'],
    );
    assert.deepEqual((await list('?user_ref=bo')).events, []);
    assert.deepEqual((await list('?link=none')).events, []);
  });

  it('GET /events lists the newest first, and goes back from its cursor', async () => {
    const whole = await list('');
    const backwards = whole.events.toReversed();
    const all = await list('?order=newest');
    assert.deepEqual([all.events, all.has_more], [backwards, false]);
    const first = await list('?order=newest&limit=2');
    assert.deepEqual([first.events, first.has_more], [backwards.slice(0, 2), true]);
    const page = await caller.call('GET', '/events?order=newest&limit=2');
    assert.equal(
      page.headers.get('link'),
      `</events?order=newest&limit=2&before=${(page.body as List).cursor}>; rel="next"`,
    );
    const second = await list(`?order=newest&limit=2&before=${first.cursor}`);
    assert.deepEqual([second.events, second.has_more], [backwards.slice(2), false]);
    assert.deepEqual((await list(`?after=${first.cursor}`)).events, whole.events.slice(1));
    assert.deepEqual(typesOf(await list('?order=newest&types=link.linked&user_ref=anna')), ['link.linked']);
    assert.deepEqual((await list('?order=newest&wait_seconds=0&user_ref=bo')).events, []);
    assert.deepEqual((await list(`?order=oldest`)).events, whole.events);
  });

  it('GET /events gives a cursor where there is nothing, from which nothing that comes is missed', async () => {
    const other = await world.newAccount();
    const { cursor, events } = await list('', other);
    assert.deepEqual(events, []);
    await link(other, 'bo');
    await until('it is in the log', async () => {
      const next = await list(`?after=${cursor}`, other);
      return next.events.length === 3;
    });
  });

  it('GET /events waits for an event, and no longer than it was asked to', async () => {
    const other = await world.newAccount();
    await link(other, 'cecilia');
    const { cursor } = await list(`?after=${(await listed(other)).cursor}&wait_seconds=1`, other);
    const waiting = list(`?after=${cursor}&wait_seconds=60&types=link.linked&user_ref=david`, other);
    await link(other, 'elsa');
    await link(other, 'david');
    const found = await waiting;
    assert.deepEqual(typesOf(found), ['link.linked']);
    assert.deepEqual((await list(`?after=${found.cursor}&types=link.removed`, other)).events, []);
  });
  const listed = async (by: Caller): Promise<List> => {
    let found = await list('', by);
    await until('it is in the log', async () => {
      found = await list('', by);
      return found.events.length > 0;
    });
    return found;
  };

  it('GET /events ends a request that waits when the service stops', async () => {
    const own = await makeWorld({ engine, adapters: [vendor.adapter] });
    const by = await own.newAccount();
    const { cursor } = await list('', by);
    const waiting = list(`?after=${cursor}&wait_seconds=60`, by);
    // It has arrived by the time that others, which were sent after it, are done.
    for (let time = 0; time < 3; time += 1) await list('', by);
    await own.close();
    assert.deepEqual((await waiting).events, []);
  });

  it('GET /events tells nothing to a request that waits with a key which is revoked meanwhile', async () => {
    const by = await world.newAccount();
    const { cursor } = await list('', by);
    const waiting = by.call('GET', `/events?after=${cursor}&wait_seconds=60`);
    // It has arrived by the time that others, which were sent after it, are done.
    for (let time = 0; time < 3; time += 1) await list('', by);
    assert.equal((await world.admin('DELETE', `/admin/keys/${by.keyId}`)).status, 200);
    const { status, headers } = await waiting;
    assert.deepEqual([status, headers.get('elnav-error')], [401, 'key.invalid']);
  });

  it('GET /events refuses what it does not understand, and says what would be right', async () => {
    const { cursor } = await list('?limit=1');
    const text = Buffer.from(cursor, 'base64url').toString();
    const forged = (changed: string) => Buffer.from(changed).toString('base64url');
    const faults: readonly (readonly [string, RegExp])[] = [
      ['?after=', /after must be a cursor/],
      ['?after=nonsense', /after must be a cursor/],
      [`?after=${forged(text.replace(/\.\w+\./, '.zz.'))}`, /after must be a cursor/],
      [`?after=${forged(`${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`)}`, /after must be a cursor/],
      [`?after=${cursor}&after=${cursor}`, /after must be given once/],
      ['?types=device.moved', /types has device\.moved, which is no type of event; there are device\.linked/],
      ['?types=', /types has an empty name/],
      ['?limit=0', /limit must be a whole number from 1 to 1000/],
      ['?limit=1001', /limit must be a whole number from 1 to 1000/],
      ['?order=latest', /order must be one of oldest, newest/],
      ['?order=newest&before=nonsense', /before must be a cursor/],
      [`?order=newest&after=${cursor}`, /after is not for order=newest: send the cursor as before/],
      [`?before=${cursor}`, /before needs order=newest/],
      ['?order=newest&wait_seconds=1', /wait_seconds is not for order=newest/],
      ['?wait_seconds=61', /wait_seconds must be a whole number from 0 to 60/],
    ];
    for (const path of ['/events', '/events/stream'])
      for (const [query, sentence] of faults) {
        if (path === '/events/stream' && /limit|wait|order|before/.test(query)) continue;
        const { status, body } = await caller.call('GET', `${path}${query}`);
        assert.equal(status, 400, `${path}${query}`);
        assert.match((body as { error: string }).error, sentence);
      }
    const stranger = await world.newAccount();
    const foreign = await stranger.call('GET', `/events?after=${cursor}`);
    assert.deepEqual([foreign.status, foreign.headers.get('elnav-error')], [400, 'request.invalid']);
  });

  it('GET /events needs the scope devices:read', async () => {
    const writer = await world.newAccount('link:write');
    for (const path of ['/events', '/events/stream'])
      assert.equal((await writer.call('GET', path)).status, 403);
  });

  it('GET /events gives the oldest cursor that there is where one is older than the log', async (t) => {
    const place = await makePlace(engine);
    t.after(() => place.remove());
    const open = () => makeWorld({ engine, place, adapters: [vendor.adapter] });
    const before = await open();
    const by = await before.newAccount();
    const old = await list('', by);
    await link(by, 'fredrik');
    const all = await listed(by);
    await before.close();
    // As retention leaves it.
    const database = await place.open();
    const { id, tx } = await database.queries
      .deleteFrom('events')
      .where('type', '=', 'link.linked')
      .returning(['id', 'tx'])
      .executeTakeFirstOrThrow();
    await database.queries.updateTable('event_log').set({ removed_id: id, removed_tx: tx }).execute();
    await database.close();
    const again = await open();
    t.after(() => again.close());
    const call = (path: string) => fetch(`${again.connect}${path}`, { headers: { 'x-api-key': by.key } });
    for (const path of ['/events', '/events/stream']) {
      const gone = await call(`${path}?after=${old.cursor}`);
      assert.deepEqual([gone.status, gone.headers.get('elnav-error')], [410, 'events.expired']);
      const oldest = /after=(\S+)$/.exec(((await gone.json()) as { error: string }).error)?.[1];
      assert.equal(gone.headers.get('link'), `</events?after=${oldest}>; rel="first"`);
      const left = (await (await call(`/events?after=${oldest}`)).json()) as List;
      assert.deepEqual(left.events, all.events.slice(1));
    }
  });

  it('GET /events has the form of each type in the document of the service', async () => {
    const { body } = await caller.call('GET', '/openapi.json');
    const { schemas } = (body as { components: { schemas: Record<string, Discriminated> } }).components;
    const { events } = await list('');
    const { mapping = {} } = schemas.Event?.discriminator ?? {};
    for (const { type } of events) assert.ok(Object.hasOwn(mapping, type), type);
    assert.equal(mapping['device.state_changed'], '#/components/schemas/DeviceStateChanged');
    const text = JSON.stringify([schemas.DeviceStateChanged, schemas.DeviceStateChangedData]);
    for (const field of ['changes', 'observed_at', 'fetched_at', 'subject', 'recorded_at'])
      assert.ok(text.includes(`"${field}"`), field);
  });
});
