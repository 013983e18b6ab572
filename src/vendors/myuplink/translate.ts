import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { Status } from '../../adapter/device.ts';
import { each, figure, fits, lenient, PlainId, timeIn, unrecognized, word } from '../../adapter/kit/index.ts';

/*
 * What is used of myUplink's responses. A device is a list of points, numbered by the maker and by the series; a point that is not
 * understood costs the others nothing.
 */

export const SystemsPage = lenient({ systems: Type.Array(Type.Unknown()) }, 'numItems');
export const System = lenient({ systemId: PlainId }, 'name', 'securityLevel', 'devices');
export const SystemDevice = lenient({ id: PlainId }, 'product');
export const Connection = Type.Object({ connectionState: Type.String() });
export const Points = Type.Array(Type.Unknown());
const Point = lenient(
  { parameterId: Type.String({ pattern: '^\\w{1,32}$' }), value: Type.Number() },
  'parameterUnit',
  'writable',
  'timestamp',
  'strVal',
  'smartHomeCategories',
  'minValue',
  'maxValue',
  'stepValue',
  'enumValues',
  'scaleValue',
  'zoneId',
);
type Point = Static<typeof Point>;
/** The response to changed points: `{"status": 200, "payload": {"47398": "modified"}}`. */
export const Changed = Type.Union([lenient({}, 'payload'), Type.Null()]);

/** A device that myUplink reaches, and what it says; no points while it is not connected. */
export interface Reading {
  readonly isConnected: boolean;
  /** `connectionState` of the device. */
  readonly connection: string;
  readonly points: readonly Point[];
}

const Setting = Type.Object({
  id: Type.String(),
  /** The zone that it is set by; null where the point itself is written. */
  zone: Type.Union([PlainId, Type.Null()]),
  min: Type.Number(),
  max: Type.Number(),
  step: Type.Number(),
});
export type Setting = Static<typeof Setting>;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
/** What listing learnt of a device, in `DeviceRef.details`. */
export const Details = Type.Object({
  /** Read capabilities that its points fill. */
  reads: Type.Array(Type.Enum(['read_temperature', 'read_power', 'read_energy'])),
  /** The target, °C. */
  setpoint: orNull(Setting),
  /** The parallel move of the heating curve, steps. */
  offset: orNull(Setting),
  /** The point that boosts hot water, and what switches it on. */
  boost: orNull(Type.Object({ id: Type.String(), on: Type.String() })),
  /** The account may only look. */
  is_viewer: Type.Boolean(),
});
export type Details = Static<typeof Details>;

/** No value: a sensor that is not there. It is written without its scale. */
const ABSENT = -32_768;
/** What a unit is of ours. */
const UNITS: Readonly<Record<string, number>> = { '°C': 1_000, W: 1, kW: 1_000, Wh: 1, kWh: 1_000 };

interface Role {
  /** Parameter ids, the best first: NIBE's F series has five digits from 40000, the S series all lengths. */
  readonly ids: readonly string[];
  /** The vendor's own mark for such a point, on models whose ids are not known here. */
  readonly category?: string;
  readonly units: readonly string[];
}
const ROLES = {
  room: { ids: ['40033', '48351', '50660'], category: 'sh-indoorTemp', units: ['°C'] },
  setpoint: { ids: ['47398', '47751'], category: 'sh-indoorSpHeat', units: ['°C'] },
  offset: { ids: ['47011'], category: 'sh-indoorSpOffsHeat', units: [''] },
  boost: { ids: ['50004', '7086', '48132'], category: 'sh-hwBoost', units: [''] },
  power: { ids: ['22130', '27335', '25165'], units: ['W', 'kW'] },
  energy: { ids: ['28393'], units: ['Wh', 'kWh'] },
  priority: { ids: ['49994', '55000'], units: [''] },
  // Høiax: a water heater, whose temperature is that of its water.
  water: { ids: ['528'], units: ['°C'] },
  waterTarget: { ids: ['527'], units: ['°C'] },
  waterPower: { ids: ['400'], units: ['W', 'kW'] },
  waterEnergy: { ids: ['303'], units: ['Wh', 'kWh'] },
} as const satisfies Record<string, Role>;
/** What switches a boost on where it is not 1: once. */
const BOOST_ON: Readonly<Record<string, string>> = { '48132': '4' };

