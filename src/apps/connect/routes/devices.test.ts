import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

onEachEngine('the routes of devices', (engine) => {
  const first = testVendor({ slug: 'first' });
  const second = testVendor({ slug: 'second' });
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine, adapters: [first.adapter, second.adapter] });
    caller = await world.newAccount();
    first.devices = ['light-1', 'light-2/å ?', 'charger-1', 'industrial-1'];
    second.devices = ['light-1', 'battery-1'];
    for (const vendor of ['first', 'second']) {
      const body = { vendor, user_ref: 'u & å', credentials: { user: 'u', password: 'p' } };
      assert.equal((await caller.call('POST', '/link', body)).status, 200);
    }
  });
  after(() => world.close());

  const idsOf = (body: unknown) =>
    (body as { vendor: string; id: string }[]).map(({ vendor, id }) => `${vendor}/${id}`);

  it('the routes of devices lead through all pages by their Link header, filters kept', async () => {
    const seen: string[] = [];
    let path: string | undefined = `/devices?limit=2&vendor=first&user_ref=${encodeURIComponent('u & å')}`;
    const pages: number[] = [];
    while (path !== undefined) {
      const { status, body, headers } = await caller.call('GET', path);
      assert.equal(status, 200);
      seen.push(...idsOf(body));
      pages.push(idsOf(body).length);
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(pages, [2, 2]);
    assert.deepEqual(seen, ['first/charger-1', 'first/industrial-1', 'first/light-1', 'first/light-2/å ?']);
  });

  it('the routes of devices find a device by whatever id it has', async () => {
    const { status, body } = await caller.call('GET', `/devices/${encodeURIComponent('light-2/å ?')}`);
    assert.equal(status, 200);
    assert.equal((body as { device: { id: string } }).device.id, 'light-2/å ?');
  });

  it('the routes of devices ask which vendor is meant where two have the id', async () => {
    for (const [method, path, body] of [
      ['GET', '/devices/light-1', undefined],
      ['POST', '/devices/light-1/command', { type: 'turn_on' }],
    ] as const) {
      const unclear = await caller.call(method, path, body);
      assert.deepEqual([unclear.status, unclear.headers.get('elnav-error')], [400, 'device.ambiguous']);
      assert.match((unclear.body as { error: string }).error, /first, second.*\?vendor=/);
      assert.equal((await caller.call(method, `${path}?vendor=second`, body)).status, 200);
      assert.equal((await caller.call(method, `${path}?vendor=nobody`, body)).status, 404);
    }
    assert.deepEqual([first.count('command'), second.count('command')], [0, 1]);
  });

  it('the routes of devices tell limits and capacity of what has a current or a power to set, and of nothing else', async () => {
    const charger = (await caller.call('GET', '/devices/charger-1')).body as Record<string, unknown>;
    assert.deepEqual(charger.limits, { min_a: 6, max_a: 32, min_w: null, max_w: null });
    assert.deepEqual(charger.available_capacity, { current_a: 10, power_w: null });
    const battery = (await caller.call('GET', '/devices/battery-1')).body as typeof charger;
    assert.deepEqual(battery.limits, { min_a: null, max_a: null, min_w: -5_000, max_w: 5_000 });
    assert.equal('available_capacity' in battery, false, 'it has no circuit to share');
    assert.match(String(charger.observed_at), /^\d{4}-.*Z$/);
    const light = (await caller.call('GET', '/devices/light-1?vendor=first')).body as object;
    assert.deepEqual(Object.keys(light).sort(), [
      ...[
        'device',
        'fetched_at',
        'link',
        'next_read_at',
        'next_read_missing',
        'observed_at',
        'state',
        'user_ref',
      ],
    ]);
    const { next_read_at, next_read_missing } = light as Record<string, unknown>;
    assert.deepEqual([next_read_at, next_read_missing], [null, 'on_request']);
  });

  it('the routes of devices judge the body first, then the device, then its capability, then the value', async () => {
    const order: readonly [string, object, number, string][] = [
      ['nothing', { type: 'nonsense' }, 400, 'command.type_unknown'],
      ['nothing', { type: 'turn_on', extra: 1 }, 400, 'request.invalid'],
      ['nothing', { type: 'set_current', current_a: 'x' }, 400, 'request.invalid'],
      ['nothing', { type: 'set_current', current_a: -1 }, 404, 'device.not_found'],
      ['industrial-1', { type: 'set_current', current_a: -1 }, 422, 'device.capability_missing'],
      ['charger-1', { type: 'set_current', current_a: -1 }, 422, 'command.out_of_range'],
      ['charger-1', { type: 'set_limit', max_w: 1 }, 422, 'command.axis_unsupported'],
    ];
    for (const [id, body, status, code] of order) {
      const answer = await caller.call('POST', `/devices/${id}/command`, body);
      assert.deepEqual(
        [answer.status, answer.headers.get('elnav-error')],
        [status, code],
        JSON.stringify(body),
      );
    }
  });

  it('the routes of devices answer a command with the device and its state, and nothing else', async () => {
    const { status, body } = await caller.call('POST', '/devices/charger-1/command', {
      type: 'set_current',
      current_a: 0,
    });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body as object).sort(), [
      'capabilities',
      'device_type',
      'id',
      'name',
      'state',
      'vendor',
    ]);
  });
});
