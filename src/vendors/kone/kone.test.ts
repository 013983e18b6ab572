import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOf } from '../../adapter/adapters.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { findLifts, liftsIn, list, scopeFor } from './client.ts';
import { kone, readLift, sweep } from './index.ts';
import { BUILDING, building, event, makeWorld, NOW, recorded, refTo, scripted } from './test-world.ts';
import {
  isWhole,
  type LiftRaw,
  observedAt,
  statusOf,
  UNHEARD,
  unrecognized,
  withEvent,
} from './translate.ts';

const WHOLE = [
  event('status', { lift_mode: 12, decks: [] }),
  event('position', { moving_state: 'STANDING' }),
  event('doors', { area: 1, lift_side: 1, state: 'CLOSED' }),
];

describe('linking', () => {
  it('linking lists the lifts of the groups that the user named, and no others', async () => {
    const world = await makeWorld();
    const { vendorAccount, devices } = await world.link();
    assert.equal(vendorAccount, BUILDING);
    assert.deepEqual(
      devices.map(({ id, name, site }) => [id, name, site]),
      [
        ['9990000951-1-1', 'A', BUILDING],
        ['9990000951-1-2', 'B', BUILDING],
        ['9990000951-2-1', 'Goods', BUILDING],
      ],
    );
    const only = (groups: JsonObject): Session => ({
      ...world.session(),
      credentials: { client_id: 'x', client_secret: 'x', building: ` building:${BUILDING} `, ...groups },
    });
    const idsOf = async (session: Session) => (await findLifts(session)).map(({ id }) => id);
    assert.deepEqual(await idsOf(only({})), ['9990000951-1-1', '9990000951-1-2'], 'the first group');
    assert.deepEqual(await idsOf(only({ groups: ' 2 , 2' })), ['9990000951-2-1']);
  });

  it('linking asks for no more than the inventory and these groups', () => {
    assert.equal(
      scopeFor({ building: 'building:abc', groups: '1, 2' }),
      'application/inventory callgiving/group:abc:1 callgiving/group:abc:2',
    );
    assert.equal(scopeFor({ building: 'abc' }), 'application/inventory callgiving/group:abc:1');
  });

  it('linking is refused for a building that the application does not have, which has no lifts later', async () => {
    const world = await makeWorld();
    const session: Session = { ...world.session(), credentials: { building: '777' } };
    await assert.rejects(findLifts(session), {
      code: 'link.credentials_refused',
      message: 'the application at KONE does not have building 777; it has 99900009301, 9990000951',
    });
    assert.deepEqual(await list(session), []);
    world.instead = () => ({ status: 200, json: { buildings: 'none' } });
    await assert.rejects(list(session), { code: 'vendor.answer_invalid' }, 'which would remove every lift');
  });

  it('linking finds the building among those of the application', async () => {
    const world = await makeWorld();
    world.instead = ({ path }) =>
      path.endsWith('/resources') ? { status: 200, json: recorded('resources') } : undefined;
    assert.equal((await list(world.session())).length, 3);
  });

  it('linking is refused where KONE does not grant the group', async () => {
    const world = await makeWorld();
    const credentials = { ...world.vendor.user.credentials, groups: '9' };
    await assert.rejects(kone.login.signIn?.(world.loginSession(), credentials) ?? Promise.resolve(), {
      code: 'link.credentials_refused',
      message: /does not grant this client what is needed: .*group:9990000951:9$/,
    });
  });

  it('linking is no whole list while a group does not answer', async () => {
    const world = await makeWorld();
    world.kone.group('9990000951-2-1').isReachable = false;
    await assert.rejects(list(world.session()), {
      code: 'vendor.timeout',
      message: 'group 2 of building 9990000951 did not respond to KONE in time',
    });
  });

  it('linking reads ids as numbers, as texts and with the ids of what they belong to', () => {
    const group = { building: BUILDING, group: '1' };
    const config = (group_id: string | number, lift_id: string | number) => ({
      groups: [{ group_id, lifts: [{ lift_id, lift_name: 'A' }, { lift_id: null }, 7] }],
    });
    for (const [group_id, lift_id] of [
      [1, 2],
      ['1', '2'],
      [`group:${BUILDING}:1`, `lift:${BUILDING}:1:2`],
    ] as const)
      assert.deepEqual(
        liftsIn(group, config(group_id, lift_id)).map(({ id }) => id),
        ['9990000951-1-2'],
      );
    assert.deepEqual(liftsIn(group, config(2, 2)), []);
    const { data } = recorded('config') as { data: JsonObject };
    assert.deepEqual(
      liftsIn(group, data).map(({ name, details }) => [name, details?.lift]),
      [
        ['A', '1'],
        ['B', '2'],
      ],
    );
  });
});

