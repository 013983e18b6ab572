import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { Found } from '../../../adapter/device.ts';
import { type Interventions, NeedsUser } from '../../../adapter/interventions.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';

const words = {
  en: { title: 'Press it', text: 'Press the button.' },
  sv: { title: 'Tryck', text: 'Tryck på knappen.' },
};
const BUTTON: Interventions<unknown> = {
  press_button: { blocks: ['set_light'], words, isAtDevice: true },
  pay: {
    blocks: ['turn_on'],
    words,
    url: 'https://pay.example/',
    inList: ({ details }) => details?.paid === false,
  },
  turn_on_access: { blocks: ['read_power'], words, url: ({ domain }) => `https://v.example/${domain}` },
};
const refusal = (code: string) => new NeedsUser(code, new AppError('vendor.refused', `it needs ${code}`));

onEachEngine('what only users can do', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;
  let listed: readonly Found[];
  let isForbidden: boolean | null;
  let adapter: Adapter;

  beforeEach(async () => {
    vendor = testVendor();
    const { light, charger } = vendor.adapter.kinds;
    assert.ok(light && charger);
    const remote = {
      ...{ blocks: ['turn_off'], words, isAtDevice: true },
      inReading: () => isForbidden,
    } satisfies Interventions<unknown>[string];
    adapter = {
      ...vendor.adapter,
      kinds: {
        light: {
          ...light,
          needs: { set_light: ['dim'] },
          interventions: { ...BUTTON, allow_remote: remote },
        },
        charger: {
          ...charger,
          status: (raw) => ({ ...charger.status(raw), connected: vendor.reading.on }),
        },
      },
      link: async () => ({ vendorAccount: 'home', devices: listed }),
      list: async () => listed,
    };
    listed = [
      { id: 'light-1', type: 'light' },
      { id: 'light-2', type: 'light' },
      { id: 'charger-1', type: 'charger' },
    ];
    isForbidden = null;
    world = await makeCoreWorld(engine, [adapter]);
    account = await world.newAccount();
    await world.link(account, 'testvendor');
  });
  afterEach(() => world.remove());

  const all = async (query: object = {}) => {
    const given = { account, state: 'open', limit: 100, language: 'en', domain: 'elnav.example' } as const;
    return (await world.interventions.list({ ...given, ...query })).items;
  };
  const open = async (query: object = {}) =>
    (await all(query)).map(({ device, code }) => `${device} ${code}`).toSorted();
  const shownIn = (device: { interventions?: unknown }) =>
    ((device.interventions ?? []) as { code: string }[]).map(({ code }) => code);
  const shown = async (id: string) => shownIn(await world.read(account, id));
  const shownInList = async (id: string) =>
    shownIn((await world.list(account)).find((device) => device.id === id) ?? assert.fail());
  const linkId = async () => (await world.links.list(account))[0]?.id ?? assert.fail();
  const relist = async () => world.discovery.refresh({ account, link: await linkId() });

  it('what only users can do open and are resolved by readings, and show at the device at once', async () => {
    assert.deepEqual([await shown('light-1'), await open()], [[], []]);
    isForbidden = true;
    assert.deepEqual(await shown('light-1'), ['allow_remote']);
    assert.deepEqual(await shownInList('light-1'), ['allow_remote']);
    assert.deepEqual(await shownInList('light-2'), []);
    const [one, ...others] = await all();
    assert.deepEqual(others, []);
    assert.deepEqual(one?.capabilities, ['on_off']);
    assert.equal(one.resolved_at, null);
    // A reading that says nothing of it leaves it open.
    isForbidden = null;
    assert.deepEqual(await shown('light-1'), ['allow_remote']);
    isForbidden = false;
    assert.deepEqual(await shown('light-1'), []);
    assert.deepEqual(await shownInList('light-1'), []);
    assert.deepEqual(await open(), []);
    const [over] = await all({ state: 'resolved' });
    assert.equal(over?.id, one.id);
    assert.notEqual(over.resolved_at, null);
    const events = await world.database.queries
      .selectFrom('events')
      .select(['type', 'device_id', 'vendor', 'link_id', 'user_ref', 'data_json'])
      .where('type', 'like', 'intervention.%')
      .orderBy('id')
      .execute();
    const data = { intervention_id: one.id, code: 'allow_remote', capabilities: ['on_off'] };
    assert.deepEqual(
      events.map(({ data_json, ...event }) => ({ ...event, data: JSON.parse(data_json ?? '') })),
      ['intervention.opened', 'intervention.resolved'].map((type) => ({
        ...{ type, device_id: 'light-1', vendor: 'testvendor', data },
        link_id: one.link,
        user_ref: one.user_ref,
      })),
    );
  });

  it('what only users can do write nothing for a reading that says the same again', async () => {
    isForbidden = true;
    await shown('light-1');
    const [before] = await all();
    let transactions = 0;
    const { transaction } = world.database;
    Object.assign(world.database, {
      transaction: (work: never) => {
        transactions += 1;
        return transaction(work);
      },
    });
    for (const _ of [1, 2, 3]) await shown('light-1');
    assert.equal(transactions, 0);
    assert.deepEqual(await all(), [before]);
    isForbidden = false;
    await shown('light-1');
    assert.equal(transactions, 1);
  });

  it('what only users can do open when a command is refused, and are resolved when the same command is accepted', async () => {
    vendor.onCommand = async () => {
      throw refusal('press_button');
    };
    await assert.rejects(world.send(account, 'light-1', { type: 'set_light', dim: 10 }), {
      code: 'vendor.refused',
      message: 'it needs press_button',
    });
    assert.deepEqual(await open(), ['light-1 press_button']);
    vendor.onCommand = async () => {};
    // Another command and a reading say nothing of it.
    await world.send(account, 'light-1', { type: 'turn_on' });
    assert.deepEqual(await shown('light-1'), ['press_button']);
    await world.send(account, 'light-1', { type: 'set_light', dim: 10 });
    assert.deepEqual(await open(), []);
  });

  it('what only users can do open when a read is refused, and are resolved by the next reading', async () => {
    await world.read(account, 'light-1');
    vendor.onRead = async () => {
      throw refusal('turn_on_access');
    };
    await assert.rejects(world.read(account, 'light-1'));
    assert.deepEqual(await open(), ['light-1 turn_on_access']);
    assert.deepEqual(await shownInList('light-1'), ['turn_on_access']);
    vendor.onRead = async () => {};
    assert.deepEqual(await shown('light-1'), []);
  });

  it('what only users can do ask for the cable when charging could not start, until one is plugged in', async () => {
    assert.deepEqual(await shown('charger-1'), []);
    vendor.onCommand = async () => {
      throw refusal('plug_in');
    };
    await assert.rejects(world.send(account, 'charger-1', { type: 'start_charge' }));
    assert.deepEqual(await shown('charger-1'), ['plug_in']);
    vendor.reading = { ...vendor.reading, on: true };
    assert.deepEqual(await shown('charger-1'), []);
  });

  it('what only users can do open and are resolved by lists, and go with the device', async () => {
    listed = listed.map((device) => ({ ...device, granted: [], details: { paid: device.id !== 'light-1' } }));
    await relist();
    assert.deepEqual(await open(), ['light-1 grant_permissions', 'light-1 pay', 'light-2 grant_permissions']);
    const [permissions] = await all({ device: 'light-2' });
    assert.deepEqual(permissions?.capabilities, ['set_light']);
    assert.deepEqual((await shownInList('light-1')).toSorted(), ['grant_permissions', 'pay']);
    listed = listed.map((device) => ({ ...device, granted: ['dim'], details: { paid: true } }));
    await relist();
    assert.deepEqual(await open(), []);
    listed = listed.map((device) => ({ ...device, granted: ['dim'], details: { paid: false } }));
    await world.link(account, 'testvendor');
    assert.deepEqual(await open(), ['light-1 pay', 'light-2 pay']);
    listed = listed.filter(({ id }) => id !== 'light-1');
    await world.link(account, 'testvendor');
    assert.deepEqual(await open(), ['light-2 pay']);
  });

  it('what only users can do say at every device of a link that its user must sign in again, until a call goes well or it is linked again', async () => {
    const lost = async () => {
      throw new AppError('vendor.login_expired', 'the token is not valid');
    };
    const ends = [
      async () => {
        await world.read(account, 'light-2');
      },
      async () => {
        await world.link(account, 'testvendor');
      },
    ];
    for (const end of ends) {
      vendor.onRead = lost;
      await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.login_expired' });
      // The status of a link is stored beside the call that it follows from.
      await until('it is open', async () => (await open()).length === 1);
      assert.deepEqual(await open(), ['null sign_in_again']);
      assert.deepEqual(await open({ device: 'charger-1' }), ['null sign_in_again']);
      for (const { id } of listed) assert.deepEqual(await shownInList(id), ['sign_in_again'], id);
      vendor.onRead = async () => {};
      await end();
      await until('it has ended', async () => (await open()).length === 0);
      for (const { id } of listed) assert.deepEqual(await shown(id), [], id);
    }
    assert.equal((await all({ state: 'all' })).length, ends.length);
  });

  it('what only users can do are of one account, and filtered', async () => {
    isForbidden = true;
    for (const id of ['light-1', 'light-2']) await world.read(account, id);
    const other = await world.newAccount();
    assert.deepEqual(await open({ account: other }), []);
    const link = await linkId();
    assert.equal((await open({ link })).length, 2);
    assert.deepEqual(await open({ link: 'another' }), []);
    assert.equal((await open({ userRef: 'someone' })).length, 2);
    assert.deepEqual(await open({ userRef: 'nobody' }), []);
    assert.deepEqual(await open({ device: 'light-2' }), ['light-2 allow_remote']);
    assert.deepEqual(await open({ state: 'resolved' }), []);
  });

  it('what only users can do come page by page, each once', async () => {
    isForbidden = true;
    for (const id of ['light-1', 'light-2']) await world.read(account, id);
    vendor.onCommand = async () => {
      throw refusal('press_button');
    };
    await assert.rejects(world.send(account, 'light-1', { type: 'set_light', dim: 10 }));
    const given = { account, state: 'open', limit: 2, language: 'en', domain: 'elnav.example' } as const;
    const first = await world.interventions.list(given);
    const second = await world.interventions.list({ ...given, cursor: first.next ?? assert.fail() });
    assert.deepEqual([first.items.length, second.items.length, second.next], [2, 1, null]);
    assert.deepEqual([...first.items, ...second.items], await all());
    await assert.rejects(world.interventions.list({ ...given, cursor: 'x' }), { code: 'request.invalid' });
  });

  it('what only users can do are told in Swedish and English, with where to go', async () => {
    vendor.onRead = async () => {
      throw refusal('turn_on_access');
    };
    await assert.rejects(world.read(account, 'light-1'));
    const [english] = await all();
    const [swedish] = await all({ language: 'sv' });
    assert.deepEqual([english?.title, swedish?.title], ['Press it', 'Tryck']);
    assert.deepEqual([english?.url, english?.at_device], ['https://v.example/elnav.example', false]);
  });

  it('what only users can do are gone with the link, and resolved ones after 30 days when others open', async () => {
    const flip = async (value: boolean) => {
      isForbidden = value;
      await world.read(account, 'light-1');
    };
    await flip(true);
    await flip(false);
    world.clock.turn(31 * DAY_MS);
    await flip(true);
    assert.equal((await all({ state: 'all' })).length, 1);
    await world.links.remove(account, await linkId());
    assert.deepEqual(await all({ state: 'all' }), []);
  });

  it('what only users can do are not opened by a code that the vendor does not declare', async () => {
    vendor.onCommand = async () => {
      throw refusal('no_such_code');
    };
    await assert.rejects(world.send(account, 'light-1', { type: 'turn_on' }), { code: 'vendor.refused' });
    assert.deepEqual(await open(), []);
  });
});
