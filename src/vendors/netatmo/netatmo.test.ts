import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { netatmo } from './index.ts';
import { makeWorld, refOf, type World } from './test-world.ts';

const kind = kindOf(netatmo, 'thermostat');
const setTemperature = (here: World, device: DeviceRef, milliC: number) =>
  send(kind, here.session(), device, { type: 'set_temperature', target_milli_c: milliC });
const HOUR = 3_600;

describe('netatmo linking', () => {
  it('finds the heated rooms of all homes, and nothing else', async () => {
    const here = await makeWorld();
    const { vendorAccount, devices } = await netatmo.link(here.session());
    assert.equal(vendorAccount, '51a0cafe0000000000000001');
    assert.deepEqual(
      devices.map(({ id, name }) => [id, name]),
      [
        ['51a0beef0000000000000001.2746182631', 'Living room (simulated) (Simulated house)'],
        ['51a0beef0000000000000001.2940411577', 'Kitchen (simulated) (Simulated house)'],
        ['51a0beef0000000000000001.68319658', 'Bedroom (simulated) (Simulated house)'],
        ['51a0beef0000000000000002.222452125', 'Office (simulated) (Simulated flat)'],
        ['51a0beef0000000000000002.1002003001', 'Bathroom (simulated) (Simulated flat)'],
        ['51a0beef0000000000000002.2299431568', 'Corridor (simulated) (Simulated flat)'],
      ],
    );
    assert.deepEqual(
      devices.map((device) => capabilitiesOf(kind, device).includes('on_off')),
      [true, false, false, true, false, true],
    );
  });

  it('reads 500 rooms with one call for each home', async () => {
    const here = await makeWorld('large');
    const devices = (await here.found()).map(refOf);
    here.asked.length = 0;
    const readings = await netatmo.sweep(here.session(), devices);
    assert.equal(readings.size, 500);
    assert.deepEqual(here.asked, Array(5).fill('GET /api/homestatus'));
  });
});

describe('netatmo reading', () => {
  it('has temperature, mode and whether the room is off', async () => {
    const here = await makeWorld();
    assert.deepEqual(await here.state(await here.room('Living')), {
      online: true,
      power_on: true,
      operation_state: 'schedule',
      temperature_milli_c: 19_000,
    });
  });

  it('treats what cannot be reached as offline, not as a failed read', async () => {
    const here = await makeWorld('unreachable');
    for (const name of ['Stove', 'Attic'])
      assert.deepEqual(await here.state(await here.room(name)), { online: false, temperature_milli_c: null });
    assert.equal((await here.state(await here.room('Cellar'))).online, true);
    const readings = await netatmo.sweep(here.session(), (await here.found()).map(refOf));
    assert.deepEqual(
      [...readings.values()].map((reading) => reading !== null),
      [false, false, true],
    );
  });

  it('is offline only when no module of the room can be reached', async () => {
    const here = await makeWorld();
    const bedroom = await here.room('Bedroom');
    here.simulator.reachModule('09:00:00:00:00:02', false);
    assert.equal((await here.state(bedroom)).online, true);
    here.simulator.reachModule('09:00:00:00:00:03', false);
    assert.equal((await here.state(bedroom)).online, false);
    here.simulator.reachModule('09:00:00:00:00:03', true);
    assert.equal((await here.state(bedroom)).online, true);
  });

  it('refuses a room that is gone, and leaves it out of a sweep that reads the others', async () => {
    const here = await makeWorld();
    const devices = (await here.found()).map(refOf);
    const kitchen = await here.room('Kitchen');
    here.simulator.remove(kitchen);
    await assert.rejects(here.state(kitchen), {
      code: 'vendor.refused',
      message: /Netatmo no longer reports/,
    });
    const readings = await netatmo.sweep(here.session(), devices);
    assert.equal(readings.size, 5);
    assert.equal(readings.has(kitchen.id), false);
  });

  it('refuses a home that is gone, and reads the other homes', async () => {
    const here = await makeWorld();
    const devices = (await here.found()).map(refOf);
    const moved = {
      ...devices[0],
      id: 'x.1',
      details: { ...devices[0]?.details, home_id: 'x' },
    } as DeviceRef;
    await assert.rejects(here.state(moved), { code: 'vendor.refused', message: /error 21/ });
    const readings = await netatmo.sweep(here.session(), [moved, ...devices]);
    assert.equal(readings.size, 6);
  });

  it('asks that a room be linked again when its details are not understood', async () => {
    const here = await makeWorld();
    const device = { ...(await here.room('Kitchen')), details: { home: 1 } };
    await assert.rejects(here.state(device), { code: 'vendor.answer_invalid', message: /link it again/ });
    const readings = await netatmo.sweep(here.session(), [device, await here.room('Living')]);
    assert.deepEqual([...readings.keys()], [(await here.room('Living')).id]);
  });
});

