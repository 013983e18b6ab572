import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import type { Found } from '../../adapter/device.ts';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { solaredge } from './index.ts';
import type { SolarEdgeSimulator } from './simulator.ts';
import { asleepIn, batteryIn, solarIn } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { solar_inverter: solarKind } = solaredge.kinds;
const VILLA = '1000001';
const VILLA_BATTERY = 'BATT-0001';

/** A minute of ten calls is waited for, unless it is what is tested. */
async function makeWorld({ waitsForBudgets = true } = {}) {
  const here = await makeVendorWorld(solaredge, { waitsForBudgets });
  const sent: SimulatedRequest[] = [];
  here.instead = (request) => {
    sent.push(request);
    return undefined;
  };
  return Object.assign(here, { sent, sim: here.vendor as SolarEdgeSimulator });
}

/** Turns the clock to a moment in UTC of 22 November 2026, or of another day. */
const turnTo = (here: VendorWorld, time: string, day = '2026-11-22') =>
  here.clock.turn(Date.parse(`${day}T${time}:00Z`) - here.clock.now());
/** Answers calls whose path ends so in place of the simulator. */
function answer(here: VendorWorld, answers: Readonly<Record<string, Json>>): void {
  here.instead = ({ path }) => {
    const json = Object.entries(answers).find(([end]) => path.endsWith(end))?.[1];
    return json === undefined ? undefined : { status: 200, json };
  };
}
const pathsOf = (here: VendorWorld) => here.asked.map((one) => one.replace(/^GET \/v2\/sites\/\d+/, ''));

describe('sites', () => {
  it('sites are read from recorded lists', async () => {
    const here = await makeWorld();
    answer(here, {
      '/1000001/devices': recorded('devices'),
      '/1000001': recorded('site'),
      '/1000002/devices': recorded('devices-live'),
    });
    const { devices, vendorAccount } = await here.link();
    assert.deepEqual(
      devices.map(({ id, type, name, site }) => [id, type, name, site]),
      [
        ['1000001', 'solar_inverter', 'Example Home', '1000001'],
        ['BATT-001', 'battery', 'Battery 1 (Example Home)', '1000001'],
        ['1000002', 'solar_inverter', 'Barn (simulated)', '1000002'],
      ],
    );
    assert.equal(vendorAccount, '1000001,1000002');
  });

  it('sites have their inverters as one device, and batteries; what was replaced, and meters, are left out', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    const shown = devices.map((one: Found) => [
      one.name,
      capabilitiesOf(solaredge.kinds[one.type as 'battery'], one),
    ]);
    const [solar, battery] = [
      ['read_energy', 'read_production'],
      ['read_battery_soc', 'read_power'],
    ];
    assert.deepEqual(shown, [
      ['Villa (simulated)', solar],
      ['Battery (simulated) (Villa (simulated))', battery],
      ['Barn (simulated)', solar],
      ['Battery (simulated) (Barn (simulated))', battery],
      ['Battery (simulated) (Barn (simulated))', battery],
    ]);
    const types = here.sent
      .filter(({ path }) => path.endsWith('/devices'))
      .map(({ query }) => query.getAll('types'));
    assert.deepEqual(types, Array(2).fill(['INVERTER', 'BATTERY']));
    const replaced = { type: 'INVERTER', serialNumber: 'old', active: false };
    answer(here, { '/devices': [replaced, { type: 'BATTERY', serialNumber: 'B/1', name: 'Cellar' }] });
    assert.deepEqual(
      (await here.link()).devices.map(({ id }) => id),
      ['B_1'],
    );
  });

  it('sites are written with commas and spaces, each once, and are two at most', async () => {
    const here = await makeWorld();
    const credentials = { ...here.credentials, site_ids: ' 1000002 ,1000001' };
    assert.equal((await solaredge.link({ ...here.session(), credentials })).vendorAccount, '1000001,1000002');
    const schema = Compile(solaredge.credentials);
    for (const site_ids of ['1', '1,2', ' 1 , 2 ']) assert.ok(schema.Check({ api_key: 'k', site_ids }));
    for (const site_ids of ['', 'home', '1,2,3', '1;2'])
      assert.ok(!schema.Check({ api_key: 'k', site_ids }), site_ids);
  });

  it('sites that the key has no access to are named, and cost the others nothing', async () => {
    const here = await makeWorld();
    const session = { ...here.session(), credentials: { ...here.credentials, site_ids: '7' } };
    await assert.rejects(solaredge.link(session), { code: 'vendor.refused', message: /no access to site 7/ });
    const devices = (await here.link()).devices.map(refOf);
    here.instead = ({ path }) => (path.includes(VILLA) ? { status: 403, json: {} } : undefined);
    const read = await solaredge.sweep(here.session(), devices);
    assert.deepEqual([...read.keys()], ['1000002', 'BATT-2001', 'BATT-2002']);
    const villa = refOf(devices.find(({ id }) => id === VILLA) ?? assert.fail());
    await assert.rejects(here.state(villa), { code: 'vendor.refused', message: /no access to the energy/ });
  });
});