describe('a lift', () => {
  it('a lift has no capability, and a command says why', async () => {
    const world = await makeWorld();
    const device = await world.device('A');
    assert.deepEqual(capabilitiesOf(kone.kinds.elevator, device), []);
    assert.match(kone.kinds.elevator.whyWithheld?.(device) ?? '', /nothing that takes a lift out of service/);
  });

  it('a lift is read over one connection, with its own topics, and that is closed', async () => {
    const world = await makeWorld();
    const { session, sent, isClosed } = scripted(world, building(WHOLE));
    const raw = await readLift(session, refTo());
    assert.deepEqual(statusOf(raw), { online: true, operation_state: 'STANDING', door_open: false });
    assert.equal(observedAt(raw), Date.parse(NOW));
    assert.equal(isClosed(), true);
    const [monitor, ping] = sent;
    assert.deepEqual(monitor, {
      type: 'site-monitoring',
      requestId: '1',
      callType: 'monitor',
      payload: {
        sub: `elnav-link-1-${session.clock.now().toString(36)}-1`,
        duration: 300,
        subtopics: ['lift_1/status', 'lift_1/position', 'lift_1/doors'],
      },
      buildingId: 'building:9990000951',
      groupId: '1',
    });
    assert.deepEqual(ping, {
      type: 'common-api',
      callType: 'ping',
      payload: { request_id: 2 },
      buildingId: 'building:9990000951',
      groupId: '1',
    });
    assert.equal(sent.length, 2, 'the configuration is not asked for');
  });

  it('a lift is read from replies as a client has recorded them', async () => {
    const world = await makeWorld();
    const { accepted = null, pong = null } = recorded('replies') as JsonObject;
    const { session } = scripted(world, ({ callType }) =>
      callType === 'monitor' ? [...(recorded('events') as JsonObject[]), accepted] : [pong],
    );
    const raw = await readLift(session, refTo());
    assert.deepEqual(statusOf(raw), { online: true, operation_state: 'STANDING', door_open: false });
    assert.equal(observedAt(raw), Date.parse('2025-08-16T02:25:54.164Z'), 'when the controller answered');
  });

  it('a lift is online without a state where its group lists it and reports nothing', async () => {
    const world = await makeWorld();
    const { session, sent } = scripted(world, building([]));
    const raw = await readLift(session, refTo());
    assert.deepEqual(statusOf(raw), { online: true, operation_state: null, door_open: null });
    assert.deepEqual(
      sent.map(({ callType }) => callType),
      ['monitor', 'ping', 'config'],
    );
  });

  it('a lift that its group does not list is gone', async () => {
    const world = await makeWorld();
    await assert.rejects(readLift(scripted(world, building([])).session, refTo('9')), {
      code: 'vendor.refused',
      message: /no longer reports 9990000951-1-9/,
    });
  });

  it('a lift is offline where its controller does not answer, or KONE says that it cannot reach it', async () => {
    const world = await makeWorld();
    const answer = building(WHOLE);
    const silent = scripted(world, (request) => (request.callType === 'ping' ? [] : answer(request)));
    assert.equal(statusOf(await readLift(silent.session, refTo())).online, false);
    for (const callType of ['ping', 'monitor']) {
      const unreachable = scripted(world, (request) =>
        request.callType === callType
          ? [
              {
                type: 'error',
                statusCode: 1005,
                requestId: request.requestId ?? (request.payload as JsonObject).request_id ?? null,
                data: { error: 'end-to-end communication failed' },
              },
            ]
          : request.callType === 'ping'
            ? []
            : answer(request),
      );
      assert.equal(statusOf(await readLift(unreachable.session, refTo())).online, false, callType);
    }
  });

  it('a lift is of the group that an event names, or of the only one', async () => {
    const world = await makeWorld();
    const open = event('doors', { area: 1, lift_side: 1, state: 'OPENED' }, { group: '2' });
    const read = await sweep(scripted(world, building([open])).session, [refTo('1', '1'), refTo('1', '2')]);
    assert.deepEqual(
      [...read].map(([id, raw]) => [id, statusOf(raw).door_open]),
      [
        ['9990000951-1-1', null],
        ['9990000951-2-1', true],
      ],
    );
    const { groupId, ...unnamed } = open;
    const of = async (devices: Parameters<typeof sweep>[1]) =>
      [...(await sweep(scripted(world, building([unnamed])).session, devices)).values()].map(
        (raw) => statusOf(raw).door_open,
      );
    assert.deepEqual(await of([refTo('1', '2')]), [true]);
    assert.deepEqual(await of([refTo('1', '1'), refTo('1', '2')]), [null, null]);
    assert.equal(groupId, '2');
  });

  it('a lift is refused, unreachable or late as KONE says, and the connection is closed', async () => {
    const world = await makeWorld();
    const { without_scope, malformed } = recorded('replies') as Record<string, JsonObject>;
    const error = (statusCode: number) => ({ ...without_scope, statusCode });
    const cases = [
      [without_scope, 'vendor.refused', /no access to group 1 of building 9990000951/],
      [malformed, 'vendor.refused', /400/],
      [error(404), 'vendor.refused', /does not have group 1 of building/],
      [error(409), 'vendor.refused', /409/],
      [error(401), 'vendor.unreachable', /ended the connection/],
      [error(429), 'vendor.rate_limited', /rate limit/],
      [error(500), 'vendor.unreachable', /500/],
    ] as const;
    for (const [reply, code, message] of cases) {
      const { session, isClosed } = scripted(world, ({ callType }) =>
        callType === 'monitor' ? [reply ?? {}] : [],
      );
      await assert.rejects(readLift(session, refTo()), { code, message });
      assert.equal(isClosed(), true, code);
    }
    await assert.rejects(readLift(scripted(world, () => []).session, refTo()), { code: 'vendor.timeout' });
    const ended = scripted(world, () => []);
    ended.server.close();
    await assert.rejects(readLift(ended.session, refTo()), { code: 'vendor.unreachable' });
  });

  it('a lift survives what nobody knows on the connection', async () => {
    const world = await makeWorld();
    const answer = building(WHOLE);
    const odd = [
      null,
      'text',
      7,
      [],
      { subtopic: 'lift_1' },
      { subtopic: 'lift_1/__proto__', groupId: '1', data: null },
    ];
    const { session, server } = scripted(world, (request) => [...odd, ...answer(request)]);
    server.send('not JSON');
    assert.equal(statusOf(await readLift(session, refTo())).operation_state, 'STANDING');
  });
});

