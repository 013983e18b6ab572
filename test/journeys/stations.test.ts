import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const PASSWORD = 'a-station-password';

interface View {
  readonly connected: boolean;
  readonly frames: readonly { readonly action: string | null }[];
}

const simulate = (base: string, identity: string) =>
  new SimulatedStation({
    url: `${base.replace('http', 'ws')}/ocpp`,
    identity,
    password: PASSWORD,
    protocol: 'ocpp1.6',
    clock: systemClock,
  });

const link = (caller: Caller, identity: string) =>
  caller.call('POST', '/link', {
    vendor: 'ocpp',
    user_ref: 'anna',
    credentials: { identity, password: PASSWORD },
  });

onEachEngine('operating a charging station', (engine) => {
  let world: World;
  let caller: Caller;
  let station: SimulatedStation;
  let place: Place;
  before(async () => {
    place = await makePlace(engine);
    world = await makeWorld({ engine, place });
    caller = await world.newAccount();
    await link(caller, 'CP-1');
    station = simulate(world.connect, 'CP-1');
  });
  after(() => place.remove());

  const path = '/devices/CP-1/station';
  const ask = (body: object, headers: Record<string, string> = {}) =>
    caller.call('POST', path, body, headers);

  it('operating a charging station returns the stored details of a disconnected station, without calling it', async () => {
    const { status, body } = await caller.call('GET', path);
    assert.equal(status, 200);
    assert.deepEqual([(body as View).connected, (body as View).frames], [false, []]);
    const answer = await ask({ type: 'reset' });
    assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [502, 'device.offline']);
  });

  it('operating a charging station returns its response, and runs once per key', async () => {
    await station.connect();
    const headers = { 'idempotency-key': 'reset-1' };
    const first = await ask({ type: 'reset', mode: 'hard' }, headers);
    assert.deepEqual([first.status, first.body], [200, { type: 'reset', status: 'Accepted' }]);
    assert.deepEqual((await ask({ type: 'reset', mode: 'hard' }, headers)).body, first.body);
    assert.equal((await ask({ type: 'reset' }, headers)).status, 422);
    assert.equal(station.received.filter(({ action }) => action === 'Reset').length, 1);
  });

  it('operating a charging station shows the last frames only to its owner', async () => {
    const { body } = await caller.call('GET', path);
    const { connected, frames } = body as View;
    assert.ok(connected && frames.some(({ action }) => action === 'Reset'));
    const stranger = await world.newAccount();
    for (const method of ['GET', 'POST'] as const) {
      const answer = await stranger.call(method, path, method === 'POST' ? { type: 'reset' } : undefined);
      assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [404, 'device.not_found']);
    }
  });

  it('operating a charging station refuses unknown operations, those that would lock it out, and devices that do not dial in', async () => {
    const refused: readonly [object, number, string, RegExp][] = [
      [{ type: 'explode' }, 400, 'command.type_unknown', /the types are reset, unlock/],
      [{ type: 'reset', mode: 'gently' }, 400, 'request.invalid', /mode/],
      [{ type: 'reset', force: true }, 400, 'request.invalid', /unknown field: force/],
      [
        { type: 'set_configuration', key: 'AuthorizationKey', value: '00' },
        422,
        'station.setting_refused',
        /AuthorizationKey holds a secret/,
      ],
    ];
    for (const [body, status, code, sentence] of refused) {
      const answer = await ask(body);
      assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [status, code]);
      assert.match((answer.body as { error: string }).error, sentence);
    }
    const made = await caller.call('POST', '/link', {
      vendor: 'sandbox',
      user_ref: 'anna',
      credentials: { device_types: ['charger'] },
    });
    const [charger] = (made.body as { devices: { id: string }[] }).devices;
    for (const method of ['GET', 'POST'] as const) {
      const body = method === 'POST' ? { type: 'reset' } : undefined;
      const answer = await caller.call(method, `/devices/${charger?.id}/station`, body);
      assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [422, 'station.unsupported']);
    }
    const reader = await world.newAccount('devices:read');
    assert.equal((await reader.call('POST', path, { type: 'reset' })).status, 403);
  });

  it('operating a charging station is recorded in the log of commands', async () => {
    await station.disconnect();
    await world.close();
    const database = await place.open();
    const kept = await database.queries.selectFrom('commands').select(['command_json', 'status']).execute();
    await database.close();
    const done = kept.filter(({ status }) => status === 'done').map(({ command_json }) => command_json);
    assert.deepEqual(done, ['{"type":"reset","mode":"hard"}']);
  });
});

describe('a station of another process', {
  skip: process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  it('a station of another process is operated and described by the process that holds it', async () => {
    const place = await makePlace('postgres');
    const [a, b] = await Promise.all([
      makeWorld({ engine: 'postgres', place }),
      makeWorld({ engine: 'postgres', place }),
    ]);
    const caller = await a.newAccount();
    await link(caller, 'CP-2');
    const station = simulate(b.connect, 'CP-2');
    await station.connect();
    const viewAtA = async () => (await caller.call('GET', '/devices/CP-2/station?vendor=OCPP')).body as View;
    await until('a learns of it through b', async () => (await viewAtA()).connected);
    const answer = await caller.call('POST', '/devices/CP-2/station', { type: 'unlock' });
    assert.deepEqual([answer.status, answer.body], [200, { type: 'unlock', status: 'Unlocked' }]);
    assert.ok((await viewAtA()).frames.some(({ action }) => action === 'UnlockConnector'));
    const refused = await caller.call('POST', '/devices/CP-2/station', {
      type: 'set_configuration',
      key: 'AuthorizationKey',
      value: '00',
    });
    assert.equal(refused.headers.get('elnav-error'), 'station.setting_refused');
    await station.disconnect();
    await Promise.all([a.close(), b.close()]);
    await place.remove();
  });
});
