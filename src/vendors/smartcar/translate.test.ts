import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { connectionsIn, userIn } from './client.ts';
import { type Problem, problemIn } from './failures.ts';
import * as translate from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { SIGNALS } = translate;

/** What is reported of a car: the list of a response, or of a delivery. */
const readingOf = (name: string): translate.Reading => {
  const { data } = objectIn(recorded(name));
  return translate.readingIn(Array.isArray(data) ? data : objectIn(data).signals);
};
const signal = (code: string, body: Json, more: JsonObject = {}): JsonObject => ({
  code,
  status: { value: 'SUCCESS' },
  body,
  meta: { oemUpdatedAt: 1_769_937_933_000 },
  ...more,
});
const readingWith = (...signals: JsonObject[]) => translate.readingIn(signals);
const figuresOf = (reading: translate.Reading) => [
  translate.socOf(reading).value,
  translate.powerOf(reading).value,
  translate.energyOf(reading).value,
];

describe('recorded signals', () => {
  it('recorded signals of a charging Polestar are its state, as it was some seconds before', () => {
    const reading = readingOf('webhook-polestar-2');
    assert.deepEqual(translate.statusOf(reading), {
      online: true,
      connected: true,
      charging: true,
      operation_state: 'CHARGING',
    });
    assert.deepEqual(figuresOf(reading), [89, 4_683, null]);
    assert.equal(translate.observedAt(reading), 1_769_937_933_000);
  });

  it('recorded signals of a parked ID. Buzz say that it takes no power, though its wattage is an error', () => {
    const reading = readingOf('signals-id-buzz');
    assert.deepEqual(translate.statusOf(reading), {
      online: true,
      connected: false,
      charging: false,
      operation_state: 'NOT_CHARGING',
    });
    assert.deepEqual(figuresOf(reading), [null, 0, null]);
    // Wattage counts when the car charges; what is not in the list Smartcar does not have.
    assert.deepEqual(translate.lackingIn(reading), [SIGNALS.soc, SIGNALS.energy, SIGNALS.online]);
    assert.equal(translate.observedAt(reading), Date.parse('2026-09-22T12:34:51.000Z'));
  });

  it('recorded signals without a status are as good as those that have one', () => {
    const reading = readingOf('webhook-id4');
    assert.deepEqual(figuresOf(reading), [42, 0, null]);
    assert.deepEqual(translate.statusOf(reading), {
      online: true,
      connected: null,
      charging: false,
      operation_state: null,
    });
    assert.equal(translate.observedAt(reading), 1_758_238_233_000);
  });

  it('recorded signals of a car that reports nothing of its charging are its charge alone', () => {
    const reading = readingOf('webhook-byd-seal');
    assert.deepEqual(figuresOf(reading), [78, null, null]);
    assert.equal(translate.statusOf(reading).charging, null);
    assert.equal(translate.statusOf(reading).online, true);
  });

  it('recorded signals of other things are no state of a car, and still a sign that Smartcar has heard of it', () => {
    const reading = readingOf('signals-odometer');
    assert.equal(reading.size, 1);
    assert.equal(translate.statusOf(reading).online, false);
    assert.equal(translate.observedAt(reading), null);
  });

  it('recorded signals have no word or unit that is not recognized', () => {
    for (const name of ['webhook-polestar-2', 'signals-id-buzz', 'webhook-id4', 'webhook-byd-seal'])
      assert.deepEqual(translate.unrecognizedIn(readingOf(name)), [], name);
  });
});