describe('a building', () => {
  it('a building is read whole over one connection', async () => {
    const world = await makeWorld();
    const { devices } = await world.link();
    const before = world.asked.length;
    world.kone.change('9990000951-1-2', { isFaulty: true });
    const readings = await kone.sweep(
      world.session(),
      devices.map(({ id, details }) => ({ ...refTo(), id, details: details ?? {} })),
    );
    assert.deepEqual(
      [...readings].map(([id, raw]) => [id, statusOf(raw).operation_state]),
      [
        ['9990000951-1-1', 'STANDING'],
        ['9990000951-1-2', 'FAULT'],
        ['9990000951-2-1', 'STANDING'],
      ],
    );
    assert.deepEqual(world.asked.slice(before), ['WS /stream-v2']);
  });

  it('a building is read but for a group that is refused, does not answer or has no configuration', async () => {
    const world = await makeWorld();
    const answer = building(WHOLE);
    const { without_scope } = recorded('replies') as Record<string, JsonObject>;
    const devices = [refTo('1', '1'), refTo('1', '2')];
    const read = async (group2: (request: JsonObject) => readonly JsonObject[], group1 = answer) => {
      const { session } = scripted(world, (request) =>
        request.groupId === '2' ? group2(request) : group1(request),
      );
      return [...(await sweep(session, devices)).keys()];
    };
    const refused = ({ callType, requestId = null }: JsonObject) =>
      callType === 'monitor' ? [{ ...without_scope, requestId }] : [];
    assert.deepEqual(await read(refused), ['9990000951-1-1']);
    assert.deepEqual(await read(() => []), ['9990000951-1-1']);
    await assert.rejects(
      read(refused, () => []),
      { code: 'vendor.refused', message: /no access to group 2/ },
    );
    const odd = (request: JsonObject) =>
      request.callType === 'config'
        ? [{ callType: 'config', groupId: '2', data: {} }]
        : (building([])(request) as JsonObject[]);
    assert.deepEqual(await read(odd), ['9990000951-1-1', '9990000951-2-1']);
  });

  it('a building costs no connection where there is nothing to read', async () => {
    const world = await makeWorld();
    assert.equal((await sweep(world.session(), [{ ...refTo(), details: {} }])).size, 0);
    assert.deepEqual(
      world.asked.filter((call) => call.startsWith('WS')),
      [],
    );
  });
});

