import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { fits } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { errorKeyOf, isTokenRefused } from './api.ts';
import { delayOption, optionsToStart } from './programs.ts';
import * as translate from './translate.ts';
import { nextSteps, whyWithheld } from './words.ts';

const responses = recordedIn(import.meta.dirname)('responses') as Record<string, JsonObject>;
const readingOf = ({ status, settings, options }: JsonObject): translate.Reading =>
  [status, settings, options].reduce<translate.Reading>(translate.withItems, translate.CONNECTED);

describe('responses of Home Connect', () => {
  it('list every appliance, one of an unknown type too', () => {
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

  it('are the state of a washer that runs and of a hob that is off', () => {
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

  it('leave out what is unknown, and keep the rest', () => {
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

  it('are degrees of both kinds, and any open door of a refrigerator', () => {
    const cavity = (value: number, unit: string) =>
      translate.temperatureOf(
        translate.withItems(translate.CONNECTED, [
          { key: 'Cooking.Oven.Status.CurrentCavityTemperature', value, unit },
        ]),
      );
    assert.deepEqual([cavity(180, '°C'), cavity(356, '°F')], [180_000, 180_000]);
    const door = (...states: string[]) =>
      translate.statusOf(
        translate.withItems(
          translate.CONNECTED,
          states.map((state, index) => ({
            key: `Refrigeration.Common.Status.Door.Compartment${index}`,
            value: `Refrigeration.Common.EnumType.Door.States.${state}`,
          })),
        ),
      ).door_open;
    assert.deepEqual(
      [door('Closed', 'Open'), door('Closed', 'Closed'), door('Closed', 'Ajar')],
      [true, false, null],
    );
  });
});

describe('errors of Home Connect', () => {
  const said = (status: number, key: string) =>
    JSON.stringify({ error: { key, description: String(status) } });

  it('refuse the token with its key alone', () => {
    assert.equal(isTokenRefused({ status: 401, body: said(401, 'invalid_token') }), true);
    assert.equal(isTokenRefused({ status: 403, body: said(403, 'insufficient_scope') }), false);
  });

  it('have a key', () => {
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

  it('that were chosen are repeated where they can be written, and delays are not', () => {
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

  it('say when to start, in steps', () => {
    assert.equal(option([{ key: START, constraints: { stepsize: 1_800 } }], 4_000).value, 3_600);
    assert.equal(option([{ key: START }], 1).value, 60);
    assert.equal(option([{ key: START }, { key: FINISH }], 600).key, START);
    assert.throws(() => option([{ key: START }], 86_400), { code: 'command.out_of_range', message: /86340/ });
  });

  it('say when to have finished, where the programme says how long it takes', () => {
    const total = { key: 'BSH.Common.Option.EstimatedTotalProgramTime', value: 3_600 };
    assert.equal(option([{ key: FINISH }], 600, [total]).value, 4_200);
    assert.equal(option([{ key: FINISH, constraints: { min: 2_400 } }], 600).value, 3_000);
    assert.throws(() => option([{ key: FINISH }], 600), { code: 'vendor.refused', message: /how long/ });
    assert.throws(() => option([], 600), { code: 'vendor.refused', message: /cannot be started later/ });
    assert.throws(() => option([{ key: FINISH }], 82_801, [total]), { code: 'command.out_of_range' });
  });
});
