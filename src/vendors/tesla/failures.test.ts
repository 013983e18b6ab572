import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpAnswer } from '../../adapter/http.ts';
import type { SimulatedFault } from '../../adapter/simulator.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { delayIn } from './failures.ts';
import { CARS, SITES } from './simulated-accounts.ts';
import { ref, world } from './test-world.ts';

const car = ref('vehicle', CARS.plain);
const battery = ref('battery', SITES.batteryAndSolar);

const FAULTS: Partial<Record<SimulatedFault, ErrorCodeName>> = {
  reset: 'vendor.unreachable',
  truncated: 'vendor.answer_invalid',
  html: 'vendor.answer_invalid',
  server_error: 'vendor.unreachable',
  rate_limited: 'vendor.rate_limited',
  rate_limited_without_delay: 'vendor.rate_limited',
  token_refused: 'vendor.login_expired',
  login_lost: 'vendor.login_expired',
};

describe('what goes wrong', () => {
  it('is told apart on linking, reads and commands, and passes', async () => {
    for (const [fault, code] of Object.entries(FAULTS)) {
      const here = await world();
      here.simulated.vendor.fault(fault as SimulatedFault);
      await assert.rejects(here.link(), { name: 'AppError', code }, fault);
      await assert.rejects(here.state(car), { name: 'AppError', code }, fault);
      await assert.rejects(here.state(battery), { name: 'AppError', code }, fault);
      await assert.rejects(here.send(car, { type: 'stop_charge' }), { name: 'AppError', code }, fault);
      here.simulated.vendor.fault(null);
      await here.simulated.signIn();
      assert.equal((await here.state(car)).online, true);
    }
  });

  it('hangs until the platform gives up', async () => {
    const here = await world();
    here.simulated.vendor.fault('hang');
    const read = assert.rejects(here.state(car), { code: 'vendor.timeout' });
    await new Promise(setImmediate);
    here.simulated.abort();
    await read;
  });

  it('is no unknown field and no unknown word', async () => {
    const here = await world();
    here.simulated.vendor.fault('unknown_values');
    assert.equal((await here.link()).devices.length, 4);
    const state = await here.state(car);
    assert.equal(state.operation_state, 'Pondering');
    assert.equal(state.battery_soc, 50);
    assert.equal(state.charging, null);
    const site = await here.state({ ...battery, details: { region: 'eu', solar: true } });
    assert.equal(site.operation_state, 'perplexed');
    assert.equal(typeof site.production_w, 'number');
  });

  it('is a figure that is text', async () => {
    const here = await world();
    here.tampering.answer = ({ path }) =>
      path.endsWith('live_status')
        ? { status: 200, json: { response: { percentage_charged: '40' } } }
        : undefined;
    await assert.rejects(here.state(battery), { code: 'vendor.answer_invalid', message: /energy site 1001/ });
  });

  it('tells how long to wait', async () => {
    const here = await world();
    here.simulated.vendor.fault('rate_limited');
    await assert.rejects(here.state(car), { retryAfterSeconds: 30 });
    here.simulated.vendor.fault('rate_limited_without_delay');
    await assert.rejects(here.state(car), { retryAfterSeconds: undefined });
  });

  it('is the limit of one device, which Tesla counts too', async () => {
    const here = await world();
    for (let read = 0; read < 30; read += 1) await here.state(car);
    here.pass(20);
    await assert.rejects(here.state(car), { code: 'vendor.rate_limited', retryAfterSeconds: 40 });
    await here.state(battery);
    here.pass(40);
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

  it('has a sentence that says who can help, and is asked once', async () => {
    for (const [status, error, code, message] of CASES) {
      const here = await world();
      here.tampering.answer = ({ path }) =>
        path.includes('/vehicles/')
          ? { status, json: { response: null, error, error_description: '' } }
          : undefined;
      here.asked();
      await assert.rejects(here.state(car), { code, message }, String(status));
      assert.equal(here.asked().length, 1);
      await assert.rejects(here.send(car, { type: 'stop_charge' }), { code, message }, String(status));
      assert.equal(here.simulated.renewals, 0, 'none of them is a lost login');
    }
  });

  it('408 of a site is a gateway without connection', async () => {
    const here = await world();
    here.tampering.answer = ({ path }) =>
      path.endsWith('live_status') ? { status: 408, json: { response: null, error: 'offline' } } : undefined;
    assert.deepEqual(await here.state(battery), {
      online: false,
      battery_soc: null,
      power_w: null,
    });
  });

  it('401 for a car without mobile access renews nothing', async () => {
    const here = await world();
    here.tampering.answer = ({ path }) =>
      path.includes('/vehicles/')
        ? { status: 401, json: { response: null, error: 'mobile_access_disabled' } }
        : undefined;
    await assert.rejects(here.state(car), {
      code: 'vendor.refused',
      message: /mobile access is turned off/,
    });
    assert.equal(here.simulated.renewals, 0);
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

describe('tokens', () => {
  it('that expire are renewed once for many calls', async () => {
    const here = await world();
    here.pass(8 * 3_600);
    const states = await Promise.all([car, battery, battery, battery].map((device) => here.state(device)));
    assert.equal(states.length, 4);
    await here.state(battery);
    assert.equal(here.simulated.renewals, 1);
  });

  it('that are refused in the middle are renewed once, and the call is made again', async () => {
    const here = await world();
    let isRefused = false;
    here.tampering.answer = ({ path }) => {
      if (isRefused || !path.endsWith('vehicle_data')) return undefined;
      isRefused = true;
      return { status: 401, json: { response: null, error: 'token expired (401)' } };
    };
    assert.equal((await here.state(car)).online, true);
    assert.equal(here.simulated.renewals, 1);
  });

  it('rotate: the old refresh token is a lost login', async () => {
    const here = await world();
    const first = here.simulated.tokens;
    here.pass(8 * 3_600);
    await here.state(battery);
    assert.notEqual(here.simulated.tokens?.refresh, first?.refresh);
    here.simulated.tokens = first;
    await assert.rejects(here.state(battery), {
      code: 'vendor.login_expired',
      message: /link the account again/,
    });
  });

  it('keep their link through an outage and a quota of the token endpoint', async () => {
    for (const [fault, code] of [
      ['server_error', 'vendor.unreachable'],
      ['rate_limited', 'vendor.rate_limited'],
      ['reset', 'vendor.unreachable'],
    ] as const) {
      const here = await world();
      here.pass(8 * 3_600);
      here.simulated.vendor.fault(fault);
      await assert.rejects(here.state(battery), { code });
      here.simulated.vendor.fault(null);
      assert.equal((await here.state(battery)).online, true);
    }
  });

  it('stand in no error, nor does what Tesla said', async () => {
    const here = await world();
    const { access = '', refresh } = here.simulated.tokens ?? {};
    const canary = 'Canary-4711';
    const told: string[] = [];
    const keep = (error: unknown) => {
      assert.ok(error instanceof AppError);
      told.push(`${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`);
      return true;
    };
    const body = {
      response: null,
      error: `${canary} ${access}`,
      error_description: `${refresh} missing scopes`,
    };
    for (const status of [400, 401, 402, 403, 404, 412, 421, 422, 423, 429, 451, 500, 503, 540]) {
      here.tampering.answer = ({ path }) => (path.startsWith('/api/') ? { status, json: body } : undefined);
      await assert.rejects(here.state(car), keep);
      await assert.rejects(here.send(car, { type: 'stop_charge' }), keep);
      await assert.rejects(here.link(), keep);
      await here.simulated.signIn();
    }
    here.tampering.answer = ({ path }) =>
      path.includes('/command/')
        ? { status: 200, json: { response: { result: false, reason: `${canary} ${access}` } } }
        : undefined;
    await assert.rejects(here.send(car, { type: 'stop_charge' }), keep);
    assert.ok(told.length > 40);
    const all = told.join('\n');
    for (const secret of [canary, access, refresh ?? '', here.simulated.tokens?.access ?? ''])
      assert.ok(secret !== '' && !all.includes(secret), 'a secret is told');
  });
});

describe('a delay', () => {
  const NOW = Date.UTC(2026, 10, 21);
  const delay = (headers: Record<string, string>) => delayIn({ headers } as HttpAnswer, NOW);

  it('is read from Retry-After, or from the limit that is used up', () => {
    assert.equal(delay({ 'retry-after': '7', 'ratelimit-data-reset': '50' }), 7);
    assert.equal(
      delay({
        'ratelimit-data-remaining': '0',
        'ratelimit-data-reset': '12',
        'ratelimit-month-remaining': '900',
        'ratelimit-month-reset': '80000',
      }),
      12,
    );
    assert.equal(delay({ 'ratelimit-reset': '5' }), 5);
    assert.equal(delay({ 'ratelimit-data-reset': String(NOW / 1000 + 90) }), 90, 'as a moment');
    assert.equal(delay({ 'ratelimit-data-reset': String(NOW / 1000 - 90) }), undefined);
  });

  it('is at most a day, and nothing that is no number', () => {
    assert.equal(delay({ 'ratelimit-data-reset': '999999999' }), 86_400);
    for (const odd of ['', '-5', 'soon', '1e3', '5.5'])
      assert.equal(delay({ 'ratelimit-data-reset': odd }), undefined);
    assert.equal(delay({}), undefined);
  });
});
