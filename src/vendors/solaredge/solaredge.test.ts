import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { Found } from '../../adapter/adapter.ts';
import { capabilitiesOf, stateOf } from '../../adapter/derive.ts';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { solaredge } from './index.ts';
import type { SolarEdgeSimulator } from './simulator.ts';
import type { Details } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { solar_inverter: inverterKind } = solaredge.kinds;
const ROOF = '7E100001-01';
const CABIN = '7E300001-01';
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
  it('are read from recorded lists, with the battery at the only inverter', async () => {
    const here = await makeWorld();
    answer(here, { '/1000001/devices': recorded('devices'), '/1000002/devices': recorded('devices-live') });
    const { devices, vendorAccount } = await here.link();
    assert.deepEqual(
      devices.map(({ id, type, name, site: of, details }) => [id, type, name, of, details?.batteries]),
      [
        ['7E1234B5-67', 'solar_inverter', 'Inverter 1 (Villa)', '1000001', ['BATT-001']],
        ['BATT-001', 'battery', 'Battery 1 (Villa)', '1000001', []],
        ['7E000000-00', 'solar_inverter', 'SE5000H-RW000BNN4 (Barn)', '1000002', []],
        [CABIN, 'solar_inverter', 'Inverter (simulated) (Cabin)', '1000003', []],
      ],
    );
    assert.equal(vendorAccount, '1000001,1000002,1000003');
  });

  it('have inverters and batteries; what was replaced, and meters, are left out', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map((one) => [one.name, one.details?.batteries, inverterKind.whyWithheld?.(one) !== undefined]),
      [
        ['Roof (simulated) (Villa)', [VILLA_BATTERY], false],
        ['Battery (simulated) (Villa)', [], false],
        ['South (simulated) (Barn)', null, true],
        ['West (simulated) (Barn)', null, true],
        ['Battery (simulated) (Barn)', [], false],
        ['Battery (simulated) (Barn)', [], false],
        ['Inverter (simulated) (Cabin)', [], false],
      ],
    );
    const capabilities = devices.map((one: Found) =>
      capabilitiesOf(solaredge.kinds[one.type as 'battery'], one),
    );
    assert.deepEqual(capabilities[0], ['read_power', 'read_energy', 'read_production']);
    assert.deepEqual(
      capabilities[2],
      ['read_power', 'read_energy'],
      'at which inverter the batteries are is not said',
    );
    assert.deepEqual(capabilities[4], ['read_battery_soc', 'read_power']);
    const wanted = ['INVERTER', 'BATTERY'];
    const types = here.sent
      .filter(({ path }) => path.endsWith('/devices'))
      .map(({ query }) => query.getAll('types'));
    assert.deepEqual(types, [wanted, wanted, wanted]);
  });

  it('that say at which inverter each battery is have the production of each', async () => {
    const here = await makeWorld();
    for (const serial of ['BATT-2001', 'BATT-2002'])
      Object.assign(here.sim.device(serial), { isPlaced: true });
    const { devices } = await here.link();
    const south = devices.find(({ name }) => name?.startsWith('South'));
    assert.deepEqual(south?.details?.batteries, ['BATT-2001']);
  });

  it('are written with commas and spaces, each once', async () => {
    const here = await makeWorld();
    const session = {
      ...here.session(),
      credentials: { ...here.credentials, site_ids: ' 1000002 ,1000001, 1000002' },
    };
    assert.equal((await solaredge.link(session)).vendorAccount, '1000001,1000002');
  });

  it('are three at most, so that a turn of polling fits into a minute', () => {
    const credentials = Compile(solaredge.credentials);
    for (const site_ids of ['1', '1,2', ' 1 , 2,3 '])
      assert.ok(credentials.Check({ api_key: 'k', site_ids }));
    for (const site_ids of ['', 'home', '1,2,3,4', '1;2'])
      assert.ok(!credentials.Check({ api_key: 'k', site_ids }));
  });

  it('that the key has no access to are named', async () => {
    const here = await makeWorld();
    const session = { ...here.session(), credentials: { ...here.credentials, site_ids: '7' } };
    await assert.rejects(solaredge.link(session), { code: 'vendor.refused', message: /no access to site 7/ });
  });
});

