import Type from 'typebox';
import type { ByteScript } from '../core/byte-script.ts';
import { AppError } from '../core/errors.ts';
import { CONTROLS, type ControlCapability } from './fields.ts';
import type { DeviceRef, Session } from './session.ts';

const strict = <T extends string>(title: T) => ({ additionalProperties: false, title });
/** Whole numbers. A range is judged after the device is known, and documented here. */
const wholeNumber = (
  description: string,
  range: { readonly minimum?: number; readonly maximum?: number } = {},
) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    documented: { type: 'integer', description, ...range },
  });
const FROM_0 = { minimum: 0 };
const PERCENT = { minimum: 0, maximum: 100 };
const TIMER_SECONDS = { minimum: 10, maximum: 86_400 };

const forSeconds = Type.Optional(
  wholeNumber(
    'The device ends the limit by itself after this time, 10–86400 seconds, even when the connection is lost',
    TIMER_SECONDS,
  ),
);
const then = (field: string, unit: string) =>
  Type.Optional(
    wholeNumber(
      `Limit after for_seconds, ${unit}. Without ${field}: fallback_a of the link, else the device's own limit`,
      FROM_0,
    ),
  );

/** The id of a card as a charger reads it (OCPP idToken; an idTag of 1.6 has at most 20 characters). */
export const CARD_ID = {
  minLength: 1,
  maxLength: 36,
  pattern: '^[\\x21-\\x7e]+$',
  examples: ['04E91C5A123B80'],
};

/** The body of each command, by its `type`. Ranges that depend on the device are checked after the device is known. */
export const COMMANDS = {
  turn_on: Type.Object({ type: Type.Literal('turn_on') }, strict('TurnOn')),
  turn_off: Type.Object({ type: Type.Literal('turn_off') }, strict('TurnOff')),
  set_charge_limit: Type.Object(
    {
      type: Type.Literal('set_charge_limit'),
      percent: wholeNumber('Charge target, percent, 0–100', PERCENT),
    },
    strict('SetChargeLimit'),
  ),
  start_charge: Type.Object(
    {
      type: Type.Literal('start_charge'),
      id_tag: Type.Optional(
        Type.String({
          ...CARD_ID,
          description:
            'The card that the start presents to the charger, whose charge it then is; 422 for chargers that take none. Default: id_tag of the link, else a tag of elnav. A charge that runs already keeps its card',
        }),
      ),
    },
    strict('StartCharge'),
  ),
  stop_charge: Type.Object({ type: Type.Literal('stop_charge') }, strict('StopCharge')),
  set_current: Type.Object(
    {
      type: Type.Literal('set_current'),
      current_a: wholeNumber('Limit of the charge current, ampere; 0 pauses', FROM_0),
      for_seconds: forSeconds,
      then_current_a: then('then_current_a', 'ampere'),
    },
    strict('SetCurrent'),
  ),
  set_limit: Type.Object(
    {
      type: Type.Literal('set_limit'),
      max_a: Type.Optional(wholeNumber('Upper limit, ampere', FROM_0)),
      max_w: Type.Optional(wholeNumber('Upper limit, watt', FROM_0)),
      for_seconds: forSeconds,
      then_a: then('then_a', 'ampere'),
      then_w: then('then_w', 'watt'),
    },
    strict('SetLimit'),
  ),
  set_temperature: Type.Object(
    {
      type: Type.Literal('set_temperature'),
      target_milli_c: wholeNumber('Target, milli-Celsius: 21000 is 21 °C'),
    },
    strict('SetTemperature'),
  ),
  set_light: Type.Object(
    {
      type: Type.Literal('set_light'),
      dim: Type.Optional(wholeNumber('Brightness, percent, 0–100', PERCENT)),
      color: Type.Optional(
        Type.Array(wholeNumber('0–255', { minimum: 0, maximum: 255 }), {
          minItems: 3,
          maxItems: 3,
          description: '[red, green, blue], each 0–255',
        }),
      ),
    },
    strict('SetLight'),
  ),
  set_battery_power: Type.Object(
    {
      type: Type.Literal('set_battery_power'),
      power_w: wholeNumber('Watt; positive charges, negative discharges'),
      for_seconds: Type.Optional(
        wholeNumber(
          'The battery returns to its own automatic operation after this time, 10–86400 seconds: by its own timer where it has one, else elnav returns it',
          TIMER_SECONDS,
        ),
      ),
    },
    strict('SetBatteryPower'),
  ),
  start_program: Type.Object({ type: Type.Literal('start_program') }, strict('StartProgram')),
  stop_program: Type.Object({ type: Type.Literal('stop_program') }, strict('StopProgram')),
  delayed_start: Type.Object(
    {
      type: Type.Literal('delayed_start'),
      delay_seconds: wholeNumber('Seconds before the start, 1–86400', { minimum: 1, maximum: 86_400 }),
    },
    strict('DelayedStart'),
  ),
} as const;