export const CONNECTED = 'Connected';

export const pointsIn = (list: unknown): Point[] => each(list, Point);

/** The point of a role that has a value in a unit that is known; of several with one id the first. */
function pointOf(points: readonly Point[], { ids, category, units }: Role): Point | undefined {
  const fitting = points.filter(
    ({ value, parameterUnit = '' }) => value !== ABSENT && units.some((unit) => unit === parameterUnit),
  );
  const named = ids.map((id) => fitting.find(({ parameterId }) => parameterId === id));
  return (
    named.find((point) => point !== undefined) ??
    fitting.find(
      ({ smartHomeCategories: marks }) => category !== undefined && listed(marks).includes(category),
    )
  );
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isWaterHeater = (points: readonly Point[]): boolean =>
  pointOf(points, ROLES.water) !== undefined && pointOf(points, ROLES.waterTarget) !== undefined;

const chosen = (points: readonly Point[], house: Role, water: Role): Point | undefined =>
  pointOf(points, isWaterHeater(points) ? water : house);

/** The value in our unit; null where it is not there, or not possible. */
function amount(point: Point | undefined, least: number, most: number): number | null {
  if (point === undefined) return null;
  const value = figure(point.value, least, most);
  return value === null ? null : Math.round(value * (UNITS[String(point.parameterUnit)] ?? 1));
}

/** The room's temperature, milli-Celsius; that of the water for a water heater. */
export const temperatureOf = ({ points }: Reading): number | null =>
  amount(chosen(points, ROLES.room, ROLES.water), -60, 110);

/**
 * What the device says that it takes, watt. Never from its phase currents (BE1–BE3): those sensors sit on the cables into the house, for
 * the load monitor, and measure everything in it.
 */
export const powerOf = ({ points }: Reading): number | null =>
  amount(chosen(points, ROLES.power, ROLES.waterPower), 0, 100_000);

/** All that it has used, watt-hours. */
export const energyOf = ({ points }: Reading): number | null =>
  amount(chosen(points, ROLES.energy, ROLES.waterEnergy), 0, 1e9);

/** The heating offset now, steps. */
export const offsetOf = ({ points }: Reading): number | null =>
  amount(pointOf(points, ROLES.offset), -100, 100);

/** `power_on` is the hot-water boost, the only thing that can be switched; a model without one does not have the field. */
export function statusOf({ isConnected, points }: Reading): Status {
  if (!isConnected) return { online: false };
  const boost = pointOf(points, ROLES.boost);
  const doing = word(pointOf(points, ROLES.priority)?.strVal);
  return {
    online: true,
    ...(boost === undefined ? {} : { power_on: boost.value > 0 }),
    ...(doing === null ? {} : { operation_state: doing }),
  };
}

/** `isConnected` of a reading, from what the vendor calls it. */
export const connectedIn = (connection: string): Pick<Reading, 'isConnected' | 'connection'> => ({
  isConnected: connection === CONNECTED,
  connection,
});

/** How a device is connected, and units of the points that are used, where they are not recognized. */
export const unrecognizedIn = ({ connection, points }: Reading): string[] => [
  ...unrecognized({ connectionState: [connection, [CONNECTED, 'Disconnected']] }),
  ...points.flatMap(({ parameterId, parameterUnit }) => {
    const role = Object.values<Role>(ROLES).find(({ ids }) => ids.includes(parameterId));
    return role === undefined
      ? []
      : unrecognized({ [`unit of ${parameterId}`]: [parameterUnit, role.units] });
  }),
];

/** When the newest point was measured: a point keeps its time for as long as its value stays. */
export function observedAt({ points }: Reading): number | null {
  const times = points.map(({ timestamp }) => timeIn(timestamp)).filter((time) => time !== null);
  return times.length === 0 ? null : Math.max(...times);
}

/** What a device can do, from its points. */
export function detailsIn(points: readonly Point[], securityLevel: unknown): Details {
  const reading: Reading = { ...connectedIn(CONNECTED), points };
  const isWater = isWaterHeater(points);
  const room = temperatureOf(reading);
  const setpoint = settingIn(pointOf(points, isWater ? ROLES.waterTarget : ROLES.setpoint), {
    min: isWater ? 20 : 5,
    max: isWater ? 75 : 30,
  });
  const boost = pointOf(points, ROLES.boost);
  const on = BOOST_ON[boost?.parameterId ?? ''] ?? '1';
  const values = listed(boost?.enumValues).map((one) => (fits(EnumValue, one) ? Number(one.value) : null));
  const canBoost = boost?.writable === true && (values.length === 0 || values.includes(Number(on)));
  return {
    reads: [
      ...(room === null ? [] : ['read_temperature' as const]),
      ...(powerOf(reading) === null ? [] : ['read_power' as const]),
      ...(energyOf(reading) === null ? [] : ['read_energy' as const]),
    ],
    // Without a room sensor a target changes nothing, and an offset cannot be told from one.
    setpoint: room === null ? null : setpoint,
    offset:
      room === null || setpoint !== null
        ? null
        : settingIn(pointOf(points, ROLES.offset), { min: -10, max: 10 }),
    boost: canBoost ? { id: boost.parameterId, on } : null,
    is_viewer: securityLevel === 'viewer',
  };
}

const EnumValue = Type.Object({ value: Type.Union([Type.String(), Type.Number()]) });

/** A point that can be set. Its bounds are raw, unlike its value: 50 to 350 with a scale of 0.1 is 5 to 35. */
function settingIn(point: Point | undefined, usual: { min: number; max: number }): Setting | null {
  if (point?.writable !== true) return null;
  const scale = Number(point.scaleValue) > 0 ? Number(point.scaleValue) : 1;
  const scaled = (raw: unknown) => (typeof raw === 'number' ? Math.round(raw * scale * 1_000) / 1_000 : null);
  const [min, max] = [scaled(point.minValue), scaled(point.maxValue)];
  const bounds = min !== null && max !== null && min < max ? { min, max } : usual;
  const step = scaled(point.stepValue) ?? 1;
  const zone = fits(PlainId, point.zoneId) ? point.zoneId : null;
  return { id: point.parameterId, zone, ...bounds, step: step > 0 ? step : 1 };
}

/** What a device lacks, and why in words for the caller. */
function lacks(details: Details | undefined): Partial<Record<Capability, string>> {
  const missing = (reason: string, ...capabilities: Capability[]) =>
    Object.fromEntries(capabilities.map((one) => [one, reason]));
  if (details === undefined)
    return missing(
      'what it can do has not been asked yet, and is when the account is listed next, within a day',
      ...CAPABILITIES,
    );
  const { reads, setpoint, offset, boost, is_viewer } = details;
  const look = 'the myUplink account may only look at this system; its owner can let it change settings';
  return {
    ...(reads.includes('read_temperature') ? {} : missing('it has no room sensor', 'read_temperature')),
    ...(reads.includes('read_power')
      ? {}
      : missing(
          'it does not report what power it takes; its phase currents are those of the whole house',
          'read_power',
        )),
    ...(reads.includes('read_energy')
      ? {}
      : missing('it does not report what energy it has used', 'read_energy')),
    ...(setpoint === null && offset === null
      ? missing(
          'it has no room sensor together with a target or a heating offset that can be set',
          'set_temperature',
        )
      : {}),
    ...(boost === null ? missing('it has no hot-water boost that can be switched', 'on_off') : {}),
    ...(is_viewer ? missing(look, 'set_temperature', 'on_off') : {}),
  };
}
const CAPABILITIES = ['read_temperature', 'read_power', 'read_energy', 'set_temperature', 'on_off'] as const;

const lacksOf = ({ details }: Pick<Found, 'details'>) => lacks(fits(Details, details) ? details : undefined);

export const withheldFrom = (found: Found): readonly Capability[] =>
  Object.keys(lacksOf(found)) as Capability[];

export function whyWithheld(found: Pick<Found, 'details'>): string | undefined {
  const reasons = new Set(Object.values(lacksOf(found)));
  return reasons.size === 0 ? undefined : [...reasons].join('; ');
}
