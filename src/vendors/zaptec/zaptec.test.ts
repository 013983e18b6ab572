import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf } from '../../adapter/derive.ts';
import type { JsonObject } from '../../core/json.ts';
import { zaptec } from './index.ts';
import type { ZaptecSimulator } from './simulator.ts';

const recorded = recordedIn(import.meta.dirname);
const { charger: kind } = zaptec.kinds;

async function makeWorld() {
  const here = await makeVendorWorld(zaptec);
  return Object.assign(here, { at: (here.vendor as ZaptecSimulator).charger });
}

/** What commands say to Zaptec: paths below `/api/chargers/{id}` or `/api/installation/{id}`, with their bodies. */
function listenTo(here: VendorWorld) {
  const sent: unknown[] = [];
  here.instead = ({ method, path, body }) => {
    const text = Buffer.from(body).toString();
    const name = path.replace(/^\/api\/(\w+)\/[\w-]+\//, '$1 ');
    if (method === 'POST') sent.push(text === '' ? name : [name, JSON.parse(text)]);
    return undefined;
  };
  return sent;
}

describe('linking', () => {
  it('finds what the account may control, with its installation', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    const shown = devices.map((one) => [one.name, one.details?.max_a, kind.whyWithheld?.(one)?.slice(0, 36)]);
    assert.deepEqual(shown, [
      ['House (simulated)', 25, undefined],
      ['Left (simulated)', 32, undefined],
      ['Right (simulated)', 32, undefined],
      ['Place 1 (simulated)', 32, 'the installation of this charger has'],
      ['Place 2 (simulated)', 32, 'the installation of this charger has'],
    ]);
    for (const one of devices)
      assert.equal(
        capabilitiesOf(kind, one).includes('load_balancing'),
        kind.whyWithheld?.(one) === undefined,
        String(one.name),
      );
  });

  it('reads recorded lists, without meters, what was replaced, and chargers that the account may only charge at', async () => {
    const here = await makeWorld();
    const lists = new Map([
      ['/api/chargers', recorded('chargers')],
      ['/api/installation', recorded('installations')],
    ]);
    here.instead = ({ path }) => {
      const json = lists.get(path);
      return json === undefined ? undefined : { status: 200, json };
    };
    const [found, ...others] = (await here.link()).devices;
    assert.deepEqual(others, []);
    assert.deepEqual([found?.name, found?.details?.max_a, found?.details?.unbalanced], ['Garage', 25, null]);
    assert.deepEqual(
      found?.details?.others,
      [],
      'neither a meter nor what was replaced is a charger of the installation',
    );
  });

  it('does not balance what the account may not change, or does not know', async () => {
    const here = await makeWorld();
    const reasonWith = async (change: JsonObject, name = 'House', ofChargers: JsonObject = {}) => {
      const changes = new Map([
        ['/api/installation', change],
        ['/api/chargers', ofChargers],
      ]);
      here.instead = async (request) => {
        const more = changes.get(request.path);
        if (more === undefined) return undefined;
        const { json } = await here.vendor.handle(request);
        const { Data, Pages } = json as { Pages: number; Data: JsonObject[] };
        return { status: 200, json: { Pages, Data: Data.map((one) => ({ ...one, ...more })) } };
      };
      return (await here.device(name)).details.unbalanced;
    };
    assert.equal(await reasonWith({ CurrentUserRoles: 1 }), 'access');
    assert.equal(await reasonWith({ MaxCurrent: null }), 'unknown');
    assert.equal(await reasonWith({ Id: 'another' }), 'unknown');
    assert.equal(await reasonWith({ MaxCurrent: 33 }, 'Left'), 'shared');
    const together = { InstallationId: here.at('Left').installation.id };
    assert.equal(
      await reasonWith({}, 'Left', together),
      'access',
      'at one of them the account may only charge',
    );
    const owned = { ...together, CurrentUserRoles: 3 };
    assert.equal(await reasonWith({}, 'Left', owned), 'shared', 'with five others');
    assert.equal(
      await reasonWith({ MaxCurrent: 63 }),
      null,
      'a charger that is alone takes no more than 32 A',
    );
  });
});

