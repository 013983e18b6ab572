import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn } from '../../../test/kit/vendor-world.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';
import { setKeys } from './client.ts';
import { goe } from './index.ts';
import type { GoeSimulator } from './simulator.ts';
import * as translate from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const SERIAL = '205643';
const AMP_A = 10;

async function makeWorld() {
  const here = await makeVendorWorld(goe);
  const { charger } = here.vendor as GoeSimulator;
  return Object.assign(here, { charger, wallbox: await here.device(SERIAL) });
}

/** The settings that were sent, as `frc=1&amp=10`. */
function settingsOf(here: Awaited<ReturnType<typeof makeWorld>>): string[] {
  const sent: string[] = [];
  here.instead = ({ path, query }) => {
    if (path === '/api/set') sent.push(String(query));
    return undefined;
  };
  return sent;
}

const ok = (json: JsonObject): SimulatedAnswer => ({ status: 200, json });

describe('recorded responses', () => {
  it('recorded responses: a car that is full is connected, and the register is that of the meter', async () => {
    const here = await makeWorld();
    here.instead = () => ok(recorded('complete') as JsonObject);
    assert.deepEqual(await here.state(here.wallbox), {
      online: true,
      connected: true,
      charging: false,
      operation_state: 'complete',
      power_w: 0,
      energy_wh: 44_052,
    });
  });

  it('recorded responses: a setting is done with true, refused with its sentence, and unknown otherwise', async () => {
    const here = await makeWorld();
    const answers: [SimulatedAnswer, string | undefined][] = [
      [ok(recorded('set') as JsonObject), undefined],
      [{ status: 500, json: recorded('notTaken') }, 'vendor.refused'],
      [ok({ amp: false }), 'command.outcome_unknown'],
      [ok({}), 'command.outcome_unknown'],
      [{ status: 500, text: "couldn't take api lock in 3s" }, 'command.outcome_unknown'],
    ];
    for (const [answer, code] of answers) {
      here.instead = ({ path }) => (path === '/api/set' ? answer : undefined);
      const sent = setKeys(here.session(), here.wallbox, { amp: AMP_A });
      if (code === undefined) await sent;
      else await assert.rejects(sent, { code });
    }
  });
});

describe('reading', () => {
  it('reading asks for the keys that are used, and has the power of all phases', async () => {
    const here = await makeWorld();
    const filters: string[] = [];
    here.instead = ({ query }) => {
      filters.push(query.get('filter') ?? '');
      return undefined;
    };
    await here.vendor.arrange(here.wallbox, 'charging');
    assert.equal((await here.state(here.wallbox)).power_w, 16 * 3 * 230);
    assert.deepEqual(filters, ['sse,fna,car,err,modelStatus,frc,amp,ama,adi,cbl,var,nrg,eto']);
  });

  it('reading says why a car is not charged, and what is wrong', async () => {
    const here = await makeWorld();
    const state = async () => (await here.state(here.wallbox)).operation_state;
    assert.equal(await state(), 'idle');
    here.vendor.arrange(here.wallbox, 'plugged_in');
    assert.equal(await state(), 'wait_car, forced off');
    here.charger.err = 8;
    assert.equal(await state(), 'error, error ground');
    const raw = { sse: SERIAL, car: 9, err: 77, modelStatus: 99 };
    assert.deepEqual(translate.statusOf(raw), {
      online: true,
      connected: null,
      charging: null,
      operation_state: 'car 9, error 77',
    });
    assert.deepEqual(translate.unrecognizedIn(raw), ['car 9', 'err 77', 'modelStatus 99']);
  });

  it('reading has the lowest of what owner, model, cable and adapter permit', () => {
    const most = (keys: JsonObject) => translate.limitsOf({ sse: SERIAL, ...keys }).max_a;
    assert.equal(most({ ama: 32, var: 22, cbl: 32, adi: false }), 32);
    assert.equal(most({ ama: 20, var: 22, cbl: 32, adi: false }), 20);
    assert.equal(most({ ama: 32, var: 11, cbl: null, adi: false }), 16);
    assert.equal(most({ ama: 32, var: 22, cbl: 13, adi: false }), 13);
    assert.equal(most({ ama: 32, var: 22, cbl: 32, adi: true }), 16);
  });

  it('reading refuses another charger that has got the address', async () => {
    const here = await makeWorld();
    here.instead = () => ok({ ...(recorded('complete') as JsonObject), sse: '111111' });
    await assert.rejects(here.state(here.wallbox), { code: 'vendor.refused', message: /no longer reports/ });
  });
});

describe('linking', () => {
  it('linking says what to switch on where the API is off, and refuses a controller', async () => {
    const here = await makeWorld();
    here.charger.hasApi = false;
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /local HTTP API v2/ });
    here.charger.hasApi = true;
    here.charger.isController = true;
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /no go-eCharger/ });
    assert.equal(await goe.discovers.identify(here.session()), undefined);
  });

  it('linking is offered by its name where a gateway finds it', async () => {
    const here = await makeWorld();
    assert.deepEqual(await goe.discovers.identify(here.session()), {
      name: 'go-eCharger Garage (simulated)',
      vendorAccount: SERIAL,
    });
  });
});

describe('commands', () => {
  it('commands: a charger that waits for a card, or has no car, is not started', async () => {
    const here = await makeWorld();
    const sent = settingsOf(here);
    await assert.rejects(here.send(here.wallbox, { type: 'start_charge' }), {
      message: /no car is connected/,
    });
    here.vendor.arrange(here.wallbox, 'plugged_in');
    Object.assign(here.charger, { acs: 1, frc: 0 });
    await assert.rejects(here.send(here.wallbox, { type: 'start_charge' }), { message: /with a card/ });
    assert.deepEqual(sent, []);
  });

  it('commands: 0 A is a pause that the next limit ends, and forces nothing that was not forced', async () => {
    const here = await makeWorld();
    here.vendor.arrange(here.wallbox, 'charging');
    const sent = settingsOf(here);
    for (const current_a of [0, 0, AMP_A, AMP_A])
      await here.send(here.wallbox, { type: 'set_current', current_a });
    assert.deepEqual(sent, ['frc=1', 'amp=10&frc=0', 'amp=10']);
    assert.equal((await here.state(here.wallbox)).charging, true);
  });

  it('commands: a limit does not start a charge that its user has stopped', async () => {
    const here = await makeWorld();
    here.vendor.arrange(here.wallbox, 'charging');
    await here.send(here.wallbox, { type: 'set_current', current_a: 0 });
    await here.send(here.wallbox, { type: 'stop_charge' });
    const sent = settingsOf(here);
    await here.send(here.wallbox, { type: 'set_current', current_a: AMP_A });
    assert.deepEqual(sent, ['amp=10']);
    assert.equal((await here.state(here.wallbox)).charging, false);
  });
});
