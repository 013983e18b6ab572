import { CONTROLS } from '../../adapter/fields.ts';
import { registersOf } from '../../adapter/modbus/values.ts';
import { AppError } from '../../core/errors.ts';
import {
  type Block,
  type Device,
  type Fill,
  HEAT_PUMP,
  holds,
  isOfBits,
  MOST_BITS,
  MOST_REGISTERS,
  numberOf,
  type Place,
  type Register,
  type RegisterMap,
  sizeOf,
  spanOf,
  tableOf,
  UNITS_OF_FILLS,
  type Write,
} from './schemas.ts';

const LAST_ADDRESS = 65_535;

/** Units of what a register fills, and of what a command says. */
const UNITS: Readonly<Record<Fill | 'set_temperature' | 'set_limit', readonly string[]>> = {
  ...UNITS_OF_FILLS,
  set_temperature: UNITS_OF_FILLS.read_temperature,
  set_limit: UNITS_OF_FILLS.read_power,
};

/** What a type of device has; everything else of the map would be shown nowhere. */
const OF_HEAT_PUMPS: ReadonlySet<string> = new Set([
  ...HEAT_PUMP.reads,
  'power_on',
  ...HEAT_PUMP.controls.flatMap((capability) => CONTROLS[capability]),
]);

/** Throws `link.credentials_invalid` for a map that no device can have, with the place and what would be right. */
export function checkMap({ devices, serial, proof }: RegisterMap): void {
  const ids = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const at = `devices.${index}`;
    if (ids.has(device.id)) throw wrong(`${at}.id`, `is also that of another device: ${device.id}`);
    ids.add(device.id);
    checkDevice(at, device);
  }
  for (const [at, place] of [
    ['serial', serial],
    ['proof', proof],
  ] as const)
    if (place !== undefined) checkPlace(at, place);
}

function checkDevice(at: string, device: Device): void {
  const { registers, writes = [], blocks = [], type = 'industrial' } = device;
  const has = (what: string) => type === 'industrial' || OF_HEAT_PUMPS.has(what);
  const isMeter = type === 'industrial' && registers.some(({ fills }) => fills === 'read_power');
  if (device.measures !== undefined && !isMeter)
    throw wrong(
      `${at}.measures`,
      'is for an industrial whose registers fill read_power: a meter; leave it out',
    );
  const filled = new Map<Fill, number>();
  for (const [index, register] of registers.entries()) {
    const here = `${at}.registers.${index}`;
    const { fills } = register;
    checkPlace(here, register);
    checkRegister(here, register);
    if (!has(fills)) throw wrong(`${here}.fills`, `must be something that a ${type} has, not ${fills}`);
    const other = filled.get(fills);
    if (other !== undefined)
      throw wrong(
        `${here}.fills`,
        `is already filled by registers.${other}: ${fills}; leave one of them out`,
      );
    filled.set(fills, index);
    checkOptional(here, register, device);
    for (const [before, one] of registers.slice(0, index).entries())
      checkOverlap(here, register, { before, one });
  }
  for (const [index, write] of writes.entries()) {
    const here = `${at}.writes.${index}`;
    checkPlace(here, write);
    if (!has(write.command))
      throw wrong(`${here}.command`, `must be one that a ${type} obeys, not ${write.command}`);
    checkWrite(here, write);
    for (const [before, one] of writes.slice(0, index).entries()) checkWriters(here, write, { before, one });
  }
  const commands = new Set(writes.map(({ command }) => command));
  if (commands.has('turn_on') !== commands.has('turn_off'))
    throw wrong(`${at}.writes`, 'must have both turn_on and turn_off, or neither');
  if (commands.has('turn_on') && !filled.has('power_on'))
    throw wrong(
      `${at}.registers`,
      'must have one that fills power_on, so that turn_on can be seen to have worked',
    );
  for (const [index, block] of blocks.entries())
    checkBlock(`${at}.blocks.${index}`, { ...block, table: tableOf(block) }, device);
}

