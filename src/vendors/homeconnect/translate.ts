import Type, { type Static } from 'typebox';
import { between } from '../../adapter/commands.ts';
import type { DeviceState, Found, Status } from '../../adapter/device.ts';
import {
  each,
  figure,
  lenient,
  listedOnce,
  named,
  objectIn,
  PlainId,
  refused,
  unrecognized,
  word,
} from '../../adapter/kit/index.ts';

/*
 * What is used of Home Connect's responses and events. Both say what is so as keys with values; each is judged by itself, and what is
 * unknown costs the others nothing.
 */

export const Appliances = Type.Object({ homeappliances: Type.Array(Type.Unknown()) });
export const Appliance = lenient({ haId: PlainId }, 'name', 'type', 'connected');
export const StatusResponse = lenient({}, 'status');
export const SettingsResponse = lenient({}, 'settings');
export const Setting = lenient({}, 'constraints');
export const Key = Type.String({ pattern: '^[\\w.-]{1,200}$' });
export const Item = lenient({ key: Key }, 'value', 'unit');
/** The data of an event: one thing of its own, or several as `items`. */
export const Message = lenient({}, 'haId', 'items');

/** A value as Home Connect has it: its unit and its words are looked at where it is used. */
type Reported = Pick<Static<typeof Item>, 'value' | 'unit'>;

/** What an appliance has reported. */
export interface Reading {
  /** Whether Home Connect reaches it. */
  readonly connected: boolean;
  readonly values: Readonly<Record<string, Reported>>;
}

export const OFFLINE: Reading = { connected: false, values: {} };
/** Reached, and nothing else has been reported yet. */
export const CONNECTED: Reading = { connected: true, values: {} };

export const OPERATION = 'BSH.Common.Status.OperationState';
export const POWER = 'BSH.Common.Setting.PowerState';
export const REMAINING = 'BSH.Common.Option.RemainingProgramTime';
const DOOR = 'BSH.Common.Status.DoorState';
const REMOTE_CONTROL = 'BSH.Common.Status.RemoteControlActive';
const REMOTE_START = 'BSH.Common.Status.RemoteControlStartAllowed';
const CAVITY = 'Cooking.Oven.Status.CurrentCavityTemperature';
/** Refrigerators have a door for each compartment. */
const COMPARTMENT = /^Refrigeration\.Common\.Status\.Door\.\w{1,60}$/;
const USED = new Set([OPERATION, POWER, REMAINING, DOOR, CAVITY, REMOTE_CONTROL, REMOTE_START]);

const OPERATIONS = 'BSH.Common.EnumType.OperationState.';
export const POWERS = 'BSH.Common.EnumType.PowerState.';
const DOORS = 'BSH.Common.EnumType.DoorState.';
/** Of compartments: in the documentation, and as refrigerators report them. */
const COMPARTMENT_DOORS = ['Refrigeration.Common.EnumType.Door.States.', DOORS];

const STATES = ['Inactive', 'Ready', 'Finished', 'Error', 'Aborting'];
/** States in which a programme waits, runs or pauses. */
const WITH_PROGRAM: readonly unknown[] = ['DelayedStart', 'Run', 'Pause', 'ActionRequired'];
const IS_ON = new Map([
  ['On', true],
  ['Off', false],
  ['Standby', false],
  ['MainsOff', false],
]);
const IS_OPEN = new Map([
  ['Open', true],
  ['Closed', false],
  ['Locked', false],
]);
/** Units of a temperature, and what they are in degrees Celsius. */
const CELSIUS: ReadonlyMap<unknown, (value: number) => number> = new Map([
  ['°C', (value) => value],
  ['°F', (value) => ((value - 32) * 5) / 9],
]);
/** Home Connect leaves the unit out in places. */
const SECONDS: readonly unknown[] = ['seconds', undefined];
/** No programme takes longer, with its delay. */
const MOST_SECONDS = 7 * 86_400;

/** What Home Connect lets apps do with appliances of each type, besides looking at them. */
interface Abilities {
  /** The word for switching it off, where it does not say which it takes. */
  readonly off?: 'Off' | 'Standby';
  readonly programs?: true;
  readonly delays?: true;
}
const LAUNDRY: Abilities = { programs: true, delays: true };
const ABILITIES = new Map<unknown, Abilities>(
  Object.entries({
    Dishwasher: { off: 'Off', programs: true, delays: true },
    Oven: { off: 'Standby', programs: true, delays: true },
    Washer: LAUNDRY,
    Dryer: LAUNDRY,
    WasherDryer: LAUNDRY,
    CoffeeMaker: { off: 'Standby', programs: true },
    Hood: { off: 'Off', programs: true },
    CleaningRobot: { programs: true },
  } satisfies Record<string, Abilities>),
);

type Listed = Pick<Found, 'details'>;

export const abilitiesOf = ({ details }: Listed): Abilities => ABILITIES.get(details?.type) ?? {};

