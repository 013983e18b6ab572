import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Session } from '../../adapter/session.ts';
import { OperatorError } from '../../core/errors.ts';
import { tesla } from './index.ts';
import { registerPartner } from './partner.ts';
import { regionNamed } from './regions.ts';
import { CARS } from './simulated-homes.ts';
import { ref, world } from './test-world.ts';

/** The session, with the hosts of its calls written down, and refusals of the ones that are to refuse. */
function watched(session: Session, refusals: Readonly<Record<string, number>> = {}) {
  const asked: string[] = [];
  const http: Session['http'] = {
    ...session.http,
    async send(request) {
      const host = request.host ?? 'api';
      asked.push(`${host} ${request.path}`);
      const answer = await session.http.send(request);
      const status = refusals[host];
      return status === undefined ? answer : { ...answer, status };
    },
  };
  return { session: { ...session, http }, asked };
}

describe('the region of an account', () => {
  it('is asked for once, and kept with its devices', async () => {
    const here = await world('american');
    const { session, asked } = watched(here.session());
    const { devices } = await tesla.link(session);
    assert.equal(devices[0]?.details?.region, 'na');
    assert.deepEqual(asked, [
      'api /api/1/users/region',
      'api_na /api/1/users/me',
      'api_na /api/1/products',
      'api_na /api/1/vehicles/fleet_status',
    ]);
    asked.length = 0;
    await here.state(ref('vehicle', CARS.american, 'na'), session);
    assert.ok(asked.length > 0 && asked.every((line) => line.startsWith('api_na ')));
  });

  it('is asked for in the next region where one says that it is elsewhere: 421, or not registered: 412', async () => {
    for (const status of [421, 412]) {
      const { session, asked } = watched((await world('american')).session(), { api: status });
      assert.equal((await tesla.link(session)).devices[0]?.details?.region, 'na');
      assert.deepEqual(asked.slice(0, 2), ['api /api/1/users/region', 'api_na /api/1/users/region']);
    }
  });

  it('that no region has is the first refusal', async () => {
    const { session } = watched((await world('american')).session(), { api: 412, api_na: 421 });
    const message = /not registered .* region eu/;
    await assert.rejects(tesla.link(session), { code: 'vendor.refused', message });
  });

  it('is named by its word or its address', () => {
    const address = 'https://fleet-api.prd.na.vn.cloud.tesla.com/';
    assert.equal(regionNamed({ region: 'na' }), 'na');
    assert.equal(regionNamed({ region: 'apac', fleet_api_base_url: address }), 'na');
    assert.equal(regionNamed({ region: 'mars', fleet_api_base_url: null }), undefined);
  });
});

describe('registering this service', () => {
  const PLACE: { readonly domain: string; readonly region: 'eu' } = {
    domain: 'elnav.example.com',
    region: 'eu',
  };

  it('lets users of the region link, who are told of it before, and may be done again', async () => {
    const here = await world('unregistered');
    const message = /the operator must register its domain there once/;
    await assert.rejects(here.link(), { code: 'vendor.refused', message });
    for (let time = 0; time < 2; time += 1) await registerPartner(here.loginSession(), PLACE);
    assert.deepEqual(
      (await here.link()).devices.map(({ id }) => id),
      [CARS.unregistered],
    );
  });

  it('that fails tells the operator why, without the secret', async () => {
    const here = await world('unregistered');
    const own = here.loginSession();
    const wrong = { clientId: 'elnav-tests', clientSecret: 'wrong-secret' };
    const fails = async (sentence: RegExp, { partner = own.partner, domain = PLACE.domain } = {}) =>
      assert.rejects(registerPartner({ ...own, partner }, { ...PLACE, domain }), (error: unknown) => {
        assert.ok(error instanceof OperatorError);
        assert.match(error.message, sentence);
        assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /a-secret|wrong-secret|partner-/);
        return true;
      });
    await assert.rejects(registerPartner({ ...own, partner: undefined }, PLACE), /client id and secret/);
    await fails(/refused the client id and secret/, { partner: wrong });
    await fails(/did not register localhost .*status 422/, { domain: 'localhost' });
    for (const fault of ['html', 'server_error'] as const) {
      here.vendor.fault(fault);
      await fails(/token endpoint did not answer/);
    }
  });
});
