import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, kindOf } from '../../adapter/adapters.ts';
import { DeviceLimited, ListOutdated } from '../../adapter/failures.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { smartcar } from './index.ts';
import { CARS, USER_IDS } from './simulated-car.ts';
import { failed } from './simulator.ts';

const worldOf = (user?: string) => makeVendorWorld(smartcar, user === undefined ? {} : { user });

/** Answers in place of Smartcar, to calls that its path fits. */
function answering(here: VendorWorld, path: RegExp, answer: SimulatedAnswer): void {
  here.instead = (request) => (path.test(`${request.method} ${request.path}`) ? answer : undefined);
}
const errorOf = async (work: Promise<unknown>): Promise<AppError> => {
  try {
    await work;
  } catch (error) {
    return error as AppError;
  }
  throw new Error('nothing failed');
};
const start = (here: VendorWorld, car: DeviceRef) => here.send(car, { type: 'start_charge' });
const csa = (code: string, resolution: Json = null) => ({
  ...{ type: 'CONNECTED_SERVICES_ACCOUNT', code, resolution },
});

describe('cars of a user', () => {
  it('cars of a user are those that can be charged, with what the user grants for each', async () => {
    const here = await worldOf();
    const { vendorAccount, devices } = await here.link();
    assert.equal(vendorAccount, USER_IDS.home);
    assert.deepEqual(
      devices.map(({ id, name, granted }) => [id, name, granted?.includes('control_charge')]),
      [
        [CARS.id4, 'Volkswagen ID.4', true],
        [CARS.polestar, 'Polestar Polestar 2', false],
      ],
    );
    const kind = kindOf(smartcar, 'vehicle');
    assert.deepEqual(
      devices.map((device) => capabilitiesOf(kind, device)),
      [
        ['read_battery_soc', 'read_power', 'read_energy', 'charge_limit', 'charge_control'],
        // The user does not let anybody control it, and it never reports what it was charged with.
        ['read_battery_soc', 'read_power'],
      ],
    );
  });

  it('cars of a user are asked once for a list what they can do, and ten of them at most', async () => {
    const reads = (here: VendorWorld) => here.asked.filter((one) => one.endsWith('/signals')).length;
    const home = await worldOf();
    home.asked.length = 0;
    await home.link();
    assert.equal(reads(home), 2);
    const large = await worldOf('large');
    large.asked.length = 0;
    const { devices } = await large.link();
    assert.equal(large.asked.filter((one) => one === 'GET /v3/connections').length, 10, 'all pages');
    assert.equal(reads(large), 10);
    // Those that were not asked come first the next time, and what is stored of the others stays.
    const known = devices.map(refOf);
    const again = await smartcar.list(large.session(), known);
    const asked = (list: readonly { readonly details?: JsonObject }[]) =>
      list.filter(({ details }) => details?.lacks !== undefined).length;
    assert.deepEqual([asked(devices), asked(again)], [10, 20]);
    // Once all were asked, each list asks others.
    const askedOn = async (days: number) => {
      large.clock.turn(days * 86_400_000);
      large.asked.length = 0;
      const all = known.map((one) => ({ ...one, details: { lacks: [] } }));
      await smartcar.list(large.session(), all);
      return large.asked.find((one) => one.endsWith('/signals'));
    };
    assert.notEqual(await askedOn(7), await askedOn(7));
  });

  it('cars of a user keep their capabilities while nothing is stored of them, or they cannot be asked', async () => {
    for (const answer of [
      { status: 200, json: { data: [] } },
      failed(430, { type: 'BILLING', code: 'VEHICLE_REQUEST_LIMIT' }),
      failed(502, { type: 'UPSTREAM', code: 'NO_RESPONSE' }),
    ]) {
      const here = await worldOf();
      const known = (await here.link()).devices.map(refOf);
      answering(here, /signals$/, answer);
      const kind = kindOf(smartcar, 'vehicle');
      const [fresh] = (await here.link()).devices;
      assert.equal(fresh === undefined ? 0 : capabilitiesOf(kind, fresh).length, 5);
      assert.deepEqual((await smartcar.list(here.session(), known))[1]?.details, known[1]?.details);
    }
  });

  it('cars of a user are listed whatever one of them answers', async () => {
    const here = await worldOf();
    const [one, other] = (await here.link()).devices.map(refOf);
    for (const answer of [
      { status: 408 },
      { status: 200, text: '<html>' },
      failed(400, csa('PERMISSION')),
    ] satisfies SimulatedAnswer[]) {
      answering(here, new RegExp(`${one?.id}/signals$`), answer);
      const { devices } = await here.link();
      assert.deepEqual(
        devices.map(({ id, details }) => [id, details?.lacks !== undefined]),
        [
          [one?.id, false],
          [other?.id, true],
        ],
      );
    }
  });

  it('cars of a user are a lost consent once the user has disconnected all of them, and one less before', async () => {
    const here = await worldOf();
    const known = (await here.link()).devices.map(refOf);
    for (const { id } of known) here.vendor.remove({ id, details: {} });
    const error = await errorOf(smartcar.list(here.session(), known));
    assert.equal(error.code, 'vendor.login_expired');
    here.vendor.add({ id: CARS.polestar, details: {} });
    assert.deepEqual(
      (await smartcar.list(here.session(), known)).map(({ id }) => id),
      [CARS.polestar],
    );
    assert.deepEqual(await smartcar.list((await worldOf('none')).session(), []), []);
  });

  it('cars of a user are disconnected with the last link of the user', async () => {
    const here = await worldOf();
    here.asked.length = 0;
    await smartcar.unlink(here.session(), { isLast: false });
    assert.deepEqual(here.asked, []);
    await smartcar.unlink(here.session(), { isLast: true });
    assert.deepEqual(here.asked, [`DELETE /v3/users/${USER_IDS.home}`]);
    assert.deepEqual((await here.link()).devices, []);
  });
});

