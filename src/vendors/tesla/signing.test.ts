import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { tesla } from './index.ts';
import { CARS } from './simulated-homes.ts';
import { world } from './test-world.ts';

const READS = ['read_battery_soc', 'read_power', 'read_energy'];
const CONTROLS = ['charge_limit', 'charge_control', 'set_current'];

/** Cars that take signed commands alone; `withProxy`, and the operator has a proxy that signs. */
async function signed({ withProxy }: { readonly withProxy: boolean }) {
  const here = await world('signed');
  if (withProxy) {
    here.simulated.ownAddresses.add('commands');
    here.byProxy();
  }
  const { devices } = await here.link();
  const car = (vin: string) => {
    const found = devices.find(({ id }) => id === vin);
    assert.ok(found !== undefined);
    return found;
  };
  return { ...here, devices, car };
}

describe('a car that takes signed commands alone', () => {
  it('has no controls without a proxy that signs, and the reason can be read', async () => {
    const { car } = await signed({ withProxy: false });
    const found = car(CARS.signed);
    assert.deepEqual(found.details, { region: 'eu', commands: 'without_proxy', paired: false });
    const kind = kindOf(tesla, 'vehicle');
    assert.deepEqual(capabilitiesOf(kind, found), READS);
    assert.match(kind.whyWithheld?.(found) ?? '', /signed commands only; the operator must run .* proxy/);
    const offline = car(CARS.offline);
    assert.deepEqual(capabilitiesOf(kind, offline), [...READS, ...CONTROLS]);
    assert.equal(kind.whyWithheld?.(offline), undefined);
  });

  it('has them with one, and obeys when it knows the key', async () => {
    const { car, device, send, state, simulated } = await signed({ withProxy: true });
    const kind = kindOf(tesla, 'vehicle');
    assert.deepEqual(capabilitiesOf(kind, car(CARS.signed)), [...READS, ...CONTROLS]);
    assert.deepEqual(car(CARS.paired).details, { region: 'eu', commands: 'signed', paired: true });
    const paired = await device(CARS.paired);
    await simulated.arrange(paired, 'charging');
    await send(paired, { type: 'stop_charge' });
    assert.equal((await state(paired)).charging, false);
    await assert.rejects(send(await device(CARS.signed), { type: 'start_charge' }), {
      code: 'vendor.refused',
      message: /does not have the key .* https:\/\/tesla\.com\/_ak\//,
    });
  });

  it('is asked about where its region is', async () => {
    const here = await world('signed');
    here.simulated.ownAddresses.add('commands_na');
    const { devices } = await here.link();
    assert.equal(devices.find(({ id }) => id === CARS.signed)?.details?.commands, 'without_proxy');
  });

  it('is linked with the word of the list where Tesla does not say more', async () => {
    const here = await world('signed');
    for (const answer of [
      { status: 404, json: { response: null, error: 'not_found' } },
      { status: 429, json: { response: null, error: 'too_many_requests' } },
      { status: 200, json: { response: { key_paired_vins: 7, vehicle_info: null } } },
    ]) {
      here.tampering.answer = ({ path }) => (path.endsWith('/fleet_status') ? answer : undefined);
      const { devices } = await here.link();
      assert.deepEqual(
        devices.map(({ details }) => details),
        [
          { region: 'eu', commands: 'without_proxy' },
          { region: 'eu', commands: 'plain' },
          { region: 'eu', commands: 'without_proxy' },
        ],
      );
    }
  });
});

describe('the next step', () => {
  it('is to approve the key, of those who must', async () => {
    const { devices } = await signed({ withProxy: true });
    const steps = tesla.nextSteps(devices, { domain: 'elnav.example.com' });
    assert.deepEqual(
      steps.map(({ id, url, devices: ids }) => [id, url, ids]),
      [['pair_key', 'https://tesla.com/_ak/elnav.example.com', [CARS.signed]]],
    );
  });

  it('is none without a proxy, and for cars that take commands as they are', async () => {
    const { devices } = await signed({ withProxy: false });
    assert.deepEqual(tesla.nextSteps(devices, { domain: 'elnav.example.com' }), []);
    const { devices: others } = await (await world()).link();
    assert.deepEqual(tesla.nextSteps(others, { domain: 'elnav.example.com' }), []);
  });
});
