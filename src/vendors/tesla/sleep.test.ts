import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { kindOf } from '../../adapter/adapters.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { tesla } from './index.ts';
import { CARS } from './simulated-site.ts';
import { answer, asked, battery, car, ref, refusal, SLEEP_SECONDS, world } from './test-world.ts';

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
  it('a car that sleeps is not reachable, and keeps what it said last', async () => {
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

  it('a car that sleeps has no values that it never reported', async () => {
    const here = await world();
    await here.pass(SLEEP_SECONDS);
    const { online, battery_soc, energy_wh, connected } = await here.state(car);
    assert.deepEqual([online, battery_soc, energy_wh, connected], [false, null, null, null]);
    assert.equal(await observedAt(here), null);
  });

  it('a car that sleeps says so itself where Tesla does not know yet: 408', async () => {
    const here = await leftFor(15 * 60 + 10);
    const { online, operation_state, battery_soc, charging } = await here.state(car);
    assert.deepEqual(asked(here), [`GET ${PATH}`, `GET ${PATH}/vehicle_data`]);
    // One without connection may charge.
    assert.deepEqual(
      [online, operation_state, battery_soc, charging],
      [false, 'asleep or offline', 50, null],
    );
  });

  it('a car that sleeps falls asleep at the pace of the platform', async () => {
    const here = await leftFor(tesla.pace.idle);
    assert.equal((await here.state(car)).online, false);
  });

  it('a car that sleeps is told apart from one without connection', async () => {
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

  it('a command to a car that sleeps wakes it first, waits, and is then sent; one that is awake is not woken', async () => {
    const here = await leftFor(SLEEP_SECONDS);
    await here.send(car, START);
    assert.deepEqual(asked(here), [`GET ${PATH}`, WAKE, `GET ${PATH}`, `GET ${PATH}`, COMMAND]);
    await here.pass(5);
    assert.equal((await here.state(car)).charging, true);
    asked(here);
    await here.send(car, START);
    assert.deepEqual(asked(here), [`GET ${PATH}`, COMMAND]);
  });

  it('a command to a car that sleeps wakes one that Tesla believed awake, and sends it again', async () => {
    const here = await leftFor(15 * 60 + 2);
    await here.send(car, START);
    const sent = asked(here).filter((line) => line.startsWith('POST'));
    assert.deepEqual(sent.slice(0, 2), [COMMAND, WAKE], 'it is found out by the command');
    assert.deepEqual([sent.filter((line) => line === WAKE).length, sent.at(-1)], [1, COMMAND]);
    await here.pass(5);
    assert.equal((await here.state(car)).charging, true);
  });

  it('a command to a car that sleeps is given up within the time that the platform gives, and says when to come back', async () => {
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

  it('a command to a car that sleeps ends when the platform gives up', async () => {
    const here = await leftFor(SLEEP_SECONDS);
    const rejected = assert.rejects(here.send(car, START), /the platform gave up waiting/);
    here.abort();
    await rejected;
    assert.ok(!asked(here).includes(COMMAND));
  });

  it('a command to a car that sleeps takes the wake-up from its budget', async () => {
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

const OF_CARS = /\/vehicles\//;

describe('the limit of one device, which Tesla counts too', () => {
  it('the limit of one device, which Tesla counts too is none of another, and is over after its minute', async () => {
    const here = await world();
    for (let read = 0; read < 30; read += 1) await here.state(car);
    await here.pass(20);
    await assert.rejects(here.state(car), { code: 'vendor.rate_limited', retryAfterSeconds: 40 });
    await here.state(battery);
    await here.pass(40);
    await here.state(car);
  });
});

describe('a status of its own', () => {
  const CASES: readonly [number, string, ErrorCodeName, RegExp][] = [
    [402, 'payment_required', 'vendor.rate_limited', /operator must pay the bill/],
    [403, 'Unauthorized missing scopes', 'vendor.refused', /link it again and grant all/],
    [403, 'unsupported vehicle', 'vendor.refused', /does not permit this .*: unsupported vehicle$/],
    [404, 'not_found', 'vendor.refused', /the account no longer has it/],
    [412, 'must be registered in the current region', 'vendor.refused', /operator must register its domain/],
    [421, 'incorrect region', 'vendor.refused', /no longer in Tesla's region eu; link the account again/],
    [422, 'invalid_field', 'vendor.refused', /refused the request \(422: invalid_field\)/],
    [423, 'locked', 'vendor.refused', /locked the account/],
    [451, 'Xq81-secret', 'vendor.refused', /refused the request \(451\)$/],
    [540, 'device unexpected response', 'vendor.answer_invalid', /invalid response/],
  ];

  it('a status of its own has a sentence that says who can help, and is asked once', async () => {
    const here = await world();
    for (const [status, error, code, message] of CASES) {
      answer(here, OF_CARS, refusal(status, error));
      asked(here);
      await assert.rejects(here.state(car), { code, message }, String(status));
      assert.equal(asked(here).length, 1);
      await assert.rejects(here.send(car, { type: 'stop_charge' }), { code, message }, String(status));
    }
    assert.equal(here.renewals, 0, 'none of them is a lost login');
  });

  it('401 for a car without mobile access renews nothing', async () => {
    const here = await world();
    answer(here, OF_CARS, refusal(401, 'mobile_access_disabled'));
    await assert.rejects(here.state(car), { code: 'vendor.refused', message: /mobile access is turned off/ });
    assert.equal(here.renewals, 0);
    await here.state(battery);
  });

  it('404 is a car that the account no longer has', async () => {
    const here = await world();
    await assert.rejects(here.state(ref('vehicle', CARS.american)), {
      code: 'vendor.refused',
      message: `Tesla does not know the car ${CARS.american}; the account no longer has it`,
    });
  });
});

describe('two sign-ins of one Tesla user', () => {
  it('two sign-ins of one Tesla user do not end each other: each renews tokens of its own', async () => {
    const here = await world();
    const first = here.tokens;
    await here.signIn();
    const kept = [first, here.tokens];
    assert.notEqual(kept[0]?.refresh, kept[1]?.refresh);
    for (const index of [0, 1, 0, 1]) {
      here.tokens = kept[index];
      here.cloud.expireTokens();
      assert.equal((await here.state(battery)).online, true);
      kept[index] = here.tokens;
    }
    assert.equal(here.renewals, 4);
  });
});

describe('secrets', () => {
  it('secrets stand in no error, nor does what Tesla said', async () => {
    const here = await world();
    const { access = '', refresh } = here.tokens ?? {};
    const canary = 'Canary-4711';
    const shown: string[] = [];
    const keep = (error: unknown) => {
      assert.ok(error instanceof AppError);
      shown.push(`${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`);
      return true;
    };
    const json = {
      response: null,
      error: `${canary} ${access}`,
      error_description: `${refresh} missing scopes`,
    };
    for (const status of [400, 401, 402, 403, 404, 412, 421, 422, 423, 429, 451, 500, 503, 540]) {
      answer(here, /^\/api\//, { status, json });
      await assert.rejects(here.state(car), keep);
      await assert.rejects(here.send(car, { type: 'stop_charge' }), keep);
      await assert.rejects(here.link(), keep);
      await here.signIn();
    }
    const all = shown.join('\n');
    for (const secret of [canary, access, refresh ?? '', here.tokens?.access ?? ''])
      assert.ok(secret !== '' && !all.includes(secret), 'a secret is shown');
  });
});

describe('the delay of a 429', () => {
  const CASES: readonly [Record<string, string>, Json, number][] = [
    [{ 'retry-after': '7', 'ratelimit-data-reset': '50' }, null, 7],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:45 GMT' }, null, 45],
    [{ 'ratelimit-data-remaining': '0', 'ratelimit-data-reset': '12' }, null, 12],
    // Home Assistant reads it.
    [{}, { response: null, error: 'too_many_requests', after: 42 }, 42],
    [{}, { after: '17' }, 17],
    [{ 'retry-after': '7' }, { after: 42 }, 7],
    [{}, { after: 'soon' }, 60],
    [{}, null, 60],
  ];

  it('the delay of a 429 is read from headers or the body, and a minute where none is stated', async () => {
    const here = await world();
    for (const [headers, json, retryAfterSeconds] of CASES) {
      answer(here, OF_CARS, { status: 429, headers, json });
      const expected = { code: 'vendor.rate_limited', retryAfterSeconds };
      await assert.rejects(here.state(car), expected, JSON.stringify([headers, json]));
    }
  });
});
