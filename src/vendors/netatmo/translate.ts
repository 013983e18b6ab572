import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { Status } from '../../adapter/device.ts';
import { each, fits } from '../../adapter/kit/index.ts';

/*
 * What is used of Netatmo's responses. Each member of a list is judged by itself, and fields whose value may be odd are unknown here:
 * one room that is not understood costs the others nothing.
 */

/** Ids become parts of paths and of our own ids. */
const Id = Type.String({ pattern: '^[\\w:#-]{1,64}$' });
export const RoomId = Type.String({ pattern: '^[\\w-]{1,64}$' });
const List = Type.Optional(Type.Array(Type.Unknown()));
const Any = Type.Optional(Type.Unknown());

export const HomesResponse = Type.Object({
  body: Type.Object({ homes: List, user: Type.Object({ id: RoomId }) }),
});
const Home = Type.Object({
  id: RoomId,
  name: Any,
  therm_setpoint_default_duration: Any,
  rooms: Any,
  modules: Any,
});
const HomeModule = Type.Object({ id: Id, type: Type.String({ maxLength: 32 }), room_id: Any, bridge: Any });
const HomeRoom = Type.Object({ id: RoomId, name: Any, module_ids: Any });
export const StatusResponse = Type.Object({
  body: Type.Object({ errors: Any, home: Type.Optional(Type.Object({ rooms: Any, modules: Any })) }),
});
const StatusRoom = Type.Object({
  id: RoomId,
  reachable: Any,
  therm_measured_temperature: Any,
  therm_setpoint_mode: Any,
  cooling_setpoint_mode: Any,
});
const StatusModule = Type.Object({ id: Id, reachable: Any });
/** The response to a command; `errors` are of modules that did not get it. */
export const Ordered = Type.Object({ body: Type.Optional(Type.Object({ errors: Any })) });
export const ModuleError = Type.Object({ id: Id, code: Type.Unknown() });
/** What linking kept of a room, in `DeviceRef.details`. */
export const Details = Type.Object({
  home_id: RoomId,
  room_id: RoomId,
  modules: Type.Array(Type.Object({ id: Id, type: Type.String() })),
  bridges: Type.Array(Id),
  commands: Type.Enum(['setroomthermpoint', 'setstate']),
  default_minutes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  can_cool: Type.Optional(Type.Boolean()),
});
export type Details = Static<typeof Details>;

/** A room in a `homestatus`; null while its heating cannot be reached. */
export type Reading = Static<typeof StatusRoom> | null;

/** Modules that hold a room at a temperature: thermostat, radiator valve, modulating thermostat, Smarther. */
const HEATING = new Set(['NATherm1', 'NRV', 'OTM', 'BNS']);
/** A valve has no mode "off". */
const SWITCHABLE = new Set(['NATherm1', 'OTM', 'BNS']);
/** A home with one of these sets its valves by the newer call. */
const NEWER = new Set(['OTM', 'BNS']);
/** Modes that are known to heat or cool: `hg` (frost guard) still keeps the room at 7 °C. */
const RUNS = new Set(['manual', 'max', 'home', 'schedule', 'away', 'hg']);
const MODE_LENGTH = 64;
/** Colder or warmer than any room that can be lived in or measured. */
const PLAUSIBLE_C = { least: -60, most: 100 };

/** Rooms are numbered within their home, from 32 bits: only together with the home's does a room's id name one room. */
export const deviceIdOf = (homeId: string, roomId: string) => `${homeId}.${roomId}`;

/** The account and its rooms with heating, from `homesdata`. */
export function accountIn({ body }: Static<typeof HomesResponse>): {
  readonly user: string;
  readonly devices: readonly Found[];
} {
  const homes = each(body.homes, Home);
  const found = homes.flatMap((home) => roomsIn(home, homes.length === 1));
  // A room that is listed twice is one device.
  return { user: body.user.id, devices: [...new Map(found.map((one) => [one.id, one])).values()] };
}

function roomsIn(home: Static<typeof Home>, isOnlyHome: boolean): Found[] {
  const modules = each(home.modules, HomeModule).filter(({ type }) => HEATING.has(type));
  const isNewer = modules.some(({ type }) => NEWER.has(type));
  return each(home.rooms, HomeRoom).flatMap((room): Found[] => {
    const listed = Array.isArray(room.module_ids) ? room.module_ids : [];
    const own = modules.filter(({ id, room_id }) => room_id === room.id || listed.includes(id));
    const has = (type: string) => own.some((module) => module.type === type);
    if (own.length === 0) return [];
    const bridges = own.flatMap(({ bridge }) => (fits(Id, bridge) ? [bridge] : []));
    const isOlder = has('NATherm1') || (has('NRV') && !isNewer);
    const minutes = home.therm_setpoint_default_duration;
    return [
      {
        id: deviceIdOf(home.id, room.id),
        type: 'thermostat',
        ...nameOf(room.name, isOnlyHome ? undefined : home.name),
        details: {
          home_id: home.id,
          room_id: room.id,
          modules: own.map(({ id, type }) => ({ id, type })),
          bridges: [...new Set(bridges)],
          commands: isOlder ? 'setroomthermpoint' : 'setstate',
          default_minutes: fits(Type.Integer({ minimum: 1 }), minutes) ? minutes : null,
          can_cool: has('BNS'),
        } satisfies Details,
      },
    ];
  });
}

function nameOf(room: unknown, home: unknown): { readonly name?: string } {
  if (typeof room !== 'string' || room === '') return {};
  return { name: typeof home === 'string' && home !== '' ? `${room} (${home})` : room };
}

/** A room whose heating is valves alone cannot be switched off. */
export function withheldFrom({ details }: Found): readonly Capability[] {
  const modules = fits(Details, details) ? details.modules : [];
  return modules.some(({ type }) => SWITCHABLE.has(type)) ? [] : ['on_off'];
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
  if (room !== undefined) return isFailed || room.reachable === false ? null : room;
  const modules = each(body.home?.modules, StatusModule).filter(({ id }) => own.includes(id));
  return isFailed || modules.some(({ reachable }) => reachable === false) ? null : undefined;
}

export function statusOf(reading: Reading): Status {
  if (reading === null) return { online: false };
  const mode = modeOf(reading);
  return {
    online: true,
    power_on: mode === 'off' ? false : mode !== null && RUNS.has(mode) ? true : null,
    operation_state: mode,
  };
}

/** The mode of the setpoint that holds; a home that cools has the other one. */
export function modeOf(reading: Reading): string | null {
  const mode = reading?.therm_setpoint_mode ?? reading?.cooling_setpoint_mode;
  return typeof mode === 'string' && mode !== '' ? mode.slice(0, MODE_LENGTH).toWellFormed() : null;
}

/** The room's measured temperature, milli-Celsius. */
export function temperatureOf(reading: Reading): number | null {
  const celsius = reading?.therm_measured_temperature;
  if (typeof celsius !== 'number' || !(celsius >= PLAUSIBLE_C.least && celsius <= PLAUSIBLE_C.most))
    return null;
  return Math.round(celsius * 1_000);
}
