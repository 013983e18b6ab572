import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tesla } from './index.ts';
import { CARS } from './simulated-homes.ts';
import { ref, SLEEP_SECONDS, world } from './test-world.ts';

const car = ref('vehicle', CARS.plain);

describe('a car that sleeps', () => {
  it('is not reachable, and keeps what it said last', async () => {
    const here = await world();
    const awake = await here.state(car);
    assert.equal(awake.online, true);
    const said = await here.observedAt(car);
    here.pass(SLEEP_SECONDS);
    here.asked();
    const asleep = await here.state(car);
    assert.deepEqual(asleep, {
      online: false,
      connected: true,
      charging: false,
      operation_state: 'asleep',
      battery_soc: 50,
      power_w: 0,
      energy_wh: 0,
    });
    assert.deepEqual(here.asked(), [`GET /api/1/vehicles/${CARS.plain}`], 'it is not asked itself');
    assert.equal(await here.observedAt(car), said);
    assert.deepEqual(await here.limits(car), { min_a: 5, max_a: 16, min_w: null, max_w: null });
  });

  it('has no values that it never told', async () => {
    const here = await world();
    here.pass(SLEEP_SECONDS);
    const { online, battery_soc, energy_wh, connected } = await here.state(car);
    assert.deepEqual([online, battery_soc, energy_wh, connected], [false, null, null, null]);
    assert.equal(await here.observedAt(car), null);
  });

  it('says so itself where Tesla does not know yet: 408', async () => {
    const here = await world();
    await here.state(car);
    here.pass(15 * 60 + 10);
    here.asked();
    const state = await here.state(car);
    assert.deepEqual(here.asked(), [
      `GET /api/1/vehicles/${CARS.plain}`,
      `GET /api/1/vehicles/${CARS.plain}/vehicle_data`,
    ]);
    assert.equal(state.online, false);
    assert.equal(state.operation_state, 'asleep or offline');
    assert.equal(state.battery_soc, 50);
    assert.equal(state.charging, null, 'one without connection may charge');
  });

  it('falls asleep at the pace of the platform', async () => {
    const here = await world();
    assert.equal((await here.state(car)).online, true);
    here.pass(tesla.pace.idle);
    assert.equal((await here.state(car)).online, false);
  });

  it('is told apart from one without connection', async () => {
    const here = await world('signed');
    const state = await here.state(ref('vehicle', CARS.offline));
    assert.equal(state.operation_state, 'offline');
    assert.deepEqual([state.online, state.charging, state.power_w], [false, null, null]);
  });
});

describe('reading', () => {
  /** A small generator of the same numbers each time (Park and Miller). */
  function numbers(seed: number) {
    let state = seed;
    return (most: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % most;
    };
  }

  it('never wakes a car, however often and whenever it is done', async () => {
    let sleeping = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const here = await world(seed % 2 === 0 ? 'home' : 'signed');
      const next = numbers(seed);
      const { devices } = await here.link();
      let isAsleep = false;
      for (let step = 0; step < 40; step += 1) {
        here.pass([1, 30, 15 * 60 + next(60), 3_600, next(100_000)][next(5)] ?? 1);
        if (next(4) === 0) await here.link();
        for (const found of devices) {
          const device = ref(found.type, found.id);
          const { online } = await here.state(device);
          if (device.type !== 'vehicle') continue;
          assert.ok(!(isAsleep && online && device.id === CARS.plain), `seed ${seed}: it woke up`);
          if (device.id === CARS.plain) isAsleep = !online;
          if (!online) sleeping += 1;
        }
        if (next(8) === 0) here.simulated.vendor.fault(next(2) === 0 ? 'unknown_values' : null);
      }
      const made = here
        .asked()
        .filter((line) => !line.startsWith('GET ') && line !== 'POST /api/1/vehicles/fleet_status');
      assert.deepEqual(made, [], `seed ${seed}`);
    }
    assert.ok(sleeping > 500, `only ${sleeping} reads met a car that sleeps`);
  });
});

describe('a command to a car that sleeps', () => {
  it('wakes it first, waits, and is then sent', async () => {
    const here = await world();
    await here.state(car);
    here.pass(SLEEP_SECONDS);
    here.asked();
    await here.send(car, { type: 'start_charge' });
    const path = `/api/1/vehicles/${CARS.plain}`;
    assert.deepEqual(here.asked(), [
      `GET ${path}`,
      `POST ${path}/wake_up`,
      `GET ${path}`,
      `GET ${path}`,
      `POST ${path}/command/charge_start`,
    ]);
    here.pass(5);
    assert.equal((await here.state(car)).charging, true);
  });

  it('does not wake one that is awake', async () => {
    const here = await world();
    await here.state(car);
    here.asked();
    await here.send(car, { type: 'start_charge' });
    assert.deepEqual(here.asked(), [
      `GET /api/1/vehicles/${CARS.plain}`,
      `POST /api/1/vehicles/${CARS.plain}/command/charge_start`,
    ]);
  });

  it('wakes one that Tesla believed awake, and sends it again', async () => {
    const here = await world();
    await here.state(car);
    here.pass(15 * 60 + 2);
    here.asked();
    await here.send(car, { type: 'start_charge' });
    const sent = here.asked().flatMap((line) => /^POST .*\/(\w+)$/.exec(line)?.[1] ?? []);
    assert.deepEqual(sent.slice(0, 2), ['charge_start', 'wake_up'], 'it is found out by the command');
    assert.equal(sent.filter((name) => name === 'wake_up').length, 1);
    assert.equal(sent.at(-1), 'charge_start');
    here.pass(5);
    assert.equal((await here.state(car)).charging, true);
  });

  it('is given up within the time that the platform gives, and says when to come back', async () => {
    const here = await world('signed');
    const began = here.simulated.clock.now();
    await assert.rejects(here.send(ref('vehicle', CARS.offline), { type: 'start_charge' }), {
      code: 'device.offline',
      retryAfterSeconds: 20,
      message: /was asked to wake up and is not awake yet/,
    });
    assert.ok(here.simulated.clock.now() - began < 14_000);
    const wakes = here.asked().filter((line) => line.endsWith('/wake_up'));
    assert.equal(wakes.length, 1);
  });

  it('ends when the platform gives up', async () => {
    const here = await world();
    await here.state(car);
    here.pass(SLEEP_SECONDS);
    const sent = here.send(car, { type: 'start_charge' });
    const rejected = assert.rejects(sent, /the platform gave up waiting/);
    here.simulated.abort();
    await rejected;
    assert.ok(!here.asked().some((line) => line.endsWith('charge_start')));
  });

  it('takes the wake-up from its budget', async () => {
    const here = await world();
    await here.state(car);
    here.pass(SLEEP_SECONDS);
    const session = here.simulated.session();
    const uses: unknown[] = [];
    await here.send(
      car,
      { type: 'stop_charge' },
      {
        ...session,
        http: {
          send: (request) => {
            uses.push([request.use ?? 'read', request.device]);
            return session.http.send(request);
          },
        },
      },
    );
    assert.deepEqual(uses, [
      ['read', CARS.plain],
      ['wake', CARS.plain],
      ['read', CARS.plain],
      ['read', CARS.plain],
      ['command', CARS.plain],
    ]);
  });
});
