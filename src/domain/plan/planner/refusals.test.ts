import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRequest } from './request.ts';

const TASK = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 10_000,
  max_power_w: 5_000,
  min_power_w: 1_000,
  deadline_slot_index: 3,
};
const SLOT = { duration_min: 60, price: '0.5' };
const withPrice = (price: unknown) => ({ prices: [SLOT, { ...SLOT, price }], task: TASK });
const withSlot = (slot: unknown) => ({ prices: [slot], task: TASK });
const withTask = (task: object) => ({ prices: [SLOT], task: { ...TASK, ...task } });
const withProfile = (device_profile: unknown) => ({ prices: [SLOT], task: TASK, device_profile });

const REFUSED: readonly (readonly [string, unknown, RegExp])[] = [
  ['nothing', undefined, /^body must be a JSON object, not nothing$/],
  ['a list', [], /^body must be a JSON object, not a list$/],
  ['no prices', { task: TASK }, /^prices must be a list, not nothing$/],
  ['empty prices', { prices: [], task: TASK }, /^prices must have at least 1 item$/],
  [
    '100,001 slots',
    { prices: new Array(100_001).fill(SLOT), task: TASK },
    /^prices must have at most 100000 items, not 100001$/,
  ],
  ['a slot that is a number', withSlot(1), /^prices\.0 must be a JSON object, not 1$/],
  [
    'NaN as text',
    withPrice('NaN'),
    /^prices\.1\.price must be a decimal number such as "0\.4213", not this text$/,
  ],
  ['NaN', withPrice(Number.NaN), /^prices\.1\.price must be a decimal number .*not NaN$/],
  ['infinity', withPrice(Number.POSITIVE_INFINITY), /^prices\.1\.price must be a decimal/],
  ['empty text', withPrice(''), /^prices\.1\.price must be a decimal/],
  ['only a sign', withPrice('-'), /^prices\.1\.price must be a decimal/],
  ['a number that ends in a point', withPrice('1.'), /^prices\.1\.price must be a decimal/],
  ['a decimal comma', withPrice('0,5'), /^prices\.1\.price must be a decimal/],
  ['hexadecimal', withPrice('0x10'), /^prices\.1\.price must be a decimal/],
  ['white space', withPrice(' 1'), /^prices\.1\.price must be a decimal/],
  ['an exponent bomb', withPrice('1e999999'), /^prices\.1\.price must have an exponent from -30 to 30$/],
  [
    'an exponent of many digits',
    withPrice(`1e${'9'.repeat(400)}`),
    /^prices\.1\.price must have an exponent/,
  ],
  ['a tiny number', withPrice(1e-31), /^prices\.1\.price must have an exponent/],
  [
    '31 digits',
    withPrice('1234567890123456789012345678901'),
    /^prices\.1\.price must have at most 30 digits, not 31$/,
  ],
  [
    'a price of null',
    withPrice(null),
    /^prices\.1\.price must be a decimal number, as text or number, not null$/,
  ],
  ['no price', withSlot({ duration_min: 60 }), /^prices\.0\.price must be .* not nothing$/],
  [
    'a duration of 0',
    withSlot({ ...SLOT, duration_min: 0 }),
    /^prices\.0\.duration_min must be a whole number from 1 to 1440, not 0$/,
  ],
  ['a negative duration', withSlot({ ...SLOT, duration_min: -60 }), /^prices\.0\.duration_min .*not -60$/],
  ['half a minute', withSlot({ ...SLOT, duration_min: 0.5 }), /^prices\.0\.duration_min .*not 0\.5$/],
  ['a duration as text', withSlot({ ...SLOT, duration_min: '60' }), /^prices\.0\.duration_min .*not text$/],
  ['no task', { prices: [SLOT] }, /^task must be a JSON object, not nothing$/],
  [
    'a soc of 101',
    withTask({ current_soc: 101 }),
    /^task\.current_soc must be a whole number from 0 to 100, not 101$/,
  ],
  ['a target of -1', withTask({ target_soc: -1 }), /^task\.target_soc .*not -1$/],
  [
    'a capacity of 0',
    withTask({ capacity_wh: 0 }),
    /^task\.capacity_wh must be a whole number from 1 to 10000000, not 0$/,
  ],
  ['fractional watts', withTask({ max_power_w: 5_000.5 }), /^task\.max_power_w .*not 5000\.5$/],
  ['no power', withTask({ max_power_w: 0 }), /^task\.max_power_w must be a whole number from 1 to/],
  [
    'a negative minimum',
    withTask({ min_power_w: -1 }),
    /^task\.min_power_w must be a whole number from 0 to/,
  ],
  [
    'a minimum above the maximum',
    withTask({ min_power_w: 5_001 }),
    /^task\.min_power_w must be at most task\.max_power_w \(5000\), not 5001$/,
  ],
  [
    'a negative deadline',
    withTask({ deadline_slot_index: -1 }),
    /^task\.deadline_slot_index must be a whole number of at least 0, not -1$/,
  ],
  ['a deadline of null', withTask({ deadline_slot_index: null }), /^task\.deadline_slot_index .*not null$/],
  ['a profile that is a list', withProfile([]), /^device_profile must be a JSON object, not a list$/],
  ['a profile without kind', withProfile({}), /^device_profile\.kind must be one of vehicle, .*not nothing$/],
  [
    'an unknown kind',
    withProfile({ kind: 'toaster' }),
    /^device_profile\.kind must be one of .*not this text$/,
  ],
  [
    'a charger without voltage',
    withProfile({ kind: 'charger', phases: 3 }),
    /^device_profile\.voltage_v must be a whole number from 1 to 1000, not nothing$/,
  ],
  [
    'a charger without phases',
    withProfile({ kind: 'charger', voltage_v: 230 }),
    /^device_profile\.phases must be a whole number from 1 to 3, not nothing$/,
  ],
  [
    'four phases',
    withProfile({ kind: 'set_current', voltage_v: 230, phases: 4 }),
    /^device_profile\.phases .*not 4$/,
  ],
  [
    'too little power for 6 A',
    withProfile({ kind: 'charger', voltage_v: 400, phases: 3 }),
    /^task\.max_power_w must be at least 7200 \(6 A at 1200 W an ampere\), not 5000/,
  ],
];

describe('a request that is refused', () => {
  for (const [what, body, sentence] of REFUSED) {
    it(`a request that is refused for ${what} says what would be valid`, () => {
      assert.throws(() => checkRequest(body), {
        name: 'AppError',
        code: 'request.invalid',
        message: sentence,
      });
    });
  }
});