describe('calls', () => {
  it('calls name the user, and ask for metric units', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    const headers: Record<string, string>[] = [];
    here.instead = (request) => {
      headers.push({ ...request.headers });
      return undefined;
    };
    await here.state(car);
    assert.equal(headers[0]?.['sc-user-id'], USER_IDS.home);
    assert.equal(headers[0]?.['sc-unit-system'], 'metric');
  });

  it('calls keep the user when the token of the app is renewed', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    here.clock.turn(3_600_000);
    assert.equal((await here.state(car)).online, true);
    assert.deepEqual([here.renewals, here.tokens?.extra], [1, { user_id: USER_IDS.home }]);
    assert.equal(here.tokens?.scopes, undefined, 'the scopes of the app are not those of the user');
  });

  it('calls read a car with one call', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    here.asked.length = 0;
    await here.state(car);
    assert.deepEqual(here.asked, [`GET /v3/vehicles/${CARS.id4}/signals`]);
  });

  it('calls find a signal that a car cannot give missing, and the rest there', async () => {
    const here = await worldOf('slow');
    const car = await here.device(CARS.ev6);
    await here.arrange(car, 'charging');
    here.clock.turn(5_000);
    const { power_w, energy_wh, battery_soc, charging } = await here.state(car);
    assert.deepEqual([power_w, energy_wh, battery_soc, charging], [undefined, undefined, 50, true]);
  });
});

