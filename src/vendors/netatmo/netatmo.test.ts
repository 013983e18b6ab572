import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { netatmo } from './index.ts';

const setTemperature = (here: VendorWorld, room: DeviceRef, target_milli_c: number) =>
  here.send(room, { type: 'set_temperature', target_milli_c });

/** What commands say to Netatmo, by the call that they are sent with. */
function listenTo(here: VendorWorld) {
  const sent: [string, JsonObject][] = [];
  here.instead = ({ method, path, headers, body }) => {
    const text = Buffer.from(body).toString();
    const isJson = headers['content-type'] === 'application/json';
    if (method === 'POST')
      sent.push([path, isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))]);
    return undefined;
  };
  return sent;
}

describe('netatmo', () => {
  it('reads 500 rooms with one call for each home', async () => {
    const here = await makeVendorWorld(netatmo, { user: 'large' });
    const devices = (await here.link()).devices.map(refOf);
    here.asked.length = 0;
    assert.equal((await netatmo.sweep(here.session(), devices)).size, 500);
    assert.deepEqual(here.asked, Array(5).fill('GET /api/homestatus'));
  });

  it('names rooms with their home where there are several', async () => {
    const names = async (user: string) =>
      (await (await makeVendorWorld(netatmo, { user })).link()).devices.map(({ name }) => name);
    assert.equal((await names('home'))[0], 'Living room (simulated) (Simulated house)');
    assert.deepEqual(await names('cooling'), ['Lounge (simulated)']);
  });

  it('sets a room by the call that its modules take, for the default duration of its home', async () => {
    const here = await makeVendorWorld(netatmo);
    const sent = listenTo(here);
    const seconds = Math.floor(here.clock.now() / 1_000);
    for (const [name, path, hours] of [
      ['Living', '/api/setroomthermpoint', 3],
      ['Kitchen', '/api/setroomthermpoint', 3],
      ['Office', '/api/setstate', 2],
      ['Bathroom', '/api/setstate', 2],
      ['Corridor', '/api/setstate', 2],
    ] as const) {
      const room = await here.device(name);
      await setTemperature(here, room, 22_500);
      const { home_id, room_id } = room.details;
      const end = seconds + hours * 3_600;
      const setpoint = {
        therm_setpoint_mode: 'manual',
        therm_setpoint_temperature: 22.5,
        therm_setpoint_end_time: end,
      };
      const older = { home_id, room_id, mode: 'manual', temp: '22.5', endtime: String(end) };
      const newer = { home: { id: home_id, rooms: [{ id: room_id, ...setpoint }] } };
      assert.deepEqual(sent.pop(), [path, hours === 3 ? older : newer], name);
      assert.equal((await here.state(room)).operation_state, 'manual heating', name);
    }
  });

  it('leaves the duration to Netatmo where the home has none', async () => {
    const here = await makeVendorWorld(netatmo);
    const sent = listenTo(here);
    const room = await here.device('Living');
    await setTemperature(here, { ...room, details: { ...room.details, default_minutes: null } }, 20_000);
    assert.equal('endtime' in (sent[0]?.[1] ?? {}), false);
  });

  it('sends half degrees from 7 to 30', async () => {
    const here = await makeVendorWorld(netatmo);
    const sent = listenTo(here);
    const room = await here.device('Living');
    for (const milliC of [7_001, 21_249, 21_250, 29_999]) await setTemperature(here, room, milliC);
    assert.deepEqual(
      sent.map(([, { temp }]) => temp),
      ['7', '21', '21.5', '30'],
    );
    for (const beyond of [6_999, 30_001])
      await assert.rejects(setTemperature(here, room, beyond), { code: 'command.out_of_range' });
  });

  it('lets a room that is on keep its setpoint when it is told to be on', async () => {
    const here = await makeVendorWorld(netatmo);
    const room = await here.device('Living');
    const modeAfter = async (type: 'turn_on' | 'turn_off') => {
      await here.send(room, { type });
      return (await here.state(room)).operation_state;
    };
    await setTemperature(here, room, 23_000);
    assert.equal(await modeAfter('turn_on'), 'manual heating');
    assert.equal(await modeAfter('turn_off'), 'off');
    assert.equal(await modeAfter('turn_on'), 'schedule idle');
  });

  it('sets the cooling setpoint of a home that cools, and shows its mode', async () => {
    const here = await makeVendorWorld(netatmo, { user: 'cooling' });
    const sent = listenTo(here);
    const lounge = await here.device('Lounge');
    assert.equal((await here.state(lounge)).operation_state, 'schedule');
    await here.send(lounge, { type: 'turn_off' });
    const { home_id, room_id } = lounge.details;
    const rooms = [{ id: room_id, cooling_setpoint_mode: 'off' }];
    assert.deepEqual(sent, [['/api/setstate', { home: { id: home_id, rooms } }]]);
    assert.equal((await here.state(lounge)).power_on, false);
  });

  it('is told in a 200 that a module did not get the command', async () => {
    const here = await makeVendorWorld(netatmo);
    const office = await here.device('Office');
    const [module] = office.details.modules as { id: string }[];
    const answering = (error: JsonObject) => {
      here.instead = () => ({ status: 200, json: { status: 'ok', body: { errors: [error] } } });
      return setTemperature(here, office, 20_000);
    };
    await assert.rejects(answering({ code: 6, id: module?.id ?? '' }), { code: 'device.offline' });
    await assert.rejects(answering({ code: 99, id: office.details.room_id ?? '' }), {
      code: 'vendor.refused',
    });
    await answering({ code: 6, id: 'another' });
  });
});
