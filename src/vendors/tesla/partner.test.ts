import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Session } from '../../adapter/session.ts';
import { OperatorError } from '../../core/errors.ts';
import { registerPartner } from './partner.ts';
import { regionNamed } from './regions.ts';
import { CARS } from './simulated-homes.ts';
import { ref, world } from './test-world.ts';

/** The session, with the hosts of its calls written down, and refusals of the ones that are told to refuse. */
function watched(session: Session, refusals: Readonly<Record<string, number>> = {}) {
  const asked: string[] = [];
  const http: Session['http'] = {
    async send(request) {
      const host = request.host ?? 'api';
      asked.push(`${host} ${request.path}`);
      const answer = await session.http.send(request);
      const status = refusals[host];
      return status === undefined
        ? answer
        : { ...answer, status, json: () => ({ response: null, error: 'x' }) };
    },
  };
  return { session: { ...session, http }, asked };
}

describe('the region of an account', () => {
  it('is asked for once, and kept with its devices', async () => {
    const here = await world('american');
    const { session, asked } = watched(here.simulated.session());
    const { tesla } = await import('./index.ts');
    const { devices } = await tesla.link(session);
    assert.equal(devices[0]?.details?.region, 'na');
    assert.deepEqual(asked, [
      'api /api/1/users/region',
      'api_na /api/1/users/me',
      'api_na /api/1/products',
      'api_na /api/1/vehicles/fleet_status',
    ]);
    asked.length = 0;
    await here.state({ ...ref('vehicle', CARS.american), details: { region: 'na' } }, session);
    assert.ok(asked.length > 0 && asked.every((line) => line.startsWith('api_na ')));
  });

  it('is asked for in the next region where one says that it is elsewhere: 421, or not registered: 412', async () => {
    for (const status of [421, 412]) {
      const here = await world('american');
      const { session, asked } = watched(here.simulated.session(), { api: status });
      const { tesla } = await import('./index.ts');
      const { devices } = await tesla.link(session);
      assert.equal(devices[0]?.details?.region, 'na');
      assert.deepEqual(asked.slice(0, 2), ['api /api/1/users/region', 'api_na /api/1/users/region']);
    }
  });

  it('that nobody knows is told as the first refusal', async () => {
    const here = await world('american');
    const { session } = watched(here.simulated.session(), { api: 412, api_na: 421 });
    const { tesla } = await import('./index.ts');
    await assert.rejects(tesla.link(session), {
      code: 'vendor.refused',
      message: /not registered .* region eu/,
    });
  });

  it('is told by its word or its address', () => {
    assert.equal(regionNamed({ region: 'na' }), 'na');
    assert.equal(
      regionNamed({ region: 'apac', fleet_api_base_url: 'https://fleet-api.prd.na.vn.cloud.tesla.com/' }),
      'na',
    );
    assert.equal(regionNamed({ region: 'mars', fleet_api_base_url: null }), undefined);
  });
});

describe('registering this service', () => {
  const PARTNER = { clientId: 'elnav-tests', clientSecret: 'a-secret-of-the-tests' };

  it('lets users of the region link, who are told of it before', async () => {
    const here = await world('unregistered');
    await assert.rejects(here.link(), {
      code: 'vendor.refused',
      message: /the operator must register its domain there once/,
    });
    await registerPartner(
      { http: here.simulated.loginSession().http, partner: PARTNER },
      { domain: 'elnav.example.com', region: 'eu' },
    );
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map(({ id }) => id),
      [CARS.unregistered],
    );
    await registerPartner(
      { http: here.simulated.loginSession().http, partner: PARTNER },
      { domain: 'elnav.example.com', region: 'eu' },
    );
  });

  it('that fails tells the operator why, without the secret', async () => {
    const here = await world('unregistered');
    const register = (partner: typeof PARTNER | undefined, domain: string) =>
      registerPartner({ http: here.simulated.loginSession().http, partner }, { domain, region: 'eu' });
    const fails = (sentence: RegExp) => (error: unknown) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, sentence);
      assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /a-secret|wrong-secret|partner-/);
      return true;
    };
    await assert.rejects(register(undefined, 'elnav.example.com'), fails(/client id and secret/));
    await assert.rejects(
      register({ ...PARTNER, clientSecret: 'wrong-secret' }, 'elnav.example.com'),
      fails(/refused the client id and secret/),
    );
    await assert.rejects(register(PARTNER, 'localhost'), fails(/did not register localhost .*status 422/));
    here.simulated.vendor.fault('html');
    await assert.rejects(register(PARTNER, 'elnav.example.com'), fails(/token endpoint/));
    here.simulated.vendor.fault('server_error');
    await assert.rejects(register(PARTNER, 'elnav.example.com'), fails(/did not answer/));
  });
});
