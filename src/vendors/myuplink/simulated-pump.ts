import { HOUR_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Building, heatRoom, heatW, regimeOf } from '../../proof/simulation/physics/room.ts';

/** How a model is set: its target by a point or by a zone, its curve, or the water of a heater. */
const MODELS = {
  F730: { name: 'F730 CU 3x400V', target: '47398', room: '40033', boost: '50004', boostOn: 1, meters: false },
  S735: {
    name: 'S735-4 CU EM 3x400V',
    target: '47751',
    room: '48351',
    boost: '7086',
    boostOn: 1,
    meters: true,
  },
  SMO: { name: 'SMO S40', target: '47752', room: '50660', boost: '7086', boostOn: 1, meters: true },
  F1155: {
    name: 'F1155-6 EM 3x400V',
    target: null,
    room: '40033',
    boost: '48132',
    boostOn: 4,
    meters: false,
  },
  HOIAX: { name: 'Connected 300', target: '527', room: '528', boost: null, boostOn: 0, meters: true },
} as const;
type Model = keyof typeof MODELS;

/** A device in time: what it measured at `at`, ms since 1970. */
export interface SimulatedPump {
  readonly id: string;
  readonly systemId: string;
  readonly model: Model;
  isPremium: boolean;
  online: boolean;
  at: number;
  celsius: number;
  /** °C; a model with a curve alone heats to 20 °C and its offset. */
  target: number;
  offset: number;
  boostEndsAt: number | null;
  wh: number;
}

/** Warms by some 2 °C an hour in winter. */
const HOUSE: Building = { lossWPerK: 150, timeConstant: 40 * HOUR_MS, maxHeatW: 12_000 };
const TANK: Building = { lossWPerK: 2, timeConstant: 150 * HOUR_MS, maxHeatW: 3_000 };
/** Heat for one part of electricity, and what runs besides. */
const COP = 3;
const STANDBY_W = 40;
const BOOST_W = 1_500;
const BOOST_MS = 3 * HOUR_MS;
const CURVE_C = 20;

const buildingOf = ({ model }: SimulatedPump) => (model === 'HOIAX' ? TANK : HOUSE);
const copOf = ({ model }: SimulatedPump) => (model === 'HOIAX' ? 1 : COP);
const targetOf = (pump: SimulatedPump) =>
  MODELS[pump.model].target === null ? CURVE_C + pump.offset : pump.target;

/** Brings a device to `now`; its meter counts what it took on the way. */
export function settle(pump: SimulatedPump, now: number): void {
  if (now <= pump.at) return;
  const building = buildingOf(pump);
  const targetC = targetOf(pump);
  const { roomC, pieces } = heatRoom(building, { roomC: pump.celsius, targetC }, { from: pump.at, to: now });
  for (const { from, to, regime } of pieces) {
    const heat = (ms: number) => heatW(building, { regime, targetC }, ms);
    const mean = (heat(from) + 4 * heat((from + to) / 2) + heat(to)) / 6;
    pump.wh += ((mean / copOf(pump) + STANDBY_W) * (to - from)) / HOUR_MS;
  }
  const boosted = Math.max(0, Math.min(now, pump.boostEndsAt ?? 0) - pump.at);
  pump.wh += (BOOST_W * boosted) / HOUR_MS;
  if (pump.boostEndsAt !== null && pump.boostEndsAt <= now) pump.boostEndsAt = null;
  pump.celsius = roomC;
  pump.at = now;
}

function wattOf(pump: SimulatedPump): number {
  const building = buildingOf(pump);
  const targetC = targetOf(pump);
  const regime = regimeOf(building, { roomC: pump.celsius, targetC }, pump.at);
  const heat = heatW(building, { regime, targetC }, pump.at);
  return heat / copOf(pump) + STANDBY_W + (pump.boostEndsAt === null ? 0 : BOOST_W);
}

type Words = 'en' | 'sv';
const PRIORITIES = {
  10: { en: 'Off', sv: 'Av' },
  20: { en: 'Hot water', sv: 'Varmvatten' },
  30: { en: 'Heating', sv: 'Värme' },
} as const;
const OFF_ON = { 0: { en: 'off', sv: 'av' }, 1: { en: 'on', sv: 'på' } } as const;
const OFF_ONCE = {
  0: { en: 'Off', sv: 'Av' },
  4: { en: 'One time increase', sv: 'Engångshöjning' },
} as const;

