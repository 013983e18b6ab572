import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf } from '../../adapter/adapters.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { tokensIn } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { failure, isWrongPassword } from './client.ts';
import { zaptec } from './index.ts';
import type { ZaptecSimulator } from './simulator.ts';
import * as charger from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { charger: kind } = zaptec.kinds;

async function makeWorld() {
  const here = await makeVendorWorld(zaptec);
  return Object.assign(here, { at: (here.vendor as ZaptecSimulator).charger });
}

/** What commands say to Zaptec: paths below `/api/chargers/{id}` or `/api/installation/{id}`, with their bodies. */
function listenTo(here: VendorWorld) {
  const sent: unknown[] = [];
  here.instead = ({ method, path, body }) => {
    const text = Buffer.from(body).toString();
    const name = path.replace(/^\/api\/(\w+)\/[\w-]+\//, '$1 ');
    if (method === 'POST') sent.push(text === '' ? name : [name, JSON.parse(text)]);
    return undefined;
  };
  return sent;
}

describe('linking', () => {
  it('linking finds what the account may control, with its installation', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    const shown = devices.map((one) => [one.name, one.details?.max_a, kind.whyWithheld?.(one)?.slice(0, 36)]);
    assert.deepEqual(shown, [
      ['House (simulated)', 25, undefined],
      ['Left (simulated)', 32, undefined],
      ['Right (simulated)', 32, undefined],
      ['Place 1 (simulated)', 32, 'the installation of this charger has'],
      ['Place 2 (simulated)', 32, 'the installation of this charger has'],
    ]);
    for (const one of devices)
      assert.equal(
        capabilitiesOf(kind, one).includes('load_balancing'),
        kind.whyWithheld?.(one) === undefined,
        String(one.name),
      );
  });

  it('linking reads recorded lists, without meters, what was replaced, and chargers that the account may only charge at', async () => {
    const here = await makeWorld();
    const lists = new Map([
      ['/api/chargers', recorded('chargers')],
      ['/api/installation', recorded('installations')],
    ]);
    here.instead = ({ path }) => {
      const json = lists.get(path);
      return json === undefined ? undefined : { status: 200, json };
    };
    const [found, ...others] = (await here.link()).devices;
    assert.deepEqual(others, []);
    assert.deepEqual([found?.name, found?.details?.max_a, found?.details?.unbalanced], ['Garage', 25, null]);
    assert.deepEqual(
      found?.details?.others,
      [],
      'neither a meter nor what was replaced is a charger of the installation',
    );
  });

  it('linking does not balance what the account may not change, or does not know', async () => {
    const here = await makeWorld();
    const reasonWith = async (change: JsonObject, name = 'House', ofChargers: JsonObject = {}) => {
      const changes = new Map([
        ['/api/installation', change],
        ['/api/chargers', ofChargers],
      ]);
      here.instead = async (request) => {
        const more = changes.get(request.path);
        if (more === undefined) return undefined;
        const { json } = await here.vendor.handle(request);
        const { Data, Pages } = json as { Pages: number; Data: JsonObject[] };
        return { status: 200, json: { Pages, Data: Data.map((one) => ({ ...one, ...more })) } };
      };
      return (await here.device(name)).details.unbalanced;
    };
    assert.equal(await reasonWith({ CurrentUserRoles: 1 }), 'access');
    assert.equal(await reasonWith({ MaxCurrent: null }), 'unknown');
    assert.equal(await reasonWith({ Id: 'another' }), 'unknown');
    assert.equal(await reasonWith({ MaxCurrent: 33 }, 'Left'), 'shared');
    const together = { InstallationId: here.at('Left').installation.id };
    assert.equal(
      await reasonWith({}, 'Left', together),
      'access',
      'at one of them the account may only charge',
    );
    const owned = { ...together, CurrentUserRoles: 3 };
    assert.equal(await reasonWith({}, 'Left', owned), 'shared', 'with five others');
    assert.equal(
      await reasonWith({ MaxCurrent: 63 }),
      null,
      'a charger that is alone takes no more than 32 A',
    );
  });
});