describe('a site', () => {
  it('a site produces what its panels give, with what its battery takes and without what it gives', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const state = await here.state(await here.device(VILLA));
    const battery = await here.state(await here.device(VILLA_BATTERY));
    assert.ok((battery.power_w ?? 0) > 0 && battery.charging === true, JSON.stringify(battery));
    assert.ok((state.production_w ?? 0) > (battery.power_w ?? 0));
    here.sim.device(VILLA_BATTERY).wh = 9_000;
    turnTo(here, '17:20');
    const evening = await here.state(await here.device(VILLA));
    const giving = await here.state(await here.device(VILLA_BATTERY));
    assert.ok((giving.power_w ?? 0) < 0 && giving.charging === false, JSON.stringify(giving));
    assert.deepEqual([evening.online, evening.production_w], [true, 0]);
  });

  it('a site sleeps without sun, and is offline where SolarEdge hears nothing from it', async () => {
    const here = await makeWorld();
    here.sim.device(VILLA_BATTERY).wh = 0;
    const villa = await here.device(VILLA);
    turnTo(here, '03:07', '2026-11-23');
    here.sim.device(VILLA_BATTERY).wh = 0;
    turnTo(here, '05:07', '2026-11-23');
    here.asked.length = 0;
    const raw = await solarKind.read(here.session(), villa);
    const state = stateOf(solarKind, raw, capabilitiesOf(solarKind, villa));
    assert.deepEqual([state.online, state.production_w, typeof state.energy_wh], [true, 0, 'number']);
    assert.equal(solarKind.observedAt?.(raw), Date.parse('2026-11-23T05:05:00Z'), 'when the site was heard');
    assert.deepEqual(pathsOf(here), ['/energy', '/energy', '']);
    here.vendor.reach(villa, false);
    const lost = await here.state(villa);
    assert.deepEqual([lost.online, lost.production_w, typeof lost.energy_wh], [false, null, 'number']);
    here.vendor.reach(villa, true);
    turnTo(here, '11:07', '2026-11-23');
    here.asked.length = 0;
    assert.equal((await here.state(villa)).online, true);
    assert.deepEqual(pathsOf(here), ['/energy', '/energy'], 'one that reports is not asked when it did');
  });

  it('a site has an energy that grows as its production, and never falls', async () => {
    const here = await makeWorld();
    turnTo(here, '06:17');
    const villa = await here.device(VILLA);
    const first = await here.state(villa);
    assert.ok(Math.abs((first.energy_wh ?? 0) - 8_000 * 900 * 4) < 50_000, 'a roof of 8 kW for four years');
    let [grown, before] = [0, first.energy_wh ?? 0];
    for (let quarter = 0; quarter < 48; quarter += 1) {
      here.clock.turn(QUARTER_MS);
      const { production_w, energy_wh } = await here.state(villa);
      grown += (production_w ?? 0) / 4;
      assert.equal((energy_wh ?? 0) - (first.energy_wh ?? 0), grown);
      assert.ok((energy_wh ?? 0) >= before);
      before = energy_wh ?? 0;
    }
    assert.ok(grown > 500, `${grown} Wh`);
  });

  it('a site is read without its energy where SolarEdge refuses that', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const villa = await here.device(VILLA);
    here.instead = ({ query }) =>
      query.get('resolution') === 'TOTAL' ? { status: 400, json: { title: 'Bad Request' } } : undefined;
    const { online, production_w, energy_wh } = await here.state(villa);
    assert.deepEqual([online, (production_w ?? 0) > 0, energy_wh], [true, true, null]);
    here.instead = ({ query }) =>
      query.get('resolution') === 'TOTAL' ? { status: 503, json: {} } : undefined;
    await assert.rejects(here.state(villa), { code: 'vendor.unreachable' });
  });
});

describe('a site without any energy', () => {
  it('a site without any energy is offline while an inverter is listed, and gone when none is', async () => {
    const here = await makeWorld();
    const villa = await here.device(VILLA);
    const nothing = { unit: 'WH', values: [{ timestamp: '2000-01-01T00:00:00Z', value: null }] };
    answer(here, { '/energy': nothing });
    assert.deepEqual(await here.state(villa), { online: false, production_w: null, energy_wh: null });
    assert.deepEqual(
      [...(await solaredge.sweep(here.session(), [villa])).keys()],
      [],
      'it is read by itself',
    );
    answer(here, { '/energy': nothing, '/devices': [] });
    await assert.rejects(here.state(villa), { code: 'vendor.refused', message: /no longer reports/ });
  });
});

