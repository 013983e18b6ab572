import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import { capabilitiesOf, kindOf } from '../../adapter/adapters.ts';
import type { Session } from '../../adapter/session.ts';
import { OperatorError } from '../../core/errors.ts';
import { conforms } from '../../proof/conformance/index.ts';
import { regionNamed } from './failures.ts';
import { tesla } from './index.ts';
import { registerPartner } from './partner.ts';
import { CARS, SITES } from './simulated-site.ts';
import { answer, asked, car, ref, response, world } from './test-world.ts';

describe('the conformance', () => {
  it('the conformance lets a read survive a 408 only when it shows the device as offline', async () => {
    const solar = { ...kindOf(tesla, 'solar_inverter'), status: () => ({ online: true }) };
    const boastful = { ...tesla, kinds: { ...tesla.kinds, solar_inverter: solar } };
    const findings = await conforms(boastful, await makeSimulatedVendor(tesla, { hasOwnAddresses: true }));
    const found = findings.find(({ check }) => check === 'request_timeout: read solar_inverter');
    assert.match(found?.fault ?? '', /did not fail, and the device is shown as online/);
    const others = findings.filter(({ check }) => /^request_timeout: read (vehicle|battery)$/.test(check));
    assert.deepEqual(
      others.map(({ fault }) => fault),
      [null, null],
    );
  });
});

const metersOf = (site: string) => [
  ['industrial', `${site}-grid`, 'Grid connection', { region: 'eu', site }],
  ['industrial', `${site}-house`, 'House', { region: 'eu', site }],
];

