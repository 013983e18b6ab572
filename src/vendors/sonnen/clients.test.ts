import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { sonnen } from './index.ts';
import type { SonnenSimulator } from './simulator.ts';

/*
 * What clients of others ask of a sonnenBatterie, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in evcc's template sonnenbatterie (MIT), ioBroker.sonnen (MIT) and the sonnen binding of openHAB (EPL-2.0).
 */

const TOKEN = { 'Auth-Token': 'simulated-key-of-home' };
let served: ServedVendor;

before(async () => {
  served = await serveVendor(sonnen, turnedClock());
});
after(() => served.close());

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${served.url}/api/v2/${path}`, init);
  return { status: response.status, body: (await response.json()) as Json };
}
const object = (value: Json | undefined) => value as JsonObject;

describe('openHAB', () => {
  it('reads the status without a token, and the meters with it', async () => {
    const { status, body } = await ask('status');
    assert.equal(status, 200);
    for (const name of ['BatteryCharging', 'FlowConsumptionBattery', 'FlowProductionGrid'])
      assert.equal(typeof object(body)[name], 'boolean', name);
    const [production, consumption] = (await ask('powermeter', { headers: TOKEN })).body as JsonObject[];
    assert.deepEqual([production?.direction, consumption?.direction], ['production', 'consumption']);
    assert.equal((await ask('powermeter')).status, 401);
  });

  it('changes the mode with a form, as no JSON type is sent', async () => {
    const body = new URLSearchParams({ EM_OperatingMode: '1' });
    const changed = await ask('configurations', { method: 'PUT', headers: TOKEN, body });
    assert.deepEqual(changed.body, { EM_OperatingMode: '1' });
  });
});

describe('evcc', () => {
  const json = { ...TOKEN, 'content-type': 'application/json' };
  const mode = (EM_OperatingMode: string) =>
    ask('configurations', { method: 'PUT', headers: json, body: JSON.stringify({ EM_OperatingMode }) });

  it('holds, charges and returns to automatic operation', async () => {
    const { box } = served.vendor as SonnenSimulator;
    await mode('1');
    assert.ok(
      [200, 201].includes((await ask('setpoint/discharge/0', { method: 'POST', headers: json })).status),
    );
    await ask('setpoint/charge/3000', { method: 'POST', headers: json });
    assert.equal(object((await ask('status')).body).Pac_total_W, -3_000);
    await mode('2');
    assert.equal(box.mode, '2');
  });
});

describe('ioBroker', () => {
  it('tells version 2 by the latest data, and reads each setting by its name', async () => {
    const { body } = await ask('latestdata', { headers: TOKEN });
    for (const name of ['Consumption_W', 'FullChargeCapacity', 'GridFeedIn_W', 'SetPoint_W', 'UTC_Offet'])
      assert.equal(typeof object(body)[name], 'number', name);
    for (const key of ['EM_OperatingMode', 'EM_USOC', 'IC_InverterMaxPower_w', 'DE_Software'])
      assert.equal(
        typeof object((await ask(`configurations/${key}`, { headers: TOKEN })).body)[key],
        'string',
      );
    assert.equal((await ask('latestdata', { headers: { 'Auth-Token': 'wrong' } })).status, 401);
  });
});