/** The appliances of an account. */
export function appliancesIn({ homeappliances }: Static<typeof Appliances>): Found[] {
  return listedOnce(
    each(homeappliances, Appliance).map(({ haId, name, type }) => ({
      id: haId,
      type: 'smart_home_appliance',
      ...named(name),
      details: { type: word(type) ?? '' },
    })),
  );
}

/** Whether each appliance of the account is reached; one that says neither is asked itself. */
export const connectedIn = ({ homeappliances }: Static<typeof Appliances>): ReadonlyMap<string, boolean> =>
  new Map(each(homeappliances, Appliance).map(({ haId, connected }) => [haId, connected !== false]));

/** A list of items by their keys. */
export const itemsIn = (list: unknown): ReadonlyMap<string, unknown> =>
  new Map(each(list, Item).map(({ key, value }) => [key, value]));

/** A reading with what a list of items says besides. */
export function withItems(before: Reading, list: unknown): Reading {
  const items = each(list, Item).filter(({ key }) => USED.has(key) || COMPARTMENT.test(key));
  if (items.length === 0) return before;
  const values = { ...before.values };
  for (const { key, value, unit } of items) {
    // The time that a programme had left says nothing of the next one.
    if (key === OPERATION && !hasProgram(value)) delete values[REMAINING];
    if (value === undefined || value === null) delete values[key];
    else values[key] = { value, unit };
  }
  return { ...before, values };
}

/** The last word of a value of an enumeration; null for everything else. */
const wordIn = (value: unknown, enumeration: string): string | null =>
  typeof value === 'string' && value.startsWith(enumeration) ? word(value.slice(enumeration.length)) : null;

/** The power states that can be set; null where the setting does not say. */
export function powersIn({ constraints }: Static<typeof Setting>): readonly string[] | null {
  const { allowedvalues } = objectIn(constraints);
  if (!Array.isArray(allowedvalues)) return null;
  return allowedvalues.flatMap((value) => wordIn(value, POWERS) ?? []);
}

export const operationIn = (value: unknown) => wordIn(value, OPERATIONS);
export const hasProgram = (value: unknown): boolean => WITH_PROGRAM.includes(operationIn(value));

/** What an appliance says of a permission that its user gives at it; null where it says nothing, as while it is not reached. */
const isForbidden = (permission: unknown): boolean | null =>
  typeof permission === 'boolean' ? !permission : null;

export const needsRemoteControl = ({ connected, values }: Reading): boolean | null =>
  connected ? isForbidden(values[REMOTE_CONTROL]?.value) : null;

/** Only while a programme could be started: an appliance that is off, or at work, says that it is not allowed too. */
export function needsRemoteStart({ connected, values }: Reading): boolean | null {
  const isNeeded = connected ? isForbidden(values[REMOTE_START]?.value) : null;
  return isNeeded && operationIn(values[OPERATION]?.value) === 'Ready';
}

export function statusOf({ connected, values }: Reading): Status {
  if (!connected) return { online: false };
  const { value: seconds, unit } = values[REMAINING] ?? {};
  const isRemaining = hasProgram(values[OPERATION]?.value) && SECONDS.includes(unit);
  return {
    online: true,
    power_on: IS_ON.get(wordIn(values[POWER]?.value, POWERS) ?? '') ?? null,
    operation_state: operationIn(values[OPERATION]?.value),
    remaining_seconds: isRemaining ? figure(seconds, 0, MOST_SECONDS) : null,
    door_open: isOpen(values),
  };
}

/** States of the appliance, of its power and of its doors that are not recognized, and units. */
export function unrecognizedIn({ values }: Reading): string[] {
  const words = (key: string, enumeration: string, recognized: readonly unknown[]) => {
    const value = values[key]?.value;
    return unrecognized({ [key]: [wordIn(value, enumeration) ?? value, recognized] });
  };
  const ofCompartment = (key: string) => {
    const value = values[key]?.value;
    return unrecognized({ [key]: [compartmentWord(value) ?? value, [...IS_OPEN.keys()]] });
  };
  const { [REMAINING]: remaining, [CAVITY]: cavity } = values;
  return [
    ...words(OPERATION, OPERATIONS, [...STATES, ...WITH_PROGRAM]),
    ...words(POWER, POWERS, [...IS_ON.keys()]),
    ...words(DOOR, DOORS, [...IS_OPEN.keys()]),
    ...Object.keys(values)
      .filter((key) => COMPARTMENT.test(key))
      .flatMap(ofCompartment),
    ...unrecognized({
      [`unit of ${REMAINING}`]: [remaining?.unit, SECONDS],
      [`unit of ${CAVITY}`]: [cavity === undefined ? undefined : (cavity.unit ?? 'none'), CELSIUS],
    }),
  ];
}

const compartmentWord = (value: unknown) =>
  COMPARTMENT_DOORS.map((enumeration) => wordIn(value, enumeration)).find((one) => one != null);

