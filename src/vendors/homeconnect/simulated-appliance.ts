import type { Situation } from '../../adapter/simulator.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/durations.ts';

interface Item {
  readonly key: string;
  readonly value: string | number | boolean | null;
  readonly unit?: string;
}

interface OptionOf extends Item {
  /** As `programs/available/{key}` has them; without, it can be read and not written. */
  readonly constraints?: { readonly min?: number; readonly max?: number; readonly stepsize?: number };
}

interface Model {
  readonly vib: string;
  readonly brand: string;
  /** How it is switched off. */
  readonly off: 'Off' | 'Standby' | null;
  readonly delay: 'StartInRelative' | 'FinishInRelative' | null;
  readonly programs: Readonly<
    Record<string, { readonly seconds: number; readonly options: readonly OptionOf[] }>
  >;
  readonly status?: readonly Item[];
}

const COMMON = 'BSH.Common.';
export const START_IN = `${COMMON}Option.StartInRelative`;
export const FINISH_IN = `${COMMON}Option.FinishInRelative`;
export const POWER = `${COMMON}Setting.PowerState`;
const REMAINING = `${COMMON}Option.RemainingProgramTime`;
const DAY_SECONDS = 86_400;
/** Ten minutes after a programme somebody empties the appliance, fills it again and presses Remote start. */
const REFILL_MS = 10 * MINUTE_MS;

const dish = (key: string) => ({ key: `Dishcare.Dishwasher.Option.${key}`, value: false, constraints: {} });
const laundry = (option: string, word: string) => ({
  key: `LaundryCare.Washer.Option.${option}`,
  value: `LaundryCare.Washer.EnumType.${option}.${word}`,
  constraints: {},
});
const oven = (degrees: number, seconds: number) => [
  {
    key: 'Cooking.Oven.Option.SetpointTemperature',
    value: degrees,
    unit: '°C',
    constraints: { min: 50, max: 275 },
  },
  {
    key: `${COMMON}Option.Duration`,
    value: seconds,
    unit: 'seconds',
    constraints: { min: 60, max: DAY_SECONDS },
  },
];
const forecast = { key: `${COMMON}Option.EnergyForecast`, value: 52, unit: '%' };

export const MODELS = {
  Dishwasher: {
    vib: 'HCS02DWH1',
    brand: 'SIEMENS',
    off: 'Off',
    delay: 'StartInRelative',
    programs: {
      'Dishcare.Dishwasher.Program.Eco50': {
        seconds: 12_600,
        options: [dish('HalfLoad'), dish('ExtraDry'), forecast],
      },
      'Dishcare.Dishwasher.Program.Quick45': { seconds: 2_700, options: [dish('HalfLoad'), forecast] },
    },
  },
  Washer: {
    vib: 'HCS03WCH1',
    brand: 'SIEMENS',
    off: null,
    delay: 'FinishInRelative',
    programs: {
      'LaundryCare.Washer.Program.Cotton': {
        seconds: 8_280,
        options: [laundry('Temperature', 'Cold'), laundry('SpinSpeed', 'RPM400'), forecast],
      },
    },
  },
  Oven: {
    vib: 'HCS01OVN1',
    brand: 'BOSCH',
    off: 'Standby',
    delay: 'StartInRelative',
    programs: { 'Cooking.Oven.Program.HeatingMode.HotAir': { seconds: 1_200, options: oven(160, 1_200) } },
    status: [{ key: 'Cooking.Oven.Status.CurrentCavityTemperature', value: 21, unit: '°C' }],
  },
  FridgeFreezer: {
    vib: 'HCS05FRF1',
    brand: 'SIEMENS',
    off: null,
    delay: null,
    programs: {},
    status: ['Refrigerator', 'Freezer'].map((compartment) => ({
      key: `Refrigeration.Common.Status.Door.${compartment}`,
      value: 'Refrigeration.Common.EnumType.Door.States.Closed',
    })),
  },
  Hob: { vib: 'HCS07HOB1', brand: 'BOSCH', off: null, delay: null, programs: {} },
} satisfies Record<string, Model>;

