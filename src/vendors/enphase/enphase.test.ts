import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { isListOutdated } from '../../adapter/list-outdated.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { enphase } from './index.ts';
import { errorOf, intervalsOf, listenTo, observed, systemThatSays } from './test-world.ts';

const recorded = recordedIn(import.meta.dirname);
const HOUR = 3_600;

describe('recorded responses of Enphase', () => {
  const summary = recorded('summary');

  it('list systems with their names', async () => {
    const here = await makeVendorWorld(enphase);
    listenTo(here, (path) => ({
      status: 200,
      json: path.endsWith('/summary')
        ? { ...(summary as JsonObject), battery_capacity_wh: 0 }
        : recorded('systems'),
    }));
    const found = await enphase.list(here.session(), []);
    assert.deepEqual(
      found.map(({ id, type, name, site }) => [id, type, name, site]),
      [
        ['698910067', 'solar_inverter', 'Enphase System', '698910067'],
        ['698906018', 'solar_inverter', 'Enphase Public System', '698906018'],
      ],
    );
  });

  it('of a meter have the mean power of a quarter, at its end', async () => {
    const { here, solar } = await systemThatSays({
      summary,
      telemetry: { status: 200, json: recorded('production_meter') },
    });
    assert.deepEqual(await here.state(solar), {
      online: true,
      operation_state: 'normal',
      production_w: 160,
      energy_wh: 0,
    });
    assert.equal(await observed(here, solar), 1_384_123_600_000);
  });

  it('of microinverters have their mean power', async () => {
    const { here, solar } = await systemThatSays({
      summary: { ...(summary as JsonObject), source: 'microinverters' },
      telemetry: { status: 200, json: recorded('production_micro') },
    });
    assert.equal((await here.state(solar)).production_w, 20);
  });

  it('of a battery have its charge, and what it takes', async () => {
    const { here, battery } = await systemThatSays({
      telemetry: { status: 200, json: recorded('battery') },
    });
    assert.deepEqual(await here.state(battery), {
      online: true,
      charging: true,
      battery_soc: 25,
      power_w: 160,
    });
    assert.equal(await observed(here, battery), 1_384_122_700_000);
  });
});

describe('production', () => {
  it('is the mean of the newest interval, and not the power of the summary, which stays after sunset', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    // 20:00 UTC in November.
    await here.pass(11 * HOUR);
    const summaries: JsonObject[] = [];
    here.cloud.alter = (body) => {
      summaries.push(body as JsonObject);
      return body;
    };
    assert.equal((await here.state(solar)).production_w, 0);
    assert.ok(Number(summaries[0]?.current_power) > 0);
  });

  it('is of the meter where there is one, else of the microinverters', async () => {
    const here = await makeVendorWorld(enphase);
    const [villa, house] = [await here.device('698910067'), await here.device('698906018')];
    const calls = listenTo(here);
    await here.state(villa);
    await here.state(house);
    assert.deepEqual(
      calls.map(({ path }) => path.replace('/api/v4/systems/', '')),
      [
        '698910067/summary',
        '698910067/telemetry/production_micro',
        '698906018/summary',
        '698906018/telemetry/production_meter',
      ],
    );
  });

  it('grows as power over time, and a new day begins without a step', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    let [before, grown] = [await here.state(solar), 0];
    for (let quarter = 0; quarter < 96; quarter += 1) {
      await here.pass(900);
      const after = await here.state(solar);
      const step = (after.energy_wh ?? 0) - (before.energy_wh ?? 0);
      assert.ok(step >= 0, `it fell by ${-step} Wh`);
      const mean = ((after.production_w ?? 0) + (before.production_w ?? 0)) / 2;
      assert.ok(Math.abs(step - mean / 4) < 0.15 * mean + 20, `${step} Wh at ${mean} W`);
      grown += step;
      before = after;
    }
    assert.ok(grown > 1_000, 'the sun has shone');
  });

  it('of an interval that no device has reported is not used, and its length follows from the times', async () => {
    const { here, solar } = await systemThatSays({});
    const state = async (...all: Parameters<typeof intervalsOf>[1]) => {
      listenTo(here, (path) => (path.includes('/telemetry/') ? intervalsOf(here, all) : undefined));
      return (await here.state(solar)).production_w;
    };
    const silent = { minutes: 20, devices_reporting: 0, enwh: 0 };
    assert.equal(await state({ minutes: 35, enwh: 50 }, { minutes: 25, enwh: 100 }, silent), 1_200);
    assert.equal(await state({ minutes: 30, enwh: 50 }, { minutes: 25, enwh: 100 }), 1_200);
    assert.equal(await state({ minutes: 40, enwh: 50 }, { minutes: 25, enwh: 100 }), 400);
    assert.equal(await state({ minutes: 25, wh_del: 100 }, { minutes: 40, wh_del: 7 }), 400);
    assert.equal(await state({ minutes: 25, powr: -3 }), 0, 'at night');
    assert.equal(await state({ minutes: 25, powr: 'much' }), null);
    assert.equal(await state(), null);
  });
});

