import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import { detailsOf, gone } from '../../adapter/kit/index.ts';
import { isIllegalAddress } from '../../adapter/modbus/exceptions.ts';
import { type Modbus, type ModbusPurpose, type ModbusTarget, modbus } from '../../adapter/modbus/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { checkMap } from './check.ts';
import { PRESETS } from './presets.ts';
import {
  type Block,
  blocksOf,
  type Device,
  FILLS,
  type Fill,
  fromUnit,
  isOfBits,
  numberIn,
  type Place,
  type RegisterMap,
  sizeOf,
  type Table,
  tableOf,
  WRITTEN,
  type Write,
} from './schemas.ts';

const NAME = 'Modbus device';
const USUAL_PORT = 502;
const USUAL_UNIT = 1;

/** What a link is made with, as far as it leads to the device. */
interface Given extends Partial<RegisterMap> {
  readonly host: string;
  readonly port?: number;
  readonly unit?: number;
  readonly preset: keyof typeof PRESETS | 'custom';
}

/** What linking keeps of a device. */
export const Details = Type.Object({
  device: Type.String(),
  has: Type.Array(Type.Enum([...FILLS, ...WRITTEN])),
  /** Of the optional ones, what the device did not have when it was linked. */
  left_out: Type.Optional(Type.Array(Type.Enum([...FILLS]))),
  min_milli_c: Type.Union([Type.Integer(), Type.Null()]),
  max_milli_c: Type.Union([Type.Integer(), Type.Null()]),
});
export type Details = Static<typeof Details>;

// The schema of the adapter has checked them.
const givenIn = ({ credentials }: Pick<Session, 'credentials'>) => credentials as unknown as Given;

/** The map of a link: its own, or that of a preset. Throws `link.credentials_invalid` for one that no device can have. */
export function mapOf(session: Pick<Session, 'credentials'>): RegisterMap {
  const { preset, devices, serial, proof } = givenIn(session);
  if (preset !== 'custom') {
    for (const [name, part] of Object.entries({ devices, serial, proof }))
      if (part !== undefined)
        throw new AppError(
          'link.credentials_invalid',
          `credentials.${name} must be left out with the preset ${preset}; a map of your own is the preset custom`,
        );
    return PRESETS[preset];
  }
  if (devices === undefined)
    throw new AppError(
      'link.credentials_invalid',
      'credentials.devices is missing: the preset custom needs the registers of each device; other presets have theirs',
    );
  const map = {
    devices,
    ...(serial === undefined ? {} : { serial }),
    ...(proof === undefined ? {} : { proof }),
  };
  checkMap(map);
  return map;
}

/** The device of the map that a reference names. Throws `vendor.refused` where the map has it no more. */
export function deviceOf(session: Session, ref: DeviceRef): Device {
  const { device: id, left_out: leftOut = [] } = detailsOf(Details, ref);
  const device = mapOf(session).devices.find((one) => one.id === id);
  if (device === undefined) throw gone(NAME, ref);
  return without(device, leftOut);
}

/** A device of the map without what it does not have. */
export const without = (device: Device, leftOut: readonly Fill[]): Device => ({
  ...device,
  registers: device.registers.filter(({ fills }) => !leftOut.includes(fills)),
});

/** What the optional registers of a device would fill that it says it does not have. */
export async function absentIn(session: Session, device: Device): Promise<Fill[]> {
  const absent: Fill[] = [];
  for (const { optional, fills, ...place } of device.registers) {
    if (optional !== true) continue;
    const block = { table: tableOf(place), address: place.address, count: sizeOf(place) };
    await readBlock(unitOf(session, device), block, { use: 'list' }).catch((error: unknown) => {
      if (!isIllegalAddress(error)) throw error;
      absent.push(fills);
    });
  }
  return absent;
}

/** Where the unit is that has the registers. */
export function targetOf(session: Session, { unit }: Partial<Pick<Device, 'unit'>> = {}): ModbusTarget {
  const given = givenIn(session);
  return {
    name: NAME,
    host: given.host.trim(),
    port: given.port ?? USUAL_PORT,
    unit: unit ?? given.unit ?? USUAL_UNIT,
  };
}