export interface SimulatedAppliance {
  readonly id: string;
  readonly name: string;
  readonly type: keyof typeof MODELS;
  online: boolean;
  isOn: boolean;
  isDoorOpen: boolean;
  /** Somebody has pressed Remote start. */
  isRemoteStartAllowed: boolean;
  /** It is switched on in its settings. */
  isRemoteControlActive: boolean;
  /** What was chosen at its panel, besides what its programme has by itself. */
  readonly chosen: readonly Item[];
  run: Run | null;
}

interface Run {
  readonly key: string;
  readonly options: readonly Item[];
  /** ms since 1970. */
  readonly startsAt: number;
  readonly endsAt: number;
}

export function newAppliance(
  type: keyof typeof MODELS,
  number: number,
  more: Partial<SimulatedAppliance> = {},
): SimulatedAppliance {
  const { brand, vib } = MODELS[type];
  return {
    id: `${brand}-${vib}-${String(number).padStart(12, '0')}`,
    name: `${type} (simulated)`,
    type,
    online: true,
    isOn: true,
    isDoorOpen: false,
    isRemoteStartAllowed: true,
    isRemoteControlActive: true,
    chosen: [],
    run: null,
    ...more,
  };
}

export const modelOf = ({ type }: SimulatedAppliance): Model => MODELS[type];
export const programNamed = (appliance: SimulatedAppliance, key: string) =>
  Object.hasOwn(modelOf(appliance).programs, key) ? modelOf(appliance).programs[key] : undefined;
/** Its first programme is the one that its panel shows. */
const selectedKey = (appliance: SimulatedAppliance) => Object.keys(modelOf(appliance).programs)[0];

export function operationOf({ isOn, run }: SimulatedAppliance, now: number): string {
  if (!isOn) return 'Inactive';
  if (run === null) return 'Ready';
  if (now < run.startsAt) return 'DelayedStart';
  return now < run.endsAt ? 'Run' : 'Finished';
}

const enumOf = (name: string, word: string) => `${COMMON}EnumType.${name}.${word}`;
const flag = (name: string, value: boolean): Item => ({ key: `${COMMON}Status.${name}`, value });
const inSeconds = (ms: number) => Math.max(0, Math.round(ms / SECOND_MS));

export function statusOf(appliance: SimulatedAppliance, now: number): Item[] {
  const { programs, status = [] } = modelOf(appliance);
  const operation = operationOf(appliance, now);
  if (Object.keys(programs).length === 0) return [...status];
  const door = appliance.isDoorOpen ? 'Open' : operation === 'Run' ? 'Locked' : 'Closed';
  return [
    { key: `${COMMON}Status.OperationState`, value: enumOf('OperationState', operation) },
    { key: `${COMMON}Status.DoorState`, value: enumOf('DoorState', door) },
    flag('RemoteControlActive', appliance.isRemoteControlActive),
    flag('RemoteControlStartAllowed', appliance.isRemoteStartAllowed && operation === 'Ready'),
    flag('LocalControlActive', false),
    ...status,
  ];
}

export function settingsOf(appliance: SimulatedAppliance): (Item & { readonly constraints?: object })[] {
  const { off } = modelOf(appliance);
  const word = appliance.isOn ? 'On' : (off ?? 'Off');
  const allowedvalues = ['On', ...(off === null ? [] : [off])].map((one) => enumOf('PowerState', one));
  const constraints = { allowedvalues, access: off === null ? 'read' : 'readWrite' };
  return [{ key: POWER, value: enumOf('PowerState', word), constraints }];
}

/** The programme that is active, and its options as they are now; undefined without one. */
export function activeOf(
  appliance: SimulatedAppliance,
  now: number,
): { key: string; options: Item[] } | undefined {
  const { run } = appliance;
  if (run === null || now >= run.endsAt || !appliance.isOn) return undefined;
  const { startsAt, endsAt, key } = run;
  const isWaiting = now < startsAt;
  const delay = modelOf(appliance).delay;
  const until = delay === 'StartInRelative' ? startsAt : endsAt;
  const remaining = isWaiting ? endsAt - startsAt : endsAt - now;
  const options: Item[] = [
    ...run.options,
    ...(isWaiting
      ? [{ key: `${COMMON}Option.${delay}`, value: inSeconds(until - now), unit: 'seconds' }]
      : []),
    { key: REMAINING, value: inSeconds(remaining), unit: 'seconds' },
    {
      key: `${COMMON}Option.ProgramProgress`,
      value: isWaiting ? 0 : Math.floor((100 * (now - startsAt)) / (endsAt - startsAt)),
      unit: '%',
    },
  ];
  return { key, options };
}

