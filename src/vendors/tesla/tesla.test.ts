import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import { conforms } from '../../adapter/conformance/index.ts';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { tesla } from './index.ts';
import { CARS, SITES } from './simulated-homes.ts';
import { answer, response, world } from './test-world.ts';

describe('the conformance', () => {
  it('lets a read survive a 408 only when it shows the device as offline', async () => {
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

describe('linking', () => {
  it('finds cars and energy sites, and passes over what is neither', async () => {
    const { vendorAccount, devices } = await (await world()).link();
    assert.equal(vendorAccount, 'simulated-home');
    assert.deepEqual(
      devices.map(({ type, id, name, details }) => [type, id, name, details]),
      [
        ['vehicle', CARS.plain, 'Simulated Model 3', { region: 'eu', commands: 'plain', paired: false }],
        ['battery', SITES.batteryAndSolar, 'Simulated Powerwall', { region: 'eu', solar: true }],
        ['battery', SITES.battery, 'Simulated cellar', { region: 'eu', solar: false }],
        ['solar_inverter', SITES.solar, 'Simulated roof', { region: 'eu', solar: true }],
      ],
    );
    const production = devices
      .filter(({ type }) => type === 'battery')
      .map((found) => capabilitiesOf(kindOf(tesla, 'battery'), found).includes('read_production'));
    assert.deepEqual(production, [true, false], 'a battery without cells produces nothing');
  });

  it('asks for the components of a site that the list does not describe', async () => {
    const here = await world('none');
    here.instead = ({ path }) => {
      if (path === '/api/1/products') return response([{ energy_site_id: 7 }, { energy_site_id: 8 }]);
      const site = /energy_sites\/(\d+)\/site_info/.exec(path)?.[1];
      const components = site === '7' ? { battery: true, solar: false } : { battery: null };
      return site === undefined ? undefined : response({ site_name: 'Attic', components });
    };
    assert.deepEqual((await here.link()).devices, [
      { id: '7', type: 'battery', name: 'Attic', details: { region: 'eu', solar: false } },
    ]);
  });

  it('lists a thing once, and takes no id that is not one', async () => {
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

  it('names the account by its e-mail address where Tesla gives no id, and by nothing else', async () => {
    const here = await world('none');
    answer(here, /\/users\/me$/, response({ email: 'cecilia@example.com', vault_uuid: null }));
    assert.equal((await here.link()).vendorAccount, 'cecilia@example.com');
    answer(here, /\/users\/me$/, response({ full_name: 'Cecilia' }));
    const message = /does not name the account/;
    await assert.rejects(here.link(), { code: 'vendor.answer_invalid', message });
  });
});