describe('commands', () => {
  it('commands are not sent where Zaptec would refuse them', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const house = await here.device('House');
    await here.send(house, { type: 'stop_charge' });
    await assert.rejects(here.send(house, { type: 'start_charge' }), { message: /no car is connected/ });
    here.vendor.arrange(house, 'charging');
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent, []);
    await here.send(house, { type: 'stop_charge' });
    here.clock.turn(2_000);
    await here.send(house, { type: 'stop_charge' });
    assert.equal((await here.state(house)).operation_state, 'paused');
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent, ['chargers SendCommand/506', 'chargers SendCommand/507']);
  });

  it('commands that come too late are refused in words, and say nothing of an outage', async () => {
    const here = await makeWorld();
    const house = await here.device('House');
    here.vendor.arrange(house, 'charging');
    // It was unplugged after it was read.
    here.instead = ({ method }) => {
      if (method === 'POST') here.at('House').plugged = false;
      return undefined;
    };
    await assert.rejects(here.send(house, { type: 'stop_charge' }), {
      code: 'vendor.refused',
      message: /rejects the command in its present state/,
    });
  });

  it('commands start a charger with the limit from before a pause by current', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const house = await here.device('House');
    here.vendor.arrange(house, 'charging');
    for (const current_a of [10, 0, 0]) {
      await here.send(house, { type: 'set_current', current_a });
      here.clock.turn(2_000);
    }
    assert.equal((await here.state(house)).charging, false);
    await here.send(house, { type: 'start_charge' });
    assert.deepEqual(sent.at(-1), ['chargers update', { maxChargeCurrent: 10 }]);
    here.clock.turn(2_000);
    assert.equal((await here.state(house)).charging, true);
  });

  it('commands take away a pause by current from a charger that asks for authorization', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const place = await here.device('Place 1');
    Object.assign(here.at('Place 1'), { plugged: true, authorized: true, maxA: 0 });
    await here.send(place, { type: 'start_charge' });
    assert.deepEqual(sent, [['chargers update', { maxChargeCurrent: 32 }]]);
  });

  it('commands do not start a charger that waits for its user, nor one that is unreachable', async () => {
    const here = await makeWorld();
    const place = await here.device('Place 1');
    Object.assign(here.at('Place 1'), { plugged: true, authorized: false });
    await assert.rejects(here.send(place, { type: 'start_charge' }), { message: /authorizes it/ });
    const away = await here.device('Place 2');
    for (const command of [
      { type: 'start_charge' },
      { type: 'stop_charge' },
      { type: 'set_current', current_a: 10 },
    ] as const)
      await assert.rejects(here.send(away, command), { code: 'device.offline' }, command.type);
  });

  it('commands limit the installation of several chargers, which then share it', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const [left, right] = [await here.device('Left'), await here.device('Right')];
    here.vendor.arrange(left, 'charging');
    assert.equal(Math.round(((await here.state(left)).power_w ?? 0) / 690), 16, 'all that the car takes');
    here.at('Right').plugged = true;
    await here.send(right, { type: 'set_limit', max_a: 16 });
    assert.deepEqual(sent, [['installation update', { availableCurrent: 16 }]]);
    for (const one of [left, right]) {
      const raw = await kind.read(here.session(), one);
      assert.equal(Math.round((kind.reads.read_power?.(raw) ?? 0) / 690), 8);
      assert.deepEqual(kind.availableCapacity?.(raw), { current_a: 0, power_w: null });
    }
    await assert.rejects(here.send(left, { type: 'set_limit', max_w: 5_000 }), {
      code: 'command.axis_unsupported',
    });
  });

  it('commands do not limit what would not follow', async () => {
    const here = await makeWorld();
    const house = await here.device('House');
    const limit = () => here.send(house, { type: 'set_limit', max_a: 10 });
    here.at('House').installation.isManaged = true;
    await assert.rejects(limit(), { code: 'vendor.refused', message: /power management/ });
    here.at('House').isStandalone = true;
    await assert.rejects(limit(), { code: 'vendor.refused', message: /stand-alone/ });
  });
});

it('one charger is read with a call for it and one for its installation, and another for each that it shares with', async () => {
  const here = await makeWorld();
  const callsFor = async (name: string) => {
    const device = refOf(await here.device(name));
    here.asked.length = 0;
    await here.state(device);
    return here.asked.length;
  };
  assert.deepEqual([await callsFor('House'), await callsFor('Left'), await callsFor('Place 1')], [2, 3, 1]);
});

