import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { kindOf } from '../../adapter/derive.ts';
import { tesla } from './index.ts';
import { CARS } from './simulated-homes.ts';
import { asked, car, ref, SLEEP_SECONDS, world } from './test-world.ts';

const PATH = `/api/1/vehicles/${CARS.plain}`;
const kind = kindOf(tesla, 'vehicle');
const observedAt = async (here: VendorWorld) => kind.observedAt?.(await kind.read(here.session(), car));

/** A car that was read, and for so long not again. */
async function leftFor(seconds: number): Promise<VendorWorld> {
  const here = await world();
  await here.state(car);
  await here.pass(seconds);
  asked(here);
  return here;
}

describe('a car that sleeps', () => {
  it('is not reachable, and keeps what it said last', async () => {
    const here = await world();
    const reported = await observedAt(here);
    await here.pass(SLEEP_SECONDS);
    asked(here);
    assert.deepEqual(await here.state(car), {
      online: false,
      connected: true,
      charging: false,
      operation_state: 'asleep',
      battery_soc: 50,
      power_w: 0,
      energy_wh: 0,
    });
    assert.deepEqual(asked(here), [`GET ${PATH}`], 'it is not asked itself');
    assert.equal(await observedAt(here), reported);
    const limits = kind.limits?.(await kind.read(here.session(), car));
    assert.deepEqual(limits, { min_a: 5, max_a: 16, min_w: null, max_w: null });
  });

  it('has no values that it never reported', async () => {
    const here = await world();
    await here.pass(SLEEP_SECONDS);
    const { online, battery_soc, energy_wh, connected } = await here.state(car);
    assert.deepEqual([online, battery_soc, energy_wh, connected], [false, null, null, null]);
    assert.equal(await observedAt(here), null);
  });

  it('says so itself where Tesla does not know yet: 408', async () => {
    const here = await leftFor(15 * 60 + 10);
    const { online, operation_state, battery_soc, charging } = await here.state(car);
    assert.deepEqual(asked(here), [`GET ${PATH}`, `GET ${PATH}/vehicle_data`]);
    // One without connection may charge.
    assert.deepEqual(
      [online, operation_state, battery_soc, charging],
      [false, 'asleep or offline', 50, null],
    );
  });

  it('falls asleep at the pace of the platform', async () => {
    const here = await leftFor(tesla.pace.idle);
    assert.equal((await here.state(car)).online, false);
  });

  it('is told apart from one without connection', async () => {
    const { operation_state, online, charging, power_w } = await (await world('signed')).state(
      ref('vehicle', CARS.offline),
    );
    assert.deepEqual([operation_state, online, charging, power_w], ['offline', false, null, null]);
  });
});

/** A small generator of the same numbers each time (Park and Miller). */
function numbers(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

it('reading never wakes a car, however often and whenever it is done', async () => {
  let sleeping = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const here = await world(seed % 2 === 0 ? 'home' : 'signed');
    const next = numbers(seed);
    const devices = (await here.link()).devices.map(refOf);
    let isAsleep = false;
    for (let step = 0; step < 40; step += 1) {
      await here.pass([1, 30, 15 * 60 + next(60), 3_600, next(100_000)][next(5)] ?? 1);
      if (next(4) === 0) await here.link();
      for (const device of devices) {
        const { online } = await here.state(device);
        if (device.type === 'vehicle' && !online) sleeping += 1;
        if (device.id !== CARS.plain) continue;
        assert.ok(!(isAsleep && online), `seed ${seed}: it woke up`);
        isAsleep = !online;
      }
      if (next(8) === 0) here.vendor.fault(next(2) === 0 ? 'unknown_values' : null);
    }
    const made = asked(here).filter((line) => !/^GET |\/fleet_status$/.test(line));
    assert.deepEqual(made, [], `seed ${seed}`);
  }
  assert.ok(sleeping > 500, `only ${sleeping} reads met a car that sleeps`);
});

describe('a command to a car that sleeps', () => {
  const START = { type: 'start_charge' } as const;
  const [WAKE, COMMAND] = [`POST ${PATH}/wake_up`, `POST ${PATH}/command/charge_start`];

  it('wakes it first, waits, and is then sent; one that is awake is not woken', async () => {
    const here = await leftFor(SLEEP_SECONDS);
    await here.send(car, START);
    assert.deepEqual(asked(here), [`GET ${PATH}`, WAKE, `GET ${PATH}`, `GET ${PATH}`, COMMAND]);
    await here.pass(5);
    assert.equal((await here.state(car)).charging, true);
    asked(here);
    await here.send(car, START);
    assert.deepEqual(asked(here), [`GET ${PATH}`, COMMAND]);
  });

  it('wakes one that Tesla believed awake, and sends it again', async () => {
    const here = await leftFor(15 * 60 + 2);
    await here.send(car, START);
    const sent = asked(here).filter((line) => line.startsWith('POST'));
    assert.deepEqual(sent.slice(0, 2), [COMMAND, WAKE], 'it is found out by the command');
    assert.deepEqual([sent.filter((line) => line === WAKE).length, sent.at(-1)], [1, COMMAND]);
    await here.pass(5);
    assert.equal((await here.state(car)).charging, true);
  });

  it('is given up within the time that the platform gives, and says when to come back', async () => {
    const here = await world('signed');
    const began = here.clock.now();
    await assert.rejects(here.send(ref('vehicle', CARS.offline), START), {
      code: 'device.offline',
      retryAfterSeconds: 20,
      message: /was asked to wake up and is not awake yet/,
    });
    assert.ok(here.clock.now() - began < 14_000);
    assert.equal(asked(here).filter((line) => line.endsWith('/wake_up')).length, 1);
  });

  it('ends when the platform gives up', async () => {
    const here = await leftFor(SLEEP_SECONDS);
    const rejected = assert.rejects(here.send(car, START), /the platform gave up waiting/);
    here.abort();
    await rejected;
    assert.ok(!asked(here).includes(COMMAND));
  });

  it('takes the wake-up from its budget', async () => {
    const here = await leftFor(SLEEP_SECONDS);
    const session = here.session();
    const uses: unknown[] = [];
    const http: typeof session.http = {
      ...session.http,
      send: (request) => {
        uses.push([request.use ?? 'read', request.device]);
        return session.http.send(request);
      },
    };
    await here.send(car, { type: 'stop_charge' }, { ...session, http });
    assert.deepEqual(
      uses,
      ['read', 'wake', 'read', 'read', 'command'].map((use) => [use, CARS.plain]),
    );
  });
});