function isOpen(values: Reading['values']): boolean | null {
  const compartments = Object.keys(values)
    .filter((key) => COMPARTMENT.test(key))
    .map((key) => IS_OPEN.get(compartmentWord(values[key]?.value) ?? ''));
  if (compartments.length === 0) return IS_OPEN.get(wordIn(values[DOOR]?.value, DOORS) ?? '') ?? null;
  if (compartments.includes(true)) return true;
  return compartments.includes(undefined) ? null : false;
}

/** The temperature inside an oven, milli-Celsius. */
export function temperatureOf({ connected, values }: Reading): number | null {
  const { value, unit } = values[CAVITY] ?? {};
  const celsiusOf = CELSIUS.get(unit);
  if (!connected || celsiusOf === undefined || typeof value !== 'number') return null;
  const celsius = figure(celsiusOf(value), -30, 600);
  return celsius === null ? null : celsius * 1_000;
}

/** The fields of the state that are another than before; a field that has no value any more is null. */
export function changedFields(before: Reading, after: Reading): Partial<DeviceState> {
  const stateOf = (reading: Reading): Partial<DeviceState> => ({
    ...statusOf(reading),
    temperature_milli_c: temperatureOf(reading),
  });
  const [was, is] = [stateOf(before), stateOf(after)];
  return Object.fromEntries(
    Object.entries(is).filter(([field, value]) => value !== (was[field as keyof DeviceState] ?? null)),
  );
}

/** A programme that is selected, active or available, with its options. */
export const Program = lenient({ key: Key }, 'options');
export type Program = Static<typeof Program>;
const Offered = lenient({ key: Key }, 'constraints');

/** An option as a command carries it. */
export interface Option {
  readonly key: string;
  readonly value: string | number | boolean;
  readonly unit?: string;
}

const START_IN = 'BSH.Common.Option.StartInRelative';
const FINISH_IN = 'BSH.Common.Option.FinishInRelative';
const TOTAL = 'BSH.Common.Option.EstimatedTotalProgramTime';
const DELAYS: readonly string[] = [START_IN, FINISH_IN];
const DAY_SECONDS = 86_400;
const MOST: Readonly<Record<string, number>> = { [START_IN]: 86_340, [FINISH_IN]: DAY_SECONDS };
const MINUTE_SECONDS = 60;

/**
 * The options that a start has to repeat: what it leaves out falls back to the programme's own, whatever was chosen at the appliance, and
 * what cannot be written is refused. A delay is set by its own command.
 */
export function optionsToStart(selected: Program, available: Program): Option[] {
  const writable = new Set(
    each(available.options, Offered)
      .filter(({ constraints }) => !/^read(only)?$/i.test(String(objectIn(constraints).access ?? '')))
      .map(({ key }) => key),
  );
  return each(selected.options, Item).flatMap(({ key, value, unit }): Option[] => {
    const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (!isValue || !writable.has(key) || DELAYS.includes(key)) return [];
    return [{ key, value, ...(typeof unit === 'string' ? { unit } : {}) }];
  });
}

interface Delay {
  /** The programme that is to start later, or waits already. */
  readonly program: Program;
  /** What it offers; for one that waits already, itself. */
  readonly offered: Program;
  readonly seconds: number;
  readonly device: string;
}

/** The option that delays a programme. Some appliances take the time of the start, the others that of the end. */
export function delayOption({ program, offered, seconds, device }: Delay): Option {
  const options = each(offered.options, Offered);
  const option = DELAYS.map((key) => options.find((one) => one.key === key)).find((one) => one !== undefined);
  if (option === undefined)
    throw refused(
      `the programme that is chosen on ${device} cannot be started later; choose another at the appliance`,
    );
  const { key, constraints } = option;
  const { min, max, stepsize } = objectIn(constraints);
  const step = figure(stepsize, 1, 3_600) ?? MINUTE_SECONDS;
  const most = figure(max, 1, 7 * DAY_SECONDS) ?? MOST[key] ?? DAY_SECONDS;
  const takes = key === START_IN ? 0 : secondsOf(program, figure(min, 1, DAY_SECONDS));
  if (takes === null)
    throw refused(
      `Home Connect does not say how long the programme on ${device} takes, so its start cannot be set`,
    );
  const latest = Math.floor(most / step) * step;
  between('delay_seconds', seconds, { least: 1, most: latest - takes });
  const value = Math.max(step, Math.round((seconds + takes) / step) * step);
  return { key, value: Math.min(value, latest), unit: 'seconds' };
}

/** How long a programme takes: as it says, or the soonest that it could have finished. */
function secondsOf({ options }: Program, soonest: number | null): number | null {
  const items = each(options, Item);
  const said = (name: string) => figure(items.find(({ key }) => key === name)?.value, 1, DAY_SECONDS);
  return said(TOTAL) ?? said(REMAINING) ?? soonest;
}
