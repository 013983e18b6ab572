import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { MINUTE_MS } from '../../src/core/durations.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld } from '../kit/world.ts';

interface State {
  readonly online: boolean;
  readonly battery_soc?: number | null;
  readonly power_w?: number | null;
  readonly connected?: boolean | null;
  readonly charging?: boolean | null;
  readonly operation_state?: string | null;
  readonly remaining_seconds?: number | null;
}
interface Item {
  readonly id: string;
  readonly device_type: string;
  readonly state?: State;
}

/** A user with all ten devices, and a clock that the test advances. */
async function household(engine: 'sqlite' | 'postgres') {
  const clock = turnedClock(Date.now());
  const world = await makeWorld({ engine, clock });
  const caller = await world.newAccount();
  const link = { vendor: 'sandbox', user_ref: 'anna', credentials: { seed: 'journey' } };
  const linked = await caller.call('POST', '/link', link);
  assert.equal(linked.status, 200);
  const { devices } = linked.body as { devices: Item[] };
  assert.equal(devices.length, 10);
  const idOf = (type: string) => devices.find(({ device_type }) => device_type === type)?.id ?? '';
  return { clock, world, caller, idOf };
}

async function stateOf(caller: Caller, id: string): Promise<State> {
  const { status, body } = await caller.call('GET', `/devices/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { state: State }).state;
}

async function post(caller: Caller, path: string, body: object): Promise<State> {
  const answer = await caller.call('POST', path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.body as { state: State }).state;
}

onEachEngine('a household of simulated devices', (engine) => {
  it('a household of simulated devices charges its car as physics requires: plugged in, at full power, tapering, complete', async () => {
    const { clock, world, caller, idOf } = await household(engine);
    const car = idOf('vehicle');
    const command = (body: object) => post(caller, `/devices/${car}/command`, body);
    const conditions = (body: object) => post(caller, `/sandbox/devices/${car}`, body);

    assert.equal((await conditions({ plugged_in: false, battery_soc: 50 })).connected, false);
    const refused = await caller.call('POST', `/devices/${car}/command`, { type: 'start_charge' });
    assert.equal(refused.status, 502);
    assert.match(JSON.stringify(refused.body), /no car is plugged in/);
    await conditions({ plugged_in: true });
    await command({ type: 'set_charge_limit', percent: 100 });
    const charging = await command({ type: 'start_charge' });
    assert.deepEqual([charging.charging, charging.power_w], [true, 16 * 690]);

    clock.turn(30 * MINUTE_MS);
    const half = await stateOf(caller, car);
    // 11.04 kW for half an hour at 92 % into 60 kWh: 8.46 percent.
    assert.equal(half.battery_soc, 58);
    assert.equal((await command({ type: 'set_current', current_a: 8 })).power_w, 8 * 690);
    await command({ type: 'set_current', current_a: 16 });
    await conditions({ battery_soc: 90, time_scale: 60 });
    const taper: number[] = [];
    for (let minute = 0; minute < 4; minute += 1) {
      taper.push((await stateOf(caller, car)).power_w ?? 0);
      clock.turn(MINUTE_MS / 6);
    }
    assert.deepEqual(
      taper,
      taper.toSorted((a, b) => b - a),
    );
    assert.ok((taper[0] ?? 0) < 16 * 690 && (taper.at(-1) ?? 0) > 0, `${taper}`);
    clock.turn(10 * MINUTE_MS);
    const full = await stateOf(caller, car);
    assert.deepEqual([full.battery_soc, full.charging, full.power_w], [100, false, 0]);
    await world.close();
  });

  it('a household of simulated devices runs a washing programme from its delayed start to its end', async () => {
    const { clock, world, caller, idOf } = await household(engine);
    const washer = idOf('smart_home_appliance');
    const command = (body: object) => post(caller, `/devices/${washer}/command`, body);
    assert.equal((await command({ type: 'delayed_start', delay_seconds: 3_600 })).operation_state, 'delayed');
    clock.turn(61 * MINUTE_MS);
    const running = await stateOf(caller, washer);
    assert.deepEqual(
      [running.operation_state, running.power_w, running.remaining_seconds],
      ['running', 2_000, 5_340],
    );
    const again = await caller.call('POST', `/devices/${washer}/command`, { type: 'start_program' });
    assert.equal(again.status, 502);
    clock.turn(90 * MINUTE_MS);
    assert.equal((await stateOf(caller, washer)).operation_state, 'finished');
    await world.close();
  });

  it('a household of simulated devices is listed with the last states, and says which devices are unreachable', async () => {
    const { world, caller, idOf } = await household(engine);
    const before = (await caller.call('GET', '/devices')).body as Item[];
    assert.ok(
      before.every(({ state }) => state === undefined),
      'no state exists before the first read',
    );
    for (const { id } of before) assert.equal((await stateOf(caller, id)).online, true);
    const pump = idOf('heat_pump');
    await post(caller, `/sandbox/devices/${pump}`, { online: false });
    assert.equal((await stateOf(caller, pump)).online, false);
    const command = await caller.call('POST', `/devices/${pump}/command`, { type: 'turn_off' });
    assert.equal(command.headers.get('elnav-error'), 'device.offline');
    const listed = (await caller.call('GET', '/devices')).body as Item[];
    assert.deepEqual(
      listed.filter(({ state }) => state?.online === false).map(({ id }) => id),
      [pump],
    );
    const [first, second] = [
      (await caller.call('GET', '/devices?device_type=light')).body as Item[],
      (await caller.call('GET', '/devices?user_ref=nobody')).body as Item[],
    ];
    assert.deepEqual([first?.length, second?.length], [1, 0]);
    await world.close();
  });

  it('a household of simulated devices recovers from a fault at once, while its commands still wait', async () => {
    const { clock, world, caller, idOf } = await household(engine);
    const light = idOf('light');
    await post(caller, `/sandbox/devices/${light}`, { fail: 'timeout' });
    let ended = 0;
    const hanging = [1, 2, 3].map(() =>
      caller.call('POST', `/devices/${light}/command`, { type: 'turn_on' }).finally(() => {
        ended += 1;
      }),
    );
    await post(caller, `/sandbox/devices/${light}`, { fail: null });
    assert.equal(ended, 0);
    await until('all have ended', () => {
      clock.turn(500);
      return ended === hanging.length;
    });
    await post(caller, `/devices/${light}/command`, { type: 'turn_on' });
    await world.close();
  });
});
