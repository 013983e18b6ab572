import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { CARS } from './simulated-homes.ts';
import { answer, asked, battery, car, ref, refusal, world } from './test-world.ts';

const OF_CARS = /\/vehicles\//;

describe('the limit of one device, which Tesla counts too', () => {
  it('is none of another, and is over after its minute', async () => {
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

  it('has a sentence that says who can help, and is asked once', async () => {
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
  it('do not end each other: each renews tokens of its own', async () => {
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
  it('stand in no error, nor does what Tesla said', async () => {
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

  it('is read from headers or the body, and a minute where none is stated', async () => {
    const here = await world();
    for (const [headers, json, retryAfterSeconds] of CASES) {
      answer(here, OF_CARS, { status: 429, headers, json });
      const expected = { code: 'vendor.rate_limited', retryAfterSeconds };
      await assert.rejects(here.state(car), expected, JSON.stringify([headers, json]));
    }
  });
});
