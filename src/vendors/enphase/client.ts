import Type, { type Static } from 'typebox';
import type { Linked } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import { ListOutdated, limitedSeconds, secondsOrMoment } from '../../adapter/failures.ts';
import { HttpFailure } from '../../adapter/http.ts';
import {
  allPages,
  detailsOf,
  each,
  fits,
  gone,
  inTurn,
  jsonIn,
  lenient,
  named,
  notUnderstood,
  objectIn,
  unlessRefused,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as translate from './translate.ts';
import { Details, Summary } from './translate.ts';

/** The system has reported nothing in the time that was asked for. */
class NothingReported extends AppError {}
const WRONG_KEY =
  'Enphase rejected the API key of this server; the operator must check ELNAV_ENPHASE_API_KEY';
const NOT_GRANTED = 'its owner has not granted it, or the access controls of the app do not include it';

/**
 * The status decides what an error is. What a body says differs from call to call: `code` is a number or a text, `message` a text or a
 * list, and a system that the account does not have is "Not Authorized" with 404.
 */
const api = vendorCalls('Enphase', {
  failure: (cause) =>
    cause instanceof HttpFailure && cause.status === 401 && isKeyRefused(cause.bodyText())
      ? new AppError('oauth.not_configured', WRONG_KEY, { cause })
      : undefined,
  refusals: {
    statuses: [403, 404, 422, 429],
    error({ status, headers, bytes }, { what, now }) {
      const { details, period, period_end } = objectIn(jsonIn(Buffer.from(bytes).toString()));
      if (status === 429) {
        const stated = limitedSeconds(headers, now) ?? secondsOrMoment(period_end, now);
        return new AppError('vendor.rate_limited', 'the limit of the plan at Enphase is exceeded', {
          retryAfterSeconds: stated ?? (period === 'month' ? 86_400 : 60),
        });
      }
      if (status === 404) return new ListOutdated('vendor.refused', `Enphase does not have ${what}`);
      if (status === 422 && /date range/i.test(String(details)))
        return new NothingReported('vendor.refused', `Enphase has no data of ${what} of that time`);
      const reason = status === 403 ? NOT_GRANTED : 'the request is not possible for this system';
      return new AppError('vendor.refused', `Enphase refused to read ${what} (${status}): ${reason}`);
    },
  },
});

/** A 401 is a lost token, except where it is the key of the app that is wrong: then no user can renew anything. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !isKeyRefused(body);
const isKeyRefused = (body: string) => /\bAPI key\b/i.test(body);

const summaryOf = (system: string) => `/api/v4/systems/${system}/summary`;
const about = ({ id, site }: DeviceRef) => ({ device: id, site, what: id });

/** Two calls: what the system has produced, and the telemetry of its meter or its microinverters. */
export async function readSolar(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const { system } = detailsOf(translate.Details, device);
  const summary = await api.get(session, summaryOf(system), translate.Summary, about(device));
  if (translate.isReporting(summary) === false) return { summary, newest: null };
  const measured = summary.source === 'meter' ? 'production_meter' : 'production_micro';
  const { intervals } = await readTelemetry(session, device, measured);
  return { summary, newest: translate.newestIn(intervals, measured) };
}

/** One call about all batteries of the system. */
export async function readBattery(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const { intervals, total_devices: count } = await readTelemetry(session, device, 'battery');
  if (count === 0) throw gone('Enphase', device);
  return { newest: translate.newestIn(intervals, 'battery') };
}

async function readTelemetry(session: Session, device: DeviceRef, measured: translate.Measured) {
  const { system, is_cellular } = detailsOf(translate.Details, device);
  // A gateway on a mobile network reports every six hours, others every 15 minutes; both may be late.
  const from = Math.floor(session.clock.now() / 1_000) - (is_cellular ? 8 : 2) * 3_600;
  // Without a start the list begins at midnight, and is empty for a while after.
  const more = { query: { start_at: String(from), granularity: 'day' }, ...about(device) };
  const path = `/api/v4/systems/${system}/telemetry/${measured}`;
  try {
    return await api.get(session, path, translate.Telemetry, more);
  } catch (error) {
    if (error instanceof NothingReported) return { intervals: [] };
    throw error;
  }
}

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
