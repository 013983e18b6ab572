import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { Found } from '../../../adapter/device.ts';
import type { Needs } from '../../../adapter/tokens.ts';
import type { JsonObject } from '../../../core/json.ts';

const needs: Needs = { read_power: ['read'], on_off: ['read', 'switch'], set_light: ['read', 'switch'] };

/** A vendor that asks its users for each device by itself. */
onEachEngine('devices that are granted one by one', (engine) => {
  let world: CoreWorld;
  let account: number;
  let listed: readonly Found[];
  beforeEach(async () => {
    const { adapter } = testVendor();
    const light = adapter.kinds.light ?? assert.fail();
    const granting: Adapter = {
      ...adapter,
      kinds: { ...adapter.kinds, light: { ...light, needs } },
      link: async () => ({ vendorAccount: 'u', devices: listed }),
      list: async () => listed,
    };
    listed = [
      { id: 'whole', type: 'light', granted: ['read', 'switch'] },
      { id: 'read-only', type: 'light', granted: ['read'] },
      { id: 'untold', type: 'light' },
    ];
    world = await makeCoreWorld(engine, [granting]);
    account = await world.newAccount();
    await world.link(account, 'testvendor');
  });
  afterEach(() => world.remove());

  const capabilitiesOf = async (id: string) => {
    const { row } = await world.devices.find(account, id);
    return row.capabilities;
  };
  const missing = async () => (await world.links.list(account))[0]?.missing_permissions;

  it('devices that are granted one by one lack what was not granted for them, and the link says what that is', async () => {
    assert.deepEqual(await capabilitiesOf('whole'), ['read_power', 'on_off', 'set_light']);
    assert.deepEqual(await capabilitiesOf('read-only'), ['read_power']);
    assert.deepEqual(await capabilitiesOf('untold'), ['read_power', 'on_off', 'set_light']);
    assert.deepEqual(await missing(), ['switch']);
    await assert.rejects(world.send(account, 'read-only', { type: 'turn_on' }), {
      code: 'device.capability_missing',
      message: /the user has not granted switch/,
    });
  });

  it('devices that are granted one by one follow what is granted later, and taken back', async () => {
    const link = (await world.links.list(account))[0]?.id ?? '';
    listed = [
      { id: 'whole', type: 'light', granted: [] },
      { id: 'read-only', type: 'light', granted: ['read', 'switch', 'more'] },
      { id: 'untold', type: 'light' },
    ];
    const { changed } = await world.discovery.refresh({ account, link });
    assert.deepEqual(changed, ['read-only', 'whole']);
    assert.deepEqual(await capabilitiesOf('whole'), []);
    assert.deepEqual(await capabilitiesOf('read-only'), ['read_power', 'on_off', 'set_light']);
    assert.deepEqual(await missing(), ['read', 'switch']);
  });

  for (const [way, again] of [
    ['linked again', () => world.link(account, 'testvendor')],
    [
      'listed again',
      async () => {
        const link = (await world.links.list(account))[0]?.id ?? '';
        await world.discovery.refresh({ account, link });
      },
    ],
  ] as const)
    it(`devices that are granted one by one show nothing that is not granted any more once they are ${way}`, async () => {
      for (const id of ['whole', 'untold']) await world.read(account, id);
      await world.devices.flush();
      listed = [
        { id: 'whole', type: 'light', granted: [] },
        { id: 'untold', type: 'light' },
      ];
      await again();
      const states = new Map((await world.list(account)).map(({ id, state }) => [id, state]));
      assert.deepEqual(states.get('whole'), { online: true, power_on: false });
      assert.deepEqual(states.get('untold'), { power_w: 10, online: true, power_on: false });
      const { rows } = await sql<{ data_json: string }>`
        select data_json from events where account_id = ${account} and type = 'device.state_changed' and device_id = 'whole'
        order by id desc limit 1`.execute(world.database.queries);
      const { from, to } = JSON.parse(rows[0]?.data_json ?? '{}') as { from: JsonObject; to: JsonObject };
      assert.deepEqual(
        [from, to],
        [
          { power_w: 10, ...to },
          { online: true, power_on: false },
        ],
      );
    });
});