describe('netatmo commands', () => {
  it('holds a target for the default duration of the home', async () => {
    const here = await makeWorld();
    for (const [name, hours] of [
      ['Living', 3],
      ['Kitchen', 3],
      ['Office', 2],
      ['Bathroom', 2],
      ['Corridor', 2],
    ] as const) {
      const room = await here.room(name);
      await setTemperature(here, room, 22_500);
      assert.equal((await here.state(room)).operation_state, 'manual', name);
      await here.pass(hours * HOUR - 60);
      const held = await here.state(room);
      assert.deepEqual([held.operation_state, held.temperature_milli_c], ['manual', 22_500], name);
      await here.pass(120);
      assert.equal((await here.state(room)).operation_state, 'schedule', name);
    }
  });

  it('uses the call that the modules of the room take', async () => {
    const here = await makeWorld();
    const calls = [];
    for (const name of ['Living', 'Kitchen', 'Office', 'Bathroom', 'Corridor']) {
      const room = await here.room(name);
      here.asked.length = 0;
      await setTemperature(here, room, 20_000);
      calls.push(...here.asked);
    }
    assert.deepEqual(calls, [
      'POST /api/setroomthermpoint',
      'POST /api/setroomthermpoint',
      'POST /api/setstate',
      'POST /api/setstate',
      // A Smarther may heat or cool: the room says which.
      'GET /api/homestatus',
      'POST /api/setstate',
    ]);
  });

  it('leaves the duration to Netatmo where the home has none', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    const asked: string[] = [];
    here.instead = (request) => {
      asked.push(Buffer.from(request.body).toString());
      return undefined;
    };
    await setTemperature(here, { ...room, details: { ...room.details, default_minutes: null } }, 20_000);
    await setTemperature(here, room, 20_000);
    const end = Math.floor(here.clock.now() / 1_000) + 3 * HOUR;
    const start = `home_id=${room.details.home_id}&room_id=${room.details.room_id}&mode=manual&temp=20`;
    assert.deepEqual(asked, [start, `${start}&endtime=${end}`]);
  });

  it('works with a clock that is ten minutes off', async () => {
    for (const skewMs of [-600_000, 600_000]) {
      const here = await makeWorld('home', { skewMs });
      const room = await here.room('Living');
      await setTemperature(here, room, 21_000);
      await here.pass(HOUR);
      assert.equal((await here.state(room)).operation_state, 'manual');
      await here.pass(2 * HOUR + 601);
      assert.equal((await here.state(room)).operation_state, 'schedule');
    }
  });

  it('takes 7 to 30 °C in half degrees', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    for (const [milliC, sent] of [
      [7_000, '7'],
      [30_000, '30'],
      [21_249, '21'],
      [21_250, '21.5'],
      [7_001, '7'],
      [29_999, '30'],
    ] as const) {
      const asked: (string | null)[] = [];
      here.instead = ({ body }) => {
        asked.push(new URLSearchParams(Buffer.from(body).toString()).get('temp'));
        return undefined;
      };
      await setTemperature(here, room, milliC);
      assert.deepEqual(asked, [sent]);
    }
    here.asked.length = 0;
    for (const wrong of [6_999, 30_001, -5_000, Number.MAX_SAFE_INTEGER])
      await assert.rejects(setTemperature(here, room, wrong), {
        code: 'command.out_of_range',
        message: `target_milli_c must be from 7000 to 30000, not ${wrong}`,
      });
    assert.deepEqual(here.asked, []);
  });

  it('lets a room that is on keep its setpoint when it is told to be on', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    await setTemperature(here, room, 23_000);
    await send(kind, here.session(), room, { type: 'turn_on' });
    assert.equal((await here.state(room)).operation_state, 'manual');
    await send(kind, here.session(), room, { type: 'turn_off' });
    assert.deepEqual(await here.state(room), {
      online: true,
      power_on: false,
      operation_state: 'off',
      temperature_milli_c: 19_000,
    });
    await send(kind, here.session(), room, { type: 'turn_on' });
    assert.equal((await here.state(room)).operation_state, 'schedule');
  });

  it('says that the device is offline when a module did not get the command', async () => {
    const here = await makeWorld();
    const office = await here.room('Office');
    here.simulator.reachModule('09:00:00:00:00:04', false);
    await assert.rejects(setTemperature(here, office, 20_000), { code: 'device.offline' });
    here.instead = () => ({
      status: 200,
      json: { status: 'ok', body: { errors: [{ code: 99, id: '222452125' }] } },
    });
    await assert.rejects(setTemperature(here, office, 20_000), { code: 'vendor.refused' });
    here.instead = () => ({
      status: 200,
      json: { status: 'ok', body: { errors: [{ code: 6, id: 'another' }] } },
    });
    await setTemperature(here, office, 20_000);
  });

  it('sets the cooling setpoint of a home that cools, and shows its mode', async () => {
    const here = await makeWorld('cooling');
    const lounge = await here.room('Lounge');
    assert.deepEqual(await here.state(lounge), {
      online: true,
      power_on: true,
      operation_state: 'schedule',
      temperature_milli_c: 19_000,
    });
    const bodies: unknown[] = [];
    here.instead = ({ path, body }) => {
      if (path === '/api/setstate') bodies.push(JSON.parse(Buffer.from(body).toString()));
      return undefined;
    };
    await setTemperature(here, lounge, 24_000);
    const { home_id, room_id } = lounge.details;
    const end = Math.floor(here.clock.now() / 1_000) + 3 * HOUR;
    const room = {
      id: room_id,
      cooling_setpoint_mode: 'manual',
      cooling_setpoint_temperature: 24,
      cooling_setpoint_end_time: end,
    };
    assert.deepEqual(bodies, [{ home: { id: home_id, rooms: [room] } }]);
    assert.equal((await here.state(lounge)).operation_state, 'manual');
    await send(kind, here.session(), lounge, { type: 'turn_off' });
    assert.equal((await here.state(lounge)).power_on, false);
  });
});