describe('linking', () => {
  it('linking finds cars and energy sites, and passes over what is neither', async () => {
    const { vendorAccount, devices } = await (await world()).link();
    assert.equal(vendorAccount, 'simulated-home');
    assert.deepEqual(
      devices.map(({ type, id, name, details }) => [type, id, name, details]),
      [
        ['vehicle', CARS.plain, 'Simulated Model 3', { region: 'eu', commands: 'plain', paired: false }],
        ['battery', SITES.batteryAndSolar, 'Simulated Powerwall', { region: 'eu', solar: true }],
        ...metersOf(SITES.batteryAndSolar),
        ['battery', SITES.battery, 'Simulated cellar', { region: 'eu', solar: false }],
        ...metersOf(SITES.battery),
        ['solar_inverter', SITES.solar, 'Simulated roof', { region: 'eu', solar: true }],
        ...metersOf(SITES.solar),
      ],
    );
    assert.deepEqual(
      devices.filter(({ type }) => type === 'industrial').map(({ measures }) => measures),
      ['grid', 'house', 'grid', 'house', 'grid', 'house'],
    );
    const production = devices
      .filter(({ type }) => type === 'battery')
      .map((found) => capabilitiesOf(kindOf(tesla, 'battery'), found).includes('read_production'));
    assert.deepEqual(production, [true, false], 'a battery without cells produces nothing');
  });

  it('linking asks for the components of a site that the list does not describe', async () => {
    const here = await world('none');
    here.instead = ({ path }) => {
      if (path === '/api/1/products') return response([{ energy_site_id: 7 }, { energy_site_id: 8 }]);
      const site = /energy_sites\/(\d+)\/site_info/.exec(path)?.[1];
      const components =
        site === '7' ? { battery: true, solar: false, grid: true } : { battery: null, grid: true };
      return site === undefined ? undefined : response({ site_name: 'Attic', components });
    };
    assert.deepEqual((await here.link()).devices, [
      { id: '7', type: 'battery', name: 'Attic', details: { region: 'eu', solar: false } },
      {
        ...{ id: '7-grid', type: 'industrial', name: 'Grid connection', measures: 'grid' },
        details: { region: 'eu', site: '7' },
      },
    ]);
  });

  it('linking lists a thing once, and takes no id that is not one', async () => {
    const here = await world('none');
    const car = { vin: CARS.plain, display_name: 7 };
    const vins = ['__proto__', 'A'.repeat(5_000), '../../users', 7];
    const sites = [-1, 1.5, '7'];
    const odd = [
      ...vins.map((vin) => ({ vin })),
      ...sites.map((energy_site_id) => ({ energy_site_id, components: { battery: true } })),
      null,
      'car',
    ];
    answer(here, /\/products$/, response([car, ...odd, car]));
    assert.deepEqual((await here.link()).devices, [
      { id: CARS.plain, type: 'vehicle', details: { region: 'eu', commands: 'plain' } },
    ]);
  });

  it('linking names the account by its e-mail address where Tesla gives no id, and by nothing else', async () => {
    const here = await world('none');
    answer(here, /\/users\/me$/, response({ email: 'cecilia@example.com', vault_uuid: null }));
    assert.equal((await here.link()).vendorAccount, 'cecilia@example.com');
    answer(here, /\/users\/me$/, response({ full_name: 'Cecilia' }));
    const message = /does not name the account/;
    await assert.rejects(here.link(), { code: 'vendor.answer_invalid', message });
  });
});

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
  it('the region of an account is asked for once, and kept with its devices', async () => {
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

  it('the region of an account is asked for in the next region where one says that it is elsewhere: 421, or not registered: 412', async () => {
    for (const status of [421, 412]) {
      const { session, asked } = watched((await world('american')).session(), { api: status });
      assert.equal((await tesla.link(session)).devices[0]?.details?.region, 'na');
      assert.deepEqual(asked.slice(0, 2), ['api /api/1/users/region', 'api_na /api/1/users/region']);
    }
  });

  it('the region of an account that no region has is the first refusal', async () => {
    const { session } = watched((await world('american')).session(), { api: 412, api_na: 421 });
    const message = /not registered .* region eu/;
    await assert.rejects(tesla.link(session), { code: 'vendor.refused', message });
  });

  it('the region of an account is named by its word or its address', () => {
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

  it('registering this service lets users of the region link, who are told of it before, and may be done again', async () => {
    const here = await world('unregistered');
    const message = /the operator must register its domain there once/;
    await assert.rejects(here.link(), { code: 'vendor.refused', message });
    for (let time = 0; time < 2; time += 1) await registerPartner(here.loginSession(), PLACE);
    assert.deepEqual(
      (await here.link()).devices.map(({ id }) => id),
      [CARS.unregistered],
    );
  });

  it('registering this service that fails tells the operator why, without the secret', async () => {
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

describe('the simulated car', () => {
  it('the simulated car gains in an hour what it draws, less the losses', async () => {
    const here = await world();
    here.vendor.arrange(car, 'charging');
    await here.pass(3_600);
    const { battery_soc, energy_wh, power_w } = await here.state(car);
    assert.equal(power_w, 11_040);
    assert.equal(energy_wh, 10_160, '16 A, three times 230 V, an hour, of which 92 % arrive');
    assert.equal(battery_soc, 63, '50 % of 75 kWh, and 10.16 kWh');
  });

  it('the simulated car stops at its limit, and sleeps a quarter of an hour later', async () => {
    const here = await world();
    here.vendor.arrange(car, 'charging');
    await here.pass(2 * 3_600);
    assert.equal((await here.state(car)).charging, true, 'it does not sleep while it charges');
    await here.pass(3_600);
    const full = await here.state(car);
    assert.deepEqual([full.operation_state, full.battery_soc, full.energy_wh], ['asleep', 77, 20_310]);
    await here.send(car, { type: 'stop_charge' });
    const { battery_soc, operation_state, energy_wh } = await here.state(car);
    assert.deepEqual([operation_state, battery_soc, energy_wh], ['Complete', 80, 22_500]);
  });
});

describe('the simulated site', () => {
  it('the simulated site stores what the sun gives, and gives it back at night', async () => {
    const here = await world();
    const battery = await here.device(SITES.batteryAndSolar);
    const noon = await here.state(battery);
    assert.equal(noon.charging, true);
    assert.ok((noon.production_w ?? 0) > 1_000 && (noon.power_w ?? 0) > 0);
    await here.pass(12 * 3_600);
    const night = await here.state(battery);
    assert.equal(night.production_w, 0);
    assert.ok((night.power_w ?? 0) < 0);
    await here.pass(3_600);
    const later = await here.state(battery);
    const lost = (night.battery_soc ?? 0) - (later.battery_soc ?? 0);
    assert.ok(Math.abs(lost - (900 / 13_500) * 100) <= 1, `900 Wh of 13,500 are ${lost} %`);
  });

  it('the simulated site has balanced books: cells, battery and grid are what the house takes', async () => {
    const here = await world();
    await here.link();
    for (let hour = 0; hour < 48; hour += 1) {
      await here.pass(3_600);
      for (const id of Object.values(SITES)) {
        const answer = await here.session().http.send({
          path: `/api/1/energy_sites/${id}/live_status`,
          headers: { 'content-type': 'application/json' },
        });
        const { response } = answer.json() as { response: Record<string, number> };
        const { solar_power = NaN, battery_power = NaN, grid_power = NaN, load_power = NaN } = response;
        assert.ok(Math.abs(solar_power + battery_power + grid_power - load_power) < 1e-6);
      }
    }
  });

  it('the simulated site has a meter at the grid and one of the house, by one call of the site each', async () => {
    const here = await world();
    const [battery, grid, house] = await Promise.all(
      ['', '-grid', '-house'].map((end) => here.device(`${SITES.batteryAndSolar}${end}`)),
    );
    assert.ok(battery !== undefined && grid !== undefined && house !== undefined);
    await here.pass(12 * 3_600);
    asked(here);
    assert.deepEqual(await here.state(house), { online: true, power_w: 900 });
    assert.deepEqual(asked(here), [`GET /api/1/energy_sites/${SITES.batteryAndSolar}/live_status`]);
    const taken = (await here.state(battery)).power_w ?? 0;
    assert.equal(
      (await here.state(grid)).power_w,
      900 + taken,
      'it is night: what the battery gives is not bought',
    );
  });

  it('the simulated site is as quick after ten years as after a day', async () => {
    const here = await world();
    const battery = await here.device(SITES.battery);
    await here.pass(10 * 365 * 86_400);
    await here.signIn();
    assert.equal((await here.state(battery)).battery_soc, 0);
  });
});

describe('the simulated sign-in', () => {
  it('the simulated sign-in gives tokens to who names an audience alone, and to apps that ask for what they use', async () => {
    const here = await world();
    const answer = await here.vendor.handle({
      method: 'POST',
      path: '/oauth2/v3/token',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('grant_type=authorization_code&code=x'),
    });
    assert.deepEqual(answer.json, { error: 'invalid_request', error_description: 'audience' });
  });
});