/** What `programs/available/{key}` says. */
export function offeredBy(appliance: SimulatedAppliance, key: string): OptionOf[] {
  const program = programNamed(appliance, key);
  const { delay } = modelOf(appliance);
  const min = delay === 'FinishInRelative' ? (program?.seconds ?? 0) : 0;
  const max = delay === 'FinishInRelative' ? DAY_SECONDS : DAY_SECONDS - 60;
  return [
    ...(program?.options ?? []).filter(({ constraints }) => constraints !== undefined),
    ...(delay === null
      ? []
      : [
          {
            key: `${COMMON}Option.${delay}`,
            value: min,
            unit: 'seconds',
            constraints: { min, max, stepsize: 60 },
          },
        ]),
  ];
}

/** What `programs/selected` says: what is chosen, with what can only be read. */
export function selectedOf(appliance: SimulatedAppliance): { key: string; options: Item[] } | undefined {
  const key = selectedKey(appliance);
  if (key === undefined) return undefined;
  const { options = [] } = programNamed(appliance, key) ?? {};
  const delay = offeredBy(appliance, key).filter((one) => one.key === START_IN || one.key === FINISH_IN);
  return { key, options: [...withChosen(options, appliance.chosen), ...delay].map(bare) };
}

const bare = ({ key, value, unit }: Item): Item => ({ key, value, ...(unit === undefined ? {} : { unit }) });

/** Options with what is said otherwise of some. */
const withChosen = (options: readonly OptionOf[], chosen: readonly Item[]): Item[] =>
  options.map((option) => ({ ...bare(option), ...chosen.find(({ key }) => key === option.key) }));

/** Starts a programme, now or later; what is left out of its options is as the programme has it by itself. */
export function start(
  appliance: SimulatedAppliance,
  { key, options }: { readonly key: string; readonly options: readonly Item[] },
  now: number,
): void {
  const program = programNamed(appliance, key);
  if (program === undefined) return;
  const writable = withChosen(program.options, options);
  const duration = writable.find((one) => one.key === `${COMMON}Option.Duration`)?.value;
  const takesMs = (typeof duration === 'number' ? duration : program.seconds) * SECOND_MS;
  appliance.run = { key, options: writable, startsAt: now, endsAt: now + takesMs };
  const delay = options.find((one) => one.key === START_IN || one.key === FINISH_IN);
  if (delay !== undefined) delayUntil(appliance, delay, now);
}

/** Moves the start of a programme that does not run yet. */
export function delayUntil({ run }: SimulatedAppliance, delay: Item, now: number): void {
  if (run === null) return;
  const takesMs = run.endsAt - run.startsAt;
  const until = now + Number(delay.value) * SECOND_MS;
  const startsAt = delay.key === START_IN ? until : until - takesMs;
  Object.assign(run, { startsAt, endsAt: startsAt + takesMs });
}

/** When something of it changes by itself next; undefined when nothing does. */
export function nextChange({ run }: SimulatedAppliance, now: number): number | undefined {
  if (run === null) return undefined;
  const moments = [run.startsAt, run.endsAt, run.endsAt + REFILL_MS].filter((moment) => moment > now);
  return Math.min(...moments, ...(now < run.endsAt ? [now + MINUTE_MS] : []));
}

/** Somebody fills the appliance again once it has finished for a while. */
export function refill(appliance: SimulatedAppliance, now: number): void {
  if (appliance.run === null || now < appliance.run.endsAt + REFILL_MS) return;
  Object.assign(appliance, { run: null, isRemoteStartAllowed: true });
}

export function arrange(appliance: SimulatedAppliance, situation: Situation, now: number): void {
  Object.assign(appliance, {
    run: null,
    isOn: situation !== 'off',
    isDoorOpen: false,
    isRemoteStartAllowed: true,
    isRemoteControlActive: true,
  });
  const key = selectedKey(appliance);
  if (situation === 'program_running' && key !== undefined) start(appliance, { key, options: [] }, now);
}
