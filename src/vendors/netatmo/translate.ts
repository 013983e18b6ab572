import Type, { type Static } from 'typebox';
import type { Found, Status } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import {
  each,
  figure,
  fits,
  lenient,
  listedOnce,
  named,
  PlainId,
  unrecognized,
  word,
} from '../../adapter/kit/index.ts';

/*
 * What is used of Netatmo's responses. Each member of a list is judged by itself, and fields whose value may be odd are unknown here:
 * one room that is not understood costs the others nothing.
 */

const ModuleId = Type.String({ pattern: '^[\\w:#-]{1,64}$' });
export const HomesResponse = Type.Object({
  body: Type.Object({
    homes: Type.Optional(Type.Array(Type.Unknown())),
    user: Type.Object({ id: PlainId }),
  }),
});
const Home = lenient({ id: PlainId }, 'name', 'rooms', 'modules', 'therm_setpoint_default_duration');
const HomeModule = lenient({ id: ModuleId, type: Type.String({ maxLength: 32 }) }, 'room_id', 'bridge');
const HomeRoom = lenient({ id: PlainId }, 'name', 'module_ids');
const Minutes = Type.Integer({ minimum: 1 });
export const StatusResponse = Type.Object({
  body: lenient({ home: Type.Optional(lenient({}, 'rooms', 'modules')) }, 'errors'),
});
const StatusRoom = lenient(
  { id: PlainId },
  'reachable',
  'therm_measured_temperature',
  'therm_setpoint_mode',
  'cooling_setpoint_mode',
  // Percent of its heating that the room asks for.
  'heating_power_request',
  // Whether a thermostat of the room has the boiler run: of its modules.
  'boiler_status',
);
const StatusModule = lenient({ id: ModuleId }, 'reachable', 'boiler_status');
/** The response to a command; `errors` are of modules that did not get it. */
export const Ordered = Type.Object({
  status: Type.Optional(Type.Literal('ok')),
  body: Type.Optional(lenient({}, 'errors')),
});
export const ModuleError = lenient({ id: ModuleId }, 'code');
/** What linking kept of a room, in `DeviceRef.details`. */
export const Details = Type.Object({
  home_id: PlainId,
  room_id: PlainId,
  modules: Type.Array(Type.Object({ id: ModuleId, type: Type.String() })),
  bridges: Type.Array(ModuleId),
  commands: Type.Enum(['setroomthermpoint', 'setstate']),
  default_minutes: Type.Union([Minutes, Type.Null()]),
  can_cool: Type.Optional(Type.Boolean()),
});
export type Details = Static<typeof Details>;

/** A room in a `homestatus`; null while its heating cannot be reached. */
export type Reading = Static<typeof StatusRoom> | null;

/** Modules that hold a room at a temperature: thermostat, radiator valve, modulating thermostat, Smarther. */
const HEATING = ['NATherm1', 'NRV', 'OTM', 'BNS'];
/** A valve has no mode "off". */
const SWITCHABLE = ['NATherm1', 'OTM', 'BNS'];
/** A home with one of these sets its valves by the newer call. */
const NEWER = ['OTM', 'BNS'];
/** Modes in which a room is heated or cooled: `hg` (frost guard) still keeps the room at 7 °C. */
const RUNS: ReadonlySet<unknown> = new Set(['manual', 'max', 'home', 'schedule', 'away', 'hg']);

/** Rooms are numbered within their home, from 32 bits: only together with the home's does a room's id name one room. */
export const deviceIdOf = (homeId: string, roomId: string) => `${homeId}.${roomId}`;

/** The rooms with heating, from `homesdata`. */
export function roomsIn({ body }: Static<typeof HomesResponse>): Found[] {
  const homes = each(body.homes, Home);
  return listedOnce(homes.flatMap((home) => roomsOf(home, homes.length === 1)));
}

