import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sandbox } from '../../src/vendors/sandbox/index.ts';
import { onEachEngine } from '../kit/databases.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Shown {
  readonly id: string;
  readonly code: string;
  readonly title: string;
}

onEachEngine('the list of what only users can do', (engine) => {
  let world: World;
  let caller: Caller;
  let ids: readonly string[];
  before(async () => {
    world = await makeWorld({ engine, adapters: [sandbox] });
    caller = await world.newAccount();
    const linked = await Promise.all(
      ['ada', 'bo'].map((user_ref) =>
        caller.call('POST', '/link', {
          ...{ vendor: 'sandbox', user_ref },
          credentials: { device_types: ['smart_home_appliance', 'charger'] },
        }),
      ),
    );
    ids = linked.flatMap(({ body }) => (body as { devices: { id: string }[] }).devices.map(({ id }) => id));
    assert.equal(ids.length, 4);
  });
  after(() => world.close());

  const appliances = () => ids.filter((id) => id.startsWith('smart'));
  const condition = async (id: string, body: object) =>
    assert.equal((await caller.call('POST', `/sandbox/devices/${id}`, body)).status, 200);
  const list = async (query = '', headers: Record<string, string> = {}) => {
    const { status, body } = await caller.call('GET', `/interventions${query}`, undefined, headers);
    assert.equal(status, 200);
    return body as Shown[];
  };

  it('the list of what only users can do shows all of one, in the language of the caller, and the short form with the device', async () => {
    const [appliance = ''] = appliances();
    await condition(appliance, { remote_start_allowed: false });
    const [one, ...others] = await list();
    assert.deepEqual(others, []);
    const { id, link, opened_at, text, ...rest } = one as unknown as Record<string, string>;
    assert.deepEqual(rest, {
      ...{ code: 'allow_remote_start', vendor: 'sandbox', device: appliance, user_ref: 'ada' },
      capabilities: ['program_control', 'delayed_start'],
      title: 'Allow remote start',
      ...{ url: null, at_device: true, resolved_at: null },
    });
    assert.ok(link !== undefined && text !== undefined);
    assert.equal((await list('', { 'accept-language': 'sv' }))[0]?.title, 'Tillåt fjärrstart');
    const short = { id, code: rest.code, capabilities: rest.capabilities, opened_at };
    const device = (await caller.call('GET', `/devices/${appliance}`)).body as Record<string, unknown>;
    assert.deepEqual(device.interventions, [short]);
    const listed = (await caller.call('GET', '/devices')).body as Record<string, unknown>[];
    assert.deepEqual(
      listed.map((item) => item.interventions),
      ids.toSorted().map((item) => (item === appliance ? [short] : undefined)),
    );
  });

  it('the list of what only users can do is filtered, and comes in pages', async () => {
    for (const id of appliances()) await condition(id, { remote_start_allowed: false });
    assert.equal((await list()).length, 2);
    assert.equal((await list('?user_ref=bo')).length, 1);
    assert.equal((await list(`?device=${appliances()[0]}`)).length, 1);
    assert.deepEqual(await list('?link=none'), []);
    assert.deepEqual(await list('?state=resolved'), []);
    const page = await caller.call('GET', '/interventions?state=all&limit=1');
    const next = /^<(\/interventions\?[^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    assert.match(next, /state=all&limit=1&cursor=/);
    const last = await caller.call('GET', next);
    assert.equal(last.headers.get('link'), null);
    assert.deepEqual([...(page.body as Shown[]), ...(last.body as Shown[])], await list('?state=all'));
    for (const query of ['?state=closed', '?cursor=x', '?limit=0', '?limit=1001'])
      assert.equal((await caller.call('GET', `/interventions${query}`)).status, 400, query);
  });

  it('the list of what only users can do asks for the cable when a charge could not start, and keeps what was resolved', async () => {
    const charger = ids.find((id) => id.startsWith('charger')) ?? assert.fail();
    await condition(charger, { plugged_in: false });
    const refused = await caller.call('POST', `/devices/${charger}/command`, { type: 'start_charge' });
    assert.equal(refused.status, 502);
    const of = `?device=${charger}`;
    assert.deepEqual(
      (await list(of)).map(({ code }) => code),
      ['plug_in'],
    );
    await condition(charger, { plugged_in: true });
    assert.deepEqual(await list(of), []);
    assert.deepEqual(
      (await list(`${of}&state=resolved`)).map(({ code }) => code),
      ['plug_in'],
    );
  });

  it('the list of what only users can do needs the scope to read devices, and shows nothing of another account', async () => {
    const other = await world.newAccount();
    assert.deepEqual((await other.call('GET', '/interventions?state=all')).body, []);
    const linker = await world.newAccount('link:write');
    assert.equal((await linker.call('GET', '/interventions')).status, 403);
  });
});