const ALONE: charger.Details = { max_a: 25, installation: 'house', others: [], unbalanced: null };
const [INSTALLATION] = (recorded('installations') as { Data: charger.Installation[] }).Data;
assert.ok(INSTALLATION !== undefined);
const LIMITED = recorded('installation-limited') as charger.Installation;

const rawOf = (state: unknown[], is: charger.Installation = INSTALLATION): charger.ChargerRaw => ({
  details: ALONE,
  ...charger.observingIn(state),
  installation: { is, others: [] },
});
const charging = rawOf(recorded('state-charging') as unknown[]);
const paused = rawOf(recorded('state-paused') as unknown[]);
const offline = rawOf(recorded('state-offline') as unknown[]);
/** With other values; a time that is later than all of theirs. */
const having = (raw: charger.ChargerRaw, values: Readonly<Record<number, unknown>>): charger.ChargerRaw => {
  const more = Object.entries(values).map(([id, ValueAsString]) => ({ StateId: Number(id), ValueAsString }));
  const observed = new Map([...raw.observed, ...charger.observingIn(more).observed]);
  return { ...raw, observed };
};

describe('no content', () => {
  it('no content is no access: a charger is read without the installation that the account may not see', async () => {
    const here = await makeWorld();
    const device = await here.device('House');
    const whole = await here.state(device);
    here.instead = ({ path }) => (path.startsWith('/api/installation/') ? { status: 204 } : undefined);
    assert.deepEqual(await here.state(device), whole);
    const raw = await kind.read(here.session(), device);
    assert.equal(kind.availableCapacity?.(raw).current_a, null);
  });

  it('no content is no access: a charger that the account may not see is refused in words', async () => {
    const here = await makeWorld();
    const device = await here.device('House');
    here.instead = ({ method }) => (method === 'GET' ? { status: 204 } : undefined);
    await assert.rejects(here.state(device), {
      code: 'vendor.refused',
      message: /the Zaptec account has no access to charger .*; link the account of its owner/,
    });
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /no access to the installations/ });
  });
});

describe('what a charger reports', () => {
  it('what a charger reports is read as recorded', () => {
    const on = { online: true, connected: true };
    assert.deepEqual(charger.statusOf(charging), {
      ...on,
      charging: true,
      operation_state: 'connected_charging',
    });
    assert.deepEqual([charger.powerOf(charging), charger.energyOf(charging)], [6_842.123, 4_711]);
    assert.deepEqual(charger.statusOf(paused), { ...on, charging: false, operation_state: 'paused' });
    assert.deepEqual([charger.powerOf(paused), charger.energyOf(paused)], [0, 4_900]);
    // The pulse has a time alone; that of a flag of the cloud or a setting does not count.
    assert.equal(charger.reportedAt(charging), Date.UTC(2026, 10, 21, 8, 59, 56, 470));
    assert.equal(charger.reportedAt(offline), Date.UTC(2026, 10, 21, 8, 59, 56, 470));
    assert.equal(charger.reportedAt(rawOf([])), null);
  });

  it('what a charger reports gives each mode its word, and an unknown one what is left to say', () => {
    for (const [mode, operation_state, connected, isCharging] of [
      ['1', 'disconnected', false, false],
      ['2', 'connected_requesting', true, false],
      ['3', 'connected_charging', true, true],
      ['5', 'connected_finished', true, false],
      ['0', 'mode 0', null, null],
      ['4', 'mode 4', null, null],
      ['NEW', null, null, null],
    ] as const)
      assert.deepEqual(charger.statusOf(having(charging, { 710: mode })), {
        online: true,
        connected,
        charging: isCharging,
        operation_state,
      });
    const unrecognized = (mode: string) => charger.unrecognizedIn(having(charging, { 710: mode })).join();
    assert.deepEqual(['0', '3.000', '4', 'NEW'].map(unrecognized), ['', '', 'mode 4', 'mode "NEW"']);
  });

  it('what a charger reports has only what does not pass while the charger cannot be reached', () => {
    assert.deepEqual(charger.statusOf(offline), {
      online: false,
      connected: null,
      charging: null,
      operation_state: 'offline',
    });
    assert.deepEqual(
      [charger.powerOf(offline), charger.energyOf(offline), charger.capacityOf(offline).current_a],
      [null, 4_711, null],
    );
    assert.equal(charger.statusOf(rawOf([])).online, false, 'one that has never reported');
  });

  it('what a charger reports leaves out what cannot be read', () => {
    const odd = [null, 'word', [], { StateId: '710', ValueAsString: '3' }, { StateId: 710.5 }];
    assert.equal(charger.observingIn(odd).observed.size, 0);
    for (const value of [null, 3, '', 'NaN', '1e300', '-0.1', { deep: 1 }])
      assert.equal(charger.powerOf(having(charging, { 513: value })), null, JSON.stringify(value));
    assert.equal(charger.energyOf(having(charging, { 553: '-0.1' })), null);
  });
});

