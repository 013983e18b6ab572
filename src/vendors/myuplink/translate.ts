import Type, { type Static } from 'typebox';
import type { Found, Status } from '../../adapter/device.ts';
import * as kit from '../../adapter/kit/index.ts';

/*
 * What is used of myUplink's responses. A device is a list of points, numbered by the maker and by the series; a point that is not
 * understood costs the others nothing.
 */

const Point = kit.lenient(
  { parameterId: Type.String({ pattern: '^\\w{1,32}$' }), value: Type.Number() },
  ...(['parameterUnit', 'writable', 'timestamp', 'strVal', 'smartHomeCategories', 'enumValues'] as const),
  ...(['minValue', 'maxValue', 'stepValue', 'scaleValue', 'zoneId'] as const),
);
type Point = Static<typeof Point>;
const EnumValue = Type.Object({ value: Type.Union([Type.String(), Type.Number()]) });

/** A device and its points; none of one that myUplink does not reach. */
export interface Reading {
  /** `connectionState`: `Connected` or `Disconnected`. */
  readonly connection: string;
  readonly points: readonly Point[];
}
export const CONNECTED = 'Connected';

/** No value: a sensor that is not there. It is written without its scale. */
const ABSENT = -32_768;
/** What a unit is of ours. */
const UNITS: Readonly<Record<string, number>> = { '°C': 1_000, W: 1, kW: 1_000, Wh: 1, kWh: 1_000 };

interface Role {
  /** Parameter ids, the best first: NIBE's F series has five digits from 40000, the S series all lengths. */
  readonly ids: readonly string[];
  /** The vendor's own mark for such a point, on models whose ids are not listed here. */
  readonly category?: string;
  readonly units: readonly string[];
}
type RoleName = 'temperature' | 'target' | 'offset' | 'boost' | 'power' | 'energy' | 'priority';
type Roles = Readonly<Partial<Record<RoleName, Role>>>;
const HOUSE: Roles = {
  temperature: { ids: ['40033', '48351', '50660'], category: 'sh-indoorTemp', units: ['°C'] },
  target: { ids: ['47398', '47751'], category: 'sh-indoorSpHeat', units: ['°C'] },
  offset: { ids: ['47011'], category: 'sh-indoorSpOffsHeat', units: [''] },
  boost: { ids: ['50004', '7086', '48132'], category: 'sh-hwBoost', units: [''] },
  // Never the phase currents (BE1–BE3): those sensors sit on the cables into the house and measure everything in it.
  power: { ids: ['22130', '27335', '25165'], units: ['W', 'kW'] },
  energy: { ids: ['28393'], units: ['Wh', 'kWh'] },
  priority: { ids: ['49994', '55000'], units: [''] },
};
/** A water heater of Høiax, whose temperature is that of its water. */
const WATER: Roles = {
  temperature: { ids: ['528'], units: ['°C'] },
  target: { ids: ['527'], units: ['°C'] },
  power: { ids: ['400'], units: ['W', 'kW'] },
  energy: { ids: ['303'], units: ['Wh', 'kWh'] },
};
/** What switches a boost on where it is not 1: once. */
const BOOST_ON: Readonly<Record<string, string>> = { '48132': '4' };

export const pointsIn = (list: unknown): Point[] => kit.each(list, Point);

const isWaterHeater = (points: readonly Point[]): boolean =>
  ['527', '528'].every((id) =>
    points.some((one) => one.parameterId === id && /^°/.test(String(one.parameterUnit))),
  );
const rolesOf = (points: readonly Point[]): Roles => (isWaterHeater(points) ? WATER : HOUSE);

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isMarked = ({ smartHomeCategories }: Point, { category }: Role): boolean =>
  category !== undefined && listed(smartHomeCategories).includes(category);

/** The point of a role that has a value in a recognized unit; of several with one id the first. */
function pointOf(points: readonly Point[], name: RoleName): Point | undefined {
  const role = rolesOf(points)[name];
  if (role === undefined) return undefined;
  const fitting = points.filter(
    ({ value, parameterUnit = '' }) => value !== ABSENT && role.units.some((unit) => unit === parameterUnit),
  );
  const named = role.ids.flatMap((id) => fitting.find(({ parameterId }) => parameterId === id) ?? []);
  return named[0] ?? fitting.find((point) => isMarked(point, role));
}

/** The value of a role in our unit; null where it is not there, or not possible. */
function amount({ points }: Reading, name: RoleName, [least, most]: readonly [number, number]) {
  const point = pointOf(points, name);
  const value = kit.figure(point?.value, least, most);
  return value === null ? null : Math.round(value * (UNITS[String(point?.parameterUnit)] ?? 1));
}

/** The room's temperature, milli-Celsius; that of the water for a water heater. */
export const temperatureOf = (reading: Reading) => amount(reading, 'temperature', [-60, 110]);
/** What the device says that it takes, watt. */
export const powerOf = (reading: Reading) => amount(reading, 'power', [0, 100_000]);
/** All that it has used, watt-hours. */
export const energyOf = (reading: Reading) => amount(reading, 'energy', [0, 1e9]);
/** The heating offset now, steps. */
export const offsetOf = (reading: Reading) => amount(reading, 'offset', [-100, 100]);