describe('the status of a system', () => {
  const statusOf = async (status: Json) => {
    const { here, solar } = await systemThatSays({ summary: { source: 'meter', status } });
    const calls = listenTo(here, (path) => {
      if (path.endsWith('/summary')) return { status: 200, json: { source: 'meter', status } };
      return intervalsOf(here, [{ minutes: 20, wh_del: 100 }]);
    });
    const kind = kindOf(enphase, 'solar_inverter');
    const raw = await kind.read(here.session(), solar);
    return { ...kind.status(raw), unrecognized: kind.unrecognized?.(raw), calls: calls.length };
  };

  it('is online while the gateway reports, whatever part has a fault', async () => {
    for (const status of ['normal', 'micro', 'meter_issue', 'encharge', 'power'])
      assert.deepEqual(await statusOf(status), {
        online: true,
        operation_state: status,
        unrecognized: [],
        calls: 2,
      });
  });

  it('is offline without a call for telemetry that is not there', async () => {
    for (const status of ['comm', 'deactivated', 'retired', 'no_data']) {
      const { online, unrecognized, calls } = await statusOf(status);
      assert.deepEqual([online, unrecognized, calls], [false, [], 1], status);
    }
  });

  it('that is not recognized is reported, and its data says whether it is online', async () => {
    const { online, unrecognized } = await statusOf('solar_storm');
    assert.deepEqual([online, unrecognized], [true, ['status "solar_storm"']]);
    assert.equal((await statusOf(null)).online, true);
  });
});

describe('a battery', () => {
  it('takes what is positive, and gives what is negative', async () => {
    const { here, battery } = await systemThatSays({});
    const state = async (charge: number, discharge: number) => {
      const interval = { minutes: 20, charge: { enwh: charge }, discharge: { enwh: discharge } };
      listenTo(here, () => intervalsOf(here, [{ ...interval, soc: { percent: 51.4 } }]));
      return here.state(battery);
    };
    const common = { online: true, battery_soc: 51 };
    assert.deepEqual(await state(250, 0), { ...common, power_w: 1_000, charging: true });
    assert.deepEqual(await state(10, 260), { ...common, power_w: -1_000, charging: false });
    assert.deepEqual(await state(0, 0), { ...common, power_w: 0, charging: false });
  });

  it('is offline without figures while nothing is reported, however Enphase says so', async () => {
    const said = (recorded('errors') as Record<string, Json[]>)['422']?.[1] ?? null;
    for (const telemetry of [
      { status: 200, json: { total_devices: 1, intervals: [], last_reported_aggregate_soc: '97%' } },
      { status: 422, json: said },
    ]) {
      const { here, battery } = await systemThatSays({ telemetry });
      assert.deepEqual(await here.state(battery), {
        online: false,
        charging: null,
        battery_soc: null,
        power_w: null,
      });
    }
    const noBattery = (recorded('errors') as Record<string, Json[]>)['422']?.[0] ?? null;
    const { here, battery } = await systemThatSays({ telemetry: { status: 422, json: noBattery } });
    assert.equal((await errorOf(here.state(battery))).code, 'vendor.refused');
  });

  it('that its owner removed is gone', async () => {
    const here = await makeVendorWorld(enphase);
    const battery = await here.device('698906018-battery');
    here.vendor.remove(battery);
    const error = await errorOf(here.state(battery));
    assert.deepEqual([error.code, isListOutdated(error)], ['vendor.refused', true]);
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map(({ id }) => id),
      ['698910067', '698906018'],
    );
  });

  it('has no controls: Enphase sets modes and reserves, never a power', async () => {
    const here = await makeVendorWorld(enphase);
    const battery = await here.device('698906018-battery');
    assert.equal(battery.name, 'Simulated terraced house IQ Battery');
    assert.deepEqual(capabilitiesOf(kindOf(enphase, 'battery'), battery), ['read_battery_soc', 'read_power']);
  });

  it('of a gateway on a mobile network may be hours old, and says so', async () => {
    const here = await makeVendorWorld(enphase, { user: 'cabin' });
    const battery = await here.device('698950001-battery');
    // 11:00 UTC: it reported at 6:00.
    await here.pass(2 * HOUR);
    const calls = listenTo(here);
    assert.equal((await here.state(battery)).online, true);
    assert.equal(await observed(here, battery), Date.UTC(2026, 10, 21, 6));
    const asked = Number(calls[0]?.query.get('start_at')) * 1_000;
    assert.equal(here.clock.now() - asked, 8 * HOUR * 1_000);
    const usual = await makeVendorWorld(enphase);
    const home = await usual.device('698906018-battery');
    const [call] = [listenTo(usual)];
    await usual.state(home);
    assert.equal(usual.clock.now() - Number(call[0]?.query.get('start_at')) * 1_000, 2 * HOUR * 1_000);
  });
});
