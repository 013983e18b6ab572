import type { Json, JsonObject } from '../../core/json.ts';

/** A heated room in time: what it measured last, and what it is told to do since. */
export interface SimulatedRoom {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly modules: readonly SimulatedModule[];
  mode: 'home' | 'manual' | 'max' | 'off';
  /** The setpoint while `manual`, °C. */
  target: number;
  /** When `manual` and `max` end, ms since 1970; null for never. */
  endsAt: number | null;
  startedAt: number;
  celsius: number;
  /** When `celsius` was so, ms since 1970. */
  at: number;
}

export interface SimulatedModule {
  readonly id: string;
  readonly type: string;
  readonly bridge?: string;
  isReachable: boolean;
}

export interface SimulatedHome {
  readonly id: string;
  readonly name: string;
  readonly defaultMinutes: number;
  readonly relays: readonly SimulatedModule[];
  readonly rooms: readonly SimulatedRoom[];
  thermMode: 'schedule' | 'away' | 'hg';
}

const OUTDOORS_C = 4;
const HEATING_C_PER_HOUR = 2;
const COOLING_HOURS = 40;
const MODE_TARGETS = { schedule: 19, away: 12, hg: 7 } as const;
const MOST_C = 30;
const HOUR_MS = 3_600_000;

/** Brings the room to `now`; a setpoint that has ended on the way gives way to the home's mode. */
export function settle(room: SimulatedRoom, home: SimulatedHome, now: number): void {
  if (room.endsAt !== null && room.endsAt <= now) {
    moveTo(room, home, room.endsAt);
    setRoom(room, { mode: 'home', now: room.endsAt });
  }
  moveTo(room, home, now);
}

function moveTo(room: SimulatedRoom, home: SimulatedHome, now: number): void {
  const hours = Math.max(0, now - room.at) / HOUR_MS;
  const target = targetOf(room, home);
  const heated = Math.min(target, room.celsius + HEATING_C_PER_HOUR * hours);
  const cooled = OUTDOORS_C + (room.celsius - OUTDOORS_C) * Math.exp(-hours / COOLING_HOURS);
  room.celsius = target > room.celsius ? heated : Math.max(cooled, target);
  room.at = now;
}

interface Change {
  readonly mode: SimulatedRoom['mode'];
  readonly now: number;
  readonly target?: number;
  readonly endsAt?: number;
}

export function setRoom(room: SimulatedRoom, { mode, now, target, endsAt }: Change): void {
  room.mode = mode;
  room.target = target ?? room.target;
  room.endsAt = endsAt ?? null;
  room.startedAt = now;
}

/** °C that the room is held at; a room that is off is held at nothing. */
function targetOf(room: SimulatedRoom, home: SimulatedHome): number {
  switch (room.mode) {
    case 'manual':
      return room.target;
    case 'max':
      return MOST_C;
    case 'off':
      return Number.NEGATIVE_INFINITY;
    case 'home':
      return MODE_TARGETS[home.thermMode];
  }
}

const isHeatable = (room: SimulatedRoom) => room.modules.some(({ type }) => HEATING.includes(type));
const HEATING: readonly string[] = ['NATherm1', 'NRV', 'OTM', 'BNS'];

export function allModules(home: SimulatedHome): SimulatedModule[] {
  return [...home.relays, ...home.rooms.flatMap(({ modules }) => modules)];
}

/** A home as `homesdata` has it; a home without rooms has no lists. */
export function topologyOf(home: SimulatedHome): JsonObject {
  const described = (module: SimulatedModule, room?: SimulatedRoom): Json => ({
    id: module.id,
    type: module.type,
    name: `Simulated ${module.type}`,
    setup_date: 1_494_963_356,
    firmware_channel: 'simulated',
    ...(room === undefined ? {} : { room_id: room.id }),
    ...(module.bridge === undefined ? {} : { bridge: module.bridge }),
  });
  const rooms = home.rooms.map(
    (room): Json => ({
      id: room.id,
      name: room.name,
      type: room.type,
      module_ids: room.modules.map(({ id }) => id),
      floor_of_the_simulator: 1,
    }),
  );
  const modules = [
    ...home.relays.map((relay) => described(relay)),
    ...home.rooms.flatMap((room) => room.modules.map((module) => described(module, room))),
  ];
  return {
    id: home.id,
    name: home.name,
    country: 'SE',
    timezone: 'Europe/Stockholm',
    therm_setpoint_default_duration: home.defaultMinutes,
    temperature_control_mode: 'heating',
    therm_mode: home.thermMode,
    schedules: [],
    ...(rooms.length === 0 ? {} : { rooms }),
    ...(modules.length === 0 ? {} : { modules }),
  };
}

/** A home as `homestatus` has it: behind a relay that is not connected nothing is told. */
export function statusOf(home: SimulatedHome): JsonObject {
  const errors = allModules(home).flatMap(({ id, isReachable }) => (isReachable ? [] : [{ code: 6, id }]));
  const lost = new Set(home.relays.flatMap(({ id, isReachable }) => (isReachable ? [] : [id])));
  const isTold = ({ bridge }: SimulatedModule) => bridge === undefined || !lost.has(bridge);
  const rooms = home.rooms.filter((room) => isHeatable(room) && room.modules.every(isTold));
  const modules = allModules(home)
    .filter(({ isReachable }) => isReachable)
    .filter(isTold);
  return {
    home: {
      id: home.id,
      ...(rooms.length === 0 ? {} : { rooms: rooms.map((room) => roomStatus(room, home)) }),
      ...(modules.length === 0
        ? {}
        : {
            modules: modules.map(({ id, type }) => ({ id, type, reachable: true, firmware_revision: 174 })),
          }),
    },
    ...(errors.length === 0 ? {} : { errors }),
  };
}

function roomStatus(room: SimulatedRoom, home: SimulatedHome): Json {
  const target = targetOf(room, home);
  const measured = Math.round(room.celsius * 10) / 10;
  const isHolding = target > OUTDOORS_C && measured >= target && measured < target + 0.2;
  return {
    id: room.id,
    reachable: room.modules.some(({ isReachable }) => isReachable),
    anticipating: false,
    open_window: false,
    humidity_of_the_simulator: 41,
    therm_measured_temperature: measured,
    heating_power_request: measured < target ? 100 : isHolding ? 20 : 0,
    therm_setpoint_mode: room.mode === 'home' ? home.thermMode : room.mode,
    therm_setpoint_temperature: Math.max(target, MODE_TARGETS.hg),
    therm_setpoint_start_time: Math.floor(room.startedAt / 1_000),
    therm_setpoint_end_time: room.endsAt === null ? 0 : Math.floor(room.endsAt / 1_000),
  };
}
