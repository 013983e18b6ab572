import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { fits, tokensIn } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { failure, isTokenRefused } from './commands.ts';
import { netatmo, webhook } from './index.ts';
import {
  Details,
  HomesResponse,
  type Reading,
  readingIn,
  roomsIn,
  StatusResponse,
  statusOf,
  temperatureOf,
  withheldFrom,
} from './translate.ts';

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
  it('netatmo reads 500 rooms with one call for each home', async () => {
    const here = await makeVendorWorld(netatmo, { user: 'large' });
    const devices = (await here.link()).devices.map(refOf);
    here.asked.length = 0;
    assert.equal((await netatmo.sweep(here.session(), devices)).size, 500);
    assert.deepEqual(here.asked, Array(5).fill('GET /api/homestatus'));
  });

  it('netatmo names rooms with their home where there are several', async () => {
    const names = async (user: string) =>
      (await (await makeVendorWorld(netatmo, { user })).link()).devices.map(({ name }) => name);
    assert.equal((await names('home'))[0], 'Living room (simulated) (Simulated house)');
    assert.deepEqual(await names('cooling'), ['Lounge (simulated)']);
  });

  it('netatmo sets a room by the call that its modules take, for the default duration of its home', async () => {
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

  it('netatmo leaves the duration to Netatmo where the home has none', async () => {
    const here = await makeVendorWorld(netatmo);
    const sent = listenTo(here);
    const room = await here.device('Living');
    await setTemperature(here, { ...room, details: { ...room.details, default_minutes: null } }, 20_000);
    assert.equal('endtime' in (sent[0]?.[1] ?? {}), false);
  });

  it('netatmo sends half degrees from 7 to 30', async () => {
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

  it('netatmo lets a room that is on keep its setpoint when it is told to be on', async () => {
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

  it('netatmo sets the cooling setpoint of a home that cools, and shows its mode', async () => {
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

  it('netatmo is told in a 200 that a module did not get the command', async () => {
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

const recorded = recordedIn(import.meta.dirname);
const HOME = '000000000000000000000a01';
const USER = '000000000000000000000a02';

function rooms(body: Json) {
  assert.ok(fits(HomesResponse, body));
  return roomsIn(body);
}
function reading(body: Json, details: Details) {
  assert.ok(fits(StatusResponse, body));
  return readingIn(body, details);
}
function details(room: string): Details {
  const found = rooms(recorded('homesdata')).find(({ id }) => id === `${HOME}.${room}`)?.details;
  assert.ok(fits(Details, found), `no room ${room}`);
  return found;
}

describe('recorded homes', () => {
  it('recorded homes have a device for each room with heating, and the call that its modules take', () => {
    assert.deepEqual(
      rooms(recorded('homesdata')).map((device) => {
        const { modules, commands } = details(device.id.slice(HOME.length + 1));
        return [device.name, modules.map(({ type }) => type).join(), commands, withheldFrom(device).join()];
      }),
      [
        ['Livingroom (Home)', 'NATherm1', 'setroomthermpoint', ''],
        ['Entrada (Home)', 'NRV', 'setstate', 'on_off'],
        ['Cocina (Home)', 'NRV', 'setstate', 'on_off'],
        ['Bureau (Home)', 'OTM', 'setstate', ''],
        ['Corridor (Home)', 'BNS', 'setstate', ''],
      ],
    );
    assert.deepEqual(details('2746182631'), {
      home_id: HOME,
      room_id: '2746182631',
      modules: [{ id: '00:00:00:00:01:ae', type: 'NATherm1' }],
      bridges: ['00:00:00:00:fa:d0'],
      commands: 'setroomthermpoint',
      default_minutes: 120,
      can_cool: false,
    });
    assert.deepEqual(rooms(recorded('homesdata-home-without-modules')), []);
    assert.equal(fits(HomesResponse, recorded('homesdata-empty')), false, 'it does not say whose they are');
  });

  it('recorded homes lose only the rooms whose id cannot stand in a path', () => {
    const valve = { id: '09:00', type: 'NRV', room_id: '1' };
    const of = (list: Json[]) =>
      rooms({ body: { user: { id: 'u' }, homes: [null, { id: 'h', rooms: list, modules: [valve, null] }] } });
    assert.deepEqual(of([{ id: '../x' }, { id: 'y'.repeat(65) }, 7]), []);
    const [room, ...others] = of([{ id: '1' }, { id: '1' }, { id: 1 }]);
    assert.deepEqual([room?.id, room?.name, others], ['h.1', undefined, []]);
    assert.deepEqual([room?.details?.default_minutes, room?.details?.commands], [null, 'setroomthermpoint']);
  });
});

describe('recorded states', () => {
  const shown = (one: Reading | undefined) => one && { ...statusOf(one), milliC: temperatureOf(one) };

  it('recorded states are read room by room, and tell offline (null) from gone (undefined)', () => {
    const mixed = recorded('homestatus-error-and-data');
    const lost = recorded('homestatus-disconnected');
    const on = { online: true, power_on: true };
    const cases: readonly [Json, string, unknown][] = [
      [mixed, '2746182631', { ...on, operation_state: 'away idle', milliC: 19_800 }],
      [mixed, '2940411577', { ...on, operation_state: 'hg idle', milliC: 27_000 }],
      [mixed, '222452125', undefined],
      [lost, '2746182631', null],
      [lost, '222452125', undefined],
      [recorded('homestatus-without-rooms'), '2746182631', undefined],
      [recorded('homestatus-empty-body'), '2746182631', undefined],
    ];
    for (const [body, room, expected] of cases)
      assert.deepEqual(shown(reading(body, details(room))), expected, room);
    assert.equal(fits(StatusResponse, recorded('status-ok')), false);
  });

  it('recorded states believe the room, all of its modules and their relay', () => {
    const [first = '', second = ''] = ['09:01', '09:02'];
    const modules = [first, second].map((id) => ({ id, type: 'NRV' }));
    const room: Details = { ...details('2833524037'), modules, bridges: ['relay'] };
    const listed = { rooms: [{ id: room.room_id }] };
    const cases: readonly [Json, readonly string[], boolean | undefined][] = [
      [listed, [], true],
      [{ rooms: [{ id: room.room_id, reachable: false }] }, [], false],
      [listed, [first], true],
      [listed, [first, second], false],
      [listed, ['relay'], false],
      [{ modules: [{ id: first, reachable: false }] }, [], false],
      [{ modules: [{ id: first, reachable: true }] }, [], undefined],
    ];
    for (const [home, failed, expected] of cases) {
      const body = { home, errors: failed.map((id) => ({ code: 6, id })) };
      const one = reading({ body }, room);
      assert.equal(one && statusOf(one).online, expected === false ? null : expected, JSON.stringify(body));
    }
  });

  it('recorded states say whether a room is heated: by what it asks for, or by the boiler of its thermostat', () => {
    const label = (fields: object) =>
      statusOf({ id: '1', therm_setpoint_mode: 'schedule', ...fields }).operation_state;
    assert.equal(label({ heating_power_request: 40 }), 'schedule heating');
    assert.equal(label({ heating_power_request: 0 }), 'schedule idle');
    assert.equal(label({ heating_power_request: 0, boiler_status: true }), 'schedule heating');
    assert.equal(label({ boiler_status: false }), 'schedule idle');
    assert.equal(label({ heating_power_request: 'much', boiler_status: 'on' }), 'schedule', 'nobody says');
    const room = details('2746182631');
    const listed = { id: room.room_id, therm_setpoint_mode: 'manual' };
    const labelAmong = (modules: Json[]) => {
      const one = reading({ body: { home: { rooms: [listed], modules } } }, room);
      return one && statusOf(one).operation_state;
    };
    const [own] = room.modules;
    const other = { id: '0f:0f', boiler_status: true };
    assert.equal(labelAmong([{ id: own?.id ?? '', boiler_status: true }]), 'manual heating');
    assert.equal(labelAmong([{ id: own?.id ?? '', boiler_status: false }, other]), 'manual idle');
    assert.equal(labelAmong([other]), 'manual', 'the boiler of another room');
  });

  it('recorded states claim nothing for modes and temperatures that are not known', () => {
    for (const [mode, power_on, operation_state] of [
      ['off', false, 'off'],
      ['moonlight', null, 'moonlight'],
      ['constructor', null, 'constructor'],
      ['', null, null],
      [7, null, null],
    ] as const)
      assert.deepEqual(statusOf({ id: '1', therm_setpoint_mode: mode }), {
        online: true,
        power_on,
        operation_state,
      });
    for (const [celsius, milliC] of [
      [-0.3, -300],
      ['19', null],
      [-100, null],
      [Number.NaN, null],
    ] as const)
      assert.equal(temperatureOf({ id: '1', therm_measured_temperature: celsius }), milliC);
  });
});

describe('recorded failures', () => {
  it('recorded failures are refusals and quotas by their code, whatever the status', () => {
    const errors = recorded('errors') as Record<string, JsonObject>;
    const quota = { error: { code: 26, message: 'User usage reached' } };
    const cases: readonly [JsonObject | undefined, number, string | undefined][] = [
      [errors.scope, 403, 'vendor.refused'],
      [errors.invalid_id, 400, 'vendor.refused'],
      [errors.mode_not_authorized, 400, 'vendor.refused'],
      [errors.mode_is_missing, 400, undefined],
      [errors.too_many_connections, 403, 'vendor.rate_limited'],
      [errors.concurrency, 403, 'vendor.rate_limited'],
      [quota, 403, 'vendor.rate_limited'],
    ];
    for (const [json, status, code] of cases) {
      const body = JSON.stringify(json);
      const cause = failureOfStatus('it', { status, body, retryAfterSeconds: undefined });
      assert.equal(failure(cause, 'it')?.code, code, body);
      assert.equal(isTokenRefused({ status, body }), false, body);
    }
    for (const code of [2, 3])
      assert.ok(isTokenRefused({ status: 403, body: JSON.stringify({ error: { code, message: 'm' } }) }));
  });

  it('recorded failures and tokens are understood', () => {
    assert.deepEqual(tokensIn('Netatmo', recorded('token'), { now: 0, before: undefined }), {
      access: `${HOME}|access`,
      refresh: `${HOME}|refresh`,
      expiresAt: 10_800_000,
      scopes: (recorded('token') as { scope: string[] }).scope,
    });
  });
});

describe('deliveries', () => {
  const { read, idOf } = webhook;

  it('deliveries make the rooms that they name be read again, as recorded', () => {
    const deliveries = recorded('webhooks') as Record<string, JsonObject>;
    const device = `${HOME}.2746182631`;
    const expected = {
      set_point: [{ device }],
      setpoint_event: [{ device }],
      cancel_set_point: [{ vendorAccount: USER, device }],
      therm_mode: [{ vendorAccount: USER }],
      therm_mode_without_user: [],
      schedule: [{ vendorAccount: USER }],
      webhook_activation: [],
      camera_person: [],
      camera_off: [],
    };
    assert.deepEqual(
      Object.fromEntries(Object.entries(deliveries).map(([name, body]) => [name, read(body)])),
      expected,
    );
  });

  it('deliveries name each room of a home-wide change once when they do not name the user', () => {
    const list = [{ id: '1' }, { id: '2' }, { id: '1' }, null, { id: 3 }, { id: '../x' }];
    assert.deepEqual(read({ event_type: 'therm_mode', home: { id: 'h', rooms: list } }), [
      { device: 'h.1' },
      { device: 'h.2' },
    ]);
  });

  it('deliveries are the same within a second, and new when the same happens again', () => {
    const idAt = (receivedAt: number, body = 'a') =>
      idOf({ body: Buffer.from(body), headers: {}, receivedAt });
    assert.equal(idAt(86_400_000), idAt(86_400_900));
    assert.notEqual(idAt(86_400_000), idAt(86_401_000));
    assert.notEqual(idAt(0), idAt(0, 'b'));
  });
});
