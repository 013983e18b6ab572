import type { SimulatedHome, SimulatedModule, SimulatedRoom } from './simulated-home.ts';

export interface SimulatedAccount {
  readonly userId: string;
  readonly homes: readonly SimulatedHome[];
}

/** One password for all: it protects nothing. */
export const PASSWORD = 'simulated';
const LARGE = { homes: 5, roomsEach: 100 };

const relay = (id: string, type: string): SimulatedModule => ({ id, type, isReachable: true });
const hexId = (kind: string, number: number) => `51a0${kind}${String(number).padStart(16, '0')}`;

/** Homes by user name of the sign-in page: every kind of room, none, 500, and heating that cannot be reached. */
export function simulatedAccounts(now: number): ReadonlyMap<string, SimulatedAccount> {
  const room = (id: number, name: string, modules: readonly SimulatedModule[]): SimulatedRoom => ({
    id: String(id),
    name: `${name} (simulated)`,
    type: 'custom',
    modules,
    mode: 'home',
    target: 19,
    endsAt: null,
    startedAt: now,
    celsius: 19,
    at: now,
  });
  const below =
    (bridge: SimulatedModule) =>
    (id: string, type: string): SimulatedModule => ({ id, type, bridge: bridge.id, isReachable: true });
  const home = (number: number, name: string, rest: Partial<SimulatedHome>): SimulatedHome => ({
    id: hexId('beef', number),
    name,
    defaultMinutes: 180,
    relays: [],
    rooms: [],
    thermMode: 'schedule',
    ...rest,
  });

  const plug = relay('70:ee:50:00:00:01', 'NAPlug');
  const gateway = relay('70:ee:50:00:00:02', 'OTH');
  const camera = relay('70:ee:50:00:00:03', 'NACamera');
  const plugged = below(plug);
  const modulating = below(gateway);
  const house = home(1, 'Simulated house', {
    relays: [plug],
    rooms: [
      room(2746182631, 'Living room', [plugged('04:00:00:00:00:01', 'NATherm1')]),
      room(2940411577, 'Kitchen', [plugged('09:00:00:00:00:01', 'NRV')]),
      room(68319658, 'Bedroom', [plugged('09:00:00:00:00:02', 'NRV'), plugged('09:00:00:00:00:03', 'NRV')]),
      room(3688132631, 'Hall', [camera]),
    ],
  });
  const flat = home(2, 'Simulated flat', {
    defaultMinutes: 120,
    relays: [gateway],
    rooms: [
      room(222452125, 'Office', [modulating('09:00:00:00:00:04', 'OTM')]),
      room(1002003001, 'Bathroom', [modulating('09:00:00:00:00:05', 'NRV')]),
      room(2299431568, 'Corridor', [relay('10:20:30:00:00:01', 'BNS')]),
    ],
  });

  const farPlug = { ...relay('70:ee:50:00:00:04', 'NAPlug'), isReachable: false };
  const nearPlug = relay('70:ee:50:00:00:05', 'NAPlug');
  const unreachable = [
    home(4, 'Simulated cottage', {
      relays: [farPlug],
      rooms: [room(873035982, 'Stove room', [below(farPlug)('09:00:00:00:00:06', 'NATherm1')])],
    }),
    home(5, 'Simulated cabin', {
      relays: [nearPlug],
      rooms: [
        room(93888250, 'Attic', [{ ...below(nearPlug)('09:00:00:00:00:07', 'NRV'), isReachable: false }]),
        room(100007519, 'Cellar', [below(nearPlug)('09:00:00:00:00:08', 'NRV')]),
      ],
    }),
  ];

  const large = Array.from({ length: LARGE.homes }, (_, block) => {
    const bridge = relay(`70:ee:50:00:01:0${block}`, 'NAPlug');
    return home(100 + block, `Simulated block ${block + 1}`, {
      relays: [bridge],
      rooms: Array.from({ length: LARGE.roomsEach }, (_, index) =>
        room(1_000_000 + block * LARGE.roomsEach + index, `Room ${index + 1}`, [
          below(bridge)(`09:00:00:01:0${block}:${String(index).padStart(2, '0')}`, 'NRV'),
        ]),
      ),
    });
  });

  return new Map([
    ['home', { userId: hexId('cafe', 1), homes: [house, flat, home(3, 'Simulated plot', {})] }],
    ['none', { userId: hexId('cafe', 2), homes: [] }],
    ['large', { userId: hexId('cafe', 3), homes: large }],
    ['unreachable', { userId: hexId('cafe', 4), homes: unreachable }],
  ]);
}