describe('limits', () => {
  it('limits of the month of a car hold back that car, for hours', async () => {
    const here = await worldOf('limited');
    const car = await here.device(CARS.limited);
    for (let call = 1; call < 500; call += 1) {
      await here.state(car);
      here.clock.turn(240_000);
    }
    const error = await errorOf(here.state(car));
    assert.ok(error instanceof DeviceLimited);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['vendor.rate_limited', 6 * 3_600]);
    assert.match(error.message, /plan of this service/);
  });

  it('limits of the hour of a car are waited for as its header says, in seconds or as a date', async () => {
    const here = await worldOf('limited');
    const car = await here.device(CARS.limited);
    for (let call = 1; call < 20; call += 1) await here.state(car);
    const error = await errorOf(here.state(car));
    assert.ok(error instanceof DeviceLimited);
    assert.equal(error.retryAfterSeconds, 3_600);
    const limited = { type: 'RATE_LIMIT', code: 'VEHICLE' };
    const waitOf = async (headers: Record<string, string>) => {
      answering(here, /signals$/, failed(429, limited, headers));
      return (await errorOf(here.state(car))).retryAfterSeconds;
    };
    assert.equal(await waitOf({ 'retry-after': '90' }), 90);
    assert.equal(await waitOf({ 'retry-after': new Date(here.clock.now() + 120_000).toUTCString() }), 120);
    assert.equal(await waitOf({}), 1_800);
  });

  it('limits of the app, and its bill, are of everybody', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    const cases: [JsonObject, number, number][] = [
      [{ type: 'RATE_LIMIT', code: 'SMARTCAR_API' }, 429, 60],
      [{ type: 'BILLING', code: 'ACCOUNT_SUSPENDED' }, 430, 6 * 3_600],
    ];
    for (const [problem, status, seconds] of cases) {
      answering(here, /signals$/, failed(status, problem));
      const error = await errorOf(here.state(car));
      assert.equal(error instanceof DeviceLimited, false);
      assert.deepEqual([error.code, error.retryAfterSeconds], ['vendor.rate_limited', seconds]);
    }
    answering(here, /connections$/, failed(429, { type: 'RATE_LIMIT', code: 'VEHICLE' }));
    assert.equal((await errorOf(here.link())) instanceof DeviceLimited, false, 'no car is asked about');
  });

  it('limits of makers are of a car too', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    answering(here, /signals$|start$/, failed(502, { type: 'UPSTREAM', code: 'RATE_LIMIT' }));
    for (const work of [here.state(car), start(here, car)])
      assert.ok((await errorOf(work)) instanceof DeviceLimited);
  });
});

describe('a consent', () => {
  it('a consent is lost where the maker lets Smartcar in no longer, and by nothing else', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    const codeOf = async (status: number, problem: JsonObject) => {
      answering(here, /signals$|start$/, failed(status, problem));
      const codes = [await errorOf(here.state(car)), await errorOf(start(here, car))].map(({ code }) => code);
      assert.equal(codes[0], codes[1]);
      return codes[0];
    };
    for (const code of ['AUTHENTICATION_FAILED', 'PERMISSION'])
      assert.equal(await codeOf(400, csa(code)), 'vendor.login_expired', code);
    assert.equal(await codeOf(400, csa('NEW', 'REAUTHENTICATE')), 'vendor.login_expired');
    for (const code of [
      'ACCOUNT_ISSUE',
      'SUBSCRIPTION',
      'NO_VEHICLES',
      'VIRTUAL_KEY_REQUIRED',
      'VEHICLE_MISSING',
    ])
      assert.equal(await codeOf(400, csa(code)), 'vendor.refused', code);
    assert.equal(await codeOf(403, { type: 'PERMISSION', resolution: 'REAUTHENTICATE' }), 'vendor.refused');
    assert.equal(await codeOf(403, { type: 'AUTHENTICATION', code: 'ACCESS_DENIED' }), 'vendor.refused');
    assert.equal(await codeOf(501, { type: 'COMPATIBILITY', code: 'VEHICLE_NOT_CAPABLE' }), 'vendor.refused');
  });

  it('a consent is lost where every signal says so, and not while one has a value', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    const lost = {
      code: 'charge-ischarging',
      status: {
        value: 'ERROR',
        error: { ...csa('AUTHENTICATION_FAILED'), resolution: { type: 'REAUTHENTICATE' } },
      },
    };
    const soc = { code: 'tractionbattery-stateofcharge', body: { value: 50, unit: 'percent' } };
    const stateWith = (...signals: JsonObject[]) => {
      const data = signals.map((attributes) => ({ attributes, meta: {} }));
      answering(here, /signals$/, { status: 200, json: { data } });
      return here.state(car);
    };
    assert.equal((await errorOf(stateWith(lost))).code, 'vendor.login_expired');
    assert.equal((await stateWith(lost, soc)).battery_soc, 50);
    const missing = {
      code: 'charge-wattage',
      status: { value: 'ERROR', error: { type: 'PERMISSION', code: null } },
    };
    assert.equal((await stateWith(missing, soc)).online, true);
  });

  it('a consent that was changed at Smartcar has the account listed', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    for (const answer of [
      failed(403, { type: 'PERMISSION' }),
      failed(404, { type: 'RESOURCE_NOT_FOUND', code: 'PATH' }),
      failed(400, csa('VEHICLE_MISSING')),
    ]) {
      answering(here, /signals$/, answer);
      assert.ok((await errorOf(here.state(car))) instanceof ListOutdated);
    }
  });
});