describe('signals', () => {
  it('signals have times as text, milliseconds or seconds, and none as 0', () => {
    const at = 1_769_937_933_000;
    for (const time of [new Date(at).toISOString(), at, at / 1_000])
      assert.equal(translate.momentIn(time), at, String(time));
    for (const none of [0, null, '', 'yesterday', -5, {}, undefined])
      assert.equal(translate.momentIn(none), null, String(none));
    const retrieved = { meta: { oemUpdatedAt: 0, retrievedAt: at + 9_000 } };
    const reading = readingWith(signal(SIGNALS.soc, { value: 1, unit: 'percent' }, retrieved));
    assert.equal(translate.observedAt(reading), at + 9_000);
  });

  it('signals are in the unit that they name, and absent in one that is not recognized', () => {
    const powerIn = (unit: Json) => {
      const reading = readingWith(signal(SIGNALS.power, { value: 7.4, unit }));
      return [translate.powerOf(reading).value, translate.unrecognizedIn(reading)];
    };
    assert.deepEqual(powerIn('kilowatts'), [7_400, []]);
    assert.deepEqual(powerIn('watts'), [7.4, []]);
    assert.deepEqual(powerIn('hp'), [null, ['charge-wattage unit "hp"']]);
    assert.deepEqual(powerIn(null), [null, []]);
    const energy = readingWith(signal(SIGNALS.energy, { value: 12.5, unit: 'kWh' }));
    assert.equal(translate.energyOf(energy).value, 12_500);
    for (const soc of [-1, 101, '50', null])
      assert.equal(
        translate.socOf(readingWith(signal(SIGNALS.soc, { value: soc, unit: 'percent' }))).value,
        null,
      );
  });

  it('signals of power are those of a charge that is over, until the car charges or gives power back', () => {
    const at = 1_769_937_933_000;
    const powerOf = (value: number, isCharging: boolean, later = 0) => {
      const time = { meta: { oemUpdatedAt: at + later } };
      const power = signal(SIGNALS.power, { value, unit: 'watts' }, time);
      return translate.powerOf(readingWith(power, signal(SIGNALS.charging, { value: isCharging })));
    };
    assert.deepEqual(powerOf(11_000, true, -60_000), { value: 11_000, at: at - 60_000 });
    assert.deepEqual(powerOf(11_000, false, -60_000), { value: 0, at });
    assert.deepEqual(powerOf(11_000, false), { value: 0, at });
    assert.deepEqual(powerOf(11_000, false, 60_000), { value: 11_000, at: at + 60_000 });
    assert.deepEqual(powerOf(-5_000, false), { value: -5_000, at });
  });

  it('signals with a status that is not recognized have no value, and are reported', () => {
    const body = { value: 50, unit: 'percent' };
    const reading = readingWith(signal(SIGNALS.soc, body, { status: { value: 'PARTIAL' } }));
    assert.equal(translate.socOf(reading).value, null);
    assert.deepEqual(translate.unrecognizedIn(reading), ['tractionbattery-stateofcharge status "PARTIAL"']);
    const old = readingWith(signal(SIGNALS.soc, body, { status: { value: 'UNAVAILABLE' } }));
    assert.deepEqual([translate.socOf(old).value, translate.unrecognizedIn(old)], [null, []]);
  });

  it('signals say by a word whether a car charges that does not say it plainly', () => {
    const of = (value: string) => {
      const reading = readingWith(signal(SIGNALS.detail, { value }));
      return [translate.statusOf(reading).charging, translate.unrecognizedIn(reading)];
    };
    assert.deepEqual(of('CHARGING'), [true, []]);
    assert.deepEqual(of('FULLY_CHARGED'), [false, []]);
    assert.deepEqual(of('V2G'), [null, ['charge-detailedchargingstatus "V2G"']]);
    const plain = signal(SIGNALS.charging, { value: true });
    const both = readingWith(signal(SIGNALS.detail, { value: 'V2G' }), plain);
    assert.deepEqual(translate.statusOf(both).operation_state, 'V2G');
    assert.deepEqual(translate.unrecognizedIn(both), [], 'nothing is lost');
  });

  it('signals show a car as offline that says so, or of which nothing can be had', () => {
    const soc = signal(SIGNALS.soc, { value: 50, unit: 'percent' });
    const error = (code: string) => ({
      status: { value: 'ERROR', error: { type: 'VEHICLE_STATE', code } },
      body: { value: null },
    });
    const online = (...signals: JsonObject[]) => translate.statusOf(readingWith(...signals)).online;
    assert.equal(online(soc), true);
    assert.equal(online(soc, signal(SIGNALS.online, { value: false })), false);
    assert.equal(online({ code: SIGNALS.soc, ...error('UNREACHABLE') }), false);
    assert.equal(online(soc, { code: SIGNALS.cable, ...error('ASLEEP') }), false);
    assert.equal(online(soc, { code: SIGNALS.power, ...error('NOT_CHARGING') }), true);
    assert.equal(online(), false);
  });
});

describe('recorded errors', () => {
  it('recorded errors are understood in the form of both versions', () => {
    const errors: Record<string, Problem> = {
      'error-permission': { type: 'PERMISSION', code: '', resolution: 'REAUTHENTICATE' },
      'error-vehicle-rate-limit': { type: 'RATE_LIMIT', code: 'VEHICLE', resolution: 'RETRY_LATER' },
      'error-asleep': { type: 'VEHICLE_STATE', code: 'ASLEEP', resolution: '' },
      'error-validation': { type: 'VALIDATION', code: '', resolution: '' },
    };
    for (const [name, problem] of Object.entries(errors)) {
      assert.deepEqual(problemIn(recorded(name)), problem, name);
      assert.deepEqual(problemIn({ errors: [recorded(name)] }), problem, `${name} of version 3`);
    }
    for (const odd of [null, 7, 'text', [], {}, { errors: [] }, { errors: [null] }])
      assert.deepEqual(problemIn(odd), { type: '', code: '', resolution: '' });
  });
});

const OWNER = '218eda3b-0656-49a8-8f3d-360cdad07334';

it('recorded connections name their car and their user', async () => {
  const session = {
    signal: new AbortController().signal,
    clock: { now: () => 0, after: () => () => {} },
    http: {
      send: async () => ({
        ...{ status: 200, headers: {}, bytes: Buffer.from('') },
        text: () => '',
        json: () => recorded('connections'),
      }),
    },
  };
  const { members, next } = await connectionsIn(session, OWNER, { use: 'list' });
  assert.equal(next, undefined);
  const [connection] = members;
  assert.equal(connection?.relationships.vehicle.data.id, '36ab27d0-fd9d-4455-823a-ce30af709ffc');
  assert.deepEqual(connection === undefined ? {} : userIn(connection), {
    id: OWNER,
    externalId: null,
  });
  const ofOthers = await connectionsIn(session, '21e0b9f7-0656-49a8-8f3d-360cdad07334', { use: 'list' });
  assert.deepEqual(ofOthers.members, [], 'should Smartcar not filter them by the user');
});
