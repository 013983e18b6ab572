import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { CARS, SITES } from './simulated-homes.ts';
import { ref, world } from './test-world.ts';

const car = ref('vehicle', CARS.plain);
const battery = ref('battery', SITES.batteryAndSolar);

describe('what goes wrong', () => {
  it('is a figure that is text', async () => {
    const here = await world();
    here.tampering.answer = ({ path }) =>
      path.endsWith('live_status')
        ? { status: 200, json: { response: { percentage_charged: '40' } } }
        : undefined;
    await assert.rejects(here.state(battery), { code: 'vendor.answer_invalid', message: /energy site 1001/ });
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

describe('two sign-ins of one Tesla user', () => {
  it('do not end each other: each renews tokens of its own', async () => {
    const here = await world();
    const first = here.simulated.tokens;
    await here.simulated.signIn();
    const second = here.simulated.tokens;
    assert.notEqual(first?.refresh, second?.refresh);
    const kept = new Map([
      ['first', first],
      ['second', second],
    ]);
    for (const name of ['first', 'second', 'first', 'second']) {
      here.simulated.tokens = kept.get(name);
      here.simulated.cloud.expireTokens();
      assert.equal((await here.state(battery)).online, true, name);
      kept.set(name, here.simulated.tokens);
    }
    assert.equal(here.simulated.renewals, 4);
  });
});

describe('secrets', () => {
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

  it('is read from headers or the body, and a minute where none is told', async () => {
    for (const [headers, json, seconds] of CASES) {
      const here = await world();
      here.tampering.answer = ({ path }) =>
        path.includes('/vehicles/') ? { status: 429, headers, json } : undefined;
      await assert.rejects(
        here.state(car),
        { code: 'vendor.rate_limited', retryAfterSeconds: seconds },
        JSON.stringify([headers, json]),
      );
    }
  });
});
