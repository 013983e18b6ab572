import Type, { type Static } from 'typebox';
import { HouseMeterSchema } from '../../adapter/device.ts';

const strict = { additionalProperties: false };

/** An id of a node: with the URI of its namespace, its index, or in OPC UA's own. */
const Node = Type.String({
  pattern: '^(?:nsu=[^;]{1,200};|ns=\\d{1,5};)?[isgb]=.{1,200}$',
  maxLength: 450,
  description:
    'Node id, best with the URI of its namespace: "nsu=urn:plant;s=Press1.Power". "ns=2;s=Press1.Power" may mean another node after a restart of the server',
});

const Scalar = Type.Union([Type.Boolean(), Type.Number(), Type.String({ maxLength: 100 })]);
export type Scalar = Static<typeof Scalar>;

const scale = Type.Optional(
  Type.Number({ minimum: -1e6, maximum: 1e6, description: 'Multiplies the value of the node; 1 without it' }),
);

/** Each unit, and by what it is multiplied, after `offset` was added, to be ours. */
const UNITS = {
  power: { W: { factor: 1, offset: 0 }, kW: { factor: 1_000, offset: 0 }, MW: { factor: 1e6, offset: 0 } },
  energy: {
    Wh: { factor: 1, offset: 0 },
    kWh: { factor: 1_000, offset: 0 },
    MWh: { factor: 1e6, offset: 0 },
  },
  // Milli-Celsius.
  temperature: { C: { factor: 1_000, offset: 0 }, K: { factor: 1_000, offset: -273.15 } },
  charge: { '%': { factor: 1, offset: 0 }, '1': { factor: 100, offset: 0 } },
} as const;

const unitOf = <U extends keyof typeof UNITS>(quantity: U) =>
  Type.Enum(Object.keys(UNITS[quantity]), { description: 'Unit of the value of the node' });

const reading = (quantity: keyof typeof UNITS) =>
  Type.Optional(Type.Object({ node: Node, unit: unitOf(quantity), scale }, strict));

/** What a value that is written must be between, in the unit of the node. */
const bounds = {
  least: Type.Number({ minimum: -1e9, maximum: 1e9, description: 'Least value, in the unit' }),
  most: Type.Number({ minimum: -1e9, maximum: 1e9, description: 'Greatest value, in the unit' }),
};

/** One device: what its nodes mean. A capability is there because its node is. */
export const MappedDevice = Type.Object(
  {
    id: Type.String({ pattern: '^[\\w.-]{1,64}$', maxLength: 64, description: 'Your own id of the device' }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    measures: Type.Optional(HouseMeterSchema),
    read_power: reading('power'),
    read_energy: reading('energy'),
    read_temperature: reading('temperature'),
    read_battery_soc: reading('charge'),
    read_production: reading('power'),
    state: Type.Optional(
      Type.Object({ node: Node }, { ...strict, description: 'What it does: shown as operation_state' }),
    ),
    online: Type.Optional(
      Type.Object(
        { node: Node, is: Scalar },
        { ...strict, description: 'It is online while the node is this' },
      ),
    ),
    on_off: Type.Optional(
      Type.Object(
        { node: Node, on: Scalar, off: Scalar },
        { ...strict, description: 'What is written to turn it on and off, and read as power_on' },
      ),
    ),
    set_temperature: Type.Optional(
      Type.Object({ node: Node, unit: unitOf('temperature'), scale, ...bounds }, strict),
    ),
    load_balancing: Type.Optional(
      Type.Object(
        {
          node: Node,
          unit: unitOf('power'),
          scale,
          ...bounds,
          release: Type.Number({
            minimum: -1e9,
            maximum: 1e9,
            description: 'Value that means no limit of ours, in the unit; written when the limit is over',
          }),
        },
        { ...strict, description: 'The most power that the device may draw' },
      ),
    ),
  },
  strict,
);
export type MappedDevice = Static<typeof MappedDevice>;

export const READINGS = {
  read_power: 'power',
  read_energy: 'energy',
  read_temperature: 'temperature',
  read_battery_soc: 'charge',
  read_production: 'power',
} as const satisfies Partial<Record<keyof MappedDevice, keyof typeof UNITS>>;
export type Reading = keyof typeof READINGS;

export const CONTROLS = {
  set_temperature: 'temperature',
  load_balancing: 'power',
} as const satisfies Partial<Record<keyof MappedDevice, keyof typeof UNITS>>;

/** What a node is mapped to. */
export type Use = Reading | 'state' | 'online' | 'on_off' | keyof typeof CONTROLS;
const USES: readonly Use[] = [
  'read_power',
  'read_energy',
  'read_temperature',
  'read_battery_soc',
  'read_production',
  'state',
  'online',
  'on_off',
  'set_temperature',
  'load_balancing',
];

/** The nodes of a device, by what they are mapped to. */
export const nodesOf = (device: MappedDevice): { readonly use: Use; readonly node: string }[] =>
  USES.flatMap((use) => {
    const node = device[use]?.node;
    return node === undefined ? [] : [{ use, node }];
  });

interface Scaled {
  readonly unit: string;
  readonly scale?: number;
}

const unitIn = (quantity: keyof typeof UNITS, unit: string) => {
  const units: Readonly<Record<string, { readonly factor: number; readonly offset: number }>> =
    UNITS[quantity];
  return units[unit] ?? { factor: 1, offset: 0 };
};

/** A value of a node in our unit. */
export function inOurs(value: number, quantity: keyof typeof UNITS, { unit, scale: by = 1 }: Scaled): number {
  return valueInOurs(value * by, quantity, unit);
}

/** A value in the unit of the map, such as a bound, in our unit. */
export function valueInOurs(value: number, quantity: keyof typeof UNITS, unit: string): number {
  const { factor, offset } = unitIn(quantity, unit);
  return (value + offset) * factor;
}

/** A value in our unit, as the node has it. */
export function inTheirs(
  ours: number,
  quantity: keyof typeof UNITS,
  { unit, scale: by = 1 }: Scaled,
): number {
  const { factor, offset } = unitIn(quantity, unit);
  return (ours / factor - offset) / by;
}
