import Type, { type Static } from 'typebox';
import { HouseMeterSchema } from '../../adapter/device.ts';
import type { ControlCapability, ReadCapability } from '../../adapter/fields.ts';
import { numberAt, REGISTERS, registersOf } from '../../adapter/modbus/values.ts';

/** What a link of this vendor is made with: where the device is, and a map of its registers or the name of one. */

const strict = { additionalProperties: false };
const Address = Type.Integer({
  minimum: 0,
  maximum: 65_535,
  description: 'As on the wire, from 0: what manuals call 40001 is holding register 0',
});
const Unit = Type.Integer({ minimum: 0, maximum: 255, description: 'Unit number (slave id)' });
const Finite = Type.Number({ minimum: -1e15, maximum: 1e15 });
const Order = Type.Enum(['big', 'little']);
const Table = Type.Enum(['holding', 'input', 'coil', 'discrete'], {
  description: 'holding unless it is said; coils and discrete inputs hold one bit each',
});
export type Table = Static<typeof Table>;

/** Where a number is, and how it is written there. */
const place = {
  address: Address,
  table: Type.Optional(Table),
  type: Type.Optional(
    Type.Enum(Object.keys(REGISTERS) as (keyof typeof REGISTERS)[], {
      description: 'uint16 unless it is said',
    }),
  ),
  word_order: Type.Optional(Order),
  byte_order: Type.Optional(Order),
};
const scaling = {
  scale: Type.Optional({
    ...Finite,
    description: 'Value in the unit = number in the register × scale + offset',
  }),
  offset: Type.Optional(Finite),
  unit: Type.Optional(Type.Enum(['W', 'kW', 'MW', 'Wh', 'kWh', 'MWh', 'C', 'K', '%'])),
};

/** What a register can fill, and the units that its number may be in. */
export const UNITS_OF_FILLS = {
  read_power: ['W', 'kW', 'MW'],
  read_energy: ['Wh', 'kWh', 'MWh'],
  read_production: ['W', 'kW', 'MW'],
  read_temperature: ['C', 'K'],
  read_battery_soc: ['%'],
  power_on: [],
} as const satisfies Partial<Record<ReadCapability | 'power_on', readonly string[]>>;
export type Fill = keyof typeof UNITS_OF_FILLS;
export const FILLS = Object.keys(UNITS_OF_FILLS) as Fill[];

/** What a heat pump can have; a device of type industrial can have everything. */
export const HEAT_PUMP = {
  reads: ['read_power', 'read_energy', 'read_temperature'],
  controls: ['on_off', 'set_temperature'],
} as const satisfies { reads: readonly ReadCapability[]; controls: readonly ControlCapability[] };

export const Register = Type.Object(
  {
    ...place,
    ...scaling,
    fills: Type.Enum([...FILLS]),
    bit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 15,
        description: 'power_on: the bit of the register that says it',
      }),
    ),
    on_values: Type.Optional(
      Type.Array(Finite, { minItems: 1, maxItems: 32, description: 'power_on: the numbers that mean on' }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        description: 'Left out where the device says, while it is linked, that it does not have the address',
      }),
    ),
    absent_values: Type.Optional(
      // An unsigned number of 64 bits has all of them set.
      Type.Array(Type.Number({ minimum: -(2 ** 64), maximum: 2 ** 64 }), {
        maxItems: 8,
        description: 'Numbers that mean that there is no value',
      }),
    ),
  },
  strict,
);
export type Register = Static<typeof Register>;

export const WRITTEN = ['turn_on', 'turn_off', 'set_temperature', 'set_limit'] as const;

export const Write = Type.Object(
  {
    ...place,
    ...scaling,
    command: Type.Enum([...WRITTEN]),
    value: Type.Optional({ ...Finite, description: 'turn_on and turn_off: the number that is written' }),
    min: Type.Optional({ ...Finite, description: 'Least value of the command, in the unit' }),
    max: Type.Optional({ ...Finite, description: 'Highest value of the command, in the unit' }),
    allowed: Type.Optional(
      Type.Array(Finite, { minItems: 1, maxItems: 64, description: 'The only values, in the unit' }),
    ),
    release: Type.Optional({
      ...Finite,
      description: 'set_limit: the number in the register with which the device runs by itself',
    }),
    many: Type.Optional(
      Type.Boolean({ description: 'Write a single register with function 16, which some devices require' }),
    ),
  },
  strict,
);
export type Write = Static<typeof Write>;

