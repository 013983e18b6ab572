import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { fronius } from './index.ts';

/*
 * What clients of others ask of a Datamanager, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in pyfronius (MIT) and evcc's template fronius-solarapi-v1 (MIT).
 */

let served: ServedVendor;
let base: string;

before(async () => {
  served = await serveVendor(fronius, turnedClock());
  base = served.url;
});
after(() => served.close());

const object = (value: Json | undefined) => value as JsonObject;

async function ask(path: string): Promise<JsonObject> {
  const response = await fetch(`${base}${path}`);
  assert.equal(response.status, 200, path);
  return (await response.json()) as JsonObject;
}

/** As pyfronius reads every response. */
async function data(request: string): Promise<JsonObject> {
  const { BaseURL } = await ask('/solar_api/GetAPIVersion.cgi');
  const { Head, Body } = await ask(`${BaseURL}${request}`);
  const { Code, Reason, UserMessage } = object(object(Head).Status);
  assert.deepEqual([Code, Reason, UserMessage], [0, '', '']);
  assert.match(String(object(Head).Timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  return object(object(Body).Data);
}

describe('pyfronius', () => {
  it('reads the power flow of the site and of its inverters', async () => {
    const { Site, Inverters } = await data('GetPowerFlowRealtimeData.fcgi');
    for (const name of [
      'P_Grid',
      'P_Load',
      'P_PV',
      'P_Akku',
      'E_Total',
      'rel_Autonomy',
      'rel_SelfConsumption',
    ])
      assert.equal(typeof object(Site)[name], 'number', name);
    assert.deepEqual(Object.keys(object(Inverters)), ['1', '2']);
    const { P_Grid, P_Load, P_PV, P_Akku } = object(Site) as Record<string, number>;
    assert.ok(Math.abs((P_Grid ?? 9) + (P_Load ?? 9) + (P_PV ?? 9) + (P_Akku ?? 9)) < 1, 'what comes goes');
  });

  it('reads one inverter, the battery and the meter by their ids', async () => {
    const inverter = await data(
      'GetInverterRealtimeData.cgi?Scope=Device&DeviceId=1&DataCollection=CommonInverterData',
    );
    assert.deepEqual(Object.keys(inverter), ['PAC', 'TOTAL_ENERGY', 'DeviceStatus']);
    const { Controller } = await data('GetStorageRealtimeData.cgi?Scope=Device&DeviceId=0');
    assert.equal(object(Controller).Enable, 1);
    const { 0: meter } = await data('GetMeterRealtimeData.cgi?Scope=System');
    assert.equal(typeof object(meter).PowerReal_P_Sum, 'number');
  });

  it('finds out which devices there are', async () => {
    const active = await data('GetActiveDeviceInfo.cgi?DeviceClass=System');
    assert.deepEqual(Object.keys(active), [
      'Inverter',
      'Meter',
      'Ohmpilot',
      'SensorCard',
      'Storage',
      'StringControl',
    ]);
    const { Head, Body } = await ask('/solar_api/v1/GetLoggerInfo.cgi');
    assert.equal(object(object(Head).Status).Code, 0);
    assert.equal(object(object(Body).LoggerInfo).UniqueID, '240.123456');
  });
});

describe('evcc', () => {
  it('reads the charge of the first inverter in the power flow', async () => {
    const { Inverters } = await data('GetPowerFlowRealtimeData.fcgi');
    const { SOC } = object(object(Inverters)['1']);
    assert.ok(Number(SOC) > 0 && Number(SOC) <= 100, String(SOC));
  });
});
