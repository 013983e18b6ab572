import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Session } from '../../adapter/session.ts';
import type { Json } from '../../core/json.ts';
import { CARS } from './simulated-homes.ts';
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
  it("is sent in Tesla's words", async () => {
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

  it('counts as done when things are so already', async () => {
    const here = await charging();
    for (const command of [START, limit(80), STOP, STOP]) await here.send(car, command);
    assert.equal((await here.state(car)).charging, false);
    answer(here, COMMAND, response({ result: false, reason: 'requested' }));
    await here.send(car, current(7));
  });

  it('that the car or the proxy refuses is told with the reason, where that is plain words', async () => {
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

  it('to a car that takes signed commands alone tells what the operator must do', async () => {
    const here = await world('signed');
    await assert.rejects(here.send(ref('vehicle', CARS.signed), START), {
      code: 'vendor.refused',
      message: /signed commands only; the operator must run Tesla's vehicle-command proxy/,
    });
  });

  it('goes to the address for commands, and everything else to that of the region', async () => {
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

  it('that sets a limit outside what the car takes is refused without a call', async () => {
    const here = await charging();
    await assert.rejects(here.send(car, limit(49)), {
      code: 'command.out_of_range',
      message: 'percent must be from 50 to 100, not 49',
    });
    assert.deepEqual(asked(here), []);
  });
});

describe('a current', () => {
  it('of 0 pauses, and one above goes on, with a car that was not stopped or unplugged otherwise', async () => {
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
