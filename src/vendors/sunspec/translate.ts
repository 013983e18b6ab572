import { type Limits, NO_LIMITS, type Status } from '../../adapter/device.ts';
import { figure, unrecognized } from '../../adapter/kit/index.ts';
import type { Details, Reading } from './device.ts';
import { MODELS } from './points.ts';

/* What registers mean here. SunSpec counts what is generated as positive, meters what is imported; `power_w` is positive for what is taken. */

const MOST_W = 1e9;
const MOST_WH = 1e15;
const watts = (value: number | null) => figure(value, -MOST_W, MOST_W);
/** Zero has no sign. */
const opposite = (value: number | null) => (value === null ? null : 0 - value);
const least = (values: readonly (number | null | undefined)[]): number | null => {
  const given = values.filter((value) => typeof value === 'number' && value > 0) as number[];
  return given.length === 0 ? null : Math.min(...given);
};
const sum = (values: readonly (number | null)[]): number | null => {
  const given = values.filter((value) => value !== null);
  return given.length === 0 ? null : given.reduce((total, value) => total + value, 0);
};

const INTEGER_AND_FLOAT = [101, 102, 103, 111, 112, 113] as const;

/** The AC side of an inverter, by whichever model it has. */
function inverterOf(reading: Reading) {
  const der = reading.block(701);
  if (der !== undefined)
    return {
      powerW: der.value('W'),
      energyWh: der.value('TotWhInj'),
      celsius: der.value('TmpCab') ?? der.value('TmpSnk') ?? der.value('TmpAmb') ?? der.value('TmpOt'),
      state: der.word('InvSt') ?? der.word('St'),
      unknown: unrecognized({
        'InvSt of model 701': [der.raw('InvSt'), MODELS[701].symbols.InvSt],
        'St of model 701': [der.raw('St'), MODELS[701].symbols.St],
      }),
    };
  const id = INTEGER_AND_FLOAT.find((one) => reading.block(one) !== undefined);
  const block = id === undefined ? undefined : reading.block(id);
  if (block === undefined) return undefined;
  return {
    powerW: block.value('W'),
    energyWh: block.value('WH'),
    celsius: block.value('TmpCab') ?? block.value('TmpSnk') ?? block.value('TmpTrns') ?? block.value('TmpOt'),
    state: block.word('St'),
    unknown: unrecognized({ [`St of model ${id}`]: [block.raw('St'), MODELS[103].symbols.St] }),
  };
}

/** DC power by what is behind an input, W; a battery's as what it takes. */
interface Inputs {
  readonly panelsW: number | null;
  readonly batteryW: number | null;
  readonly hasPanels: boolean;
  readonly hasBattery: boolean;
}

const NO_INPUTS: Inputs = { panelsW: null, batteryW: null, hasPanels: false, hasBattery: false };

/** Fronius reports what its battery takes and gives as two more inputs, "StCha 3" and "StDisCha 4"; only the name or the place tells. */
function inputsOf160(reading: Reading): Inputs {
  const modules = reading.groups(160).slice(0, reading.block(160)?.raw('N') ?? 0);
  if (modules.length === 0) return NO_INPUTS;
  const isUnnamed = modules.every((one) => one.text('IDStr') === null);
  const isPlaced = isUnnamed && reading.block(124) !== undefined && modules.length === 4;
  const roles = modules.map((one, index) => {
    const name = one.text('IDStr') ?? '';
    if (/^st\s*discha/i.test(name) || (isPlaced && index === 3)) return 'given';
    if (/^st\s*cha/i.test(name) || (isPlaced && index === 2)) return 'taken';
    return 'panels';
  });
  const of = (role: string) =>
    sum(modules.flatMap((one, index) => (roles[index] === role ? [watts(one.value('DCW'))] : [])));
  const flows = [of('taken'), opposite(of('given'))];
  const hasBattery = roles.includes('taken') && roles.includes('given');
  return { panelsW: of('panels'), batteryW: sum(flows), hasPanels: roles.includes('panels'), hasBattery };
}

function inputsOf714(reading: Reading): Inputs {
  const ports = reading.groups(714).slice(0, reading.block(714)?.raw('NPrt') ?? 0);
  const of = (type: string) => ports.filter((port) => port.word('PrtTyp') === type);
  const [panels, battery] = [of('PV'), of('ESS')];
  return {
    panelsW: sum(panels.map((port) => watts(port.value('DCW')))),
    batteryW: opposite(sum(battery.map((port) => watts(port.value('DCW'))))),
    hasPanels: panels.length > 0,
    hasBattery: battery.length > 0,
  };
}

export function inputsOf(reading: Reading): Inputs {
  const ports = inputsOf714(reading);
  return ports.hasPanels || ports.hasBattery ? ports : inputsOf160(reading);
}

export interface Solar {
  readonly status: Status;
  readonly productionW: number | null;
  /** What the inverter takes from the AC side, W; negative for what it gives. */
  readonly powerW: number | null;
  readonly energyWh: number | null;
  readonly milliC: number | null;
  /** What the power is limited to now, W; its rating where it is not limited. */
  readonly limitW: number | null;
  readonly ratedW: number | null;
  readonly unrecognized: readonly string[];
}

/** What percentages of a limit are of, W. */
export function ratedW(reading: Reading, control: number | null): number | null {
  if (control === 704) {
    const capacity = reading.block(702);
    return least([capacity?.value('WMax')]) ?? least([capacity?.value('WMaxRtg')]);
  }
  return least([reading.block(121)?.value('WMax')]) ?? least([reading.block(120)?.value('WRtg')]);
}

