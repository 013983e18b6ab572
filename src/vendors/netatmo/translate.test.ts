import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { fits, tokensIn } from '../../adapter/kit/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { failure, isTokenRefused } from './api.ts';
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
import { webhook } from './webhook.ts';

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
  it('have a device for each room with heating, and the call that its modules take', () => {
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

  it('lose only the rooms whose id cannot stand in a path', () => {
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

  it('are read room by room, and tell offline (null) from gone (undefined)', () => {
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

  it('believe the room, all of its modules and their relay', () => {
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

  it('say whether a room is heated: by what it asks for, or by the boiler of its thermostat', () => {
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

  it('claim nothing for modes and temperatures that are not known', () => {
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
  it('are refusals and quotas by their code, whatever the status', () => {
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

  it('and tokens are understood', () => {
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

  it('make the rooms that they name be read again, as recorded', () => {
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

  it('name each room of a home-wide change once when they do not name the user', () => {
    const list = [{ id: '1' }, { id: '2' }, { id: '1' }, null, { id: 3 }, { id: '../x' }];
    assert.deepEqual(read({ event_type: 'therm_mode', home: { id: 'h', rooms: list } }), [
      { device: 'h.1' },
      { device: 'h.2' },
    ]);
  });

  it('are the same within a second, and new when the same happens again', () => {
    const idAt = (receivedAt: number, body = 'a') =>
      idOf({ body: Buffer.from(body), headers: {}, receivedAt });
    assert.equal(idAt(86_400_000), idAt(86_400_900));
    assert.notEqual(idAt(86_400_000), idAt(86_401_000));
    assert.notEqual(idAt(0), idAt(0, 'b'));
  });
});