function checkPlace(at: string, place: Place): void {
  const [first, last] = spanOf(place);
  if (last > LAST_ADDRESS)
    throw wrong(
      `${at}.address`,
      `must be at most ${LAST_ADDRESS + 1 - sizeOf(place)} for ${place.type}, not ${first}: there is no register after ${LAST_ADDRESS}`,
    );
  if (isOfBits(tableOf(place)) && place.type !== undefined)
    throw wrong(`${at}.type`, `must be left out: a ${tableOf(place)} is one bit`);
  if (place.word_order === 'little' && sizeOf(place) === 1)
    throw wrong(`${at}.word_order`, 'must be left out for one register; byte_order swaps its bytes');
}

function checkRegister(at: string, { fills, unit, scale, bit, on_values, ...place }: Register): void {
  checkUnit(at, { of: fills, unit, scale });
  if (fills !== 'power_on') {
    if (isOfBits(tableOf(place)))
      throw wrong(`${at}.table`, `must be holding or input for ${fills}: a bit is no number`);
    for (const [name, value] of Object.entries({ bit, on_values }))
      if (value !== undefined)
        throw wrong(`${at}.${name}`, `must be left out for ${fills}; it is for power_on`);
  }
  if (bit !== undefined && (on_values !== undefined || sizeOf(place) !== 1 || isOfBits(tableOf(place))))
    throw wrong(`${at}.bit`, 'must be of one register of 16 bits, without on_values');
}

/** What may be left out stands alone: nothing else depends on it, and a request that fails with it reads nothing else. */
function checkOptional(at: string, register: Register, { registers, blocks = [] }: Device): void {
  if (register.optional !== true) return;
  if (register.fills === 'power_on')
    throw wrong(`${at}.optional`, 'must be left out for power_on: its commands need it');
  if (registers.every(({ optional }) => optional === true))
    throw wrong(`${at}.optional`, 'must not be true for all registers: a device has at least one');
  const block = blocks.findIndex((one) => holds({ ...one, table: tableOf(one) }, register));
  if (block >= 0)
    throw wrong(`${at}.optional`, `must be left out in blocks.${block}, which is read in one request`);
}

function checkUnit(
  at: string,
  {
    of,
    unit,
    scale,
  }: {
    readonly of: keyof typeof UNITS;
    readonly unit: string | undefined;
    readonly scale: number | undefined;
  },
): void {
  if (unit !== undefined && !UNITS[of].includes(unit))
    throw wrong(`${at}.unit`, `must be ${UNITS[of].join(' or ') || 'left out'} for ${of}, not ${unit}`);
  if (scale === 0) throw wrong(`${at}.scale`, 'must not be 0: every value would be the same');
}

function checkOverlap(
  at: string,
  register: Register,
  { before, one }: { readonly before: number; readonly one: Register },
): void {
  if (!areOverlapping(register, one)) return;
  // Bits of one register, each for itself.
  if (register.bit !== undefined && one.bit !== undefined && register.bit !== one.bit) return;
  const [first, last] = spanOf(one);
  throw wrong(
    `${at}.address`,
    `must not overlap registers.${before}, which takes ${first === last ? first : `${first}–${last}`} of the ${tableOf(one)} table; check addresses and types`,
  );
}

function areOverlapping(one: Place, other: Place): boolean {
  const [[first, last], [from, to]] = [spanOf(one), spanOf(other)];
  return tableOf(one) === tableOf(other) && first <= to && from <= last;
}

