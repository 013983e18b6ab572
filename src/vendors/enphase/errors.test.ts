import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn } from '../../../test/kit/vendor-world.ts';
import { isListOutdated } from '../../adapter/list-outdated.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { enphase } from './index.ts';
import { errorOf, listenTo } from './test-world.ts';

/** By status. */
const errors = recordedIn(import.meta.dirname)('errors') as Record<string, Json[]>;

describe('errors of Enphase', () => {
  const MEANT: Readonly<Record<string, readonly string[]>> = {
    400: ['vendor.refused'],
    // The sign-in at the simulator works, so a token that is refused again is an incident; a wrong key of the app is the operator's.
    401: ['vendor.unreachable', 'vendor.unreachable', 'oauth.not_configured', 'oauth.not_configured'],
    403: ['vendor.refused'],
    404: ['vendor.refused'],
    405: ['vendor.refused'],
    422: ['vendor.refused'],
    429: ['vendor.rate_limited'],
    500: ['vendor.unreachable'],
    501: ['vendor.unreachable'],
  };

  it('follow from their status, whether a body has its code as a number or as a text', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    let count = 0;
    for (const [status, bodies] of Object.entries(errors))
      for (const [index, json] of bodies.entries()) {
        listenTo(here, (path) => (path.startsWith('/api/') ? { status: Number(status), json } : undefined));
        const { code, message } = await errorOf(here.state(solar));
        const expected = MEANT[status]?.[index] ?? MEANT[status]?.[0];
        assert.equal(code, expected, `${status}: ${JSON.stringify(json)}`);
        assert.doesNotMatch(message, /698906018|\{/);
        count += 1;
      }
    assert.ok(count > 12);
  });

  it('renew a token that is refused once, and never for a key of the app', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const [plain, , , key] = errors['401'] ?? [];
    const before = here.renewals;
    listenTo(here, (path) => (path.startsWith('/api/') ? { status: 401, json: key ?? null } : undefined));
    assert.match((await errorOf(here.state(solar))).message, /ELNAV_ENPHASE_API_KEY/);
    assert.equal(here.renewals, before);
    let isFirst = true;
    listenTo(here, (path) => {
      if (!path.startsWith('/api/') || !isFirst) return undefined;
      isFirst = false;
      return { status: 401, json: plain ?? null };
    });
    assert.equal((await here.state(solar)).online, true);
    assert.equal(here.renewals, before + 1);
  });

  it('of a system that is gone are no lost sign-in, and a reason to list again', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const before = here.renewals;
    for (const json of errors['404'] ?? []) {
      listenTo(here, () => ({ status: 404, json }));
      const error = await errorOf(here.state(solar));
      assert.deepEqual([error.code, isListOutdated(error)], ['vendor.refused', true]);
    }
    assert.equal(here.renewals, before);
  });

  it('of a limit say when it ends', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const limited = async (json: JsonObject) => {
      listenTo(here, () => ({ status: 429, json: { message: 'Too Many Requests', code: 429, ...json } }));
      return (await errorOf(here.state(solar))).retryAfterSeconds;
    };
    const now = Math.floor(here.clock.now() / 1_000);
    assert.equal(await limited({ period: 'minute', period_end: now + 23 }), 23);
    assert.equal(await limited({ period: 'month', period_end: now + 20 * 86_400 }), 86_400);
    assert.equal(await limited({ period: 'month' }), 86_400);
    assert.equal(await limited({}), 60);
  });

  it('say that a refresh token of more than a month is a lost sign-in', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    here.cloud.expireTokens();
    listenTo(here, (path) =>
      path === '/oauth/token' ? { status: 401, json: { error: 'invalid_token' } } : undefined,
    );
    assert.equal((await errorOf(here.state(solar))).code, 'vendor.login_expired');
  });
});
