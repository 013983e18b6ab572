import { HOUR_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** A room in time: what it measured last, and what it is set to since. */
export interface SimulatedRoom {
  readonly id: string;
  readonly name: string;
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
  readonly isCooling: boolean;
  rooms: readonly SimulatedRoom[];
  thermMode: 'schedule' | 'away' | 'hg';
}

export interface SimulatedAccount {
  readonly userId: string;
  readonly homes: readonly SimulatedHome[];
}

const OUTDOORS_C = 4;
const HEATING_C_PER_HOUR = 2;
const COOLING_HOURS = 40;
const MODE_TARGETS = { schedule: 19, away: 12, hg: 7 } as const;
const MOST_C = 30;
const HEATING: readonly string[] = ['NATherm1', 'NRV', 'OTM', 'BNS'];

export const hasType = ({ modules }: SimulatedRoom, type: string) => modules.some((one) => one.type === type);
export const allModules = ({ relays, rooms }: SimulatedHome) => [
  ...relays,
  ...rooms.flatMap(({ modules }) => modules),
];

/** Brings the room to `now`; a setpoint that has ended on the way gives way to the home's mode. */
export function settle(room: SimulatedRoom, home: SimulatedHome, now: number): void {
  if (room.endsAt !== null && room.endsAt <= now) {
    const { endsAt } = room;
    moveTo(room, home, endsAt);
    setRoom(room, { mode: 'home', now: endsAt });
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

export function setRoom(
  room: SimulatedRoom,
  {
    mode,
    now,
    target = room.target,
    endsAt = null,
  }: Omit<Change, 'endsAt'> & { readonly endsAt?: number | null },
): void {
  Object.assign(room, { mode, target, endsAt, startedAt: now });
}

/** °C that the room is held at; a room that is off is held at nothing. */
function targetOf({ mode, target }: SimulatedRoom, { thermMode }: SimulatedHome): number {
  if (mode === 'manual') return target;
  if (mode === 'max') return MOST_C;
  return mode === 'off' ? Number.NEGATIVE_INFINITY : MODE_TARGETS[thermMode];
}

/** A home as `homesdata` has it; a home without rooms has no lists. */
export function topologyOf(home: SimulatedHome): JsonObject {
  const rooms = home.rooms.map(
    ({ id, name, modules }): Json => ({ id, name, type: 'custom', module_ids: modules.map((one) => one.id) }),
  );
  const described = ({ id, type, bridge }: SimulatedModule, room?: SimulatedRoom): Json => ({
    id,
    type,
    name: `Simulated ${type}`,
    ...(room === undefined ? {} : { room_id: room.id }),
    ...(bridge === undefined ? {} : { bridge }),
  });
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
    temperature_control_mode: home.isCooling ? 'cooling' : 'heating',
    therm_mode: home.thermMode,
    ...(rooms.length === 0 ? {} : { rooms }),
    ...(modules.length === 0 ? {} : { modules }),
  };
}

/** A home as `homestatus` has it: nothing is listed behind a relay that is not connected. */
export function statusOf(home: SimulatedHome): JsonObject {
  const errors = allModules(home).flatMap(({ id, isReachable }) => (isReachable ? [] : [{ code: 6, id }]));
  const lost = new Set(home.relays.flatMap(({ id, isReachable }) => (isReachable ? [] : [id])));
  const isListed = ({ bridge }: SimulatedModule) => bridge === undefined || !lost.has(bridge);
  const rooms = home.rooms.filter(
    (room) => HEATING.some((type) => hasType(room, type)) && room.modules.every(isListed),
  );
  const modules = allModules(home).filter((module) => module.isReachable && isListed(module));
  return {
    home: {
      id: home.id,
      ...(rooms.length === 0 ? {} : { rooms: rooms.map((room) => roomStatus(room, home)) }),
      ...(modules.length === 0
        ? {}
        : { modules: modules.map(({ id, type }) => ({ id, type, reachable: true })) }),
    },
    ...(errors.length === 0 ? {} : { errors }),
  };
}

function roomStatus(room: SimulatedRoom, home: SimulatedHome): Json {
  const target = targetOf(room, home);
  const measured = Math.round(room.celsius * 10) / 10;
  const of = home.isCooling ? 'cooling' : 'therm';
  return {
    id: room.id,
    reachable: room.modules.some(({ isReachable }) => isReachable),
    therm_measured_temperature: measured,
    ...(home.isCooling ? {} : { heating_power_request: measured < target ? 100 : 0 }),
    [`${of}_setpoint_mode`]: room.mode === 'home' ? home.thermMode : room.mode,
    [`${of}_setpoint_temperature`]: Math.max(target, MODE_TARGETS.hg),
    [`${of}_setpoint_start_time`]: Math.floor(room.startedAt / 1_000),
    [`${of}_setpoint_end_time`]: room.endsAt === null ? 0 : Math.floor(room.endsAt / 1_000),
  };
}

const hexId = (kind: string, number: number) => `51a0${kind}${String(number).padStart(16, '0')}`;
const module = (id: string, type: string, bridge?: SimulatedModule): SimulatedModule => ({
  id,
  type,
  isReachable: true,
  ...(bridge === undefined ? {} : { bridge: bridge.id }),
});

/** Homes by user name of the sign-in page: every kind of room, none, 500, heating that cannot be reached, and a home that cools. */
export function simulatedAccounts(now: number) {
  const room = (id: number, name: string, modules: readonly SimulatedModule[]): SimulatedRoom => ({
    id: String(id),
    name: `${name} (simulated)`,
    modules,
    mode: 'home',
    target: 19,
    endsAt: null,
    startedAt: now,
    celsius: 19,
    at: now,
  });
  const home = (number: number, name: string, rest: Partial<SimulatedHome>): SimulatedHome => ({
    id: hexId('beef', number),
    name: `Simulated ${name}`,
    defaultMinutes: 180,
    relays: [],
    rooms: [],
    thermMode: 'schedule',
    isCooling: false,
    ...rest,
  });
  const account = (number: number, homes: readonly SimulatedHome[]): SimulatedAccount => ({
    userId: hexId('cafe', number),
    homes,
  });

  const [plug, gateway] = [module('70:ee:50:00:00:01', 'NAPlug'), module('70:ee:50:00:00:02', 'OTH')];
  const house = home(1, 'house', {
    relays: [plug],
    rooms: [
      room(2746182631, 'Living room', [module('04:00:00:00:00:01', 'NATherm1', plug)]),
      room(2940411577, 'Kitchen', [module('09:00:00:00:00:01', 'NRV', plug)]),
      room(
        68319658,
        'Bedroom',
        ['02', '03'].map((end) => module(`09:00:00:00:00:${end}`, 'NRV', plug)),
      ),
      room(3688132631, 'Hall', [module('70:ee:50:00:00:03', 'NACamera')]),
    ],
  });
  const flat = home(2, 'flat', {
    defaultMinutes: 120,
    relays: [gateway],
    rooms: [
      room(222452125, 'Office', [module('09:00:00:00:00:04', 'OTM', gateway)]),
      room(1002003001, 'Bathroom', [module('09:00:00:00:00:05', 'NRV', gateway)]),
      room(2299431568, 'Corridor', [module('10:20:30:00:00:01', 'BNS')]),
    ],
  });
  const [farPlug, nearPlug] = [module('70:ee:50:00:00:04', 'NAPlug'), module('70:ee:50:00:00:05', 'NAPlug')];
  const attic = module('09:00:00:00:00:07', 'NRV', nearPlug);
  for (const lost of [farPlug, attic]) lost.isReachable = false;
  const unreachable = [
    home(4, 'cottage', {
      relays: [farPlug],
      rooms: [room(873035982, 'Stove room', [module('09:00:00:00:00:06', 'NATherm1', farPlug)])],
    }),
    home(5, 'cabin', {
      relays: [nearPlug],
      rooms: [
        room(93888250, 'Attic', [attic]),
        room(100007519, 'Cellar', [module('09:00:00:00:00:08', 'NRV', nearPlug)]),
      ],
    }),
  ];
  const villa = home(6, 'villa', {
    isCooling: true,
    rooms: [room(2299431569, 'Lounge', [module('10:20:30:00:00:02', 'BNS')])],
  });
  const large = Array.from({ length: 5 }, (_, block) => {
    const bridge = module(`70:ee:50:00:01:0${block}`, 'NAPlug');
    const valve = (index: number) =>
      module(`09:00:00:01:0${block}:${String(index).padStart(2, '0')}`, 'NRV', bridge);
    return home(100 + block, `block ${block + 1}`, {
      relays: [bridge],
      rooms: Array.from({ length: 100 }, (_, index) =>
        room(1_000_000 + block * 100 + index, `Room ${index + 1}`, [valve(index)]),
      ),
    });
  });
  return {
    home: account(1, [house, flat, home(3, 'plot', {})]),
    none: account(2, []),
    large: account(3, large),
    unreachable: account(4, unreachable),
    cooling: account(5, [villa]),
  };
}
