import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, kindOf } from '../../adapter/adapters.ts';
import type { Found } from '../../adapter/device.ts';
import { isListOutdated } from '../../adapter/failures.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { enphase } from './index.ts';
import { errorOf, intervalsOf, listenTo, observed, systemThatSays } from './test-world.ts';

const recorded = recordedIn(import.meta.dirname);
const HOUR = 3_600;

describe('recorded responses of Enphase', () => {
  const summary = recorded('summary');

  it('recorded responses of Enphase list systems with their names', async () => {
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

  it('recorded responses of Enphase of a meter have the mean power of a quarter, at its end', async () => {
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

  it('recorded responses of Enphase of microinverters have their mean power', async () => {
    const { here, solar } = await systemThatSays({
      summary: { ...(summary as JsonObject), source: 'microinverters' },
      telemetry: { status: 200, json: recorded('production_micro') },
    });
    assert.equal((await here.state(solar)).production_w, 20);
  });

  it('recorded responses of Enphase of a battery have its charge, and what it takes', async () => {
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
  it('production is the mean of the newest interval, and not the power of the summary, which stays after sunset', async () => {
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

  it('production is of the meter where there is one, else of the microinverters', async () => {
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

  it('production grows as power over time, and a new day begins without a step', async () => {
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

  it('production of an interval that no device has reported is not used, and its length follows from the times', async () => {
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

  it('the status of a system is online while the gateway reports, whatever part has a fault', async () => {
    for (const status of ['normal', 'micro', 'meter_issue', 'encharge', 'power'])
      assert.deepEqual(await statusOf(status), {
        online: true,
        operation_state: status,
        unrecognized: [],
        calls: 2,
      });
  });

  it('the status of a system is offline without a call for telemetry that is not there', async () => {
    for (const status of ['comm', 'deactivated', 'retired', 'no_data']) {
      const { online, unrecognized, calls } = await statusOf(status);
      assert.deepEqual([online, unrecognized, calls], [false, [], 1], status);
    }
  });

  it('the status of a system that is not recognized is reported, and its data says whether it is online', async () => {
    const { online, unrecognized } = await statusOf('solar_storm');
    assert.deepEqual([online, unrecognized], [true, ['status "solar_storm"']]);
    assert.equal((await statusOf(null)).online, true);
  });
});

describe('a battery', () => {
  it('a battery takes what is positive, and gives what is negative', async () => {
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

  it('a battery is offline without figures while nothing is reported, however Enphase says so', async () => {
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

  it('a battery that its owner removed is gone', async () => {
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

  it('a battery has no controls: Enphase sets modes and reserves, never a power', async () => {
    const here = await makeVendorWorld(enphase);
    const battery = await here.device('698906018-battery');
    assert.equal(battery.name, 'Simulated terraced house IQ Battery');
    assert.deepEqual(capabilitiesOf(kindOf(enphase, 'battery'), battery), ['read_battery_soc', 'read_power']);
  });

  it('a battery of a gateway on a mobile network may be hours old, and says so', async () => {
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

/** By status. */
const errors = recordedIn(import.meta.dirname)('errors') as Record<string, Json[]>;

describe('errors of Enphase', () => {
  const MEANT: Readonly<Record<string, readonly string[]>> = {
    400: ['vendor.refused'],
    // The sign-in at the simulator works, so a token that is refused again is an incident; a wrong key of the app is the operator's.
    401: ['vendor.unreachable', 'vendor.unreachable', 'oauth.not_configured', 'oauth.not_configured'],
    403: ['vendor.refused'],
    404: ['vendor.refused'],
    405: ['vendor.refused'],
    422: ['vendor.refused'],
    429: ['vendor.rate_limited'],
    500: ['vendor.unreachable'],
    501: ['vendor.unreachable'],
  };

  it('errors of Enphase follow from their status, whether a body has its code as a number or as a text', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    let count = 0;
    for (const [status, bodies] of Object.entries(errors))
      for (const [index, json] of bodies.entries()) {
        listenTo(here, (path) => (path.startsWith('/api/') ? { status: Number(status), json } : undefined));
        const { code, message } = await errorOf(here.state(solar));
        const expected = MEANT[status]?.[index] ?? MEANT[status]?.[0];
        assert.equal(code, expected, `${status}: ${JSON.stringify(json)}`);
        assert.doesNotMatch(message, /698906018|\{/);
        count += 1;
      }
    assert.ok(count > 12);
  });

  it('errors of Enphase renew a token that is refused once, and never for a key of the app', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const [plain, , , key] = errors['401'] ?? [];
    const before = here.renewals;
    listenTo(here, (path) => (path.startsWith('/api/') ? { status: 401, json: key ?? null } : undefined));
    assert.match((await errorOf(here.state(solar))).message, /ELNAV_ENPHASE_API_KEY/);
    assert.equal(here.renewals, before);
    let isFirst = true;
    listenTo(here, (path) => {
      if (!path.startsWith('/api/') || !isFirst) return undefined;
      isFirst = false;
      return { status: 401, json: plain ?? null };
    });
    assert.equal((await here.state(solar)).online, true);
    assert.equal(here.renewals, before + 1);
  });

  it('errors of Enphase of a system that is gone are no lost sign-in, and a reason to list again', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const before = here.renewals;
    for (const json of errors['404'] ?? []) {
      listenTo(here, () => ({ status: 404, json }));
      const error = await errorOf(here.state(solar));
      assert.deepEqual([error.code, isListOutdated(error)], ['vendor.refused', true]);
    }
    assert.equal(here.renewals, before);
  });

  it('errors of Enphase of a limit say when it ends', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    const limited = async (json: JsonObject) => {
      listenTo(here, () => ({ status: 429, json: { message: 'Too Many Requests', code: 429, ...json } }));
      return (await errorOf(here.state(solar))).retryAfterSeconds;
    };
    const now = Math.floor(here.clock.now() / 1_000);
    assert.equal(await limited({ period: 'minute', period_end: now + 23 }), 23);
    assert.equal(await limited({ period: 'month', period_end: now + 20 * 86_400 }), 86_400);
    assert.equal(await limited({ period: 'month' }), 86_400);
    assert.equal(await limited({}), 60);
  });

  it('errors of Enphase say that a refresh token of more than a month is a lost sign-in', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    here.cloud.expireTokens();
    listenTo(here, (path) =>
      path === '/oauth/token' ? { status: 401, json: { error: 'invalid_token' } } : undefined,
    );
    assert.equal((await errorOf(here.state(solar))).code, 'vendor.login_expired');
  });
});

describe('an account', () => {
  it('an account is named by the id of its user, and its calls carry token and key', async () => {
    const here = await makeVendorWorld(enphase);
    const calls = listenTo(here);
    assert.equal((await here.link()).vendorAccount, 'uid-home');
    assert.ok(calls.length > 2);
    for (const { headers } of calls) {
      assert.equal(headers.authorization, `Bearer ${here.tokens?.access}`);
      assert.equal(headers.key, 'an-api-key-of-the-tests');
    }
  });

  it('an account renews its tokens with the client id and secret as Basic, and without the key', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    here.cloud.expireTokens();
    const calls = listenTo(here);
    await here.state(solar);
    const [renewal] = calls.filter(({ path }) => path === '/oauth/token');
    assert.match(String(renewal?.headers.authorization), /^Basic /);
    assert.equal(renewal?.headers.key, undefined);
  });

  it('an account with many systems is asked for four batteries in each list, and what was learnt stays', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const { devices } = await here.link();
    const askedIn = (found: readonly Found[]) =>
      found.filter(({ details }) => details?.has_battery !== null).map(({ id }) => id);
    const first = askedIn(devices);
    assert.deepEqual([devices.length, first.length], [500, 4]);
    const next = askedIn(await enphase.list(here.session(), devices.map(refOf)));
    assert.equal(next.length, 8);
    assert.ok(first.every((id) => next.includes(id)));
  });

  it('an account with many systems that were all asked is asked for others in each list', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const { devices } = await here.link();
    const asked = devices
      .slice(0, 13)
      .map((one) => refOf({ ...one, details: { ...one.details, has_battery: false } }));
    const systems = asked.map(({ details }) => ({ system_id: Number(details.system), name: null }));
    const summaries = async () => {
      const calls = listenTo(here, (path) =>
        path.endsWith('/systems') ? { status: 200, json: { total: systems.length, systems } } : undefined,
      );
      await enphase.list(here.session(), asked);
      return calls.filter(({ path }) => path.endsWith('/summary')).map(({ path }) => path);
    };
    const all = new Set<string>();
    for (let list = 0; list < 6; list += 1) {
      for (const path of await summaries()) all.add(path);
      here.clock.turn(7 * 86_400_000);
    }
    assert.equal(all.size, 13);
  });

  it('an account keeps a battery whose system is refused for once', async () => {
    const here = await makeVendorWorld(enphase);
    const { devices } = await here.link();
    listenTo(here, (path) =>
      path.endsWith('/summary') ? { status: 403, json: { message: 'Forbidden', code: 403 } } : undefined,
    );
    const again = await enphase.list(here.session(), devices.map(refOf));
    assert.deepEqual(again, devices);
    assert.equal(again.length, 3);
  });

  it('an account is linked within the calls that the smallest plan leaves a link in a minute', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const calls = listenTo(here);
    const systems = 5;
    await here.link();
    assert.equal(calls.length - systems, 4, 'pages of 100 besides');
  });
});
