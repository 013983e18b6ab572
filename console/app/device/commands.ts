import type { Capability, Command, Limits } from '../api/shapes.ts';
import { ampere, duration, percent, power, temperature } from '../format.ts';
import { words } from '../words/index.ts';

type CommandType = Command['type'];
export type ControlCapability = keyof typeof words.control.groups;
type Fields = typeof words.control.fields;

/** A number that a command takes. */
export interface NumberField {
  readonly name: keyof Fields;
  /** In the unit that is typed; undefined: no bound is known, and the service says what is right. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly hint?: string;
  /** Steps of one unit of what is sent. */
  readonly perUnit: number;
  /** Another value that is permitted. */
  readonly also?: number;
}

/** What is shown for a capability: buttons of commands that take nothing, or a form. */
export type Control =
  | { readonly capability: ControlCapability; readonly buttons: readonly CommandType[] }
  | {
      readonly capability: ControlCapability;
      readonly fields: readonly NumberField[];
      readonly hasColor?: boolean;
      /** It may be limited in time. */
      readonly isTimed?: boolean;
      /** Values in the units of the fields that are sent; absent where nothing was typed. */
      readonly build: (values: Values) => Command;
    };

export interface Values {
  readonly numbers: Readonly<Partial<Record<keyof Fields, number>>>;
  readonly color?: readonly [number, number, number];
  readonly forSeconds?: number;
}

const bound = (value: number | null | undefined) => value ?? undefined;
const field = (
  name: keyof Fields,
  [least, most]: readonly [number | undefined, number | undefined],
  more: Partial<NumberField> = {},
): NumberField => ({ name, least, most, perUnit: 1, ...more });
const timed = ({ forSeconds }: Values) => (forSeconds === undefined ? {} : { for_seconds: forSeconds });

/** The controls of a device, made from what it can do and the limits that it has. */
export function controlsOf(
  capabilities: readonly Capability[],
  limits: Limits | undefined,
): readonly Control[] {
  return ORDER.filter((one) => capabilities.includes(one)).map((one) => CONTROLS[one](limits));
}

const CONTROLS: Readonly<Record<ControlCapability, (limits: Limits | undefined) => Control>> = {
  on_off: () => ({ capability: 'on_off', buttons: ['turn_on', 'turn_off'] }),
  charge_control: () => ({ capability: 'charge_control', buttons: ['start_charge', 'stop_charge'] }),
  program_control: () => ({ capability: 'program_control', buttons: ['start_program', 'stop_program'] }),
  charge_limit: () => ({
    capability: 'charge_limit',
    fields: [field('percent', [0, 100])],
    build: ({ numbers }) => ({ type: 'set_charge_limit', percent: numbers.percent ?? 0 }),
  }),
  set_current: (limits) => ({
    capability: 'set_current',
    fields: [
      field('current_a', [bound(limits?.min_a), bound(limits?.max_a)], {
        also: 0,
        hint: words.control.pauses,
      }),
    ],
    isTimed: true,
    build: (values) => ({
      type: 'set_current',
      current_a: values.numbers.current_a ?? 0,
      ...timed(values),
    }),
  }),
  load_balancing: (limits) => ({
    capability: 'load_balancing',
    fields: axesOf(limits),
    isTimed: true,
    build: (values) => ({
      type: 'set_limit',
      ...(values.numbers.max_a === undefined ? {} : { max_a: values.numbers.max_a }),
      ...(values.numbers.max_w === undefined ? {} : { max_w: values.numbers.max_w }),
      ...timed(values),
    }),
  }),
  set_temperature: () => ({
    capability: 'set_temperature',
    fields: [field('target_milli_c', [undefined, undefined], { perUnit: 1_000 })],
    build: ({ numbers }) => ({ type: 'set_temperature', target_milli_c: numbers.target_milli_c ?? 0 }),
  }),
  set_light: () => ({
    capability: 'set_light',
    fields: [field('dim', [0, 100])],
    hasColor: true,
    build: ({ numbers, color }) => ({
      type: 'set_light',
      ...(numbers.dim === undefined ? {} : { dim: numbers.dim }),
      ...(color === undefined ? {} : { color: [...color] }),
    }),
  }),
  set_battery_power: (limits) => ({
    capability: 'set_battery_power',
    fields: [
      field('power_w', [bound(limits?.min_w), bound(limits?.max_w)], { hint: words.control.batteryHint }),
    ],
    isTimed: true,
    build: (values) => ({
      type: 'set_battery_power',
      power_w: values.numbers.power_w ?? 0,
      ...timed(values),
    }),
  }),
  delayed_start: () => ({
    capability: 'delayed_start',
    fields: [field('delay_seconds', [1, 1_440], { perUnit: 60 })],
    build: ({ numbers }) => ({ type: 'delayed_start', delay_seconds: numbers.delay_seconds ?? 0 }),
  }),
};
const ORDER = Object.keys(CONTROLS) as ControlCapability[];

/** The axes that a device can be limited on; both where its limits are not known. */
function axesOf(limits: Limits | undefined): readonly NumberField[] {
  const amperes = field('max_a', [bound(limits?.min_a), bound(limits?.max_a)]);
  const watts = field('max_w', [bound(limits?.min_w), bound(limits?.max_w)]);
  const has = (one: NumberField) => one.least !== undefined || one.most !== undefined;
  const known = [amperes, watts].filter(has);
  return known.length === 0 ? [amperes, watts] : known;
}

const VALUES: Readonly<Record<string, (value: number) => string>> = {
  percent,
  dim: percent,
  current_a: ampere,
  max_a: ampere,
  max_w: power,
  power_w: power,
  target_milli_c: temperature,
  delay_seconds: duration,
};

/** A command in words: "Charging current 8 A". Commands of the log may be of types that are newer than this page. */
export function describeCommand(command: { readonly type: string }): string {
  const names: Readonly<Record<string, string>> = words.control.commands;
  const values = Object.entries(command).flatMap(([name, value]) => {
    const format = VALUES[name];
    return format === undefined || typeof value !== 'number' ? [] : [format(value)];
  });
  return [names[command.type] ?? command.type, ...values].join(' ');
}
