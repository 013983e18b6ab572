import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { solaredge } from './index.ts';
import type { SolarEdgeSimulator } from './simulator.ts';

/*
 * What clients of others ask of SolarEdge, at the simulator on a port. Requests, and what is read of the responses, are as in
 * ha_int_solaredge, ioBroker.solaredge (MIT) and Domoticz, the headers and the unknown endpoints as in the live answers of ha-solaredge-one.
 */

const SITE = 1_000_001;
const NOON_WINDOW = 'from=2026-11-21T00:00:00&to=2026-11-21T11:55:00';

let clock: TurnedClock;
let served: ServedVendor;

const KEY = { 'X-API-Key': 'simulated-key-of-home' };
const TOKEN = { Authorization: 'Bearer simulated-key-of-home' };

async function ask(path: string, headers: Readonly<Record<string, string>> = KEY) {
  const response = await fetch(`${served.url}${path}`, {
    headers: { accept: 'application/json', ...headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as JsonObject };
}

/** Ten calls are one minute's. */
async function get(path: string): Promise<JsonObject> {
  clock.turn(MINUTE_MS / 10);
  const { status, body } = await ask(`/v2${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const seriesOf = (body: JsonObject, ...names: string[]) =>
  names.reduce<unknown>((at, name) => (at as JsonObject)[name], body) as {
    readonly unit: string;
    readonly values: readonly { readonly timestamp: string; readonly value: number | null }[];
  };

before(async () => {
  clock = turnedClock();
  served = await serveVendor(solaredge, clock);
});
after(() => served.close());
/** The calls of one test are not those of the next. */
beforeEach(() => clock.turn(2 * MINUTE_MS));

describe('ha_int_solaredge', () => {
  it('ha_int_solaredge lists sites and devices; without types only inverters', async () => {
    const { sites } = await get('/sites?page=1&sites-in-page=1000');
    const { count, site } = sites as { count: number; site: JsonObject[] };
    assert.deepEqual([count, site[0]?.siteId, site[0]?.activationStatus], [2, SITE, 'ACTIVE']);
    const devices = `/sites/${SITE}/devices`;
    const typesAt = async (path: string) =>
      ((await get(path)) as unknown as JsonObject[]).map(({ type }) => type);
    assert.deepEqual(await typesAt(devices), ['INVERTER', 'INVERTER']);
    assert.deepEqual(await typesAt(`${devices}?types=INVERTER&types=METER&types=BATTERY`), [
      'INVERTER',
      'BATTERY',
      'METER',
      'INVERTER',
    ]);
  });

  it('ha_int_solaredge reads a site, its day, its power and its lifetime energy', async () => {
    const site = await get(`/sites/${SITE}`);
    assert.equal((site.location as JsonObject).timezone, 'Europe/Stockholm');
    const { production } = await get(`/sites/${SITE}/overview`);
    assert.ok(Number((production as JsonObject).total) > 0 && (production as JsonObject).unit === 'KWH');
    const power = await get(
      `/sites/${SITE}/power?resolution=QUARTER_HOUR&unit=W&from=2026-11-21T09:00:00&to=2026-11-21T10:00:00`,
    );
    assert.deepEqual([power.unit, seriesOf(power).values.length], ['W', 4]);
    assert.equal(seriesOf(power).values[0]?.timestamp, '2026-11-21T09:00:00+01:00');
    assert.deepEqual(await get(`/sites/${SITE}/alerts?only-open=true&alerts-in-page=100`), []);
  });

  it('ha_int_solaredge reads the telemetry of all devices of a site, by the hour', async () => {
    const at = (family: string) => get(`/sites/${SITE}/${family}/telemetry?resolution=HOUR&${NOON_WINDOW}`);
    const inverters = await at('inverters');
    assert.deepEqual(seriesOf(inverters, 'inverters', '7E100001-01', 'power').unit, 'KW');
    const storage = await at('storage');
    for (const metric of [
      'chargePower',
      'dischargePower',
      'stateOfEnergy',
      'remainingEnergy',
      'chargeEnergy',
    ])
      assert.equal(seriesOf(storage, 'storage', 'BATT-0001', metric).values.length, 12, metric);
    assert.equal(seriesOf(storage, 'storage', 'BATT-0001', 'stateOfEnergy').unit, 'PERCENTAGE');
    assert.ok('METER-0001' in ((await at('meters')).meters as JsonObject));
  });

  it('ha_int_solaredge is refused a window that is too long, as the default is after noon, and what is no time', async () => {
    const path = `/v2/sites/${SITE}/inverters/telemetry?resolution=QUARTER_HOUR`;
    assert.equal((await ask(path)).status, 200, 'before noon');
    clock.turn(Date.parse('2026-11-21T11:30:00Z') - clock.now());
    const { status, body, headers } = await ask(path);
    assert.deepEqual(
      [status, body.status, headers.get('content-type')],
      [400, 400, 'application/problem+json'],
    );
    assert.equal((await ask(`${path}&from=yesterday`)).status, 400);
  });

  it('ha_int_solaredge is answered a token as a key, but for what is not of one site', async () => {
    assert.equal((await ask(`/v2/sites/${SITE}`, TOKEN)).status, 200);
    assert.equal((await ask('/v2/sites', TOKEN)).status, 403);
    assert.equal((await ask('/v2/alerts', TOKEN)).status, 403);
    assert.equal((await ask('/v2/sites/1', KEY)).status, 403);
    assert.equal((await ask('/v2/sites', { 'X-API-Key': 'wrong' })).status, 401);
  });

  it('ha_int_solaredge has other headers for a minute that is used up than for a month', async () => {
    const headers = { 'X-API-Key': 'simulated-key-of-free' };
    const limited = async () => {
      const answered = await ask('/v2/sites/1000005', headers);
      const left = answered.headers.get('x-ratelimit-remaining-minute');
      return [answered.status, left, answered.headers.get('retry-after')];
    };
    for (let left = 9; left >= 0; left -= 1) assert.deepEqual(await limited(), [200, String(left), null]);
    assert.deepEqual(await limited(), [429, '0', '60']);
    for (let call = 0; call < 2_020; call += 1) {
      clock.turn(MINUTE_MS / 8);
      await (served.vendor as SolarEdgeSimulator).handle({
        method: 'GET',
        path: '/v2/sites/1000005',
        query: new URLSearchParams(),
        headers: { 'x-api-key': 'simulated-key-of-free' },
        body: new Uint8Array(),
      });
    }
    clock.turn(2 * MINUTE_MS);
    assert.deepEqual(await limited(), [429, '10', null]);
  });
});

describe('ioBroker.solaredge and Domoticz', () => {
  it('ioBroker.solaredge and Domoticz name moments with an offset or in UTC, and are answered in local time', async () => {
    const power = (from: string, to: string) =>
      get(`/sites/${SITE}/power?resolution=QUARTER_HOUR&unit=W&from=${from}&to=${to}`);
    const local = await power('2026-11-21T09:00:00', '2026-11-21T10:00:00');
    assert.equal(seriesOf(local).values[0]?.timestamp, '2026-11-21T09:00:00+01:00');
    for (const [from, to] of [
      ['2026-11-21T09:00:00%2B01:00', '2026-11-21T10:00:00%2B01:00'],
      ['2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z'],
    ] as const)
      assert.deepEqual(seriesOf(await power(from, to)).values, seriesOf(local).values);
  });

  it('ioBroker.solaredge and Domoticz read all energy ever as one value, also by year', async () => {
    const span = 'from=2000-01-01T00:00:00Z&to=2026-11-21T09:00:00Z';
    const energy = await get(`/sites/${SITE}/energy?resolution=TOTAL&${span}`);
    const [value, ...others] = seriesOf(energy).values;
    assert.ok(energy.unit === 'WH' && Number(value?.value) > 1e7 && others.length === 0);
    const years = await get(`/sites/${SITE}/energy?resolution=YEAR&unit=WH&${span}`);
    assert.deepEqual(seriesOf(years).values, [value]);
  });
});

describe('others', () => {
  it('others find no endpoint where there is none, and that version 1 has ended', async () => {
    const { status, body } = await ask(`/v2/sites/${SITE}/powerFlow`);
    assert.deepEqual([status, body.title, body.detail], [404, 'Not Found', 'Unknown endpoint']);
    assert.equal((await ask('/site/1/overview?api_key=old')).status, 410);
  });
});