describe('commands', () => {
  it('commands that take long are what the body of the 202 says, good or bad', async () => {
    const here = await worldOf('slow');
    const car = await here.device(CARS.ev6);
    await here.arrange(car, 'plugged_in');
    await start(here, car);
    here.clock.turn(10_000);
    assert.equal((await here.state(car)).charging, true);
    await here.arrange(car, 'off');
    const error = await errorOf(start(here, car));
    assert.deepEqual(
      [error.code, error.message],
      ['vendor.refused', `${CARS.ev6} cannot do this now: charging plug not connected`],
    );
  });

  it('commands have an unknown outcome where the body does not say one', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    const status = (value: Json, error?: Json): Json => ({
      data: { attributes: { status: { value, ...(error === undefined ? {} : { error }) } } },
    });
    const codeOf = async (answer: SimulatedAnswer) => {
      answering(here, /start$/, answer);
      return (await errorOf(start(here, car))).code;
    };
    for (const json of [{}, [], status('PENDING'), status('ERROR'), { data: null }])
      assert.equal(await codeOf({ status: 202, json }), 'command.outcome_unknown', JSON.stringify(json));
    assert.equal(await codeOf({ status: 202 }), 'command.outcome_unknown');
    assert.equal(await codeOf({ status: 200, text: '<html>' }), 'command.outcome_unknown');
    const noResponse = { type: 'UPSTREAM', code: 'NO_RESPONSE' };
    assert.equal(await codeOf({ status: 202, json: status('ERROR', noResponse) }), 'command.outcome_unknown');
    assert.equal(await codeOf({ ...failed(502, noResponse), status: 202 }), 'command.outcome_unknown');
    assert.equal(await codeOf(failed(504, noResponse)), 'command.outcome_unknown');
    const asleep = { type: 'VEHICLE_STATE', code: 'ASLEEP' };
    assert.equal(await codeOf({ status: 202, json: status('ERROR', asleep) }), 'device.offline');
    assert.equal(await codeOf({ ...failed(409, asleep), status: 202 }), 'device.offline');
  });

  it('commands are sent once', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    answering(here, /start$/, { status: 200, broken: 'reset' });
    here.asked.length = 0;
    assert.equal((await errorOf(start(here, car))).code, 'command.outcome_unknown');
    assert.equal(here.asked.length, 1);
  });

  it('commands have nothing to do in a car that is already so', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    await here.arrange(car, 'charging');
    await start(here, car);
    await here.arrange(car, 'plugged_in');
    await here.send(car, { type: 'stop_charge' });
    await here.send(car, { type: 'set_charge_limit', percent: 50 });
    assert.match((await errorOf(start(here, car))).message, /fully charged/);
  });

  it('commands set limits from 50 to 100 percent', async () => {
    const here = await worldOf();
    const car = await here.device(CARS.id4);
    let sent: Json = null;
    here.instead = ({ path, body }) => {
      if (path.endsWith('/set-limit')) sent = JSON.parse(Buffer.from(body).toString()) as Json;
      return undefined;
    };
    await here.send(car, { type: 'set_charge_limit', percent: 80 });
    assert.deepEqual(sent, { data: { attributes: { percent: 80 } } });
    for (const percent of [49, 101])
      await assert.rejects(here.send(car, { type: 'set_charge_limit', percent }), {
        code: 'command.out_of_range',
      });
  });
});