/** Any command, by its `type`. */
export const AnyCommand: Type.TSchema = Type.Union(Object.values(COMMANDS), {
  title: 'Command',
  discriminator: { propertyName: 'type' },
  examples: [{ type: 'set_current', current_a: 8 }],
});

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

/** Commands that take a device out of its own automatic operation for as long as they are in force. */
export const SET_POINT_TYPES = ['set_battery_power', 'set_limit', 'set_current'] as const;
export type SetPointType = (typeof SET_POINT_TYPES)[number];

/**
 * A command that must not stay in force for ever when nobody is there to end it. The platform sends it again while it is wanted, and releases it
 * when it is over, when the link is deleted, and when nothing is left that could renew it.
 */
export interface SetPoint {
  /**
   * The device ends the set-point by itself after so many seconds, by a timer of its protocol that the handler sends with each command. The
   * platform sends the command again after a third of it. Absent or undefined: the device keeps it until it is released.
   */
  readonly revertSeconds?: number | ((device: RangedDevice) => number | undefined);
  /**
   * Returns the device to its own automatic operation. Called again when it failed, and when nothing is in force: it must not mind. Throws an
   * `AppError` of the `vendor.*` codes when the device has not taken it.
   */
  release(session: Session, device: DeviceRef): Promise<void>;
  /**
   * What `release` would say to the device, made beforehand: a gateway that has lost the platform says it. Asked for after each time that the
   * set-point was sent; speaks with no device. The same set-point gives the same bytes. Undefined where they cannot be made, as with TLS.
   */
  releaseBytes?(session: Session, device: DeviceRef): Promise<readonly ByteScript[] | undefined>;
}

/** The set-points of a kind, by their commands. */
export type SetPoints = { readonly [T in SetPointType]?: SetPoint };

export function isSetPointType(type: string): type is SetPointType {
  return SET_POINT_TYPES.some((one) => one === type);
}

/** The set-point that a command leaves at devices of the kind; undefined where it leaves none. */
export function setPointOf(
  { setPoints }: { readonly setPoints?: SetPoints },
  type: CommandType,
): SetPoint | undefined {
  return isSetPointType(type) ? setPoints?.[type] : undefined;
}

/** After how many seconds the device ends a set-point by itself; undefined where it does not. */
export function revertSecondsOf({ revertSeconds }: SetPoint, device: RangedDevice): number | undefined {
  return typeof revertSeconds === 'function' ? revertSeconds(device) : revertSeconds;
}

/** Bounds that do not depend on the state of the device; a bound that is absent is none. */
export interface Ranges {
  /** Target temperature, milli-Celsius. */
  readonly min_milli_c?: number;
  readonly max_milli_c?: number;
  /** Charge target, percent. */
  readonly min_percent?: number;
  readonly max_percent?: number;
}

/** The ranges of a kind, or how they follow from a device. */
export type KindRanges = Ranges | ((device: RangedDevice) => Ranges);

/** Refuses a value that the device never accepts, whatever its state: `command.out_of_range` with what is permitted. */
export function checkRanges(
  { ranges: declared }: { readonly ranges?: KindRanges },
  device: RangedDevice,
  command: Command,
): void {
  const ranges = typeof declared === 'function' ? declared(device) : declared;
  if (ranges === undefined) return;
  const { min_milli_c, max_milli_c, min_percent, max_percent } = ranges;
  if (command.type === 'set_temperature')
    between('target_milli_c', command.target_milli_c, { least: min_milli_c, most: max_milli_c });
  if (command.type === 'set_charge_limit')
    between('percent', command.percent, { least: min_percent, most: max_percent });
}

export type RangedDevice = Pick<DeviceRef, 'id' | 'details'>;

/** Refuses a value outside a range; a bound that is null or absent is none. `also` names a value that is always permitted. */
export function between(
  field: string,
  value: number | undefined,
  range: {
    readonly least?: number | null | undefined;
    readonly most?: number | null | undefined;
    readonly also?: string;
  },
): void {
  const { least = null, most = null, also = '' } = range;
  if (value === undefined) return;
  if ((least === null || value >= least) && (most === null || value <= most)) return;
  const bounds =
    least !== null && most !== null
      ? `from ${least} to ${most}`
      : most !== null
        ? `at most ${most}`
        : `at least ${least}`;
  throw outOfRange(`${field} must be ${also}${bounds}, not ${value}`);
}

export function outOfRange(sentence: string): AppError {
  return new AppError('command.out_of_range', sentence);
}
