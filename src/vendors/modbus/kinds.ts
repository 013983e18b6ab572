import { type AnyKind, kind } from '../../adapter/adapter.ts';
import { between, outOfRange } from '../../adapter/commands.ts';
import type { Found, Limits } from '../../adapter/device.ts';
import {
  type Capability,
  CONTROLS,
  type ControlCapability,
  type ReadCapability,
} from '../../adapter/fields.ts';
import { fits } from '../../adapter/kit/index.ts';
import {
  type Request,
  writeCoilRequest,
  writeRegisterRequest,
  writeRegistersRequest,
} from '../../adapter/modbus/frames.ts';
import { writeScript } from '../../adapter/scripts/modbus.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { Details, deviceOf, numberOfPlace, type Read, readAll, targetOf, unitOf, writeOf } from './device.ts';
import {
  type Device,
  type Fill,
  fromUnit,
  HEAT_PUMP,
  inUnit,
  isOfBits,
  meaningOf,
  numberOf,
  type Register,
  registersFor,
  settingOf,
  sizeOf,
  tableOf,
  type Write,
} from './schemas.ts';

/** The values of a device by what they fill, and the limit that is in force. */
export interface Reading {
  readonly values: ReadonlyMap<Fill, number | boolean | null>;
  /** Watt: the least and the highest that can be set, and what is set; null where nothing is. */
  readonly limit: { readonly least: number; readonly most: number; readonly now: number | null } | undefined;
}

async function read(session: Session, ref: DeviceRef): Promise<Reading> {
  const device = deviceOf(session, ref);
  return readingOf(device, await readAll(session, device, { device: ref.id }));
}

export function readingOf(device: Device, reads: readonly Read[]): Reading {
  const values = new Map(
    device.registers.map((register): [Fill, number | boolean | null] => {
      const number = numberOfPlace(reads, register);
      return [
        register.fills,
        register.fills === 'power_on' ? isOn(number, register) : meaningOf(number, register),
      ];
    }),
  );
  return { values, limit: limitIn(device, reads) };
}

function isOn(number: number, { bit, on_values: on, absent_values: absent = [] }: Register): boolean | null {
  if (absent.includes(number)) return null;
  if (bit !== undefined) return ((number >> bit) & 1) === 1;
  return on === undefined ? number !== 0 : on.includes(number);
}

function limitIn(device: Device, reads: readonly Read[]): Reading['limit'] {
  const write = writeOf(device, 'set_limit');
  if (write === undefined) return undefined;
  const number = numberOfPlace(reads, write);
  const now =
    number === write.release || !Number.isFinite(number) ? null : fromUnit(settingOf(number, write), write);
  return { least: fromUnit(write.min ?? 0, write), most: fromUnit(write.max ?? 0, write), now };
}

const number = (fill: Fill) => (reading: Reading) => {
  const value = reading.values.get(fill);
  return typeof value === 'number' ? value : null;
};

const READERS = {
  read_power: number('read_power'),
  read_energy: number('read_energy'),
  read_production: number('read_production'),
  read_temperature: number('read_temperature'),
  read_battery_soc: number('read_battery_soc'),
} satisfies Partial<Record<ReadCapability, (reading: Reading) => number | null>>;

/** The request that writes the number of a command. Throws `command.out_of_range` for one that the map does not permit. */
function requestFor(number: number, order: Write): Request {
  if (isOfBits(tableOf(order))) return writeCoilRequest(order.address, number === 1);
  const registers = registersFor(number, order);
  if (sizeOf(order) === 1 && order.many !== true)
    return writeRegisterRequest(order.address, registers.readUInt16BE());
  return writeRegistersRequest(order.address, registers);
}

async function write(session: Session, ref: DeviceRef, order: Write, number: number): Promise<void> {
  const unit = unitOf(session, deviceOf(session, ref));
  await unit.write(requestFor(number, order), { device: ref.id });
}

/** The write of a command that the device has: what it has not is withheld. */
function orderOf(session: Session, ref: DeviceRef, command: Write['command']): Write {
  const order = writeOf(deviceOf(session, ref), command);
  if (order === undefined) throw new Error(`${ref.id} has no ${command}`);
  return order;
}

const turn = (command: 'turn_on' | 'turn_off') => (session: Session, ref: DeviceRef) => {
  const order = orderOf(session, ref, command);
  return write(session, ref, order, order.value ?? 0);
};

