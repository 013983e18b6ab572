import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, kindOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Session } from '../../adapter/session.ts';
import type { Json } from '../../core/json.ts';
import { tesla } from './index.ts';
import { CARS } from './simulated-site.ts';
import { answer, asked, car, ref, refusal, response, world } from './test-world.ts';

const START: Command = { type: 'start_charge' };
const STOP: Command = { type: 'stop_charge' };
const current = (current_a: number): Command => ({ type: 'set_current', current_a });
const limit = (percent: number): Command => ({ type: 'set_charge_limit', percent });
const COMMAND = /\/command\//;

async function charging(): Promise<VendorWorld> {
  const here = await world();
  here.vendor.arrange(car, 'charging');
  await here.state(car);
  asked(here);
  return here;
}

describe('a command', () => {
  it("a command is sent in Tesla's words", async () => {
    const here = await charging();
    const sent: Json[] = [];
    here.instead = ({ path, body }) => {
      const name = /\/command\/(\w+)$/.exec(path)?.[1];
      if (name !== undefined) sent.push([name, JSON.parse(Buffer.from(body).toString())]);
      return undefined;
    };
    for (const command of [limit(70), current(9), STOP, START]) await here.send(car, command);
    assert.deepEqual(sent, [
      ['set_charge_limit', { percent: 70 }],
      ['set_charging_amps', { charging_amps: 9 }],
      ['charge_stop', {}],
      ['charge_start', {}],
    ]);
  });

  it('a command counts as done when things are so already', async () => {
    const here = await charging();
    for (const command of [START, limit(80), STOP, STOP]) await here.send(car, command);
    assert.equal((await here.state(car)).charging, false);
    answer(here, COMMAND, response({ result: false, reason: 'requested' }));
    await here.send(car, current(7));
  });

  it('a command that the car or the proxy refuses is told with the reason, where that is plain words', async () => {
    const here = await charging();
    const unpaired = 'vehicle rejected request: your public key has not been paired with the vehicle';
    for (const [answered, code, message] of [
      [response({ result: false, reason: 'disconnected' }), 'vendor.refused', /the command: disconnected$/],
      [response({ result: false, reason: 'is_charging' }), 'vendor.refused', /the command: is_charging$/],
      [response({ result: false, reason: null }), 'vendor.refused', /refused the command$/],
      [response({ result: false, reason: '<b>Xy9z-token</b>' }), 'vendor.refused', /refused the command$/],
      [refusal(500, unpaired), 'vendor.refused', /https:\/\/tesla\.com\/_ak\//],
      [refusal(500, 'oops'), 'command.outcome_unknown', /read the device/],
    ] as const) {
      answer(here, COMMAND, answered);
      await assert.rejects(here.send(car, STOP), { code, message });
    }
  });

  it('a command to a car that takes signed commands alone tells what the operator must do', async () => {
    const here = await world('signed');
    await assert.rejects(here.send(ref('vehicle', CARS.signed), START), {
      code: 'vendor.refused',
      message: /signed commands only; the operator must run Tesla's vehicle-command proxy/,
    });
  });

  it('a command goes to the address for commands, and everything else to that of the region', async () => {
    for (const [region, api, commands] of [
      ['eu', 'api', 'commands'],
      ['na', 'api_na', 'commands_na'],
      ['cn', 'api_cn', 'commands_cn'],
    ] as const) {
      const here = await charging();
      const session = here.session();
      const hosts: unknown[] = [];
      const http: Session['http'] = {
        ...session.http,
        send: (request) => {
          hosts.push(request.host);
          return session.http.send(request);
        },
      };
      await here.send(ref('vehicle', CARS.plain, region), STOP, { ...session, http });
      assert.deepEqual(hosts, [api, commands]);
    }
  });

  it('a command that sets a limit outside what the car takes is refused without a call', async () => {
    const here = await charging();
    await assert.rejects(here.send(car, limit(49)), {
      code: 'command.out_of_range',
      message: 'percent must be from 50 to 100, not 49',
    });
    assert.deepEqual(asked(here), []);
  });
});

describe('a current', () => {
  it('a current of 0 pauses, and one above goes on, with a car that was not stopped or unplugged otherwise', async () => {
    for (const [meanwhile, isCharging] of [
      [undefined, true],
      ['stopped', false],
      ['unplugged', false],
    ] as const) {
      const here = await charging();
      await here.send(car, current(0));
      assert.equal((await here.state(car)).charging, false);
      if (meanwhile === 'stopped') await here.send(car, STOP);
      if (meanwhile === 'unplugged') here.vendor.arrange(car, 'off');
      await here.send(car, current(10));
      await here.pass(5);
      const { charging: charges, power_w } = await here.state(car);
      assert.deepEqual([charges, power_w], [isCharging, isCharging ? 6_900 : 0], String(meanwhile));
    }
  });
});

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
  it('a car that takes signed commands alone has no controls without a proxy that signs, and the reason can be read', async () => {
    const { own, offline } = await signed({ withProxy: false });
    assert.deepEqual(own.details, { region: 'eu', commands: 'without_proxy', paired: false });
    assert.deepEqual(capabilitiesOf(kind, own), READS);
    assert.match(kind.whyWithheld?.(own) ?? '', /signed commands only; the operator must run .* proxy/);
    assert.deepEqual(capabilitiesOf(kind, offline), [...READS, ...CONTROLS]);
    assert.equal(kind.whyWithheld?.(offline), undefined);
  });

  it('a car that takes signed commands alone has them with one, and obeys when it has the key', async () => {
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

  it('a car that takes signed commands alone needs a proxy of its own region', async () => {
    const here = await world('signed');
    here.ownAddresses.add('commands_na');
    assert.equal((await here.device(CARS.signed)).details.commands, 'without_proxy');
  });

  it('a car that takes signed commands alone is linked with the word of the list where Tesla does not say more', async () => {
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
