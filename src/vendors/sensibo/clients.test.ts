import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { sensibo } from './index.ts';

/*
 * What clients of others ask of Sensibo, at the simulator on a port: it must be Sensibo as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in pysensibo (MIT), homebridge-sensibo-ac (MIT) and the examples of the vendor's own specification.
 */

const KEY = 'simulated-key-of-home';
const POD = 'sim00001';
const clock = turnedClock();
let served: ServedVendor;

before(async () => {
  served = await serveVendor(sensibo, clock);
});
after(() => served.close());

/** As pysensibo calls: JSON is sent as plain text. */
async function ask(method: string, path: string, json?: Json, query: Record<string, string> = {}) {
  // None of these clients spaces its calls.
  clock.turn(10_000);
  const parameters = new URLSearchParams({ apiKey: KEY, ...query });
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${served.url}/api/${path}?${parameters}`, { method, ...body });
  const text = await response.text();
  const parsed = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
  return { status: response.status, body: parsed, result: parsed.result ?? null };
}
const object = (value: Json | undefined) => value as JsonObject;

describe('pysensibo', () => {
  it('pysensibo reads the account and every controller', async () => {
    const me = await ask('GET', 'v1/users/me');
    assert.equal(object(me.result).username, 'simulated-home');
    const { body, result } = await ask('GET', 'v2/users/me/pods', undefined, { fields: '*' });
    assert.equal(body.status, 'success');
    const pods = result as JsonObject[];
    assert.equal(pods.length, 5);
    for (const pod of pods)
      for (const field of [
        'id',
        'room',
        'measurements',
        'location',
        'acState',
        'connectionStatus',
        'remoteCapabilities',
        'productModel',
        'firmwareVersion',
        'mainMeasurementsSensor',
        'motionSensors',
        'schedules',
        'timer',
        'smartMode',
      ])
        assert.ok(field in pod, `${pod.id}.${field}`);
    const [pod = {}] = pods;
    const { mode } = object(pod.acState);
    const { temperatures } = object(object(object(pod.remoteCapabilities).modes)[String(mode)]);
    assert.ok(Array.isArray(object(object(temperatures)[String(pod.temperatureUnit)]).values));
  });

  it('pysensibo changes a property by its current state, and says that a state is only assumed', async () => {
    const { result } = await ask('GET', `v2/pods/${POD}`, undefined, { fields: '*' });
    const currentAcState = object(result).acState ?? null;
    const changed = await ask('PATCH', `v2/pods/${POD}/acStates/targetTemperature`, {
      currentAcState,
      newValue: 23,
    });
    assert.equal(object(changed.result).status, 'Success');
    assert.deepEqual(object(changed.result).changedProperties, ['targetTemperature']);
    const assumed = { currentAcState, newValue: false, reason: 'StateCorrectionByUser' };
    const corrected = await ask('PATCH', `v2/pods/${POD}/acStates/on`, assumed);
    assert.equal(object(corrected.result).reason, 'StateCorrectionByUser');
    const state = object((await ask('GET', `v2/pods/${POD}`, undefined, { fields: 'acState' })).result);
    assert.deepEqual(
      [object(state.acState).on, object(state.acState).targetTemperature, object(state.acState).mode],
      [false, 23, 'heat'],
    );
  });

  it('pysensibo turns Climate React, the timer and the schedules', async () => {
    const on = await ask('PUT', `v2/pods/${POD}/smartmode`, { enabled: true });
    assert.equal(object(on.result).enabled, true);
    const set = await ask('POST', `v2/pods/${POD}/smartmode`, {
      enabled: false,
      lowTemperatureThreshold: 18,
    });
    assert.equal(object(set.result).lowTemperatureThreshold, 18);
    assert.equal(object((await ask('GET', `v2/pods/${POD}/smartmode`)).result).enabled, false);
    const timer = { minutesFromNow: 5, acState: { on: false } };
    assert.equal(object((await ask('PUT', `v1/pods/${POD}/timer/`, timer)).result).isEnabled, true);
    assert.equal(object((await ask('GET', `v1/pods/${POD}/timer/`)).result).isEnabled, true);
    assert.equal((await ask('DELETE', `v1/pods/${POD}/timer/`)).status, 200);
    assert.equal((await ask('GET', `v1/pods/${POD}/timer/`)).result, null);
    assert.deepEqual((await ask('GET', `v1/pods/${POD}/schedules/`)).result, []);
  });

  it('pysensibo gets a status for what it may not do', async () => {
    const wrong = await ask('GET', 'v2/users/me/pods', undefined, { apiKey: 'wrong' });
    assert.equal(wrong.status, 401);
    const value = await ask('PATCH', `v2/pods/${POD}/acStates/targetTemperature`, { newValue: 99 });
    assert.equal(value.status, 400);
    assert.equal((await ask('GET', 'v2/pods/elsewhere')).status, 404);
  });
});

describe('homebridge-sensibo-ac', () => {
  it('homebridge-sensibo-ac sends a whole state, as the specification has it', async () => {
    const acState = {
      on: true,
      mode: 'cool',
      targetTemperature: 22,
      temperatureUnit: 'C',
      swing: 'stopped',
      fanLevel: 'auto',
    };
    const { body, result } = await ask('POST', `v2/pods/${POD}/acStates`, { acState }, { integration: 'hb' });
    assert.equal(body.status, 'success');
    assert.deepEqual(
      { ...object(object(result).acState), timestamp: undefined },
      { ...acState, timestamp: undefined },
    );
    const states = (await ask('GET', `v2/pods/${POD}/acStates`, undefined, { limit: '5' })).result;
    assert.equal((states as JsonObject[])[0]?.status, 'Success');
  });

  it('homebridge-sensibo-ac switches by a part of a state, as the examples of the specification do', async () => {
    const { result } = await ask('POST', `v2/pods/${POD}/acStates`, { acState: { on: false } });
    const { on, mode } = object(object(result).acState);
    assert.deepEqual([on, mode], [false, 'cool']);
  });
});
