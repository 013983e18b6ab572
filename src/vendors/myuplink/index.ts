import { type Adapter, type Found, kind } from '../../adapter/adapter.ts';
import {
  allPages,
  each,
  fits,
  limit,
  named,
  notUnderstood,
  oauth2,
  objectIn,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { ENGLISH, readDevice, readPoints, setTemperature, turnOff, turnOn } from './commands.ts';
import * as translate from './translate.ts';

const api = vendorCalls('myUplink');
const PAGE = 100;
/** Devices whose points are asked for in one list; the others' turn comes in the next ones. Few homes have more than two. */
const MOST_ASKED = 8;

/** Heat pumps of NIBE and CTC, and water heaters of Høiax, through myUplink. */
export const myuplink = {
  slug: 'myuplink',
  name: 'myUplink',
  ...oauth2({
    authorizeUrl: 'https://api.myuplink.com/oauth/authorize',
    tokenUrl: 'https://api.myuplink.com/oauth/token',
    scopes: ['READSYSTEM', 'WRITESYSTEM', 'offline_access'],
    pkce: false,
  }),
  hosts: { api: 'https://api.myuplink.com' },
  budgets: [
    limit('app_minute', {
      of: 'app',
      calls: 25,
      seconds: 60,
      reserve: 0.4,
      share: 2,
      setting: {
        name: 'ELNAV_MYUPLINK_CALLS_PER_MINUTE',
        times: 1,
        description:
          'Calls in any minute that myUplink lets your client id make, for all users together; 25 unless myUplink has given you more',
      },
      source:
        'the vendor in 2026: "25 requests per minute" for clients of the public API, and the header RateLimit-Limit',
    }),
  ],
  // Points are some minutes old, and all users share the limit.
  pace: { active: 300, idle: 900, asleep: 3_600 },
  pushes: false,
  pollSeconds: 60,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const systems = await findSystems(session);
    const vendorAccount = word((await session.http.tokenClaims())?.sub, 200) ?? systems[0]?.systemId;
    if (vendorAccount === undefined) throw notUnderstood('myUplink', 'whose the account is');
    return { vendorAccount, devices: await devicesIn(session, systems, []) };
  },
  list: async (session, known) => devicesIn(session, await findSystems(session), known),
  kinds: {
    heat_pump: kind<translate.Reading>({
      read: readDevice,
      readCosts: { app_minute: 2 },
      status: translate.statusOf,
      unrecognized: translate.unrecognizedIn,
      observedAt: translate.observedAt,
      reads: {
        read_temperature: translate.temperatureOf,
        read_power: translate.powerOf,
        read_energy: translate.energyOf,
      },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: turnOff },
      },
      ranges: ({ details }) => {
        const { min = 5, max = 30 } = (fits(translate.Details, details) ? details.setpoint : null) ?? {};
        return { min_milli_c: min * 1_000, max_milli_c: max * 1_000 };
      },
      withholds: translate.withheldFrom,
      whyWithheld: translate.whyWithheld,
    }),
  },
} satisfies Adapter;

/** Every system of the account; a page that fails fails the list. */
async function findSystems(session: Session) {
  let seen = 0;
  return allPages('the systems', async (page: number = 1) => {
    const query = { page: String(page), itemsPerPage: String(PAGE) };
    const more = { use: 'list', query, headers: ENGLISH, what: 'the systems' } as const;
    const { systems, numItems } = await api.get(session, '/v2/systems/me', translate.SystemsPage, more);
    seen += systems.length;
    const isLast = typeof numItems === 'number' ? seen >= numItems : systems.length < PAGE;
    return {
      members: each(systems, translate.System),
      next: isLast || systems.length === 0 ? undefined : page + 1,
    };
  });
}

type Systems = Awaited<ReturnType<typeof findSystems>>;

/** The devices of the systems. What each can do is in its points, which cost a call each: those that were never asked come first. */
async function devicesIn(session: Session, systems: Systems, known: readonly DeviceRef[]): Promise<Found[]> {
  const details = new Map<string, JsonObject>(
    known.flatMap((one) => (fits(translate.Details, one.details) ? [[one.id, one.details]] : [])),
  );
  const devices = new Map(
    systems.flatMap(({ securityLevel, devices }) =>
      each(devices, translate.SystemDevice).map((device) => [device.id, { ...device, securityLevel }]),
    ),
  );
  const turns = [...devices.values()].sort((a, b) => Number(details.has(a.id)) - Number(details.has(b.id)));
  for (const device of turns.slice(0, MOST_ASKED)) {
    const points = await readPoints(session, device, 'list').catch(refused);
    if (points !== undefined) details.set(device.id, translate.detailsIn(points, device.securityLevel));
  }
  return [...devices.values()].map(({ id, product }) => ({
    id,
    type: 'heat_pump' as const,
    ...named(objectIn(product).name),
    details: details.get(id) ?? {},
  }));
}

/** One device that is refused must not cost the others. */
function refused(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'vendor.refused') return;
  throw error;
}
