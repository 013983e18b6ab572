import { HOUR_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Building, heatRoom } from '../../proof/simulation/physics/room.ts';

interface SimulatedModule {
  readonly id: string;
  readonly type: string;
  readonly bridge?: string;
  isReachable: boolean;
}

/** A room in time: what it measured at `at`, and what it is set to since `startedAt`; ms since 1970. */
export interface SimulatedRoom {
  readonly id: string;
  readonly name: string;
  readonly modules: readonly SimulatedModule[];
  mode: 'home' | 'manual' | 'max' | 'off';
  /** The setpoint while `manual`, °C. */
  target: number;
  /** When `manual` and `max` end; null for never. */
  endsAt: number | null;
  startedAt: number;
  celsius: number;
  at: number;
}

export interface SimulatedHome {
  readonly id: string;
  readonly name: string;
  readonly defaultMinutes: number;
  readonly isCooling: boolean;
  readonly relays: readonly SimulatedModule[];
  rooms: readonly SimulatedRoom[];
  thermMode: keyof typeof MODE_TARGETS;
}

export interface SimulatedAccount {
  readonly userId: string;
  readonly homes: readonly SimulatedHome[];
}

export const MODE_TARGETS = { schedule: 19, away: 12, hg: 7 } as const;
const MOST_C = 30;
const HEATING = ['NATherm1', 'NRV', 'OTM', 'BNS'];
/** Warms by some 2 °C an hour in winter. */
const ROOM: Building = { lossWPerK: 40, timeConstant: 25 * HOUR_MS, maxHeatW: 3_000 };

export const hasType = ({ modules }: SimulatedRoom, type: string) => modules.some((one) => one.type === type);

/** Brings the room to `now`; a setpoint that has ended on the way gives way to the home's mode. */
export function settle(room: SimulatedRoom, home: SimulatedHome, now: number): void {
  if (room.endsAt !== null && room.endsAt <= now) {
    const { endsAt } = room;
    moveTo(room, home, endsAt);
    Object.assign(room, { mode: 'home', endsAt: null, startedAt: endsAt });
  }
  moveTo(room, home, now);
}

function moveTo(room: SimulatedRoom, home: SimulatedHome, now: number): void {
  const span = { from: room.at, to: now };
  room.celsius = heatRoom(ROOM, { roomC: room.celsius, targetC: targetOf(room, home) }, span).roomC;
  room.at = now;
}

/** °C that the room is held at; null for a room that is off. */
function targetOf({ mode, target }: SimulatedRoom, { thermMode }: SimulatedHome): number | null {
  if (mode === 'manual') return target;
  if (mode === 'max') return MOST_C;
  return mode === 'off' ? null : MODE_TARGETS[thermMode];
}

/** Netatmo leaves out lists that have nothing in them. */
const withoutEmpty = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, one]) => !Array.isArray(one) || one.length > 0));

/** A home as `homesdata` has it. */
export function topologyOf(home: SimulatedHome): JsonObject {
  const described = ({ isReachable: _, ...module }: SimulatedModule): JsonObject => ({
    ...module,
    name: `Simulated ${module.type}`,
  });
  return withoutEmpty({
    id: home.id,
    name: home.name,
    country: 'SE',
    timezone: 'Europe/Stockholm',
    therm_setpoint_default_duration: home.defaultMinutes,
    temperature_control_mode: home.isCooling ? 'cooling' : 'heating',
    therm_mode: home.thermMode,
    rooms: home.rooms.map(({ id, name, modules }) => ({
      id,
      name,
      type: 'custom',
      module_ids: modules.map((one) => one.id),
    })),
    modules: [
      ...home.relays.map(described),
      ...home.rooms.flatMap(({ id, modules }) => modules.map((one) => ({ ...described(one), room_id: id }))),
    ],
  });
}

/** A home as `homestatus` has it: nothing is listed behind a relay that is not connected. */
export function statusOf(home: SimulatedHome): JsonObject {
  const all = [...home.relays, ...home.rooms.flatMap(({ modules }) => modules)];
  const lost = all.filter(({ isReachable }) => !isReachable).map(({ id }) => id);
  const isListed = ({ bridge = '' }: SimulatedModule) => !lost.includes(bridge);
  const heated = home.rooms.filter((room) => HEATING.some((type) => hasType(room, type)));
  const rooms = heated.filter(({ modules }) => modules.every(isListed)).map((room) => statusIn(home, room));
  const modules = all
    .filter((module) => module.isReachable && isListed(module))
    .map((module) => moduleIn(home, module));
  return withoutEmpty({
    home: withoutEmpty({ id: home.id, rooms, modules }),
    errors: lost.map((id) => ({ code: 6, id })),
  });
}

