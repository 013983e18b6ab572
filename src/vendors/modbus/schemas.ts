import Type, { type Static } from 'typebox';
import { REGISTERS } from '../../adapter/modbus/values.ts';

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

export const FILLS = [
  'read_power',
  'read_energy',
  'read_production',
  'read_temperature',
  'read_battery_soc',
  'power_on',
] as const;
export type Fill = (typeof FILLS)[number];

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
export type Written = (typeof WRITTEN)[number];

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
export type Proof = Static<typeof Proof>;
const Serial = Type.Object(place, strict);
export type Place = Static<typeof Serial>;

const TYPES = ['industrial', 'heat_pump'] as const;

const Device = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9_-]{1,32}$', maxLength: 32 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    type: Type.Optional(Type.Enum([...TYPES], { description: 'industrial unless it is said' })),
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
