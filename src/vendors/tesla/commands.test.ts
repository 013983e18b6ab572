import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { CARS } from './simulated-homes.ts';
import { ref, world } from './test-world.ts';

const car = ref('vehicle', CARS.plain);

async function charging() {
  const here = await world();
  await here.simulated.arrange(car, 'charging');
  await here.state(car);
  here.asked();
  return here;
}

const commandsIn = (requests: readonly SimulatedRequest[]) =>
  requests.flatMap(({ path, body }) => {
    const name = /\/command\/(\w+)$/.exec(path)?.[1];
    return name === undefined ? [] : [[name, JSON.parse(Buffer.from(body).toString())]];
  });

describe('a command', () => {
  it("is sent in Tesla's words", async () => {
    const here = await charging();
    await here.send(car, { type: 'set_charge_limit', percent: 70 });
    await here.send(car, { type: 'set_current', current_a: 9 });
    await here.send(car, { type: 'stop_charge' });
    await here.send(car, { type: 'start_charge' });
    assert.deepEqual(commandsIn(here.requests), [
      ['set_charge_limit', { percent: 70 }],
      ['set_charging_amps', { charging_amps: 9 }],
      ['charge_stop', {}],
      ['charge_start', {}],
    ]);
  });

  it('counts as done when things are so already', async () => {
    const here = await charging();
    await here.send(car, { type: 'start_charge' });
    await here.send(car, { type: 'set_charge_limit', percent: 80 });
    await here.send(car, { type: 'stop_charge' });
    await here.send(car, { type: 'stop_charge' });
    assert.equal((await here.state(car)).charging, false);
    here.tampering.answer = ({ path }) =>
      path.includes('/command/')
        ? { status: 200, json: { response: { result: false, reason: 'requested' } } }
        : undefined;
    await here.send(car, { type: 'set_current', current_a: 7 });
  });

  it('that the car refuses is told with its reason, in a 200 or not', async () => {
    const here = await world();
    await here.simulated.arrange(car, 'off');
    await assert.rejects(here.send(car, { type: 'start_charge' }), {
      code: 'vendor.refused',
      message: `the car ${CARS.plain} refused the command: disconnected`,
    });
    for (const [reason, message] of [
      ['could_not_wake_buses', /refused the command: could_not_wake_buses$/],
      ['is_charging', /refused the command: is_charging$/],
      [null, /refused the command$/],
      ['<b>Xy9z-token</b>', /refused the command$/],
    ] as const) {
      here.tampering.answer = ({ path }) =>
        path.includes('/command/')
          ? { status: 200, json: { response: { result: false, reason } } }
          : undefined;
      await assert.rejects(here.send(car, { type: 'stop_charge' }), { code: 'vendor.refused', message });
    }
  });

  it('to a car that takes signed commands alone tells what the operator must do', async () => {
    const here = await world('signed');
    await assert.rejects(here.send(ref('vehicle', CARS.signed), { type: 'start_charge' }), {
      code: 'vendor.refused',
      message: /signed commands only; the operator must run Tesla's vehicle-command proxy/,
    });
  });

  it('through a proxy whose key the car does not know tells what its owner must do', async () => {
    const here = await charging();
    const error = 'vehicle rejected request: your public key has not been paired with the vehicle';
    here.tampering.answer = ({ path }) =>
      path.includes('/command/') ? { status: 500, json: { response: null, error } } : undefined;
    await assert.rejects(here.send(car, { type: 'stop_charge' }), {
      code: 'vendor.refused',
      message: /https:\/\/tesla\.com\/_ak\//,
    });
    here.tampering.answer = ({ path }) =>
      path.includes('/command/') ? { status: 500, json: { response: null, error: 'oops' } } : undefined;
    await assert.rejects(here.send(car, { type: 'stop_charge' }), { code: 'command.outcome_unknown' });
  });

  it('goes to the address for commands, and everything else to that of the region', async () => {
    for (const [region, api, commands] of [
      ['eu', 'api', 'commands'],
      ['na', 'api_na', 'commands_na'],
      ['cn', 'api_cn', 'commands_cn'],
    ] as const) {
      const here = await charging();
      const session = here.simulated.session();
      const hosts: unknown[] = [];
      const http = {
        send: (request: Parameters<typeof session.http.send>[0]) => {
          hosts.push(request.host);
          return session.http.send(request);
        },
      };
      const device = { ...car, details: { region } };
      await here.send(device, { type: 'stop_charge' }, { ...session, http });
      assert.deepEqual(hosts, [api, commands]);
    }
  });
});

describe('a charge limit', () => {
  it('outside what the car takes is refused without a call', async () => {
    const here = await charging();
    for (const percent of [49, 0])
      await assert.rejects(here.send(car, { type: 'set_charge_limit', percent }), {
        code: 'command.out_of_range',
        message: `percent must be from 50 to 100, not ${percent}`,
      });
    assert.deepEqual(here.asked(), []);
  });
});

describe('a current', () => {
  it('of 0 pauses, and one above goes on', async () => {
    const here = await charging();
    await here.send(car, { type: 'set_current', current_a: 0 });
    assert.equal((await here.state(car)).charging, false);
    await here.send(car, { type: 'set_current', current_a: 10 });
    here.pass(5);
    const { charging: isCharging, power_w } = await here.state(car);
    assert.deepEqual([isCharging, power_w], [true, 10 * 690]);
  });

  it('is set on a car that was unplugged in between, which has nothing to go on with', async () => {
    const here = await charging();
    await here.send(car, { type: 'set_current', current_a: 0 });
    await here.simulated.arrange(car, 'off');
    await here.send(car, { type: 'set_current', current_a: 10 });
    assert.equal((await here.state(car)).connected, false);
  });

  it('does not start a car that was stopped otherwise', async () => {
    const here = await charging();
    await here.send(car, { type: 'set_current', current_a: 0 });
    await here.send(car, { type: 'stop_charge' });
    await here.send(car, { type: 'set_current', current_a: 10 });
    here.pass(5);
    assert.equal((await here.state(car)).charging, false);
  });
});
