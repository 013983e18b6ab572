import type { Found } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { Status } from '../../adapter/device.ts';
import { AppError } from '../../core/errors.ts';
import {
  type Details,
  detailsIn,
  eachIn,
  envelopeIn,
  type Home,
  type HomeModule,
  type HomeRoom,
  homeIn,
  homeModuleIn,
  homeRoomIn,
  homesBodyIn,
  moduleErrorIn,
  type StatusRoom,
  statusBodyIn,
  statusModuleIn,
  statusRoomIn,
} from './payloads.ts';

/** A room as the last status has it; null while its heating cannot be reached. */
export type Reading = StatusRoom | null;

/** Modules that hold a room at a temperature: thermostat, radiator valve, modulating thermostat, Smarther. */
const HEATING = new Set(['NATherm1', 'NRV', 'OTM', 'BNS']);
/** A valve has no mode "off". */
const SWITCHABLE = new Set(['NATherm1', 'OTM', 'BNS']);
/** Modes that are known to heat, to whatever temperature: `hg` (frost guard) still keeps the room at 7 °C. */
const HEATS = new Set(['manual', 'max', 'home', 'schedule', 'away', 'hg']);
const NAME_LENGTH = 200;
const MODE_LENGTH = 64;
/** Colder or warmer than any room that can be lived in or measured. */
const PLAUSIBLE_C = { least: -60, most: 100 };

const notUnderstood = (what: string) =>
  new AppError('vendor.answer_invalid', `Netatmo's response about ${what} was not understood`);

/** Rooms are numbered within their home, from 32 bits: only together with the home's does a room's id name one room. */
export const deviceIdOf = (homeId: string, roomId: string) => `${homeId}.${roomId}`;

/** The account and its rooms with heating, from `homesdata`. */
export function accountIn(answer: unknown): { readonly user: string; readonly devices: readonly Found[] } {
  const told = homesBodyIn(envelopeIn(answer)?.body);
  if (told === undefined) throw notUnderstood('the homes');
  const homes = eachIn(told.homes, homeIn);
  const isOne = homes.length === 1;
  // A room that is told twice is one device.
  const devices = new Map(homes.flatMap((home) => roomsIn(home, isOne)).map((found) => [found.id, found]));
  return { user: told.user.id, devices: [...devices.values()] };
}

function roomsIn(home: Home, isOnlyHome: boolean): Found[] {
  const modules = eachIn(home.modules, homeModuleIn).filter(({ type }) => HEATING.has(type));
  const isModulating = modules.some(({ type }) => type === 'OTM');
  return eachIn(home.rooms, homeRoomIn).flatMap((room): Found[] => {
    const own = modules.filter(
      ({ id, room_id }) => room_id === room.id || room.module_ids?.includes(id) === true,
    );
    if (own.length === 0) return [];
    const name = nameOf(room, isOnlyHome ? undefined : home);
    return [
      {
        id: deviceIdOf(home.id, room.id),
        type: 'thermostat',
        ...(name === undefined ? {} : { name }),
        details: {
          home_id: home.id,
          room_id: room.id,
          modules: own.map(({ id, type }) => ({ id, type })),
          bridges: bridgesOf(own),
          commands: commandsOf(own, isModulating),
          default_minutes: minutesIn(home.therm_setpoint_default_duration),
        } satisfies Details,
      },
    ];
  });
}

function nameOf({ name }: HomeRoom, home: Home | undefined): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined;
  const full = typeof home?.name === 'string' && home.name !== '' ? `${name} (${home.name})` : name;
  return full.slice(0, NAME_LENGTH).toWellFormed();
}

function bridgesOf(modules: readonly HomeModule[]): string[] {
  const bridges = modules.flatMap(({ bridge }) => (typeof bridge === 'string' ? [bridge] : []));
  return [...new Set(bridges)];
}

/** Thermostats, and valves in a home without a modulating thermostat, take the older call. */
function commandsOf(modules: readonly HomeModule[], isModulating: boolean): Details['commands'] {
  const has = (type: string) => modules.some((module) => module.type === type);
  return has('NATherm1') || (has('NRV') && !isModulating) ? 'setroomthermpoint' : 'setstate';
}

function minutesIn(duration: unknown): number | null {
  return typeof duration === 'number' && Number.isInteger(duration) && duration > 0 ? duration : null;
}

/** A room whose heating is valves alone cannot be switched off. */
export function withheldFrom(found: Found): readonly Capability[] {
  const modules = detailsIn(found.details)?.modules ?? [];
  return modules.some(({ type }) => SWITCHABLE.has(type)) ? [] : ['on_off'];
}

/**
 * One room in a `homestatus`; undefined when the home has no such room any more. A room that is told of decides by its own
 * `reachable`; a missing one is offline where the vendor says so of its modules or of their relay.
 */
export function readingIn(answer: unknown, details: Details): Reading | undefined {
  const told = statusBodyIn(envelopeIn(answer)?.body);
  if (told === undefined) throw notUnderstood('the home');
  const own = details.modules.map(({ id }) => id);
  const failed = new Set(eachIn(told.errors, moduleErrorIn).map(({ id }) => id));
  const isFailed = own.every((id) => failed.has(id)) || details.bridges.some((id) => failed.has(id));
  const room = eachIn(told.home?.rooms, statusRoomIn).find(({ id }) => id === details.room_id);
  if (room !== undefined) return isFailed || room.reachable === false ? null : room;
  const modules = eachIn(told.home?.modules, statusModuleIn).filter(({ id }) => own.includes(id));
  return isFailed || modules.some(({ reachable }) => reachable === false) ? null : undefined;
}

export function statusOf(reading: Reading): Status {
  if (reading === null) return { online: false };
  const mode = modeOf(reading);
  return {
    online: true,
    power_on: mode === 'off' ? false : mode !== null && HEATS.has(mode) ? true : null,
    operation_state: mode,
  };
}

export function modeOf(reading: Reading): string | null {
  const mode = reading?.therm_setpoint_mode;
  return typeof mode === 'string' && mode !== '' ? mode.slice(0, MODE_LENGTH).toWellFormed() : null;
}

/** The room's measured temperature, milli-Celsius. */
export function temperatureOf(reading: Reading): number | null {
  const celsius = reading?.therm_measured_temperature;
  if (typeof celsius !== 'number' || !(celsius >= PLAUSIBLE_C.least && celsius <= PLAUSIBLE_C.most))
    return null;
  return Math.round(celsius * 1_000);
}