describe('commands', () => {
  it('are not sent where Zaptec would refuse them', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const house = await here.device('House');
    await here.send(house, { type: 'stop_charge' });
    await assert.rejects(here.send(house, { type: 'start_charge' }), { message: /no car is connected/ });
    here.vendor.arrange(house, 'charging');
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent, []);
    await here.send(house, { type: 'stop_charge' });
    here.clock.turn(2_000);
    await here.send(house, { type: 'stop_charge' });
    assert.equal((await here.state(house)).operation_state, 'paused');
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent, ['chargers SendCommand/506', 'chargers SendCommand/507']);
  });

  it('that come too late are refused in words, and say nothing of an outage', async () => {
    const here = await makeWorld();
    const house = await here.device('House');
    here.vendor.arrange(house, 'charging');
    // It was unplugged after it was read.
    here.instead = ({ method }) => {
      if (method === 'POST') here.at('House').plugged = false;
      return undefined;
    };
    await assert.rejects(here.send(house, { type: 'stop_charge' }), {
      code: 'vendor.refused',
      message: /rejects the command in its present state/,
    });
  });

  it('start a charger with the limit from before a pause by current', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const house = await here.device('House');
    here.vendor.arrange(house, 'charging');
    for (const current_a of [10, 0, 0]) {
      await here.send(house, { type: 'set_current', current_a });
      here.clock.turn(2_000);
    }
    assert.equal((await here.state(house)).charging, false);
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent.at(-1), ['chargers update', { maxChargeCurrent: 10 }]);
    here.clock.turn(2_000);
    assert.equal((await here.state(house)).charging, true);
  });

  it('take away a pause by current from a charger that asks for authorization', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const place = await here.device('Place 1');
    Object.assign(here.at('Place 1'), { plugged: true, authorized: true, maxA: 0 });
    await here.send(place, { type: 'start_charge' });
    assert.deepEqual(sent, [['chargers update', { maxChargeCurrent: 32 }]]);
  });

  it('do not start a charger that waits for its user, nor one that is unreachable', async () => {
    const here = await makeWorld();
    const place = await here.device('Place 1');
    Object.assign(here.at('Place 1'), { plugged: true, authorized: false });
    await assert.rejects(here.send(place, { type: 'start_charge' }), { message: /authorizes it/ });
    const away = await here.device('Place 2');
    for (const command of [
      { type: 'start_charge' },
      { type: 'stop_charge' },
      { type: 'set_current', current_a: 10 },
    ] as const)
      await assert.rejects(here.send(away, command), { code: 'device.offline' }, command.type);
  });

  it('limit the installation of several chargers, which then share it', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const [left, right] = [await here.device('Left'), await here.device('Right')];
    here.vendor.arrange(left, 'charging');
    assert.equal(Math.round(((await here.state(left)).power_w ?? 0) / 690), 16, 'all that the car takes');
    here.at('Right').plugged = true;
    await here.send(right, { type: 'set_limit', max_a: 16 });
    assert.deepEqual(sent, [['installation update', { availableCurrent: 16 }]]);
    for (const one of [left, right]) {
      const raw = await kind.read(here.session(), one);
      assert.equal(Math.round((kind.reads.read_power?.(raw) ?? 0) / 690), 8);
      assert.deepEqual(kind.availableCapacity?.(raw), { current_a: 0, power_w: null });
    }
    await assert.rejects(here.send(left, { type: 'set_limit', max_w: 5_000 }), {
      code: 'command.axis_unsupported',
    });
  });

  it('do not limit what would not follow', async () => {
    const here = await makeWorld();
    const house = await here.device('House');
    const limit = () => here.send(house, { type: 'set_limit', max_a: 10 });
    here.at('House').installation.isManaged = true;
    await assert.rejects(limit(), { code: 'vendor.refused', message: /power management/ });
    here.at('House').isStandalone = true;
    await assert.rejects(limit(), { code: 'vendor.refused', message: /stand-alone/ });
  });
});

it('one charger is read with a call for it and one for its installation, and another for each that it shares with', async () => {
  const here = await makeWorld();
  const callsFor = async (name: string) => {
    const device = refOf(await here.device(name));
    here.asked.length = 0;
    await here.state(device);
    return here.asked.length;
  };
  assert.deepEqual([await callsFor('House'), await callsFor('Left'), await callsFor('Place 1')], [2, 3, 1]);
});