describe('a battery', () => {
  it('a battery that telemetry leaves out is offline while it is listed, and gone when it is not', async () => {
    const here = await makeWorld();
    const battery = await here.device(VILLA_BATTERY);
    answer(here, { '/storage/telemetry': { storage: {} } });
    assert.deepEqual(await here.state(battery), {
      online: false,
      charging: null,
      power_w: null,
      battery_soc: null,
    });
    answer(here, { '/storage/telemetry': { storage: {} }, '/devices': [] });
    await assert.rejects(here.state(battery), { code: 'vendor.refused', message: /no longer reports/ });
  });
});

describe('calls', () => {
  it('calls name moments, and ask for quarters of two hours and for all energy ever', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const [villa, battery] = [await here.device(VILLA), await here.device(VILLA_BATTERY)];
    here.sent.length = 0;
    await here.state(villa);
    await here.state(battery);
    const asked = here.sent.map(({ query }) =>
      ['resolution', 'from', 'to', 'unit'].map((name) => query.get(name)),
    );
    const [from, to] = ['2026-11-22T09:20:00Z', '2026-11-22T11:20:00Z'];
    assert.deepEqual(asked, [
      ['QUARTER_HOUR', from, to, 'WH'],
      ['TOTAL', '2000-01-01T00:00:00Z', to, 'WH'],
      ['QUARTER_HOUR', from, to, null],
    ]);
  });

  it('calls fit into the part of a minute that callers leave, also when both sites of a link sleep', async () => {
    const here = await makeWorld();
    const devices = (await here.link()).devices.map(refOf);
    turnTo(here, '04:07', '2026-11-23');
    for (const battery of ['BATT-0001', 'BATT-2001', 'BATT-2002']) here.sim.device(battery).wh = 0;
    here.clock.turn(HOUR_MS);
    here.asked.length = 0;
    const read = await solaredge.sweep(here.session(), devices);
    assert.equal(read.size, devices.length);
    const [minute] = solaredge.budgets;
    assert.ok(
      here.asked.length <= (minute?.amount ?? 0) * (1 - (minute?.reserve ?? 1)),
      `${here.asked.length}`,
    );
    assert.equal(pathsOf(here).filter((path) => path === '').length, 2, 'both sleep');
  });
});

describe('limits', () => {
  it('limits of the month say nothing of the delay: it is hours, and no lost sign-in', async () => {
    const here = await makeWorld();
    const villa = await here.device(VILLA);
    here.sim.spendCredits();
    const error = { code: 'vendor.rate_limited', message: /for this month/, retryAfterSeconds: 6 * 3_600 };
    await assert.rejects(here.state(villa), error);
    await assert.rejects(here.signIn(), error);
  });

  it('limits of the minute leave room to read a site that has just been linked', async () => {
    const here = await makeWorld({ waitsForBudgets: false });
    turnTo(here, '04:07', '2026-11-23');
    await here.signIn();
    const villa = await here.device(VILLA);
    assert.equal(typeof (await here.state(villa)).energy_wh, 'number');
  });

  it('limits of the minute say how long', async () => {
    const here = await makeWorld({ waitsForBudgets: false });
    const villa = await here.device(VILLA);
    here.clock.turn(MINUTE_MS);
    await assert.rejects(
      async () => {
        for (let call = 0; call < 6; call += 1) await here.state(villa);
      },
      { code: 'vendor.rate_limited', retryAfterSeconds: 60 },
    );
  });
});

const { battery: batteryKind } = solaredge.kinds;

const energy = recorded('energy') as JsonObject;
const CALLED = Date.parse('2026-08-24T17:05:45+01:00');
const ENDED = Date.parse('2026-08-24T17:00:00+01:00');
const TOTAL = { unit: 'KWH', values: [{ timestamp: '2000-01-01T00:00:00Z', value: 41_234.5 }] };

const { storage } = recorded('storage-telemetry') as {
  storage: Record<string, Record<'chargePower' | 'stateOfEnergy', JsonObject>>;
};
const NOW = Date.parse('2026-09-29T12:50:00-05:00');
const batteryOf = (changes: JsonObject = {}, now = NOW) =>
  batteryIn({ 'BATT-001': { ...storage['BATT-001'], ...changes } }, 'BATT-001', now);