/** The unit behind the address that has the registers. */
export const unitOf = (session: Session, device: Partial<Pick<Device, 'unit'>> = {}): Modbus =>
  modbus(session, targetOf(session, device));

/** What was read: bytes of registers, or bits. */
export interface Read extends Block {
  readonly bytes?: Buffer;
  readonly bits?: readonly boolean[];
}

async function readBlock(unit: Modbus, block: Block, purpose: ModbusPurpose): Promise<Read> {
  const { table, address, count } = block;
  const readers: Readonly<Record<Table, () => Promise<Pick<Read, 'bytes' | 'bits'>>>> = {
    holding: async () => ({ bytes: await unit.readHolding(address, count, purpose) }),
    input: async () => ({ bytes: await unit.readInput(address, count, purpose) }),
    coil: async () => ({ bits: await unit.readCoils(address, count, purpose) }),
    discrete: async () => ({ bits: await unit.readDiscrete(address, count, purpose) }),
  };
  return { ...block, ...(await readers[table]()) };
}

/** Everything of a device, one request for each block. */
export async function readAll(session: Session, device: Device, purpose: ModbusPurpose): Promise<Read[]> {
  const unit = unitOf(session, device);
  const reads: Read[] = [];
  // One after the other: they share a connection.
  for (const block of blocksOf(device)) reads.push(await readBlock(unit, block, purpose));
  return reads;
}

/** The number at a place in what was read; a bit is 0 or 1. */
export function numberOfPlace(reads: readonly Read[], place: Place): number {
  const read = reads.find(
    ({ table, address, count }) =>
      table === tableOf(place) &&
      address <= place.address &&
      place.address + sizeOf(place) <= address + count,
  );
  if (read === undefined) throw new Error(`nothing was read at ${place.address}`);
  if (isOfBits(read.table)) return read.bits?.[place.address - read.address] === true ? 1 : 0;
  return numberIn(read.bytes ?? Buffer.alloc(0), read.address, place);
}

/** Reads a single number. */
export async function readNumber(session: Session, place: Place): Promise<number> {
  const block = { table: tableOf(place), address: place.address, count: sizeOf(place) };
  return numberOfPlace([await readBlock(unitOf(session), block, { use: 'list' })], place);
}

export const writeOf = ({ writes = [] }: Device, command: Write['command']): Write | undefined =>
  writes.find((write) => write.command === command);

/** Names the device behind the address, in ids: they are part of paths. */
const keyOf = (account: string): string => createHash('sha256').update(account).digest('hex').slice(0, 12);

/** Where nothing in the device names it, its address does. */
export function accountOf(session: Session, serial: number | null): string {
  const { host, port = USUAL_PORT, unit = USUAL_UNIT } = givenIn(session);
  return serial === null ? `${host.trim().toLowerCase()}:${port}/${unit}` : `serial ${serial}`;
}

/** @param leftOut what devices do not have, by the id in the map */
export function foundIn(
  { devices }: RegisterMap,
  account: string,
  leftOut: ReadonlyMap<string, readonly Fill[]>,
): Found[] {
  return devices.map((whole): Found => {
    const absent = leftOut.get(whole.id) ?? [];
    const device = without(whole, absent);
    const { id, name, type = 'industrial', measures, registers, writes = [] } = device;
    const temperature = writeOf(device, 'set_temperature');
    const milli = (value: number | undefined) =>
      value === undefined || temperature === undefined ? null : Math.round(fromUnit(value, temperature));
    const details: Details = {
      device: id,
      has: [...registers.map(({ fills }) => fills), ...writes.map(({ command }) => command)],
      min_milli_c: milli(temperature?.min),
      max_milli_c: milli(temperature?.max),
      ...(absent.length === 0 ? {} : { left_out: [...absent] }),
    };
    return {
      id: `${keyOf(account)}-${id}`,
      type,
      name: name ?? id,
      ...(measures && { measures }),
      details: { ...details },
    };
  });
}