describe('an inverter', () => {
  it('gives what its panels give, less what its battery takes', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const state = await here.state(await here.device(ROOF));
    const battery = await here.state(await here.device(VILLA_BATTERY));
    assert.ok((battery.power_w ?? 0) > 0 && battery.charging === true, JSON.stringify(battery));
    const sum = -(state.power_w ?? 0) + (battery.power_w ?? 0);
    assert.ok((state.production_w ?? 0) > 100 && Math.abs((state.production_w ?? 0) - sum) <= 1);
    here.sim.device(VILLA_BATTERY).wh = 9_000;
    turnTo(here, '17:20');
    const evening = await here.state(await here.device(ROOF));
    const giving = await here.state(await here.device(VILLA_BATTERY));
    assert.ok((giving.power_w ?? 0) < 0 && giving.charging === false, JSON.stringify(giving));
    assert.equal(evening.power_w, giving.power_w, 'all of it comes out of the battery');
    assert.equal(evening.production_w, 0);
  });

  it('sleeps without sun, and is silent where SolarEdge hears nothing from the site', async () => {
    const here = await makeWorld();
    const device = await here.device(CABIN);
    turnTo(here, '22:07');
    here.asked.length = 0;
    const kind = inverterKind;
    const raw = await kind.read(here.session(), device);
    const state = stateOf(kind, raw, capabilitiesOf(kind, device));
    assert.deepEqual([state.online, state.power_w, state.production_w], [true, 0, 0]);
    assert.equal(kind.observedAt?.(raw), Date.parse('2026-11-22T22:05:00Z'), 'when the site was heard');
    assert.deepEqual(pathsOf(here), ['/inverters/telemetry', '/inverters/telemetry', '']);
    here.vendor.reach(device, false);
    const lost = await here.state(device);
    assert.deepEqual([lost.online, lost.power_w, lost.production_w], [false, null, null]);
    assert.equal(typeof lost.energy_wh, 'number', 'its meter stays');
    here.vendor.reach(device, true);
    turnTo(here, '11:07', '2026-11-23');
    here.asked.length = 0;
    assert.equal((await here.state(device)).online, true);
    assert.ok(!pathsOf(here).includes(''), 'a site with an inverter that reports is not asked');
  });

  it('is silent where another one of the site reports', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const west = await here.device('West');
    here.vendor.reach(west, false);
    here.asked.length = 0;
    assert.deepEqual((await here.state(west)).online, false);
    assert.ok(!pathsOf(here).includes(''));
    assert.equal((await here.state(await here.device('South'))).online, true);
  });

  it('that telemetry leaves out is silent while it is listed, and gone when it is not', async () => {
    const here = await makeWorld();
    const roof = await here.device(ROOF);
    answer(here, { '/inverters/telemetry': { inverters: {} } });
    assert.deepEqual(await here.state(roof), {
      online: false,
      power_w: null,
      energy_wh: null,
      production_w: null,
    });
    answer(here, { '/inverters/telemetry': { inverters: {} }, '/devices': [] });
    await assert.rejects(here.state(roof), { code: 'vendor.refused', message: /no longer reports/ });
  });
});

