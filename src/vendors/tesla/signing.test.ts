import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { tesla } from './index.ts';
import { CARS } from './simulated-homes.ts';
import { answer, refusal, response, world } from './test-world.ts';

const kind = kindOf(tesla, 'vehicle');
const READS = ['read_battery_soc', 'read_power', 'read_energy'];
const CONTROLS = ['charge_limit', 'charge_control', 'set_current'];

/** Cars that take signed commands alone; `withProxy`, and the operator has a proxy that signs. */
async function signed({ withProxy }: { readonly withProxy: boolean }) {
  const here = await world('signed');
  if (withProxy) {
    here.ownAddresses.add('commands');
    here.instead = (request) =>
      request.path.includes('/command/')
        ? here.vendor.handle({ ...request, path: `/proxy${request.path}` })
        : undefined;
  }
  const cars = [CARS.signed, CARS.offline, CARS.paired].map((vin) => here.device(vin));
  const [own, offline, paired] = await Promise.all(cars);
  assert.ok(own !== undefined && offline !== undefined && paired !== undefined);
  return { here, own, offline, paired };
}

describe('a car that takes signed commands alone', () => {
  it('has no controls without a proxy that signs, and the reason can be read', async () => {
    const { own, offline } = await signed({ withProxy: false });
    assert.deepEqual(own.details, { region: 'eu', commands: 'without_proxy', paired: false });
    assert.deepEqual(capabilitiesOf(kind, own), READS);
    assert.match(kind.whyWithheld?.(own) ?? '', /signed commands only; the operator must run .* proxy/);
    assert.deepEqual(capabilitiesOf(kind, offline), [...READS, ...CONTROLS]);
    assert.equal(kind.whyWithheld?.(offline), undefined);
  });

  it('has them with one, and obeys when it has the key', async () => {
    const { here, own, paired } = await signed({ withProxy: true });
    assert.deepEqual(capabilitiesOf(kind, own), [...READS, ...CONTROLS]);
    assert.deepEqual(paired.details, { region: 'eu', commands: 'signed', paired: true });
    here.vendor.arrange(paired, 'charging');
    await here.send(paired, { type: 'stop_charge' });
    assert.equal((await here.state(paired)).charging, false);
    await assert.rejects(here.send(own, { type: 'start_charge' }), {
      code: 'vendor.refused',
      message: /does not have the key .* https:\/\/tesla\.com\/_ak\//,
    });
  });

  it('needs a proxy of its own region', async () => {
    const here = await world('signed');
    here.ownAddresses.add('commands_na');
    assert.equal((await here.device(CARS.signed)).details.commands, 'without_proxy');
  });

  it('is linked with the word of the list where Tesla does not say more', async () => {
    const here = await world('signed');
    for (const answered of [
      refusal(404, 'not_found'),
      refusal(429, 'too_many_requests'),
      response({ key_paired_vins: 7, vehicle_info: null }),
    ]) {
      answer(here, /\/fleet_status$/, answered);
      const { devices } = await here.link();
      assert.deepEqual(
        devices.map(({ details }) => details),
        ['without_proxy', 'plain', 'without_proxy'].map((commands) => ({ region: 'eu', commands })),
      );
    }
  });
});

it('the next step is to approve the key, of those who must and where a proxy would use it', async () => {
  const stepsOf = async (withProxy: boolean) => {
    const { devices } = await (await signed({ withProxy })).here.link();
    return tesla.nextSteps(devices, { domain: 'elnav.example.com' });
  };
  assert.deepEqual(
    (await stepsOf(true)).map(({ id, url, devices }) => [id, url, devices]),
    [['pair_key', 'https://tesla.com/_ak/elnav.example.com', [CARS.signed]]],
  );
  assert.deepEqual(await stepsOf(false), []);
  const { devices: others } = await (await world()).link();
  assert.deepEqual(tesla.nextSteps(others, { domain: 'elnav.example.com' }), []);
});