describe('limits and capacity', () => {
  const left = (raw: charger.ChargerRaw) => charger.capacityOf(raw).current_a;

  it('limits and capacity are those of the installation and of the charger', () => {
    assert.deepEqual(charger.limitsOf(charging), { min_a: 6, max_a: 25, min_w: null, max_w: null });
    assert.equal(charger.limitsOf(paused).min_a, 10, 'below its minimum the charger gives nothing');
    // 9.944 A are drawn on the phase that has most; without a limit of its own the maximum of 25 A holds.
    assert.equal(left(charging), 15);
    assert.equal(left({ ...charging, installation: { is: LIMITED, others: [] } }), 3, '13 A on phase 2');
  });

  it('limits and capacity count what the other chargers of the installation draw', () => {
    const of = (...others: charger.ChargerRaw[]) =>
      left({
        ...charging,
        installation: { is: INSTALLATION, others },
      });
    assert.equal(of(charging), 5);
    assert.equal(of(charging, charging, charging), 0, 'never below zero');
    assert.equal(of(paused), 15, 'the noise of one at rest is nothing drawn');
    assert.equal(of(offline), null, 'what an unreachable one draws is not reported');
  });

  it('limits and capacity are not guessed', () => {
    assert.equal(left(having(charging, { 712: '1' })), null, 'in stand-alone mode no installation limits it');
    assert.equal(left(having(charging, { 710: '0' })), null);
    assert.equal(left({ ...charging, installation: { is: { Id: 'house' }, others: [] } }), null);
    assert.equal(left({ ...charging, installation: null }), null);
  });
});

describe('what Zaptec refuses', () => {
  const errors = recorded('errors') as Record<string, { status: number; body: JsonObject }>;
  const causeOf = (name: string, { status, body } = errors[name] ?? { status: 0, body: {} }) => {
    const cause = failureOfStatus('it', { status, body: JSON.stringify(body) });
    assert.ok(cause !== null);
    return cause;
  };

  it('what Zaptec refuses is a refusal with its reason, also with a server error', () => {
    for (const [name, reason] of [
      ['not_paused', /present state \(error 528\)/],
      ['managed', /power management \(Sense\).*\(error 527\)/],
    ] as const) {
      const error = failure(causeOf(name), 'it');
      assert.equal(error?.code, 'vendor.refused');
      assert.match(error?.message ?? '', reason);
      assert.doesNotMatch(error?.message ?? '', /made up/);
    }
    assert.equal(failure(causeOf('outage'), 'it'), undefined);
  });

  it('what Zaptec refuses is the password where Zaptec says so alone', () => {
    assert.equal(isWrongPassword(causeOf('password')), true);
    for (const body of [{}, { error: 'invalid_request' }, { error: 'unsupported_grant_type' }])
      assert.equal(isWrongPassword(causeOf('', { status: 400, body })), false, JSON.stringify(body));
    assert.equal(isWrongPassword(causeOf('outage')), false);
  });

  it('what Zaptec refuses has tokens for a day', () => {
    const { expiresAt, refresh } = tokensIn('Zaptec', recorded('token'), { now: 0, before: undefined });
    assert.deepEqual([expiresAt, refresh], [86_399_000, null]);
  });
});