function checkWrite(at: string, write: Write): void {
  const { command, value, min, max, allowed, release, unit, scale } = write;
  const table = tableOf(write);
  // control: a map writes to no register that can only be read
  if (table === 'input' || table === 'discrete')
    throw wrong(`${at}.table`, `must be holding or coil, not ${table}: it can only be read`);
  const given = Object.entries({ value, min, max, allowed, release });
  const required = {
    turn_on: ['value'],
    turn_off: ['value'],
    set_temperature: ['min', 'max'],
    set_limit: ['min', 'max', 'release'],
  };
  const optional = command === 'turn_on' || command === 'turn_off' ? [] : ['allowed'];
  for (const [name, one] of given) {
    const isRequired = required[command].includes(name);
    if (isRequired && one === undefined) throw wrong(`${at}.${name}`, `is missing: ${command} needs it`);
    if (!isRequired && !optional.includes(name) && one !== undefined)
      throw wrong(`${at}.${name}`, `must be left out for ${command}`);
  }
  if (value !== undefined) {
    fitsRegister(`${at}.value`, value, write);
    return;
  }
  if (isOfBits(table)) throw wrong(`${at}.table`, `must be holding for ${command}: a bit is no number`);
  checkUnit(at, { of: command as 'set_temperature' | 'set_limit', unit, scale });
  if (min === undefined || max === undefined) return;
  if (min > max) throw wrong(`${at}.min`, `must be at most max (${max}), not ${min}`);
  for (const one of allowed ?? [])
    if (one < min || one > max) throw wrong(`${at}.allowed`, `must be from ${min} to ${max}, not ${one}`);
  for (const [name, one] of Object.entries({ min, max }))
    fitsRegister(`${at}.${name}`, numberOf(one, write), write);
  if (release !== undefined) fitsRegister(`${at}.release`, release, write);
}

/** Throws where the register cannot hold the number. */
function fitsRegister(at: string, number: number, write: Write): void {
  if (isOfBits(tableOf(write))) {
    if (number !== 0 && number !== 1) throw wrong(at, `must be 0 or 1 in a coil, not ${number}`);
    return;
  }
  const { type = 'uint16' } = write;
  try {
    registersOf(number, { type });
    if (type.startsWith('float') || Number.isInteger(number)) return;
  } catch {
    // Reported below.
  }
  throw wrong(
    at,
    `must be a number that ${type} holds, and it is ${number} in the register; check type, scale and offset`,
  );
}

function checkWriters(
  at: string,
  write: Write,
  { before, one }: { readonly before: number; readonly one: Write },
): void {
  if (write.command === one.command)
    throw wrong(
      `${at}.command`,
      `is already that of writes.${before}: ${one.command}; leave one of them out`,
    );
  if (!areOverlapping(write, one)) return;
  const arePair = [write, one].every(({ command }) => command === 'turn_on' || command === 'turn_off');
  if (arePair && sizeOf(write) === sizeOf(one) && write.address === one.address) return;
  throw wrong(
    `${at}.address`,
    `must not be that of writes.${before}: ${one.command} and ${write.command} would overwrite each other`,
  );
}

function checkBlock(at: string, block: Block, { registers, blocks = [] }: Device): void {
  const most = isOfBits(block.table) ? MOST_BITS : MOST_REGISTERS;
  if (block.count > most)
    throw wrong(
      `${at}.count`,
      `must be at most ${most}, which is all that one request reads, not ${block.count}`,
    );
  if (block.address + block.count - 1 > LAST_ADDRESS)
    throw wrong(
      `${at}.count`,
      `must be at most ${LAST_ADDRESS + 1 - block.address}: there is no register after ${LAST_ADDRESS}`,
    );
  const cut = registers.findIndex((one) => !holds(block, one) && areInBlock(block, one));
  if (cut >= 0) throw wrong(`${at}.count`, `must hold the whole of registers.${cut}, or nothing of it`);
  if (!registers.some((one) => holds(block, one)))
    throw wrong(at, 'must hold one of the registers; leave it out');
  const twin = blocks.findIndex(
    (one) =>
      (one.address !== block.address || one.count !== block.count) &&
      tableOf(one) === block.table &&
      one.address < block.address + block.count &&
      block.address < one.address + one.count,
  );
  if (twin >= 0) throw wrong(at, `must not overlap blocks.${twin}`);
}

function areInBlock({ table, address, count }: Block, place: Place): boolean {
  const [first, last] = spanOf(place);
  return table === tableOf(place) && first < address + count && last >= address;
}

const wrong = (at: string, sentence: string): AppError =>
  new AppError('link.credentials_invalid', `credentials.${at} ${sentence}`);