function roomsOf(home: Static<typeof Home>, isOnlyHome: boolean): Found[] {
  const modules = each(home.modules, HomeModule).filter(({ type }) => HEATING.includes(type));
  const isNewer = modules.some(({ type }) => NEWER.includes(type));
  const minutes = home.therm_setpoint_default_duration;
  return each(home.rooms, HomeRoom).flatMap((room): Found[] => {
    const listed = Array.isArray(room.module_ids) ? room.module_ids : [];
    const own = modules.filter(({ id, room_id }) => room_id === room.id || listed.includes(id));
    const has = (type: string) => own.some((module) => module.type === type);
    if (own.length === 0) return [];
    const isOlder = has('NATherm1') || (has('NRV') && !isNewer);
    const details: Details = {
      home_id: home.id,
      room_id: room.id,
      modules: own.map(({ id, type }) => ({ id, type })),
      bridges: [...new Set(own.map(({ bridge }) => bridge))].filter((id) => fits(ModuleId, id)),
      commands: isOlder ? 'setroomthermpoint' : 'setstate',
      default_minutes: fits(Minutes, minutes) ? minutes : null,
      can_cool: has('BNS'),
    };
    const place = isOnlyHome ? null : word(home.name);
    const name = named(place === null || word(room.name) === null ? room.name : `${room.name} (${place})`);
    return [{ id: deviceIdOf(home.id, room.id), type: 'thermostat', ...name, details }];
  });
}

/** A room whose heating is valves alone cannot be switched off. */
export function withheldFrom({ details }: Found): readonly Capability[] {
  const modules = fits(Details, details) ? details.modules : [];
  return modules.some(({ type }) => SWITCHABLE.includes(type)) ? [] : ['on_off'];
}

/**
 * One room in a `homestatus`; undefined when the home has no such room any more. A room that is listed decides by its own
 * `reachable`; a missing one is offline where the vendor says so of its modules or of their relay.
 */
export function readingIn({ body }: Static<typeof StatusResponse>, details: Details): Reading | undefined {
  const own = details.modules.map(({ id }) => id);
  const failed = new Set(each(body.errors, ModuleError).map(({ id }) => id));
  const isFailed = own.every((id) => failed.has(id)) || details.bridges.some((id) => failed.has(id));
  const room = each(body.home?.rooms, StatusRoom).find(({ id }) => id === details.room_id);
  const modules = each(body.home?.modules, StatusModule).filter(({ id }) => own.includes(id));
  const boilers = modules.map(({ boiler_status }) => boiler_status).filter((one) => typeof one === 'boolean');
  const boiler_status = boilers.length === 0 ? null : boilers.includes(true);
  if (room !== undefined) return isFailed || room.reachable === false ? null : { ...room, boiler_status };
  return isFailed || modules.some(({ reachable }) => reachable === false) ? null : undefined;
}

export function statusOf(reading: Reading): Status {
  if (reading === null) return { online: false };
  const mode = modeOf(reading);
  const power_on = mode === 'off' ? false : RUNS.has(mode) || null;
  return { online: true, power_on, operation_state: labelOf(reading) };
}

/** The mode, and whether it heats now: `schedule heating`, `away idle`; the mode alone where that is not known, or off. */
function labelOf(reading: Reading): string | null {
  const mode = modeOf(reading);
  const heated = isHeated(reading);
  return mode === null || mode === 'off' || heated === null ? mode : `${mode} ${heated ? 'heating' : 'idle'}`;
}

/** Whether the room is heated now; null where Netatmo does not say, as in a home that cools. */
function isHeated(reading: Reading): boolean | null {
  const request = figure(reading?.heating_power_request, 0, 100);
  const boiler = reading?.boiler_status;
  if (request === null) return typeof boiler === 'boolean' ? boiler : null;
  return request > 0 || boiler === true;
}

/** The mode of the setpoint that holds; a home that cools has the other one. */
export const modeOf = (reading: Reading): string | null =>
  word(reading?.therm_setpoint_mode ?? reading?.cooling_setpoint_mode);

export const unrecognizedIn = (reading: Reading): string[] =>
  unrecognized({ 'mode of the setpoint': [modeOf(reading), [...RUNS, 'off']] });

/** The room's measured temperature, milli-Celsius; nobody lives beyond −60 or 100 °C. */
export function temperatureOf(reading: Reading): number | null {
  const celsius = figure(reading?.therm_measured_temperature, -60, 100);
  return celsius === null ? null : celsius * 1_000;
}
