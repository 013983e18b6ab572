import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fits } from '../../adapter/kit/index.ts';
import { AppError } from '../../core/errors.ts';
import { validator } from '../../core/validate.ts';
import { checkMap } from './check.ts';
import { credentials } from './index.ts';
import { PRESETS } from './presets.ts';
import { type Device, type Register, RegisterMap, type Write } from './schemas.ts';
import { HALL } from './simulator.ts';

const POWER = { address: 10, type: 'int32', fills: 'read_power' } as const;
const ON = { address: 4, table: 'coil', fills: 'power_on' } as const;
const TURN_ON = { command: 'turn_on', address: 4, table: 'coil', value: 1 } as const;
const TURN_OFF = { command: 'turn_off', address: 4, table: 'coil', value: 0 } as const;
const TARGET = {
  command: 'set_temperature',
  address: 20,
  type: 'int16',
  scale: 0.1,
  min: 5,
  max: 30,
} as const;
const LIMIT = { command: 'set_limit', address: 30, min: 0, max: 60_000, release: 65_535 } as const;

const device = (more: Partial<Device> = {}): Device => ({ id: 'one', registers: [POWER], ...more });
const registers = (...all: Register[]) => [device({ registers: all })];
const writes = (...all: Write[]) => [device({ registers: [POWER, ON], writes: all })];

function faultIn(devices: Device[]): string {
  assert.ok(fits(RegisterMap, { devices }), 'the schema takes it, so that the check must not');
  try {
    checkMap({ devices });
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'link.credentials_invalid');
    return error.message;
  }
  return 'none';
}