const Proof = Type.Object({ ...place, equals: Finite }, strict);
const Serial = Type.Object(place, strict);
export type Place = Static<typeof Serial>;

const TYPES = ['industrial', 'heat_pump'] as const;

const Device = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9_-]{1,32}$', maxLength: 32 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    type: Type.Optional(Type.Enum([...TYPES], { description: 'industrial unless it is said' })),
    measures: Type.Optional(HouseMeterSchema),
    unit: Type.Optional(Unit),
    registers: Type.Array(Register, { minItems: 1, maxItems: 64 }),
    writes: Type.Optional(Type.Array(Write, { maxItems: 8 })),
    blocks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            address: Address,
            table: Type.Optional(Table),
            count: Type.Integer({ minimum: 1, maximum: 65_536 }),
          },
          strict,
        ),
        {
          maxItems: 16,
          description: 'Registers that are read in one request, also where some between them have no use',
        },
      ),
    ),
  },
  strict,
);
export type Device = Static<typeof Device>;

/** A device, or several behind one address. */
export const RegisterMap = Type.Object(
  {
    devices: Type.Array(Device, { minItems: 1, maxItems: 32 }),
    serial: Type.Optional({ ...Serial, description: 'A number that no other device has' }),
    proof: Type.Optional({ ...Proof, description: 'A register that tells the model by its value' }),
  },
  strict,
);
export type RegisterMap = Static<typeof RegisterMap>;

/** What the protocol permits in one request (Modbus Application Protocol 1.1b3). */
export const MOST_REGISTERS = 125;
export const MOST_BITS = 2_000;

/** Registers that are read in one request. */
export interface Block {
  readonly table: Table;
  readonly address: number;
  readonly count: number;
}

export const tableOf = ({ table = 'holding' }: { readonly table?: Table }): Table => table;
export const isOfBits = (table: Table): boolean => table === 'coil' || table === 'discrete';

/** How many registers, or bits, a number takes. */
export const sizeOf = (place: Place): number =>
  isOfBits(tableOf(place)) ? 1 : REGISTERS[place.type ?? 'uint16'];

/** First and last address of a number. */
export const spanOf = (place: Place): readonly [first: number, last: number] => [
  place.address,
  place.address + sizeOf(place) - 1,
];

/** The places that one read needs: registers, and the limits that were set. */
const placesOf = ({ registers, writes = [] }: Device): readonly Place[] => [
  ...registers,
  ...writes.filter(({ command }) => command === 'set_limit'),
];

/** The requests that read a device: its own blocks, and others for runs of adjacent registers. */
export function blocksOf(device: Device): Block[] {
  const own = (device.blocks ?? []).map((block): Block => ({ ...block, table: tableOf(block) }));
  const rest = placesOf(device)
    .filter((place) => !own.some((block) => holds(block, place)))
    .toSorted((one, other) => one.address - other.address);
  const runs: Block[] = [];
  for (const place of rest) {
    const table = tableOf(place);
    const run = runs.findLast((one) => one.table === table);
    const end = place.address + sizeOf(place);
    const most = isOfBits(table) ? MOST_BITS : MOST_REGISTERS;
    const isNext = run !== undefined && place.address <= run.address + run.count;
    if (run !== undefined && isNext && end - run.address <= most)
      runs[runs.indexOf(run)] = { ...run, count: Math.max(run.count, end - run.address) };
    else runs.push({ table, address: place.address, count: sizeOf(place) });
  }
  return [...own, ...runs];
}

export function holds({ table, address, count }: Block, place: Place): boolean {
  const [first, last] = spanOf(place);
  return table === tableOf(place) && first >= address && last < address + count;
}

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

/** The number at an address of the registers. @param from the address of the first register */
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