describe('a recorded site', () => {
  it('a recorded site produces the mean power of the last quarter that has a value', () => {
    assert.deepEqual(solarIn(energy, TOTAL, CALLED), {
      online: true,
      observedAt: ENDED,
      productionW: 4 * 259,
      energyWh: 41_234_500,
      unrecognized: [],
    });
  });

  it('a recorded site is offline once it is silent for an hour; its energy stays', () => {
    assert.equal(solarIn(energy, TOTAL, ENDED + HOUR_MS).online, true);
    const silent = solarIn(energy, TOTAL, ENDED + HOUR_MS + MINUTE_MS);
    assert.deepEqual([silent.online, silent.productionW, silent.energyWh], [false, null, 41_234_500]);
    assert.deepEqual(solarIn({ unit: 'WH', values: [] }, {}, CALLED), {
      online: false,
      observedAt: null,
      productionW: null,
      energyWh: null,
      unrecognized: [],
    });
  });

  it('a recorded site sleeps without sun as long as SolarEdge hears from it', () => {
    const { lastUpdateTime = null } = recorded('site') as JsonObject;
    const now = Date.parse('2026-09-29T13:40:00-05:00');
    const silent = solarIn(energy, TOTAL, now);
    assert.deepEqual(asleepIn(silent, lastUpdateTime, now), {
      ...silent,
      online: true,
      observedAt: Date.parse('2026-09-29T12:45:00-05:00'),
      productionW: 0,
    });
    for (const heard of [null, 'now', '2026-09-29T12:30:00-05:00'])
      assert.deepEqual(asleepIn(silent, heard, now), silent);
  });

  it('a recorded site takes some power at times, which is no production', () => {
    const values = [{ timestamp: '2026-08-24T16:45:00+01:00', value: -1 }];
    assert.equal(solarIn({ unit: 'WH', values }, {}, CALLED).productionW, 0);
  });
});

describe('a recorded battery', () => {
  it('a recorded battery takes what is positive', () => {
    const reading = batteryOf();
    const observedAt = Date.parse('2026-09-29T12:45:00-05:00');
    assert.deepEqual(reading, { online: true, observedAt, powerW: 2_750, soc: 67.8, unrecognized: [] });
    assert.equal(batteryKind.status(reading).charging, true);
    assert.equal(batteryIn(storage, 'another', NOW), undefined);
    assert.equal(batteryIn({}, 'constructor', NOW), undefined);
  });

  it('a recorded battery gives what is negative, whether the other power is 0 or left out', () => {
    const values = [{ timestamp: '2026-09-29T12:30:00-05:00', value: 1.2 }];
    const dischargePower = { unit: 'KW', values };
    const chargePower = { unit: 'W', values: [{ timestamp: '2026-09-29T12:30:00-05:00', value: 0 }] };
    for (const charge of [chargePower, { unit: 'W', values: [] }]) {
      const reading = batteryOf({ chargePower: charge, dischargePower });
      assert.equal(reading?.powerW, -1_200);
      assert.equal(batteryKind.status(reading).charging, false);
    }
  });

  it('a recorded battery that is silent has its last charge, at the older time of power and charge', () => {
    const later = batteryOf({}, NOW + 2 * HOUR_MS);
    assert.deepEqual([later?.online, later?.powerW, later?.soc], [false, null, 67.8]);
    const values = [{ timestamp: '2026-09-29T12:15:00-05:00', value: 60 }];
    const lagging = batteryOf({ stateOfEnergy: { unit: 'PERCENTAGE', values } });
    assert.equal(lagging?.observedAt, Date.parse('2026-09-29T12:30:00-05:00'));
  });
});

describe('a unit that is not recognized', () => {
  it('a unit that is not recognized leaves its field out, is reported, and is no reason to be offline, asleep or idle', () => {
    const odd = { ...energy, unit: 'JOULE' };
    const site = solarIn(odd, { ...TOTAL, unit: 'JOULE' }, CALLED);
    assert.deepEqual([site.online, site.productionW, site.energyWh], [true, null, null]);
    assert.deepEqual(site.unrecognized, ['unit of energy "JOULE"', 'unit of total energy "JOULE"']);
    assert.equal(solarIn(odd, TOTAL, CALLED).energyWh, 41_234_500);

    const charge = batteryOf({
      stateOfEnergy: { ...storage['BATT-001']?.stateOfEnergy, unit: 'PERCENTAGE_100' },
    });
    assert.deepEqual([charge?.soc, charge?.powerW, charge?.online], [null, 2_750, true]);
    assert.deepEqual(charge?.unrecognized, ['unit of stateOfEnergy "PERCENTAGE_100"']);
    const values = [{ timestamp: '2026-09-29T12:30:00-05:00', value: 0 }];
    const flow = batteryOf({
      chargePower: { ...storage['BATT-001']?.chargePower, unit: 'HP' },
      dischargePower: { unit: 'W', values },
    });
    assert.deepEqual([flow?.powerW, batteryKind.status(flow).charging], [null, null]);
    assert.deepEqual(flow?.unrecognized, ['unit of chargePower "HP"']);
  });
});
