import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Static, TSchema } from 'typebox';
import { fits } from '../../adapter/kit/index.ts';
import type { Json } from '../../core/json.ts';
import { api } from './failure.ts';
import { recorded } from './test-world.ts';
import {
  accountIn,
  Details,
  HomesResponse,
  type Reading,
  readingIn,
  StatusResponse,
  statusOf,
  temperatureOf,
  withheldFrom,
} from './translate.ts';

/** As the calls do it. */
function checked<S extends TSchema>(schema: S, body: Json): Static<S> {
  if (fits(schema, body)) return body;
  throw api.notUnderstood('it');
}
const accountOf = (body: Json) => accountIn(checked(HomesResponse, body));
const readingOf = (body: Json, of: Details) => readingIn(checked(StatusResponse, body), of);

const HOME = '000000000000000000000a01';
const { user, devices } = accountOf(recorded('homesdata'));

function details(room: string) {
  const found = devices.find(({ id }) => id === `${HOME}.${room}`)?.details;
  assert.ok(fits(Details, found), `no room ${room}`);
  return found;
}

const shown = (reading: Reading | undefined) =>
  reading === undefined ? undefined : { ...statusOf(reading), milliC: temperatureOf(reading) };

describe('recorded homes of netatmo', () => {
  it('have a device for each room with heating', () => {
    assert.equal(user, HOME);
    assert.deepEqual(
      devices.map((device) => {
        const { modules, commands } = details(device.id.split('.')[1] ?? '');
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
  });

  it('may have rooms with nothing in them', () => {
    assert.deepEqual(accountOf(recorded('homesdata-home-without-modules')).devices, []);
  });

  it('say whose they are, or are not understood', () => {
    for (const answer of [
      recorded('homesdata-empty'),
      null,
      [],
      'x',
      {},
      { body: null },
      { body: { homes: {} } },
    ])
      assert.throws(() => accountOf(answer), { code: 'vendor.answer_invalid' });
  });

  it('lose only the members that are not understood', () => {
    const odd = (rooms: Json[], modules: Json[]) =>
      accountOf({ body: { user: { id: 'u' }, homes: [null, { id: 'h', rooms, modules }] } }).devices;
    const valve = { id: '09:00', type: 'NRV', room_id: '1' };
    assert.deepEqual(odd([{ id: '1' }], [valve])[0], {
      id: 'h.1',
      type: 'thermostat',
      details: {
        home_id: 'h',
        room_id: '1',
        modules: [{ id: '09:00', type: 'NRV' }],
        bridges: [],
        commands: 'setroomthermpoint',
        default_minutes: null,
        can_cool: false,
      },
    });
    assert.deepEqual(odd([{ id: 1 }, { id: '../x' }, { id: 'y'.repeat(65) }, 7], [valve, null]), []);
    assert.equal(odd([{ id: '1' }, { id: '1' }], [valve]).length, 1);
    const proto = odd([{ id: '__proto__', name: 'p' }], [{ ...valve, room_id: '__proto__' }]);
    assert.deepEqual([proto[0]?.id, proto[0]?.name], ['h.__proto__', 'p']);
    assert.equal(({} as Record<string, unknown>).name, undefined);
  });
});

describe('recorded states of netatmo', () => {
  const mixed = recorded('homestatus-error-and-data');

  it('are read room by room, whatever cannot be reached elsewhere in the home', () => {
    assert.deepEqual(shown(readingOf(mixed, details('2746182631'))), {
      online: true,
      power_on: true,
      operation_state: 'away',
      milliC: 19_800,
    });
    assert.deepEqual(shown(readingOf(mixed, details('2940411577'))), {
      online: true,
      power_on: true,
      operation_state: 'hg',
      milliC: 27_000,
    });
  });

  it('tell offline from gone', () => {
    const lost = recorded('homestatus-disconnected');
    assert.equal(readingOf(lost, details('2746182631')), null);
    assert.equal(readingOf(lost, details('222452125')), undefined, 'its relay is another one');
    assert.equal(readingOf(mixed, details('222452125')), undefined);
    for (const nothing of ['homestatus-without-rooms', 'homestatus-empty-body'])
      assert.equal(readingOf(recorded(nothing), details('2746182631')), undefined);
    for (const answer of [null, {}, { body: 1 }, { body: { home: [] } }, recorded('status-ok')])
      assert.throws(() => readingOf(answer, details('2746182631')), { code: 'vendor.answer_invalid' });
  });

  it('believe the room, its modules and their relay', () => {
    const answer = (home: Json, errors: Json[] = []) => ({ body: { home, errors } });
    const valve = details('2833524037');
    const [id] = valve.modules.map((module) => module.id);
    const room = { id: '2833524037', therm_measured_temperature: 20 };
    assert.equal(readingOf(answer({ rooms: [{ ...room, reachable: false }] }), valve), null);
    assert.notEqual(readingOf(answer({ rooms: [room] }), valve), null);
    assert.equal(readingOf(answer({ rooms: [room] }, [{ code: 6, id: id ?? '' }]), valve), null);
    assert.equal(
      readingOf(answer({ rooms: [room] }, [{ code: 6, id: valve.bridges[0] ?? '' }]), valve),
      null,
    );
    assert.equal(readingOf(answer({ modules: [{ id: id ?? '', reachable: false }] }), valve), null);
    assert.equal(readingOf(answer({ modules: [{ id: id ?? '', reachable: true }] }), valve), undefined);
  });

  it('show nothing that is not known', () => {
    const room = (fields: Json) => ({ id: '1', ...(fields as object) });
    assert.deepEqual(statusOf(room({ therm_setpoint_mode: 'moonlight' })), {
      online: true,
      power_on: null,
      operation_state: 'moonlight',
    });
    for (const mode of [undefined, null, '', 7, {}])
      assert.deepEqual(statusOf({ id: '1', therm_setpoint_mode: mode }), {
        online: true,
        power_on: null,
        operation_state: null,
      });
    assert.equal(statusOf({ id: '1', therm_setpoint_mode: 'm'.repeat(999) }).operation_state?.length, 64);
    assert.equal(statusOf({ id: '1', therm_setpoint_mode: 'off' }).power_on, false);
    assert.equal(statusOf({ id: '1', therm_setpoint_mode: 'constructor' }).power_on, null);
    for (const [celsius, milliC] of [
      [19.8, 19_800],
      [-0.3, -300],
      [0, 0],
      ['19', null],
      [null, null],
      [undefined, null],
      [Number.POSITIVE_INFINITY, null],
      [-100, null],
      [Number.NaN, null],
    ] as const)
      assert.equal(temperatureOf({ id: '1', therm_measured_temperature: celsius }), milliC);
    assert.equal(temperatureOf(null), null);
  });
});