/** A thermostat has the boiler run for its own room. */
function moduleIn(home: SimulatedHome, { id, type }: SimulatedModule): JsonObject {
  const room = home.rooms.find(({ modules }) => modules.some((one) => one.id === id));
  const target = room === undefined ? null : targetOf(room, home);
  const runs = room !== undefined && target !== null && Math.round(room.celsius * 10) / 10 < target;
  return { id, type, reachable: true, ...(type === 'NATherm1' ? { boiler_status: runs } : {}) };
}

function statusIn(home: SimulatedHome, room: SimulatedRoom): JsonObject {
  const target = targetOf(room, home) ?? MODE_TARGETS.hg;
  const measured = Math.round(room.celsius * 10) / 10;
  const of = home.isCooling ? 'cooling' : 'therm';
  return {
    id: room.id,
    reachable: room.modules.some(({ isReachable }) => isReachable),
    therm_measured_temperature: measured,
    ...(home.isCooling ? {} : { heating_power_request: measured < target ? 100 : 0 }),
    [`${of}_setpoint_mode`]: room.mode === 'home' ? home.thermMode : room.mode,
    [`${of}_setpoint_temperature`]: target,
    [`${of}_setpoint_start_time`]: Math.floor(room.startedAt / 1_000),
    [`${of}_setpoint_end_time`]: Math.floor((room.endsAt ?? 0) / 1_000),
  };
}

/** Every kind of room, none, 500, and a home that cools, by user name. Ids are counted, so that they outlive a restart. */
export function simulatedAccounts(now: number) {
  let count = 0;
  const next = (digits: number) => {
    count += 1;
    return String(count).padStart(digits, '0');
  };
  const module = (type: string, relay?: SimulatedModule): SimulatedModule => ({
    id: `70:ee:50:00:${next(4).replace(/..$/, ':$&')}`,
    type,
    isReachable: true,
    ...(relay === undefined ? {} : { bridge: relay.id }),
  });
  const room = (name: string, relay: SimulatedModule | undefined, ...types: string[]): SimulatedRoom => ({
    id: `27${next(8)}`,
    name: `${name} (simulated)`,
    modules: types.map((type) => module(type, relay)),
    mode: 'home',
    target: 19,
    endsAt: null,
    startedAt: now,
    celsius: 19,
    at: now,
  });
  const home = (name: string, rest: Partial<SimulatedHome>): SimulatedHome => ({
    id: `51a0beef${next(16)}`,
    name: `Simulated ${name}`,
    defaultMinutes: 180,
    isCooling: false,
    relays: [],
    rooms: [],
    thermMode: 'schedule',
    ...rest,
  });
  const account = (...homes: SimulatedHome[]): SimulatedAccount => ({ userId: `51a0cafe${next(16)}`, homes });

  const [plug, gateway] = [module('NAPlug'), module('OTH')];
  const block = (number: number) => {
    const relay = module('NAPlug');
    const rooms = Array.from({ length: 100 }, (_, index) => room(`Room ${index + 1}`, relay, 'NRV'));
    return home(`block ${number}`, { relays: [relay], rooms });
  };
  return {
    home: account(
      home('house', {
        relays: [plug],
        rooms: [
          room('Living room', plug, 'NATherm1'),
          room('Kitchen', plug, 'NRV'),
          room('Bedroom', plug, 'NRV', 'NRV'),
          room('Hall', undefined, 'NACamera'),
        ],
      }),
      home('flat', {
        defaultMinutes: 120,
        relays: [gateway],
        rooms: [
          room('Office', gateway, 'OTM'),
          room('Bathroom', gateway, 'NRV'),
          room('Corridor', undefined, 'BNS'),
        ],
      }),
      home('plot', {}),
    ),
    none: account(),
    large: account(...[1, 2, 3, 4, 5].map(block)),
    cooling: account(home('villa', { isCooling: true, rooms: [room('Lounge', undefined, 'BNS')] })),
  };
}