/** `power_on` is the hot-water boost, the only thing that can be switched; a model without one does not have the field. */
export function statusOf({ connection, points }: Reading): Status {
  if (connection !== CONNECTED) return { online: false };
  const boost = pointOf(points, 'boost');
  const doing = kit.word(pointOf(points, 'priority')?.strVal);
  return {
    online: true,
    ...(boost === undefined ? {} : { power_on: boost.value > 0 }),
    ...(doing === null ? {} : { operation_state: doing }),
  };
}

/** How a device is connected, and units of points that would be used, where they are not recognized. */
export function unrecognizedIn({ connection, points }: Reading): string[] {
  const units = points.flatMap((point) => {
    const used = Object.values(rolesOf(points)).filter(
      (role) => role.ids.includes(point.parameterId) || isMarked(point, role),
    );
    const field = `unit of ${point.parameterId}`;
    return used.flatMap(({ units }) => kit.unrecognized({ [field]: [point.parameterUnit, units] }));
  });
  return [...kit.unrecognized({ connectionState: [connection, [CONNECTED, 'Disconnected']] }), ...units];
}

/** When the newest point was measured: a point keeps its time for as long as its value stays. */
export function observedAt({ points }: Reading): number | null {
  const times = points.map(({ timestamp }) => kit.timeIn(timestamp)).filter((time) => time !== null);
  return times.length === 0 ? null : Math.max(...times);
}

const CAPABILITIES = ['read_temperature', 'read_power', 'read_energy', 'set_temperature', 'on_off'] as const;
/** What sets the temperature: a point in °C, the zone that the point is of, or steps that move the heating curve. */
const Target = Type.Object({
  by: Type.Enum(['point', 'zone', 'curve']),
  /** Of the point or of the zone. */
  id: Type.String(),
  min: Type.Number(),
  max: Type.Number(),
  step: Type.Number(),
});
export type Target = Static<typeof Target>;
/** What listing stores of a device. */
export const Details = Type.Object({
  has: Type.Array(Type.Enum([...CAPABILITIES])),
  target: Type.Union([Target, Type.Null()]),
  /** The point that boosts hot water, and what switches it on. */
  boost: Type.Union([Type.Object({ id: Type.String(), on: Type.String() }), Type.Null()]),
  /** Why it does not take every command. */
  why: Type.Union([Type.String(), Type.Null()]),
});
export type Details = Static<typeof Details>;

/** What a device can do, from its points. */
export function detailsIn(points: readonly Point[], securityLevel: unknown): Details {
  const reading: Reading = { connection: CONNECTED, points };
  const isViewer = securityLevel === 'viewer';
  const usual = isWaterHeater(points) ? ([20, 75] as const) : ([5, 30] as const);
  const hasSensor = temperatureOf(reading) !== null;
  // Without a room sensor a target changes nothing, and what an offset does cannot be read.
  const settable =
    targetIn(pointOf(points, 'target'), usual, 'point') ??
    targetIn(pointOf(points, 'offset'), [-10, 10], 'curve');
  const target = hasSensor ? settable : null;
  const boost = boostIn(pointOf(points, 'boost'));
  const has = {
    read_temperature: hasSensor,
    read_power: powerOf(reading) !== null,
    read_energy: energyOf(reading) !== null,
    set_temperature: target !== null && !isViewer,
    on_off: boost !== null && !isViewer,
  };
  const lacks = [
    ...(target === null ? ['no room sensor together with a target or a heating offset that can be set'] : []),
    ...(boost === null ? ['no hot-water boost that can be switched'] : []),
  ];
  const why = isViewer
    ? 'the myUplink account may only look at this system; its owner can let it change settings'
    : lacks.length === 0
      ? null
      : `it has ${lacks.join(', and ')}`;
  return { has: CAPABILITIES.filter((one) => has[one]), target, boost, why };
}

export const withheldFrom = ({ details }: Pick<Found, 'details'>) =>
  CAPABILITIES.filter((one) => !kit.fits(Details, details) || !details.has.includes(one));

export const whyWithheld = ({ details }: Pick<Found, 'details'>): string | undefined =>
  kit.fits(Details, details)
    ? (details.why ?? undefined)
    : 'what it can do has not been asked yet, and is when the account is listed next, within a day';

/** A point that can be set. Its bounds are raw, unlike its value: 50 to 350 with a scale of 0.1 is 5 to 35. */
function targetIn(
  point: Point | undefined,
  [least, most]: readonly [number, number],
  by: Target['by'],
): Target | null {
  if (point?.writable !== true) return null;
  const scale = Number(point.scaleValue) > 0 ? Number(point.scaleValue) : 1;
  const scaled = (raw: unknown) => (typeof raw === 'number' ? Math.round(raw * scale * 1_000) / 1_000 : null);
  const [min, max] = [scaled(point.minValue), scaled(point.maxValue)];
  const bounds = min !== null && max !== null && min < max ? { min, max } : { min: least, max: most };
  const step = scaled(point.stepValue) ?? 1;
  const of = { ...bounds, step: step > 0 ? step : 1 };
  // The point of a zone says "modified" and stays what it is.
  return kit.fits(kit.PlainId, point.zoneId) && by === 'point'
    ? { by: 'zone', id: point.zoneId, ...of }
    : { by, id: point.parameterId, ...of };
}

function boostIn(point: Point | undefined): Details['boost'] {
  if (point?.writable !== true) return null;
  const on = BOOST_ON[point.parameterId] ?? '1';
  const values = kit.each(point.enumValues, EnumValue).map(({ value }) => Number(value));
  return values.length === 0 || values.includes(Number(on)) ? { id: point.parameterId, on } : null;
}
