import Type from 'typebox';
import { CONTROLS, type ControlCapability } from './capabilities.ts';

const strict = { additionalProperties: false };
const wholeNumber = (description: string, least = Number.MIN_SAFE_INTEGER) =>
  Type.Integer({ minimum: least, maximum: Number.MAX_SAFE_INTEGER, description });

const forSeconds = Type.Optional(
  wholeNumber(
    'The device ends the limit by itself after this time, 10–86400 seconds, even when the connection is lost',
  ),
);
const then = (field: string, unit: string) =>
  Type.Optional(
    wholeNumber(
      `Limit after for_seconds, ${unit}. Without ${field}: fallback_a of the link, else the device's own limit`,
    ),
  );

/** The body of each command, by its `type`. Ranges that depend on the device are checked after the device is known. */
export const COMMANDS = {
  turn_on: Type.Object({ type: Type.Literal('turn_on') }, strict),
  turn_off: Type.Object({ type: Type.Literal('turn_off') }, strict),
  set_charge_limit: Type.Object(
    { type: Type.Literal('set_charge_limit'), percent: wholeNumber('Charge target, percent, 0–100') },
    strict,
  ),
  start_charge: Type.Object({ type: Type.Literal('start_charge') }, strict),
  stop_charge: Type.Object({ type: Type.Literal('stop_charge') }, strict),
  set_current: Type.Object(
    {
      type: Type.Literal('set_current'),
      current_a: wholeNumber('Limit of the charge current, ampere; 0 pauses'),
      for_seconds: forSeconds,
      then_current_a: then('then_current_a', 'ampere'),
    },
    strict,
  ),
  set_limit: Type.Object(
    {
      type: Type.Literal('set_limit'),
      max_a: Type.Optional(wholeNumber('Upper limit, ampere')),
      max_w: Type.Optional(wholeNumber('Upper limit, watt')),
      for_seconds: forSeconds,
      then_a: then('then_a', 'ampere'),
      then_w: then('then_w', 'watt'),
    },
    strict,
  ),
  set_temperature: Type.Object(
    {
      type: Type.Literal('set_temperature'),
      target_milli_c: wholeNumber('Target, milli-Celsius: 21000 is 21 °C'),
    },
    strict,
  ),
  set_light: Type.Object(
    {
      type: Type.Literal('set_light'),
      dim: Type.Optional(wholeNumber('Brightness, percent, 0–100')),
      color: Type.Optional(
        Type.Array(wholeNumber('0–255'), {
          minItems: 3,
          maxItems: 3,
          description: '[red, green, blue], each 0–255',
        }),
      ),
    },
    strict,
  ),
  set_battery_power: Type.Object(
    {
      type: Type.Literal('set_battery_power'),
      power_w: wholeNumber('Watt; positive charges, negative discharges'),
      for_seconds: Type.Optional(
        wholeNumber(
          'The battery returns to its own automatic operation after this time, 10–86400 seconds: by its own timer where it has one, else elnav returns it',
        ),
      ),
    },
    strict,
  ),
  start_program: Type.Object({ type: Type.Literal('start_program') }, strict),
  stop_program: Type.Object({ type: Type.Literal('stop_program') }, strict),
  delayed_start: Type.Object(
    { type: Type.Literal('delayed_start'), delay_seconds: wholeNumber('Seconds before the start, 1–86400') },
    strict,
  ),
} as const;

export type CommandType = keyof typeof COMMANDS;
export type CommandOf<T extends CommandType> = Type.Static<(typeof COMMANDS)[T]>;
export type Command = { [T in CommandType]: CommandOf<T> }[CommandType];
export type CommandTypeOf<C extends ControlCapability> = (typeof CONTROLS)[C][number];

/** Commands that may take `for_seconds`. */
export const TIMED_TYPES = ['set_current', 'set_limit', 'set_battery_power'] as const;
export type TimedType = (typeof TIMED_TYPES)[number];

/** A command that is to end at the device by itself. */
export type Timed<T extends TimedType> = CommandOf<T> & { readonly for_seconds: number };

export function isTimed(command: Command): command is Timed<TimedType> {
  return 'for_seconds' in command && command.for_seconds !== undefined;
}

export const COMMAND_TYPES = Object.keys(COMMANDS) as CommandType[];

const capabilityByType = new Map<string, ControlCapability>(
  Object.entries(CONTROLS).flatMap(([capability, types]) =>
    types.map((type): [string, ControlCapability] => [type, capability as ControlCapability]),
  ),
);

/** The one capability that a command requires. */
export function capabilityOf(type: CommandType): ControlCapability {
  const capability = capabilityByType.get(type);
  if (capability === undefined) throw new Error(`command ${type} belongs to no capability`);
  return capability;
}
