import Type, { type Static } from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { Found } from '../../src/adapter/device.ts';
import {
  allPages,
  each,
  limit,
  messageIn,
  password,
  tokensIn,
  vendorCalls,
} from '../../src/adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import type { SimulatorOptions, VendorSimulator } from '../../src/adapter/simulator.ts';
import type { Stream } from '../../src/adapter/stream.ts';
import { byPassword, listed, simulatedEvents, simulatedVendor } from '../../src/proof/simulation/index.ts';

const Chime = Type.Object({
  id: Type.String(),
  online: Type.Boolean(),
  on: Type.Boolean(),
  watt: Type.Number(),
});
type Chime = Static<typeof Chime>;

const Page = Type.Object({ devices: Type.Array(Type.Unknown()), next: Type.Optional(Type.String()) });

const PAGE = 100;
const HEARTBEAT_SECONDS = 55;
export const SILENCE_SECONDS = 120;
const OPENINGS_PER_MINUTE = 100;

const api = vendorCalls('Chimes');

const pathOf = ({ id }: DeviceRef) => `/devices/${encodeURIComponent(id)}`;

const readChime = (session: Session, device: DeviceRef): Promise<Chime> =>
  api.get(session, pathOf(device), Chime, { device: device.id, what: device.id });

async function order(session: Session, device: DeviceRef, { type }: Command): Promise<void> {
  await api.command(session, device, {
    path: pathOf(device),
    json: { on: type === 'turn_on' },
    repeatable: true,
  });
}

const stream: Stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const ours = new Set(devices.map(({ id }) => id));
    const events = await session.events({ path: '/events', costs: { openings: 1 } });
    opened();
    for await (const { event, data } of events) {
      const chime = event === 'CHANGED' ? messageIn(data, Chime) : undefined;
      if (chime !== undefined && ours.has(chime.id)) session.observed(chime.id, chime);
    }
  },
};

/** A fictitious vendor for tests: lamps that are switched over HTTP and reported by server-sent events. */
export const chimes = {
  slug: 'chimes',
  name: 'Chimes',
  ...password({
    vendor: 'Chimes',
    user: 'user name',
    async signIn({ http, clock }, { username, password: secret }) {
      const json = { username, password: secret };
      const response = await http.send({ method: 'POST', path: '/token', use: 'login', json });
      return tokensIn('Chimes', response.json(), { now: clock.now(), before: undefined });
    },
  }),
  hosts: { api: 'https://api.chimes.example' },
  budgets: [limit('openings', { calls: OPENINGS_PER_MINUTE, seconds: 60, for: [], source: 'made up' })],
  simulator: async () => ({ createSimulator }),
  stream,
  pushes: true,
  pollSeconds: 60,
  pace: { active: 600, idle: 600, asleep: 600 },
  link: async (session) => ({ vendorAccount: 'someone', devices: await findLamps(session) }),
  list: findLamps,
  kinds: {
    light: kind<Chime>({
      read: readChime,
      status: ({ online, on }) => ({ online, power_on: on }),
      reads: { read_power: ({ watt }) => watt },
      controls: { on_off: { turn_on: order, turn_off: order } },
    }),
  },
} satisfies Adapter;

async function findLamps(session: Session): Promise<Found[]> {
  const lamps = await allPages('the devices', async (cursor?: string) => {
    const request = { use: 'list', query: { cursor }, what: 'the devices' } as const;
    const page = await api.get(session, '/devices', Page, request);
    return { members: each(page.devices, Chime), next: page.next };
  });
  return lamps.map(({ id }) => ({ id, type: 'light' }));
}

export interface ChimesSimulator extends VendorSimulator {
  /** The `Last-Event-ID` of each connection, in order; null without one. */
  readonly lastEventIds: readonly (string | null)[];
  /** The user at home switches a lamp. */
  turn(id: string, on: boolean): void;
  /** Ends every stream of events. */
  closeStreams(): void;
  /** Asks clients to reconnect no sooner than after this many milliseconds. */
  askToWait(ms: number): void;
}

function createSimulator(options: SimulatorOptions): ChimesSimulator {
  const newChime = (id: string): Chime => ({ id, online: true, on: false, watt: 0 });
  const home = ['lamp-1', 'lamp-2'].map(newChime);
  const lastEventIds: (string | null)[] = [];
  let count = 0;
  const events = simulatedEvents<Chime[]>({
    clock: options.clock,
    everySeconds: HEARTBEAT_SECONDS,
    opened: ({ lastEventId }) => void lastEventIds.push(lastEventId ?? null),
  });
  function report(chime: Chime): void {
    count += 1;
    events.tell(home, { event: 'CHANGED', data: JSON.stringify(chime), id: String(count) });
  }
  function set(chime: Chime, on: boolean): void {
    Object.assign(chime, { on, watt: on ? 7 : 0 });
    report(chime);
  }
  const vendor = simulatedVendor<Chime[], Chime>(options, {
    vendor: 'Chimes',
    users: { home, none: [], large: Array.from({ length: 500 }, (_, index) => newChime(`many-${index}`)) },
    signIn: byPassword({ path: '/token', accessSeconds: 3_600 }),
    routes: {
      'GET /devices'({ home: own, query }) {
        const end = Number(query.get('cursor') ?? 0) + PAGE;
        const devices = own.slice(end - PAGE, end);
        return { status: 200, json: { devices, ...(own.length > end ? { next: String(end) } : {}) } };
      },
      'GET /devices/:id'({ home: own, params }) {
        const found = own.find(({ id }) => id === params.id);
        return found && { status: 200, json: found };
      },
      'POST /devices/:id'({ home: own, params, body }) {
        const found = own.find(({ id }) => id === params.id);
        if (found !== undefined) set(found, body.on === true);
        return found && { status: 204 };
      },
      'GET /events': (call) => events.open(call),
    },
    devices: listed((chime, situation) => set(chime, situation !== 'off')),
  });
  return {
    ...vendor,
    lastEventIds,
    turn(id, on) {
      const found = home.find((one) => one.id === id);
      if (found !== undefined) set(found, on);
    },
    closeStreams: events.closeAll,
    askToWait: events.askToWait,
  };
}
