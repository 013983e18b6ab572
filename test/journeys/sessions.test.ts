import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { systemClock, type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { MINUTE_MS } from '../../src/core/durations.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Session {
  readonly id: string;
  readonly device: string;
  readonly vendor: string;
  readonly user_ref: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly energy_wh: number | null;
  readonly max_power_w: number | null;
  readonly cost: string | null;
  readonly cost_missing: string | null;
  readonly measured_by: { readonly energy: string | null; readonly cost: string | null };
  readonly complete: boolean;
}
interface Page {
  readonly sessions: readonly Session[];
  readonly cursor: string | null;
}

const ok = async (caller: Caller, method: string, path: string, body?: object) => {
  const response = await caller.call(method, path, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
};
const read = async (caller: Caller, path: string) => (await ok(caller, 'GET', path)) as Page;

async function link(caller: Caller, body: object): Promise<Map<string, string>> {
  const linked = (await ok(caller, 'POST', '/link', { user_ref: 'anna', ...body })) as {
    devices: { id: string; device_type: string }[];
  };
  return new Map(linked.devices.map(({ id, device_type }) => [device_type, id]));
}

onEachEngine('charging sessions over HTTP', (engine) => {
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;
  let [car, charger] = ['', ''];
  /** Watt-minutes and the meter, as the simulator tells them. */
  let wattMinutes = 0;
  let metered = 0;
  before(async () => {
    clock = turnedClock(Date.now());
    world = await makeWorld({ engine, clock });
    caller = await world.newAccount();
    const credentials = { device_types: ['vehicle', 'charger'], seed: 'sessions' };
    const devices = await link(caller, { vendor: 'sandbox', credentials });
    [car, charger] = [devices.get('vehicle') ?? '', devices.get('charger') ?? ''];
    await charge();
  });
  after(() => world.close());

  const state = async (id: string) =>
    ((await ok(caller, 'GET', `/devices/${id}`)) as { state: { power_w: number; energy_wh: number } }).state;
  const plug = async (plugged_in: boolean) => {
    for (const id of [car, charger]) {
      const conditions = plugged_in ? { plugged_in, battery_soc: 50 } : { plugged_in };
      await ok(caller, 'POST', `/sandbox/devices/${id}`, conditions);
      await state(id);
    }
  };

  /** Twice: 50 minutes and then 20, with a reading every five minutes. */
  async function charge(): Promise<void> {
    await plug(false);
    for (const minutes of [50, 20]) {
      clock.turn(10 * MINUTE_MS);
      await plug(true);
      const first = (await state(charger)).energy_wh;
      wattMinutes = 0;
      for (let at = 0; at < minutes; at += 5) {
        wattMinutes += 5 * (await state(car)).power_w;
        clock.turn(5 * MINUTE_MS);
        await state(charger);
      }
      metered = (await state(charger)).energy_wh - first;
      await plug(false);
    }
    await until('all sessions have ended', async () => {
      clock.turn(500);
      const { sessions } = await read(caller, '/sessions');
      return sessions.length === 4 && sessions.every(({ ended_at }) => ended_at !== null);
    });
  }

  it('charging sessions over HTTP have what the simulator says that was charged, newest first', async () => {
    const ofCharger = await read(caller, `/devices/${charger}/sessions`);
    assert.equal(ofCharger.cursor, null);
    const [newest, before] = ofCharger.sessions;
    assert.ok(String(newest?.started_at) > String(before?.ended_at));
    assert.deepEqual(
      [newest?.device, newest?.vendor, newest?.user_ref, newest?.complete, newest?.cost],
      [charger, 'sandbox', 'anna', true, null],
    );
    assert.deepEqual(newest?.measured_by, { energy: 'meter', power: 'readings', cost: null });
    assert.equal(newest?.cost_missing, 'link has no price_area');
    assert.ok(metered > 1_000 && Math.abs(Number(newest?.energy_wh) - metered) <= 1, `${metered}`);
    const lengths = ofCharger.sessions.map(({ started_at, ended_at }) =>
      Math.round((Date.parse(String(ended_at)) - Date.parse(String(started_at))) / MINUTE_MS),
    );
    assert.deepEqual(lengths, [20, 50]);
    const [ofCar] = (await read(caller, `/sessions?device=${car}`)).sessions;
    assert.equal(ofCar?.measured_by.energy, 'power');
    assert.ok(
      Math.abs(Number(ofCar?.energy_wh) - wattMinutes / 60) <= 5,
      `${ofCar?.energy_wh} ${wattMinutes / 60}`,
    );
    assert.equal((await read(caller, '/sessions?user_ref=anna&vendor=Sandbox')).sessions.length, 4);
    assert.equal((await read(caller, '/sessions?user_ref=bo')).sessions.length, 0);
  });

  it('charging sessions over HTTP are read by page and time, and as CSV with the same values', async () => {
    const whole = await read(caller, '/sessions');
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await read(caller, `/sessions?limit=3${cursor}`);
      ids.push(...page.sessions.map(({ id }) => id));
      if (page.cursor === null) break;
      cursor = `&cursor=${page.cursor}`;
    }
    assert.deepEqual(
      ids,
      whole.sessions.map(({ id }) => id),
    );
    const since = whole.sessions[1]?.started_at;
    assert.equal((await read(caller, `/sessions?from=${since}`)).sessions.length, 2);
    assert.equal((await read(caller, `/sessions?to=${since}`)).sessions.length, 2);
    const response = await fetch(`${world.connect}/sessions?format=csv&limit=1`, {
      headers: { 'x-api-key': caller.key },
    });
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    const [head = '', line = ''] = (await response.text()).split('\r\n');
    const cells = Object.fromEntries(head.split(',').map((name, index) => [name, line.split(',')[index]]));
    const [first] = whole.sessions;
    assert.deepEqual(
      [cells.id, cells.energy_wh, cells.energy_measured_by, cells.complete, cells.cost],
      [first?.id, String(first?.energy_wh), first?.measured_by.energy, String(first?.complete), ''],
    );
    const next = /^<(\/sessions\?[^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '');
    const rest = await read(caller, (next?.[1] ?? '').replace('format=csv', 'format=json'));
    assert.equal(rest.sessions[0]?.id, whole.sessions[1]?.id);
  });

  it('charging sessions over HTTP say what would be right', async () => {
    const wrong = [
      ['?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', /from must be before to, which is 2026-02-01/],
      ['?from=yesterday', /from must be a time such as/],
      ['?limit=0', /limit must be a whole number from 1 to 1000/],
      ['?format=xml', /format must be one of json, csv/],
      ['?cursor=abc', /cursor must be one that a page of sessions has given/],
      ['?device=a&device=b', /device must be given once/],
    ] as const;
    for (const [query, sentence] of wrong) {
      const { status, body } = await caller.call('GET', `/sessions${query}`);
      assert.equal(status, 400, query);
      assert.match((body as { error: string }).error, sentence);
    }
  });

  it('charging sessions over HTTP are not shown to another account, nor without devices:read', async () => {
    const other = await world.newAccount();
    assert.deepEqual(await read(other, '/sessions'), { sessions: [], cursor: null });
    assert.deepEqual((await read(other, `/sessions?device=${car}`)).sessions, []);
    const foreign = await other.call('GET', `/devices/${car}/sessions`);
    const unknown = await other.call('GET', '/devices/none/sessions');
    assert.deepEqual([foreign.status, unknown.status], [404, 404]);
    const linker = await world.newAccount('link:write');
    assert.equal((await linker.call('GET', '/sessions')).status, 403);
  });
});

onEachEngine('a charging session of an OCPP station', (engine) => {
  it('a charging session of an OCPP station is its transaction, with the energy that the station reports', async () => {
    const world = await makeWorld({ engine });
    const caller = await world.newAccount();
    const credentials = { identity: 'CP-1', password: 'a-station-password' };
    const id = (await link(caller, { vendor: 'ocpp', credentials })).get('charger') ?? '';
    const station = new SimulatedStation({
      ...{ url: `${world.connect.replace('http', 'ws')}/ocpp`, ...credentials },
      ...{ protocol: 'ocpp1.6', clock: systemClock },
    });
    const sessions = async () => (await read(caller, `/devices/${id}/sessions`)).sessions;
    try {
      await station.connect();
      await station.plugIn();
      await until('it can be started', async () => {
        const body = { type: 'start_charge' };
        return (await caller.call('POST', `/devices/${id}/command`, body)).status === 200;
      });
      station.reportMeters();
      await until('it runs', async () => {
        const [running] = await sessions();
        return running?.ended_at === null && running.max_power_w === 16 * 3 * 230;
      });
      await ok(caller, 'POST', `/devices/${id}/command`, { type: 'stop_charge' });
      await until('it has ended', async () => (await sessions())[0]?.ended_at != null);
      await station.unplug();
      await station.idle();
      const [transaction, ...more] = (await ok(caller, 'GET', `/devices/${id}/transactions`)) as {
        energy_wh: number;
        started_at: string;
        ended_at: string;
      }[];
      const all = await sessions();
      assert.deepEqual([all.length, more.length], [1, 0]);
      assert.deepEqual(
        [
          all[0]?.energy_wh,
          all[0]?.started_at,
          all[0]?.ended_at,
          all[0]?.measured_by.energy,
          all[0]?.complete,
        ],
        [transaction?.energy_wh, transaction?.started_at, transaction?.ended_at, 'transaction', true],
      );
    } finally {
      await station.disconnect().catch(() => {});
      await world.close();
    }
  });
});
