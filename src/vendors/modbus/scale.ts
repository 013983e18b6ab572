import { numberAt, registersOf } from '../../adapter/modbus/values.ts';
import type { Place, Register, Write } from './schemas.ts';

/** A unit as what the API has: watt, watt-hours, milli-Celsius, percent. */
const FACTORS = { W: 1, kW: 1e3, MW: 1e6, Wh: 1, kWh: 1e3, MWh: 1e6, C: 1e3, K: 1e3, '%': 1 } as const;
const KELVIN = 273.15;

/** What a number in a register means, in the units of the API; null where it means that there is no value. */
export function meaningOf(number: number, register: Register): number | null {
  const { scale = 1, offset = 0, absent_values: absent = [], fills } = register;
  if (!Number.isFinite(number) || absent.includes(number)) return null;
  const value = number * scale + offset;
  const unit = register.unit ?? (fills === 'read_temperature' ? 'C' : 'W');
  return (unit === 'K' ? value - KELVIN : value) * FACTORS[unit];
}

/** The same of a register that a command writes, in the unit of the map. */
export const settingOf = (number: number, { scale = 1, offset = 0 }: Write): number =>
  number * scale + offset;

/** The number in the register for a value in the unit of the map. */
export function numberOf(value: number, { scale = 1, offset = 0, type = 'uint16' }: Write): number {
  const number = (value - offset) / scale;
  return type.startsWith('float') ? number : Math.round(number);
}

/** A value of a command in the unit of the map, from watt or milli-Celsius. */
export function inUnit(value: number, { unit, command }: Write): number {
  const own = unit ?? (command === 'set_temperature' ? 'C' : 'W');
  return value / FACTORS[own] + (own === 'K' ? KELVIN : 0);
}

/** And back. */
export function fromUnit(value: number, { unit, command }: Write): number {
  const own = unit ?? (command === 'set_temperature' ? 'C' : 'W');
  return (own === 'K' ? value - KELVIN : value) * FACTORS[own];
}

/** The number at a place in what was read. @param from the address at which that begins */
export function numberIn(bytes: Buffer, from: number, place: Place): number {
  const { type = 'uint16', word_order: order = 'big', byte_order = 'big' } = place;
  const registers = byte_order === 'big' ? bytes : Buffer.from(bytes).swap16();
  return numberAt(registers, place.address - from, { type, order });
}

/** The registers of a number, as a place wants them. */
export function registersFor(number: number, place: Place): Buffer {
  const { type = 'uint16', word_order: order = 'big', byte_order = 'big' } = place;
  const registers = registersOf(number, { type, order });
  return byte_order === 'big' ? registers : registers.swap16();
}