/** All that myUplink says of a device, in a language. */
export function pointsOf(pump: SimulatedPump, language: Words): JsonObject[] {
  const { name, target, room, boost, boostOn, meters } = MODELS[pump.model];
  const timestamp = new Date(pump.at).toISOString().replace(/\.\d+Z$/, '+00:00');
  const point = (
    parameterId: string,
    parameterName: string,
    value: number,
    more: JsonObject & { readonly unit?: string } = {},
  ): JsonObject => {
    const { unit = '', ...rest } = more;
    return {
      category: name,
      parameterId,
      parameterName,
      parameterUnit: unit,
      writable: false,
      timestamp,
      value,
      strVal: `${value}${unit}`,
      smartHomeCategories: [],
      minValue: null,
      maxValue: null,
      stepValue: 1,
      enumValues: [],
      scaleValue: unit === '' ? '1' : '0.1',
      zoneId: null,
      ...rest,
    };
  };
  const chosen = (words: Readonly<Record<number, Readonly<Record<Words, string>>>>, value: number) => ({
    strVal: words[value]?.[language] ?? String(value),
    enumValues: Object.entries(words).map(
      ([one, text]): Json => ({ value: one, text: text[language], icon: '' }),
    ),
  });
  const degrees = { unit: '°C' };
  const celsius = Math.round(pump.celsius * 10) / 10;
  const settable = { ...degrees, writable: true, minValue: 50, maxValue: 350, stepValue: 5 };
  const watt = Math.round(wattOf(pump));
  const kwh = Math.round(pump.wh / 100) / 10;
  if (pump.model === 'HOIAX')
    return [
      point('527', 'Target temperature', pump.target, {
        ...settable,
        minValue: 200,
        maxValue: 750,
        stepValue: 10,
      }),
      point('528', 'Current temperature', celsius, degrees),
      point('400', 'Estimated power', watt, { unit: 'W', scaleValue: '1' }),
      point('303', 'Energy total', kwh, { unit: 'kWh' }),
    ];
  const heats = watt > STANDBY_W;
  const priority = pump.boostEndsAt !== null ? 20 : heats ? 30 : 10;
  const isF = target === '47398' || target === null;
  const marks = isF ? [] : ['sh-indoorSpHeat'];
  const boosted = pump.boostEndsAt === null ? 0 : boostOn;
  const words = boostOn === 4 ? OFF_ONCE : OFF_ON;
  return [
    point(isF ? '40033' : room, 'Room temperature (BT50)', celsius, {
      ...degrees,
      smartHomeCategories: isF ? [] : ['sh-indoorTemp'],
    }),
    point(isF ? '40047' : '44', 'Supply line (BT61)', -32_768, degrees),
    // The load monitor's, on the cables into the house.
    point(isF ? '40079' : '66', 'Current (BE1)', 5.4, { unit: 'A' }),
    point(isF ? '40940' : '781', 'Degree minutes', -60, { writable: true }),
    point(isF ? '40940' : '781', 'Degree minutes', -60, { writable: true }),
    point(isF ? '49994' : '55000', 'Priority', priority, chosen(PRIORITIES, priority)),
    ...(target === null
      ? []
      : [
          point(target, 'Room sensor set point value heating climate system 1', pump.target, {
            ...settable,
            smartHomeCategories: marks,
            zoneId: pump.model === 'SMO' ? ZONE : null,
          }),
        ]),
    point('47011', 'Heating offset climate system 1', pump.offset, {
      writable: true,
      minValue: -10,
      maxValue: 10,
      smartHomeCategories: ['sh-indoorSpOffsHeat'],
    }),
    ...(boost === null
      ? []
      : [
          point(boost, 'More hot water', boosted, {
            writable: true,
            smartHomeCategories: ['sh-hwBoost'],
            ...chosen(words, boosted),
          }),
        ]),
    ...(meters
      ? [
          point('22130', 'Instantaneous used power', watt, { unit: 'W', scaleValue: '1' }),
          point('28393', 'Tot. consumption', kwh, { unit: 'kWh' }),
        ]
      : []),
  ];
}

export const ZONE = '3';

/** The device's zones; only the model that is set by them has one. */
export const zonesOf = (pump: SimulatedPump): JsonObject[] =>
  pump.model !== 'SMO'
    ? []
    : [
        {
          zoneId: ZONE,
          name: 'Upper floor',
          commandOnly: false,
          supportedModes: '',
          mode: 'heat',
          temperature: Math.round(pump.celsius * 10) / 10,
          setpoint: pump.target,
          setpointHeat: pump.target,
          setpointCool: null,
          setpointRangeMin: 5,
          setpointRangeMax: 35,
          isCelsius: true,
          indoorCo2: 0,
          indoorHumidity: 0,
        },
      ];

/** Writes one point; false where the device has no such point, or does not take the value. */
export function writePoint(pump: SimulatedPump, id: string, text: Json): boolean {
  const point = pointsOf(pump, 'en').find(({ parameterId }) => parameterId === id);
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (point?.writable !== true || !Number.isFinite(value)) return false;
  const scale = Number(point.scaleValue);
  const isBeyond = (bound: Json | undefined, sign: number) =>
    typeof bound === 'number' && (value - bound * scale) * sign > 1e-9;
  if (isBeyond(point.maxValue, 1) || isBeyond(point.minValue, -1)) return false;
  const { target, boost, boostOn } = MODELS[pump.model];
  // The point of a zone is "modified" and stays what it is; a device that is not connected does not get it either.
  if (!pump.online || point.zoneId !== null) return true;
  if (id === target) pump.target = value;
  if (id === '47011') pump.offset = value;
  if (id === boost) {
    if (value !== 0 && value !== boostOn) return false;
    pump.boostEndsAt = value === 0 ? null : pump.at + BOOST_MS;
  }
  return true;
}

/** A device of a system; ids look as the vendor's do. */
export const newPump = (
  number: number,
  model: Model,
  now: number,
  more: Partial<Pick<SimulatedPump, 'systemId' | 'isPremium'>> = {},
): SimulatedPump => ({
  id: `simulated-r-${100_000 + number}-20240201-aa-bb-cc-00-00-${String(number % 100).padStart(2, '0')}`,
  systemId: `5e000000-0000-4000-8000-${String(Math.ceil(number / 2)).padStart(12, '0')}`,
  model,
  isPremium: true,
  online: true,
  at: now,
  celsius: model === 'HOIAX' ? 60 : 20,
  target: model === 'HOIAX' ? 60 : 20,
  offset: 0,
  boostEndsAt: null,
  wh: 2_813_000,
  ...more,
});

export const nameOf = ({ model }: SimulatedPump): string => MODELS[model].name;
export const boostMs = BOOST_MS;