/** @param value watt, or milli-Celsius */
async function set(
  session: Session,
  ref: DeviceRef,
  {
    command,
    field,
    value,
  }: { readonly command: Write['command']; readonly field: string; readonly value: number },
): Promise<void> {
  const order = orderOf(session, ref, command);
  const { min = 0, max = 0, allowed } = order;
  between(field, value, { least: fromUnit(min, order), most: fromUnit(max, order) });
  const number = numberOf(inUnit(value, order), order);
  const isAllowed = allowed?.some((one) => numberOf(one, order) === number) ?? true;
  if (!isAllowed)
    throw outOfRange(
      `${field} must be one of ${allowed?.map((one) => fromUnit(one, order)).join(', ')}, not ${value}`,
    );
  await write(session, ref, order, number);
}

const CONTROL = {
  on_off: { turn_on: turn('turn_on'), turn_off: turn('turn_off') },
  set_temperature: {
    set_temperature: (
      session: Session,
      ref: DeviceRef,
      { target_milli_c: value }: { target_milli_c: number },
    ) => set(session, ref, { command: 'set_temperature', field: 'target_milli_c', value }),
  },
  load_balancing: {
    async set_limit(session: Session, ref: DeviceRef, { max_w: value }: { max_w?: number }) {
      if (value === undefined)
        throw new AppError('command.axis_unsupported', `${ref.id} has no limit in ampere; set max_w`);
      await set(session, ref, { command: 'set_limit', field: 'max_w', value });
    },
  },
} as const;

const releaseLimit = {
  async release(session: Session, ref: DeviceRef): Promise<void> {
    const order = orderOf(session, ref, 'set_limit');
    await write(session, ref, order, order.release ?? 0);
  },
  async releaseBytes(session: Session, ref: DeviceRef) {
    const order = orderOf(session, ref, 'set_limit');
    const target = targetOf(session, deviceOf(session, ref));
    return [writeScript(target, requestFor(order.release ?? 0, order))];
  },
};

const limitsOf = ({ limit }: Reading): Limits => ({
  min_a: null,
  max_a: null,
  min_w: limit === undefined ? null : Math.round(limit.least),
  max_w: limit === undefined ? null : Math.round(limit.most),
});

/** What the limit leaves over what is used now. */
function capacityOf(reading: Reading) {
  const { limit } = reading;
  const left = limit === undefined ? null : (limit.now ?? limit.most) - (READERS.read_power(reading) ?? 0);
  return { current_a: null, power_w: left === null ? null : Math.max(0, Math.round(left)) };
}

const detailsIn = (found: Pick<Found, 'details'>): Details | undefined =>
  fits(Details, found.details) ? found.details : undefined;

/** Withholds the capabilities of a kind that the map of a device does not fill. */
function withheldOf({ reads, controls }: Offered) {
  const all = [...Object.keys(reads), ...Object.keys(controls)] as Capability[];
  return (found: Pick<Found, 'details'>): Capability[] => {
    const has: readonly string[] = detailsIn(found)?.has ?? [];
    return all.filter((capability) =>
      capability in CONTROLS
        ? !CONTROLS[capability as ControlCapability].every((command) => has.includes(command))
        : !has.includes(capability),
    );
  };
}

interface Offered {
  readonly reads: Partial<typeof READERS>;
  readonly controls: Partial<typeof CONTROL>;
}

const shared = {
  read,
  status: ({ values }: Reading) => {
    const on = values.get('power_on');
    return { online: true, ...(typeof on === 'boolean' ? { power_on: on } : {}) };
  },
  ranges: ({ details }: Pick<Found, 'details'>) => {
    const { min_milli_c: min, max_milli_c: max } = detailsIn({ details: details ?? {} }) ?? {};
    return min == null || max == null ? {} : { min_milli_c: min, max_milli_c: max };
  },
  whyWithheld: () => 'the register map of the link does not have it',
};

const INDUSTRIAL = { reads: READERS, controls: CONTROL } satisfies Offered;

/** A meter, a pump, a machine: whatever its map says. */
export const industrial: AnyKind = kind<Reading>({
  ...shared,
  ...INDUSTRIAL,
  setPoints: { set_limit: releaseLimit },
  limits: limitsOf,
  availableCapacity: capacityOf,
  withholds: withheldOf(INDUSTRIAL),
});

const picked = <T extends object, K extends keyof T>(from: T, names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
const OF_HEAT_PUMPS = {
  reads: picked(READERS, HEAT_PUMP.reads),
  controls: picked(CONTROL, HEAT_PUMP.controls),
} satisfies Offered;

export const heatPump: AnyKind = kind<Reading>({
  ...shared,
  ...OF_HEAT_PUMPS,
  withholds: withheldOf(OF_HEAT_PUMPS),
});