function limitShare(reading: Reading, control: number | null): number | null {
  const [first, second] = [reading.block(123), reading.block(704)];
  if (control === 123) return first?.word('WMaxLim_Ena') === 'ENABLED' ? first.value('WMaxLimPct') : 100;
  if (control === 704) return second?.word('WMaxLimPctEna') === 'ENABLED' ? second.value('WMaxLimPct') : 100;
  return null;
}

export function solarIn(reading: Reading, { source, control }: Pick<Details, 'source' | 'control'>): Solar {
  const inverter = inverterOf(reading);
  const acW = watts(inverter?.powerW ?? null);
  const fromPanels = source === 'inputs' ? inputsOf(reading).panelsW : source === 'ac' ? acW : null;
  const celsius = figure(inverter?.celsius, -60, 200);
  const rated = ratedW(reading, control);
  const share = limitShare(reading, control);
  return {
    status: { online: true, operation_state: inverter?.state?.toLowerCase() ?? null },
    productionW: fromPanels === null ? null : Math.max(0, fromPanels),
    powerW: opposite(acW),
    energyWh: figure(inverter?.energyWh, 0, MOST_WH),
    milliC: celsius === null ? null : celsius * 1_000,
    ratedW: rated,
    limitW: rated === null || share === null ? null : (rated * Math.min(100, share)) / 100,
    unrecognized: inverter?.unknown ?? [],
  };
}

export const solarLimits = ({ ratedW: rated }: Solar): Limits =>
  rated === null ? NO_LIMITS : { ...NO_LIMITS, min_w: 0, max_w: Math.floor(rated) };

export interface Battery {
  readonly status: Status;
  /** Percent. */
  readonly soc: number | null;
  /** W; positive while it charges. */
  readonly powerW: number | null;
  readonly limits: Limits;
  readonly unrecognized: readonly string[];
}

/** The power of a battery of its own (802): the sign of W is not in the definition, so the state says it where it can. */
function powerOf802(reading: Reading): number | null {
  const battery = reading.block(802);
  const given = watts(battery?.value('W') ?? null);
  if (given === null) return null;
  const state = battery?.word('ChaSt');
  if (state === 'CHARGING') return Math.abs(given);
  if (state === 'DISCHARGING') return 0 - Math.abs(given);
  return opposite(given);
}

function batteryPower(reading: Reading, source: Details['source']): number | null {
  if (source === 'ac') return opposite(watts(inverterOf(reading)?.powerW ?? null));
  return source === 'inputs' ? (powerOf802(reading) ?? inputsOf(reading).batteryW) : null;
}

function batteryLimits(reading: Reading): Limits {
  const [nameplate, storage] = [reading.block(120), reading.block(124)];
  const [capacity, battery] = [reading.block(702), reading.block(802)];
  const chargeW = least([
    storage?.value('WChaMax'),
    nameplate?.value('MaxChaRte'),
    capacity?.value('WChaRteMax') ?? capacity?.value('WChaRteMaxRtg'),
    battery?.value('WChaRteMax'),
  ]);
  const dischargeW = least([
    storage?.value('WChaMax'),
    nameplate?.value('MaxDisChaRte'),
    capacity?.value('WDisChaRteMax') ?? capacity?.value('WDisChaRteMaxRtg'),
    battery?.value('WDisChaRteMax'),
  ]);
  return {
    ...NO_LIMITS,
    min_w: dischargeW === null ? null : 0 - Math.floor(dischargeW),
    max_w: chargeW === null ? null : Math.floor(chargeW),
  };
}

export function batteryIn(reading: Reading, { source }: Pick<Details, 'source'>): Battery {
  const [storage, battery, capacity] = [reading.block(124), reading.block(802), reading.block(713)];
  const powerW = batteryPower(reading, source);
  const state = battery?.word('ChaSt') ?? storage?.word('ChaSt') ?? null;
  return {
    status: {
      online: true,
      charging: powerW === null ? (state === null ? null : state === 'CHARGING') : powerW > 0,
      operation_state: (state ?? capacity?.word('Sta'))?.toLowerCase() ?? null,
    },
    soc:
      figure(battery?.value('SoC'), 0, 100) ??
      figure(capacity?.value('SoC'), 0, 100) ??
      figure(storage?.value('ChaState'), 0, 100),
    powerW,
    limits: batteryLimits(reading),
    unrecognized: unrecognized({
      'ChaSt of model 124': [storage?.raw('ChaSt'), MODELS[124].symbols.ChaSt],
      'ChaSt of model 802': [battery?.raw('ChaSt'), MODELS[802].symbols.ChaSt],
      'Sta of model 713': [capacity?.raw('Sta'), MODELS[713].symbols.Sta],
    }),
  };
}

export interface Meter {
  /** W; positive while power is taken from the grid. */
  readonly powerW: number | null;
  /** Taken from the grid so far. */
  readonly importedWh: number | null;
}

const METERS = [201, 202, 203, 204] as const;

/** In the definitions quadrants I and II are imports: what is taken is positive. */
export function meterIn(reading: Reading, { countsExports }: Pick<Details, 'countsExports'>): Meter {
  const id = METERS.find((one) => reading.block(one) !== undefined);
  const block = id === undefined ? undefined : reading.block(id);
  const powerW = watts(block?.value('W') ?? null);
  return {
    powerW: countsExports ? opposite(powerW) : powerW,
    importedWh: figure(block?.value('TotWhImp'), 0, MOST_WH),
  };
}