describe('what is asked', () => {
  it('is in the local time of the site, and never longer than 12 hours, at every hour of the year', async () => {
    const here = await makeWorld();
    const roof = await here.device(ROOF);
    const { place } = roof.details as Details;
    assert.equal(place.zone, 'Europe/Stockholm');
    for (const zone of ['Europe/Stockholm', 'America/Chicago'])
      for (const day of ['2026-11-22', '2027-03-28', '2027-10-31'])
        for (let hour = 0; hour < 24; hour += 1) {
          turnTo(
            here,
            `${String(hour).padStart(2, '0')}:37`,
            zone === 'Europe/Stockholm' ? day : day.replace('202', '203'),
          );
          here.sent.length = 0;
          const device = { ...roof, details: { ...roof.details, place: { ...place, zone } } };
          here.instead = (request) => {
            here.sent.push(request);
            const key = /\/(\w+)\/telemetry$/.exec(request.path)?.[1];
            return key === undefined ? undefined : { status: 200, json: { [key]: { [ROOF]: {} } } };
          };
          await here.state(device);
          const quarters = here.sent.filter(({ query }) => query.get('resolution') === 'QUARTER_HOUR');
          assert.equal(quarters.length, 2);
          for (const { query } of quarters) {
            const [from, to] = ['from', 'to'].map((name) =>
              Temporal.PlainDateTime.from(query.get(name) ?? ''),
            );
            assert.ok(from !== undefined && to !== undefined);
            const now = Temporal.Instant.fromEpochMilliseconds(here.clock.now()).toZonedDateTimeISO(zone);
            assert.equal(to.toString(), now.toPlainDateTime().toString());
            const length =
              to.toZonedDateTime(zone).epochMilliseconds - from.toZonedDateTime(zone).epochMilliseconds;
            assert.ok(length > 0 && length <= 12 * HOUR_MS, `${from} to ${to} in ${zone}`);
          }
        }
  });

  it('takes no zone that does not exist', async () => {
    const here = await makeWorld();
    answer(here, { '/1000001': { name: 'Villa', location: { timezone: 'Mars/Olympus' } } });
    const { devices } = await here.link();
    const [first] = devices;
    assert.ok(first !== undefined);
    assert.equal((first.details as Details).place.zone, 'Europe/Stockholm');
  });

  it('is a call for each family of a site, and the years three times a day', async () => {
    const here = await makeWorld();
    const devices = (await here.link()).devices.map(refOf);
    turnTo(here, '11:02');
    const sweeps: string[][] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      here.asked.length = 0;
      const read = await solaredge.sweep(here.session(), devices);
      assert.equal(read.size, devices.length);
      sweeps.push(pathsOf(here));
      here.clock.turn(QUARTER_MS);
    }
    const [panels, storage] = ['/inverters/telemetry', '/storage/telemetry'];
    assert.deepEqual(sweeps[1], [panels, storage, panels, storage, panels]);
    assert.deepEqual(sweeps[0], [panels, panels, storage, panels, panels, storage, panels, panels]);
    here.sent.length = 0;
    const roof = await here.device(ROOF);
    for (let quarter = 0; quarter < 2 * 96; quarter += 1) {
      here.clock.turn(QUARTER_MS);
      await here.state(roof);
    }
    const years = here.sent.filter(({ query }) => query.get('resolution') === 'YEAR');
    assert.ok(years.length === 5 || years.length === 6, `${years.length} in two days`);
    assert.equal(years[0]?.query.get('from'), '2022-06-01T00:00:00');
  });

  it('fits into a minute, also when all three sites of a link sleep', async () => {
    const here = await makeWorld();
    turnTo(here, '22:07');
    const devices = (await here.link()).devices.map(refOf);
    here.clock.turn(MINUTE_MS);
    await solaredge.sweep(here.session(), devices);
    here.clock.turn(QUARTER_MS);
    here.asked.length = 0;
    for (const battery of ['BATT-0001', 'BATT-2001', 'BATT-2002']) here.sim.device(battery).wh = 0;
    await solaredge.sweep(here.session(), devices);
    assert.ok(here.asked.length <= 10, `${here.asked.length} calls`);
    assert.equal(pathsOf(here).filter((path) => path === '').length, 3);
  });

  it('does without meters where SolarEdge refuses the years', async () => {
    const here = await makeWorld();
    turnTo(here, '11:20');
    const roof = await here.device(ROOF);
    here.instead = ({ query }) =>
      query.get('resolution') === 'YEAR' ? { status: 400, json: { title: 'Bad Request' } } : undefined;
    const state = await here.state(roof);
    assert.deepEqual([state.online, state.energy_wh], [true, null]);
    here.instead = undefined;
    assert.equal(typeof (await here.state(roof)).energy_wh, 'number', 'they are asked for again');
  });
});

describe('energy', () => {
  it('grows with the power, and is that of the meter whenever the years are asked for', async () => {
    const here = await makeWorld();
    turnTo(here, '09:17');
    const roof = await here.device(ROOF);
    const first = await here.state(roof);
    const meters = (await here.session().documents.get('meters-1000001')) as JsonObject;
    assert.equal(
      meters.until,
      Date.parse('2026-11-22T09:30:00Z'),
      'the quarter that runs is not counted twice',
    );
    let [grown, before] = [0, first.energy_wh ?? 0];
    for (let quarter = 0; quarter < 40; quarter += 1) {
      here.clock.turn(QUARTER_MS);
      const { power_w, energy_wh } = await here.state(roof);
      assert.ok((energy_wh ?? 0) >= before, 'it never falls');
      before = energy_wh ?? 0;
      grown += -(power_w ?? 0) / 4;
    }
    const meter = before - (first.energy_wh ?? 0);
    assert.ok(grown > 500 && Math.abs(meter - grown) < grown * 0.1, `${meter} Wh, and ${grown} by the power`);
    const { wh } = here.sim.device(ROOF);
    assert.ok(Math.abs(before - wh) < wh * 0.001, `${before} of ${wh}`);
  });
});

describe('limits', () => {
  it('of the month say nothing of the delay: it is hours, and no lost sign-in', async () => {
    const here = await makeWorld();
    const roof = await here.device(ROOF);
    here.sim.spendCredits();
    const error = { code: 'vendor.rate_limited', message: /for this month/, retryAfterSeconds: 6 * 3_600 };
    await assert.rejects(here.state(roof), error);
    await assert.rejects(here.signIn(), error);
  });

  it('of the minute, used by linking, cost no site that was read before', async () => {
    const here = await makeWorld({ waitsForBudgets: false });
    const devices = (await here.link()).devices.map(refOf);
    const read = await solaredge.sweep(here.session(), devices);
    assert.deepEqual([...read.keys()], [ROOF, VILLA_BATTERY]);
  });

  it('of the minute say how long', async () => {
    const here = await makeWorld({ waitsForBudgets: false });
    const roof = await here.device(ROOF);
    await assert.rejects(
      async () => {
        for (let call = 0; call < 11; call += 1) await here.state(roof);
      },
      { code: 'vendor.rate_limited', retryAfterSeconds: 60 },
    );
  });
});
