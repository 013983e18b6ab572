import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { fits } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { FieldReport, StreamSession, VendorEvent } from '../../adapter/stream.ts';
import { turnedClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { errorKeyOf, isTokenRefused } from './client.ts';
import { homeconnect, nextSteps, whyWithheld } from './index.ts';
import { stream } from './stream.ts';
import * as translate from './translate.ts';
import { delayOption, optionsToStart } from './translate.ts';

const MEDIA = 'application/vnd.bsh.sdk.v1+json';
const events = recordedIn(import.meta.dirname)('events') as unknown as (VendorEvent & { data: object })[];

/** What is written to Home Connect. */
function listenTo(here: VendorWorld) {
  const sent: [string, JsonObject][] = [];
  here.instead = ({ method, path, headers, body }) => {
    if (method === 'PUT')
      sent.push([path.replace(/^.*-\d+\//, ''), JSON.parse(Buffer.from(body).toString()).data]);
    if (method === 'PUT') assert.equal(headers['content-type'], MEDIA);
    return undefined;
  };
  return sent;
}

const stateAfter = async (here: VendorWorld, device: DeviceRef, seconds: number) => {
  await here.pass(seconds);
  const { operation_state, remaining_seconds } = await here.state(device);
  return [operation_state, remaining_seconds];
};

describe('homeconnect', () => {
  it('homeconnect delays a dishwasher that obeys, with the options that were chosen at it', async () => {
    const here = await makeVendorWorld(homeconnect);
    const sent = listenTo(here);
    const dishwasher = await here.device('Dishwasher');
    await here.send(dishwasher, { type: 'delayed_start', delay_seconds: 3_600 });
    assert.deepEqual(sent, [
      [
        'programs/active',
        {
          key: 'Dishcare.Dishwasher.Program.Eco50',
          options: [
            { key: 'Dishcare.Dishwasher.Option.HalfLoad', value: false },
            { key: 'Dishcare.Dishwasher.Option.ExtraDry', value: true },
            { key: 'BSH.Common.Option.StartInRelative', value: 3_600, unit: 'seconds' },
          ],
        },
      ],
    ]);
    assert.deepEqual(await stateAfter(here, dishwasher, 1), ['DelayedStart', 12_600]);
    assert.deepEqual(await stateAfter(here, dishwasher, 3_660), ['Run', 12_539]);
    assert.deepEqual(await stateAfter(here, dishwasher, 12_600), ['Finished', null]);
    assert.deepEqual(await stateAfter(here, dishwasher, 600), ['Ready', null]);
  });

  it('homeconnect sends a washer the time by which to have finished, and sets the delay again while it waits', async () => {
    const here = await makeVendorWorld(homeconnect);
    const sent = listenTo(here);
    const washer = await here.device('Washer');
    await here.send(washer, { type: 'delayed_start', delay_seconds: 7_200 });
    await here.pass(60);
    await here.send(washer, { type: 'delayed_start', delay_seconds: 600 });
    const finish = (value: number) => ({ key: 'BSH.Common.Option.FinishInRelative', value, unit: 'seconds' });
    assert.deepEqual((sent[0]?.[1].options as JsonObject[] | undefined)?.at(-1), finish(8_280 + 7_200));
    assert.deepEqual(sent[1], [
      'programs/active/options/BSH.Common.Option.FinishInRelative',
      finish(8_280 + 600),
    ]);
    assert.deepEqual(await stateAfter(here, washer, 599), ['DelayedStart', 8_280]);
    assert.equal((await stateAfter(here, washer, 2))[0], 'Run');
  });

  it('homeconnect says what to do where a start is not allowed, and costs no error', async () => {
    const here = await makeVendorWorld(homeconnect, { user: 'locked' });
    const sent = listenTo(here);
    const start = { type: 'start_program' } as const;
    const refused = async (name: string) => here.send(await here.device(name), start);
    await assert.rejects(refused('Dishwasher'), { code: 'vendor.refused', message: /press Remote start/ });
    await assert.rejects(refused('Washer'), { code: 'device.offline' });
    const home = await makeVendorWorld(homeconnect);
    const oven = await home.device('Oven');
    await home.send(oven, start);
    await home.pass(1);
    await assert.rejects(home.send(oven, start), { code: 'vendor.refused', message: /stop it first/ });
    await home.send(oven, { type: 'stop_program' });
    await home.pass(1);
    home.asked.length = 0;
    await home.send(oven, { type: 'stop_program' });
    assert.equal(
      home.asked.some((one) => one.startsWith('DELETE')),
      false,
    );
    assert.deepEqual(sent, []);
  });

  it('homeconnect asks nothing about appliances that are not reached', async () => {
    const here = await makeVendorWorld(homeconnect, { user: 'locked' });
    const devices = (await here.link()).devices.map(refOf);
    here.asked.length = 0;
    const readings = await homeconnect.sweep(here.session(), devices);
    assert.deepEqual(
      [...readings.values()].map(({ connected }) => connected),
      [true, false, true],
    );
    assert.equal(here.asked.length, 1 + 2 * 2);
    assert.equal((await here.state(devices[1] as DeviceRef)).online, false);
  });

  it('homeconnect keeps what was read of the others where one is refused or a limit is reached', async () => {
    const here = await makeVendorWorld(homeconnect);
    const devices = (await here.link()).devices.map(refOf);
    const oven = await here.device('Oven');
    const readWith = async (status: number, path: string) => {
      here.instead = (request) =>
        request.path.endsWith(`${oven.id}${path}`) ? { status, json: { error: { key: 'no' } } } : undefined;
      const readings = await homeconnect.sweep(here.session(), devices);
      return [...readings].map(([id, { values }]) => [id.slice(0, 12), Object.keys(values).length > 0]);
    };
    const first = [
      ['SIEMENS-HCS0', true],
      ['SIEMENS-HCS0', true],
    ];
    const fridge = ['SIEMENS-HCS0', true];
    assert.deepEqual(await readWith(404, '/status'), [...first, fridge]);
    assert.deepEqual(await readWith(429, '/status'), first);
    assert.deepEqual(await readWith(403, '/settings'), [...first, ['BOSCH-HCS01O', true], fridge]);
  });

  it('homeconnect leaves calls to commands however often four appliances are asked for', () => {
    const { pollSeconds, budgets, kinds } = homeconnect;
    const perRead = kinds.smart_home_appliance.readCosts?.day ?? 0;
    const perDay = budgets.find(({ name }) => name === 'day')?.amount ?? 0;
    assert.ok((4 * perRead * 86_400) / pollSeconds < 0.8 * perDay);
  });

  it('homeconnect puts an oven to standby, and withholds what its type does not have', async () => {
    const here = await makeVendorWorld(homeconnect);
    const sent = listenTo(here);
    await here.send(await here.device('Oven'), { type: 'turn_off' });
    assert.equal(sent[0]?.[1].value, 'BSH.Common.EnumType.PowerState.Standby');
    const { withholds } = homeconnect.kinds.smart_home_appliance;
    const withheld = (await here.link()).devices.map((found) => withholds?.(found).join());
    assert.deepEqual(withheld, [
      'read_temperature',
      'read_temperature,on_off',
      '',
      'read_temperature,on_off,program_control,delayed_start',
    ]);
  });
});

describe('the simulator of Home Connect', () => {
  it('the simulator of Home Connect blocks after ten errors in a row', async () => {
    const here = await makeVendorWorld(homeconnect);
    const { id } = await here.device('Dishwasher');
    const call = async (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
      here.vendor.handle({
        method,
        path: `/api/homeappliances/${id}${path}`,
        query: new URLSearchParams(),
        headers: { authorization: `Bearer ${here.tokens?.access}`, accept: MEDIA, ...headers },
        body: Buffer.from(body),
      });
    const program = JSON.stringify({ data: { key: 'Dishcare.Dishwasher.Program.Quick45', options: [] } });
    assert.equal(
      (await call('PUT', '/programs/active', { 'content-type': 'application/json' }, program)).status,
      415,
    );
    for (let errors = 1; errors < 10; errors += 1)
      assert.equal((await call('GET', '/programs/active')).status, 404);
    assert.deepEqual(
      homeconnect.budgets
        .filter(({ unit }) => unit === 'errors')
        .map(({ amount, seconds }) => [amount, seconds]),
      [[10, 600]],
      'elnav sends nothing before that',
    );
    const blocked = await call('GET', '/status');
    assert.deepEqual([blocked.status, blocked.headers?.['retry-after']], [429, '600']);
    await here.pass(600);
    assert.equal((await call('GET', '/status')).status, 200);
  });
});

/** Runs the stream on these events, with what the documents of the link hold. */
async function follow(given: readonly VendorEvent[], readAt?: number) {
  const here = await makeVendorWorld(homeconnect);
  const clock = turnedClock(here.clock.now());
  const fields: object[] = [];
  const observed: string[] = [];
  let asked = 0;
  const ended = new AbortController();
  const session = {
    ...here.session(),
    clock,
    signal: ended.signal,
    http: {
      async send() {
        asked += 1;
        throw new Error('nobody is there');
      },
      tokenClaims: async () => undefined,
      tokenExtra: async () => undefined,
    },
    events: async () => given as unknown as AsyncIterable<VendorEvent>,
    observed: (id: string) => void observed.push(id),
    reported: (_id: string, { state, unrecognized }: FieldReport) =>
      void fields.push(unrecognized?.length ? { ...state, unrecognized } : state),
    listChanged: () => void fields.push({ listed: 'again' }),
    tell: () => {},
  } as unknown as StreamSession;
  if (readAt !== undefined) await session.documents.put('stream_read_at', clock.now() + readAt);
  const details = { type: 'Washer' };
  const device = refOf({
    id: 'SIEMENS-HCS03WCH1-0000000000A3',
    type: 'smart_home_appliance',
    details,
  } as const);
  await stream.run(session, [device], () => {});
  return { fields, asked };
}

const textOf = (one: { event: string; id: string; data: object }) => ({
  ...one,
  data: JSON.stringify(one.data),
});

describe('events of Home Connect', () => {
  it('events of Home Connect are reported as the fields that they change', async () => {
    const { fields } = await follow(events.map(textOf));
    assert.deepEqual(fields, [
      { operation_state: 'DelayedStart', remaining_seconds: 2_580, door_open: false },
      { remaining_seconds: 12_660 },
      { operation_state: 'Run' },
      { operation_state: 'Finished', remaining_seconds: null },
      { online: false },
    ]);
  });

  it('events of Home Connect say that an appliance is back, and not that it is as it was before', async () => {
    const id = 'SIEMENS-HCS03WCH1-0000000000A3';
    const operation = (word: string) => ({
      event: 'STATUS',
      id,
      data: {
        items: [
          {
            key: 'BSH.Common.Status.OperationState',
            value: `BSH.Common.EnumType.OperationState.${word}`,
          },
        ],
      },
    });
    const change = (event: string) => ({ event, id, data: { haId: id } });
    const [run, gone, back] = [operation('Run'), change('DISCONNECTED'), change('CONNECTED')];
    const { fields } = await follow([run, back, gone, back, back, run].map(textOf));
    const isRunning = { operation_state: 'Run' };
    assert.deepEqual(fields, [isRunning, { online: false }, { online: true }, isRunning]);
  });

  it('events of Home Connect report values that are not recognized, each once', async () => {
    const item = (key: string, value: string | number, unit?: string) => ({
      event: 'NOTIFY',
      id: 'SIEMENS-HCS03WCH1-0000000000A3',
      data: { items: [{ key, value, ...(unit === undefined ? {} : { unit }) }] },
    });
    const remaining = item('BSH.Common.Option.RemainingProgramTime', 90, 'fortnights');
    const power = item('BSH.Common.Setting.PowerState', 'BSH.Common.EnumType.PowerState.Dimmed');
    assert.deepEqual((await follow([remaining, power, remaining].map(textOf))).fields, [
      { unrecognized: ['unit of BSH.Common.Option.RemainingProgramTime "fortnights"'] },
      { unrecognized: ['BSH.Common.Setting.PowerState "Dimmed"'] },
    ]);
  });

  it('events of Home Connect that are empty, of others or no JSON say nothing, and a new appliance lists the account again', async () => {
    const others = [
      { event: 'KEEP-ALIVE', id: '', data: '' },
      { event: 'STATUS', id: 'another', data: '{"items":[]}' },
      { event: 'STATUS', id: '', data: '{"items":' },
      { event: 'PAIRED', id: 'new', data: '{"haId":"new"}' },
    ];
    assert.deepEqual((await follow(others)).fields, [{ listed: 'again' }]);
  });

  it('events of Home Connect were missed in a gap: all is read again, but not within half an hour', async () => {
    assert.deepEqual([(await follow([])).asked, (await follow([], -60_000)).asked], [0, 0]);
    assert.equal((await follow([], -1_800_000)).asked, 1);
  });
});

const responses = recordedIn(import.meta.dirname)('responses') as Record<string, JsonObject>;
const readingOf = ({ status, settings, options }: JsonObject): translate.Reading =>
  [status, settings, options].reduce<translate.Reading>(translate.withItems, translate.CONNECTED);

describe('responses of Home Connect', () => {
  it('responses of Home Connect list every appliance, one of an unknown type too', () => {
    assert.ok(fits(translate.Appliances, responses.appliances));
    const found = translate.appliancesIn(responses.appliances);
    assert.deepEqual(
      found.map(({ id, name, details }) => [id, name, details?.type]),
      [
        ['SIEMENS-HCS02DWH1-0000000000A1', 'Dishwasher', 'Dishwasher'],
        ['SIEMENS-HCS05FRF1-0000000000A2', 'Fridge', 'FridgeFreezer'],
        ['305090427249000124-001', 'Something new', 'Teleporter'],
      ],
    );
    assert.deepEqual(
      found.map((one) => translate.abilitiesOf(one).delays === true),
      [true, false, false],
    );
    assert.match(whyWithheld(found[2] ?? {}) ?? '', /only shows/);
    assert.deepEqual(
      nextSteps(found).map(({ devices }) => devices),
      [['SIEMENS-HCS02DWH1-0000000000A1']],
    );
  });

  it('responses of Home Connect are the state of a washer that runs and of a hob that is off', () => {
    assert.deepEqual(translate.statusOf(readingOf(responses.washing ?? {})), {
      online: true,
      power_on: true,
      operation_state: 'Run',
      remaining_seconds: 8_100,
      door_open: false,
    });
    assert.deepEqual(translate.statusOf(readingOf(responses.hob ?? {})), {
      online: true,
      power_on: false,
      operation_state: 'Inactive',
      remaining_seconds: null,
      door_open: null,
    });
  });

  it('responses of Home Connect leave out what is unknown, and keep the rest', () => {
    const odd = [
      { key: 'BSH.Common.Status.DoorState', value: 'BSH.Common.EnumType.DoorState.Ajar' },
      { key: 'BSH.Common.Setting.PowerState', value: 'Elsewhere.On' },
      { key: 'BSH.Common.Status.OperationState', value: 'BSH.Common.EnumType.OperationState.Run' },
      { key: 'BSH.Common.Option.RemainingProgramTime', value: 90, unit: 'minutes' },
      { key: 'Cooking.Oven.Status.CurrentCavityTemperature', value: 400, unit: 'gas mark' },
    ];
    const reading = translate.withItems(translate.CONNECTED, odd);
    const { power_on, operation_state, remaining_seconds, door_open } = translate.statusOf(reading);
    assert.deepEqual([power_on, operation_state, remaining_seconds, door_open], [null, 'Run', null, null]);
    assert.equal(translate.temperatureOf(reading), null);
    assert.deepEqual(translate.unrecognizedIn(reading), [
      'BSH.Common.Setting.PowerState "Elsewhere.On"',
      'BSH.Common.Status.DoorState "Ajar"',
      'unit of BSH.Common.Option.RemainingProgramTime "minutes"',
      'unit of Cooking.Oven.Status.CurrentCavityTemperature "gas mark"',
    ]);
    const bare = { key: 'Cooking.Oven.Status.CurrentCavityTemperature', value: 180 };
    assert.match(translate.unrecognizedIn(translate.withItems(translate.CONNECTED, [bare])).join(), /"none"/);
  });

  it('responses of Home Connect are degrees of both kinds, and any open door of a refrigerator', () => {
    const cavity = (value: number, unit: string) =>
      translate.temperatureOf(
        translate.withItems(translate.CONNECTED, [
          { key: 'Cooking.Oven.Status.CurrentCavityTemperature', value, unit },
        ]),
      );
    assert.deepEqual([cavity(180, '°C'), cavity(356, '°F')], [180_000, 180_000]);
    const isDoorOpen = (enumeration: string, ...states: string[]) =>
      translate.statusOf(
        translate.withItems(
          translate.CONNECTED,
          states.map((state, index) => ({
            key: `Refrigeration.Common.Status.Door.Compartment${index}`,
            value: `${enumeration}.${state}`,
          })),
        ),
      ).door_open;
    const door = (...states: string[]) => isDoorOpen('Refrigeration.Common.EnumType.Door.States', ...states);
    const common = (...states: string[]) => isDoorOpen('BSH.Common.EnumType.DoorState', ...states);
    assert.deepEqual(
      [door('Closed', 'Open'), door('Closed', 'Closed'), door('Closed', 'Ajar')],
      [true, false, null],
    );
    // As a recorded refrigerator has it.
    assert.deepEqual([common('Open'), common('Closed'), common('Ajar')], [true, false, null]);
  });
});

describe('errors of Home Connect', () => {
  const said = (status: number, key: string) =>
    JSON.stringify({ error: { key, description: String(status) } });

  it('errors of Home Connect refuse the token with its key alone', () => {
    assert.equal(isTokenRefused({ status: 401, body: said(401, 'invalid_token') }), true);
    assert.equal(isTokenRefused({ status: 403, body: said(403, 'insufficient_scope') }), false);
  });

  it('errors of Home Connect have a key', () => {
    const body = said(404, 'SDK.Error.NoProgramActive');
    assert.equal(errorKeyOf(failureOfStatus('it', { status: 404, body })), 'SDK.Error.NoProgramActive');
    assert.equal(errorKeyOf(new Error('broken')), undefined);
  });
});

describe('options of a programme', () => {
  const FINISH = 'BSH.Common.Option.FinishInRelative';
  const START = 'BSH.Common.Option.StartInRelative';
  const option = (offered: JsonObject[], seconds: number, options: JsonObject[] = []) =>
    delayOption({
      program: { key: 'P', options },
      offered: { key: 'P', options: offered },
      seconds,
      device: 'washer',
    });

  it('options of a programme that were chosen are repeated where they can be written, and delays are not', () => {
    const selected = {
      key: 'P',
      options: [
        { key: 'Spin', value: 'RPM1400' },
        { key: 'Forecast', value: 80, unit: '%' },
        { key: 'Locked', value: true },
        { key: FINISH, value: 2_580, unit: 'seconds' },
        { key: 'Odd', value: null },
      ],
    };
    const constraints = { access: 'read' };
    const available = {
      key: 'P',
      options: [{ key: 'Spin' }, { key: 'Locked', constraints }, { key: FINISH }, { key: 'Odd' }],
    };
    assert.deepEqual(optionsToStart(selected, available), [{ key: 'Spin', value: 'RPM1400' }]);
  });

  it('options of a programme say when to start, in steps', () => {
    assert.equal(option([{ key: START, constraints: { stepsize: 1_800 } }], 4_000).value, 3_600);
    assert.equal(option([{ key: START }], 1).value, 60);
    assert.equal(option([{ key: START }, { key: FINISH }], 600).key, START);
    assert.throws(() => option([{ key: START }], 86_400), { code: 'command.out_of_range', message: /86340/ });
  });

  it('options of a programme say when to have finished, where the programme says how long it takes', () => {
    const total = { key: 'BSH.Common.Option.EstimatedTotalProgramTime', value: 3_600 };
    assert.equal(option([{ key: FINISH }], 600, [total]).value, 4_200);
    assert.equal(option([{ key: FINISH, constraints: { min: 2_400 } }], 600).value, 3_000);
    assert.throws(() => option([{ key: FINISH }], 600), { code: 'vendor.refused', message: /how long/ });
    assert.throws(() => option([], 600), { code: 'vendor.refused', message: /cannot be started later/ });
    assert.throws(() => option([{ key: FINISH }], 82_801, [total]), { code: 'command.out_of_range' });
  });
});