describe('a register map', () => {
  it('a register map is taken where a device can have it: presets, the simulated one, bits of one register', () => {
    for (const map of [...Object.values(PRESETS), HALL]) {
      assert.ok(fits(RegisterMap, map));
      checkMap(map);
    }
    const pair = { address: 9, fills: 'power_on', bit: 3 } as const;
    assert.equal(faultIn(registers(POWER, pair)), 'none');
    assert.equal(faultIn(writes(TURN_ON, TURN_OFF, TARGET, LIMIT)), 'none');
    assert.equal(faultIn([device({ registers: [{ ...POWER, address: 65_534 }] })]), 'none');
  });

  const cases: readonly (readonly [string, Device[], RegExp])[] = [
    [
      'two devices with one id',
      [device(), device()],
      /^credentials\.devices\.1\.id is also that of another device: one$/,
    ],
    [
      'a meter of a house that does not tell its power',
      [device({ measures: 'grid', registers: [ON] })],
      /^credentials\.devices\.0\.measures is for an industrial whose registers fill read_power: a meter/,
    ],
    [
      'a heat pump that measures a house',
      [device({ type: 'heat_pump', measures: 'house' })],
      /devices\.0\.measures is for an industrial/,
    ],
    [
      'an overflow past the last address',
      registers({ ...POWER, address: 65_535 }),
      /devices\.0\.registers\.0\.address must be at most 65534 for int32, not 65535/,
    ],
    [
      'overlapping registers',
      registers(POWER, { address: 11, fills: 'read_energy' }),
      /registers\.1\.address must not overlap registers\.0, which takes 10–11 of the holding table/,
    ],
    [
      'one thing filled twice',
      registers(POWER, { address: 20, fills: 'read_power' }),
      /registers\.1\.fills is already filled by registers\.0: read_power/,
    ],
    [
      'a unit of something else',
      registers({ ...POWER, unit: 'kWh' }),
      /registers\.0\.unit must be W or kW or MW for read_power, not kWh/,
    ],
    ['a scale of 0', registers({ ...POWER, scale: 0 }), /registers\.0\.scale must not be 0/],
    [
      'a bit of a number',
      registers({ ...POWER, bit: 2 }),
      /registers\.0\.bit must be left out for read_power/,
    ],
    [
      'a bit of two registers',
      registers({ address: 1, type: 'int32', fills: 'power_on', bit: 2 }),
      /registers\.0\.bit must be of one register of 16 bits/,
    ],
    [
      'a number in a coil',
      registers({ address: 1, table: 'coil', fills: 'read_power' }),
      /registers\.0\.table must be holding or input for read_power/,
    ],
    [
      'a type of a coil',
      registers({ ...ON, type: 'int16' }),
      /registers\.0\.type must be left out: a coil is one bit/,
    ],
    [
      'an order of one word',
      registers({ address: 1, word_order: 'little', fills: 'read_power' }),
      /registers\.0\.word_order must be left out for one register; byte_order/,
    ],
    [
      'a state of charge of a heat pump',
      [device({ type: 'heat_pump', registers: [{ address: 1, fills: 'read_battery_soc' }] })],
      /registers\.0\.fills must be something that a heat_pump has, not read_battery_soc/,
    ],
    [
      'a write to what can only be read',
      writes({ ...TARGET, table: 'input' }),
      /writes\.0\.table must be holding or coil, not input: it can only be read/,
    ],
    [
      'bounds the wrong way round',
      writes({ ...TARGET, min: 31 }),
      /writes\.0\.min must be at most max \(30\), not 31/,
    ],
    [
      'a bound that the register cannot hold',
      writes({ ...TARGET, max: 9_000 }),
      /writes\.0\.max must be a number that int16 holds, and it is 90000 in the register/,
    ],
    [
      'an allowed value outside of the bounds',
      writes({ ...TARGET, allowed: [20, 40] }),
      /writes\.0\.allowed must be from 5 to 30, not 40/,
    ],
    [
      'a limit that nothing releases',
      writes({ command: 'set_limit', address: 30, min: 0, max: 100 }),
      /writes\.0\.release is missing: set_limit needs it/,
    ],
    [
      'two writers of one register',
      writes(TARGET, { ...LIMIT, address: 20 }),
      /writes\.1\.address must not be that of writes\.0: set_temperature and set_limit would overwrite/,
    ],
    [
      'a command twice',
      writes(TARGET, { ...TARGET, address: 40 }),
      /writes\.1\.command is already that of writes\.0: set_temperature/,
    ],
    ['turn_on alone', writes(TURN_ON), /devices\.0\.writes must have both turn_on and turn_off, or neither/],
    [
      'turn_on that cannot be seen',
      [device({ writes: [TURN_ON, TURN_OFF] })],
      /devices\.0\.registers must have one that fills power_on/,
    ],
    [
      'more in a coil than a bit',
      writes({ ...TURN_ON, value: 2 }, TURN_OFF),
      /writes\.0\.value must be 0 or 1 in a coil, not 2/,
    ],
    [
      'a block of more than one request',
      [device({ blocks: [{ address: 0, count: 126 }] })],
      /blocks\.0\.count must be at most 125, which is all that one request reads, not 126/,
    ],
    [
      'a block past the last address',
      [device({ registers: [{ ...POWER, address: 65_500 }], blocks: [{ address: 65_500, count: 40 }] })],
      /blocks\.0\.count must be at most 36: there is no register after 65535/,
    ],
    [
      'a block that cuts a number',
      [device({ blocks: [{ address: 0, count: 11 }] })],
      /blocks\.0\.count must hold the whole of registers\.0, or nothing of it/,
    ],
    [
      'a block of nothing',
      [device({ blocks: [{ address: 50, count: 4 }] })],
      /blocks\.0 must hold one of the registers; leave it out/,
    ],
    [
      'blocks that overlap',
      [
        device({
          blocks: [
            { address: 0, count: 20 },
            { address: 10, count: 4 },
          ],
        }),
      ],
      /blocks\.0 must not overlap blocks\.1/,
    ],
  ];
  for (const [name, devices, fault] of cases)
    it(`a register map is refused with ${name}`, () => assert.match(faultIn(devices), fault));

  it('a register map is refused where what may be left out is needed', () => {
    const optional = { ...POWER, optional: true } as Register;
    assert.match(faultIn(registers(optional)), /registers\.0\.optional must not be true for all registers/);
    assert.match(
      faultIn([device({ registers: [POWER, { ...ON, optional: true }] })]),
      /registers\.1\.optional must be left out for power_on/,
    );
    const energy = { address: POWER.address + 8, fills: 'read_energy', optional: true } as Register;
    assert.match(
      faultIn([device({ registers: [POWER, energy], blocks: [{ address: POWER.address, count: 20 }] })]),
      /registers\.1\.optional must be left out in blocks\.0, which is read in one request/,
    );
    assert.equal(faultIn(registers(POWER, energy)), 'none');
  });

  it('a register map is refused where a command lacks its value', () => {
    const { value: _value, ...without } = TURN_ON;
    assert.match(faultIn(writes(without, TURN_OFF)), /writes\.0\.value is missing: turn_on needs it/);
  });

  it('a register map is refused by the schema where its shape is wrong, with the place', () => {
    const check = validator(credentials, { name: 'credentials', code: 'link.credentials_invalid' });
    const given = { host: '192.168.1.20', preset: 'custom' };
    assert.throws(() => check({ ...given, devices: registers({ ...POWER, address: 70_000 }) }), {
      message: /credentials\.devices\.0\.registers\.0\.address must be at most 65535, not 70000/,
    });
    assert.throws(() => check({ ...given, devices: registers({ ...POWER, type: 'int24' } as never) }), {
      message: /credentials\.devices\.0\.registers\.0\.type must be one of/,
    });
  });
});