/** A lift of which these events were reported, in order. */
const after = (events: readonly JsonObject[], from: LiftRaw = UNHEARD): LiftRaw =>
  events.reduce<LiftRaw>(
    (raw, { subtopic, data }) => withEvent(raw, String(subtopic).split('/')[1] ?? '', objectIn(data)),
    from,
  );

const shown = (...events: JsonObject[]) => statusOf(after(events));
const door = (state: Json, more: JsonObject = {}) =>
  event('doors', { area: 1_001_010, lift_side: 1, state, ...more });
const status = (data: JsonObject) => event('status', { decks: [{ area: 1_001_010, alarm: false }], ...data });
const moving = (moving_state: Json) => event('position', { moving_state });

describe('what KONE reports of a lift', () => {
  it("what KONE reports of a lift is read in the shape of KONE's document", () => {
    const raw = after(recorded('events') as JsonObject[]);
    assert.deepEqual(statusOf(raw), { online: true, operation_state: 'STANDING', door_open: false });
    assert.equal(isWhole(raw), true);
    assert.equal(observedAt(raw), Date.parse('2022-03-28T08:17:09.163Z'));
    assert.deepEqual(unrecognized(raw), []);
  });

  it('what KONE reports of a lift is what matters most: an alarm, then why it does not run, then how it moves', () => {
    const alarm = { decks: [{ area: 1 }, { area: 2, alarm: true }] };
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ lift_mode: 12, fault_active: false }, 'MOVING'],
      [{ lift_mode: 12, fault_active: true }, 'FAULT'],
      [{ lift_mode: -1, fault_active: true }, 'OUT_OF_SERVICE'],
      [{ lift_mode: 14 }, 'OUT_OF_SERVICE'],
      [{ lift_mode: 38 }, 'FIRE'],
      [{ lift_mode: 9 }, 'EMERGENCY'],
      [{ lift_mode: 38, ...alarm }, 'ALARM'],
    ];
    for (const [data, expected] of cases)
      assert.equal(shown(status(data), moving('MOVING')).operation_state, expected, JSON.stringify(data));
  });

  it('what KONE reports of a lift is open while any door of any deck is not closed, and unknown where one stopped on its way', () => {
    const upper = (state: string) => door(state, { area: 1_001_110 });
    const rear = (state: string) => door(state, { lift_side: 2 });
    for (const state of ['OPENING', 'OPENED', 'CLOSING', 'NUDGING'])
      assert.equal(shown(door(state)).door_open, true, state);
    assert.equal(shown(door('CLOSED')).door_open, false);
    assert.equal(shown(door('CLOSED'), rear('OPENED')).door_open, true);
    assert.equal(shown(upper('OPENED'), door('CLOSED')).door_open, true);
    assert.equal(shown(door('CLOSED'), rear('STOPPED')).door_open, null);
    assert.equal(shown(door('ERROR'), rear('OPENED')).door_open, true);
    assert.equal(shown(status({})).door_open, null, 'no door has been reported');
  });

  it('what KONE reports of a lift is not taken back by an event that comes late', () => {
    const late = { time: '2026-11-21T09:59:58.000Z' };
    assert.equal(shown(door('CLOSED'), door('CLOSING', late)).door_open, false);
    assert.equal(
      shown(moving('STANDING'), event('position', { moving_state: 'DECELERATING', ...late })).operation_state,
      'STANDING',
    );
    assert.equal(
      shown(door('CLOSED', { time: 'soon' }), door('OPENED')).door_open,
      true,
      'without a time the last one holds',
    );
  });

  it('what KONE reports of a lift holds until its controller last answered', () => {
    const answeredAt = Date.parse(NOW) + 60_000;
    assert.equal(observedAt({ ...after([door('CLOSED')]), answeredAt }), answeredAt);
    assert.equal(observedAt(UNHEARD), null);
  });

  it('what KONE reports of a lift is nothing while the controller does not answer', () => {
    const raw = after([status({}), moving('MOVING'), door('OPENED')]);
    assert.deepEqual(statusOf({ ...raw, online: false }), {
      online: false,
      operation_state: null,
      door_open: null,
    });
  });

  it('what KONE reports of a lift costs nothing else where a value is not recognized, and is reported', () => {
    const raw = after([status({ lift_mode: 77 }), moving('HOVERING'), door('AJAR')]);
    assert.deepEqual(statusOf(raw), { online: true, operation_state: null, door_open: null });
    assert.deepEqual(unrecognized(raw), ['lift_mode 77', 'moving_state "HOVERING"', 'door "AJAR"']);
    for (const odd of [null, 7, [], { odd: true }]) {
      const { online } = shown(status({ lift_mode: odd, decks: odd }), moving(odd), door(odd));
      assert.equal(online, true);
    }
  });
});
