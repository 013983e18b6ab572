import Type, { type Static } from 'typebox';
import type { Found, Linked } from '../../adapter/adapter.ts';
import {
  allPages,
  each,
  fits,
  inTurn,
  lenient,
  named,
  notUnderstood,
  unlessRefused,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { api, summaryOf } from './api.ts';
import { Details, Summary } from './translate.ts';

/** Systems that one list asks for a battery. A home has one system. */
const MOST_ASKED = 4;

const SystemsPage = Type.Object({ systems: Type.Array(Type.Unknown()), total: Type.Integer() });
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const System = lenient({ system_id: Id }, 'name', 'connection_type');
type System = Static<typeof System>;

/** The systems that the owner has granted to this app. */
export async function link(session: Session): Promise<Linked> {
  const systems = await findSystems(session);
  const [first] = systems.map(({ system_id }) => `system-${system_id}`);
  const vendorAccount = word((await session.http.tokenClaims())?.enl_uid) ?? first;
  if (vendorAccount === undefined) throw notUnderstood('Enphase', 'whose the account is');
  return { vendorAccount, devices: await devicesIn(session, systems, []) };
}

export const list = async (session: Session, known: readonly DeviceRef[]) =>
  devicesIn(session, await findSystems(session), known);

async function findSystems(session: Session): Promise<System[]> {
  let listed = 0;
  return allPages('the systems', async (page: number = 1) => {
    const query = { page: String(page), size: '100' };
    const more = { use: 'list', query, what: 'the systems' } as const;
    const { systems, total } = await api.get(session, '/api/v4/systems', SystemsPage, more);
    listed += systems.length;
    const isLast = listed >= total || systems.length === 0;
    return { members: each(systems, System), next: isLast ? undefined : page + 1 };
  });
}

/** The devices of the systems. Only a summary says whether there is a battery. */
async function devicesIn(
  session: Session,
  systems: readonly System[],
  known: readonly DeviceRef[],
): Promise<Found[]> {
  const batteries = new Map<string, boolean | null>(
    known.flatMap(({ details: one }) => (fits(Details, one) ? [[one.system, one.has_battery]] : [])),
  );
  const wasAsked = ({ system_id }: System) => (batteries.get(String(system_id)) ?? null) !== null;
  const turns = inTurn(systems, { most: MOST_ASKED, now: session.clock.now(), wasAsked });
  for (const { system_id } of turns) {
    const system = String(system_id);
    const more = { use: 'list', what: `system ${system}` } as const;
    const summary = await unlessRefused(api.get(session, summaryOf(system), Summary, more));
    if (summary !== undefined) batteries.set(system, Number(summary.battery_capacity_wh) > 0);
  }
  return systems.flatMap((one) => devicesOf(one, batteries.get(String(one.system_id)) ?? null));
}

function devicesOf({ system_id, name, connection_type }: System, has_battery: boolean | null): Found[] {
  const system = String(system_id);
  const is_cellular = word(connection_type)?.toLowerCase() === 'cellular';
  const of = { site: system, details: { system, is_cellular, has_battery } };
  const solar: Found = { id: system, type: 'solar_inverter', ...named(name), ...of };
  if (has_battery !== true) return [solar];
  const called = word(name) === null ? null : `${word(name)} IQ Battery`;
  return [solar, { id: `${system}-battery`, type: 'battery', ...named(called), ...of }];
}
