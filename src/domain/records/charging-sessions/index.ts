import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceType } from '../../../adapter/device.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { randomId } from '../../../core/ids.ts';
import type { Queries } from '../../../db/database.ts';
import { type NewEvent, STATE_CONFIRMED } from '../../../db/events.ts';
import type { Host } from '../../../db/host.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import type { Prices } from '../../market/prices/index.ts';
import type { EventLog, EventRow } from '../events/index.ts';
import { stepsOf } from '../history/index.ts';
import { applied, type FoldOptions, type Happening, NOTHING_KNOWN, type Progress } from './fold.ts';
import { type ListedSession, listed } from './read.ts';
import { figuresOf, type Session, type TransactionRecord } from './session.ts';
import {
  createSessionStore,
  type DeviceName,
  type NamedProgress,
  type NamedSession,
  type Place,
  type SessionFilter,
  textOf,
} from './store.ts';

/** What an event says about the charging of its device, in the order of time. */
function happeningsOf(row: EventRow): readonly Happening[] {
  if (row.type === 'device.removed') return [{ kind: 'removed', at: row.occurred_at }];
  if (row.type.startsWith('charging.')) {
    const record = JSON.parse(row.data_json) as TransactionRecord;
    return [{ kind: 'transaction', at: row.recorded_at, record }];
  }
  return stepsOf(row).map(({ at, values }) => ({ kind: 'state', at, values }));
}

/** The type of a device that has just been linked; undefined for other events. */
const linkedTypeOf = (row: EventRow): string | undefined =>
  row.type === 'device.linked'
    ? (JSON.parse(row.data_json) as { readonly device_type: string }).device_type
    : undefined;

export type { ListedSession } from './read.ts';

export type { Place, SessionFilter } from './store.ts';

/** The events that say what charges. */
const TYPES = [
  ...(['device.linked', 'device.removed', 'device.state_changed', STATE_CONFIRMED] as const),
  ...(['device.unreachable', 'device.reachable'] as const),
  ...(['charging.started', 'charging.updated', 'charging.ended'] as const),
] as const;
/** As what it reads the event log. */
export const SESSIONS_READER = { name: 'charging_sessions', types: TYPES };

const CHARGES: ReadonlySet<string> = new Set<DeviceType>(['vehicle', 'charger']);
/** Removed at once by retention. */
const ROWS_AT_ONCE = 500;

interface ChargingSessionsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly prices: Pick<Prices, 'energyCosts'>;
  readonly eventLog: Pick<EventLog, 'project'>;
  /** How long sessions are kept after their end. */
  readonly keptDays: number;
}

interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Where to go on; null at the end. */
  readonly next: Place | null;
}

/** What vehicles and chargers have charged, from plug to unplug: made of the event log. */
export function createChargingSessions(options: ChargingSessionsOptions) {
  const { host, adapters, prices, eventLog, keptDays } = options;
  const { database, clock, random } = host;
  const store = createSessionStore(database);

  const waysOf = (vendor: string, type: string): Pick<FoldOptions, 'meter' | 'hasTransactions'> => {
    const adapter = adapters.get(vendor);
    const isSession = adapter?.kinds[type as DeviceType]?.energyOfSession === true;
    return { meter: isSession ? 'session' : 'register', hasTransactions: adapter?.dialIn !== undefined };
  };

  async function apply(transaction: Queries, rows: readonly EventRow[]): Promise<void> {
    const devices = byDevice(rows);
    const known = await store.progress(
      transaction,
      devices.map(({ name }) => name),
    );
    const types = await store.types(
      transaction,
      devices.filter(({ name }) => !known.has(textOf(name))).map(({ name }) => name),
    );
    const sessions = await store.ofTransactions(transaction, transactionsOf(devices));
    const [gone, saved]: [DeviceName[], NamedProgress[]] = [[], []];
    const changed = new Map<string, NamedSession>();
    for (const { name, own } of devices) {
      const before = known.get(textOf(name));
      const type = typeIn(own) ?? before?.type ?? types.get(textOf(name));
      if (type === undefined || !CHARGES.has(type)) continue;
      const ofTransaction = (link: string | null) => (id: string) =>
        sessions.get(JSON.stringify([name.account, link, id]));
      const after = followed(own, {
        ...{ before, ...waysOf(name.vendor, type), newId: () => randomId(random), ofTransaction },
        changed(session) {
          changed.set(`${name.account}/${session.id}`, { ...name, session });
          if (session.transaction !== null)
            sessions.set(JSON.stringify([name.account, session.link, session.transaction]), session);
        },
      });
      if (after === undefined) gone.push(name);
      else saved.push({ ...name, ...after, type });
    }
    await store.removeProgress(transaction, gone);
    await store.saveProgress(transaction, saved);
    const all = [...changed.values()];
    const before = await store.stored(transaction, all);
    await store.saveSessions(transaction, all);
    await database.events.append(
      transaction,
      all.flatMap((one) => eventsOf(one, before.get(`${one.account}/${one.session.id}`))),
    );
  }
  const projection = eventLog.project({ ...SESSIONS_READER, apply });

  return {
    /** A page of sessions, newest first. */
    async list(filter: SessionFilter): Promise<SessionPage> {
      const found = await store.list({ ...filter, limit: filter.limit + 1 });
      const page = found.slice(0, filter.limit);
      const last = page.at(-1);
      const isEnd = found.length <= filter.limit || last === undefined;
      return {
        sessions: await listed(page, { now: clock.now(), prices }),
        next: isEnd ? null : { at: last.at, id: last.id },
      };
    },

    /** Removes the sessions of a user, in the transaction that removes what else is known of the user. */
    forget: store.forget,

    /** Removes what is older than is kept, from now on, until what it returns is closed. */
    keep: () =>
      startRetention({
        ...{ host, what: 'charging sessions', days: keptDays },
        removeSome: inBatches(store, ROWS_AT_ONCE),
      }),

    close: projection.close,
  };
}

export type ChargingSessions = ReturnType<typeof createChargingSessions>;

/** The events of a session that is stored now: when it began, and when it completed. */
function eventsOf(
  { account, vendor, device, session }: NamedSession,
  before: { readonly isOver: boolean } | undefined,
): NewEvent[] {
  const { link, userRef, startedAt, endedAt } = session;
  const about = { account, vendor, device, link, userRef };
  const began = startedAt ?? endedAt;
  const events: NewEvent[] = [];
  if (before === undefined && began !== null)
    events.push({
      ...about,
      type: 'charging.session_started',
      occurredAt: began,
      data: { session_id: session.id, started_at: timeOf(startedAt) },
    });
  if (endedAt === null || before?.isOver === true) return events;
  const { energyWh, energyBy, isComplete, maxPowerW } = figuresOf(session);
  events.push({
    ...about,
    type: 'charging.session_completed',
    occurredAt: endedAt,
    data: {
      ...{ session_id: session.id, started_at: timeOf(startedAt), ended_at: rfc3339(endedAt) },
      ...{ energy_wh: energyWh, max_power_w: maxPowerW, measured_by: { energy: energyBy } },
      complete: isComplete,
    },
  });
  return events;
}

const timeOf = (moment: number | null): string | null => (moment === null ? null : rfc3339(moment));

interface OfDevice {
  readonly name: DeviceName;
  readonly own: readonly EventRow[];
}

function byDevice(rows: readonly EventRow[]): OfDevice[] {
  const devices = new Map<string, { readonly name: DeviceName; readonly own: EventRow[] }>();
  for (const row of rows) {
    const { account_id: account, vendor, device_id: device } = row;
    if (vendor === null || device === null || row.user_ref === null) continue;
    const name = { account, vendor, device };
    const known = devices.get(textOf(name)) ?? { name, own: [] };
    known.own.push(row);
    devices.set(textOf(name), known);
  }
  return [...devices.values()];
}

const isOfTransaction = (row: EventRow): boolean => row.type.startsWith('charging.');

function transactionsOf(devices: readonly OfDevice[]) {
  const asked = devices.flatMap(({ name: { account }, own }) =>
    own.filter(isOfTransaction).map((row) => {
      const { transaction_id } = JSON.parse(row.data_json) as { readonly transaction_id: string };
      return { account, link: row.link_id ?? '', id: transaction_id };
    }),
  );
  return [...new Map(asked.map((one) => [JSON.stringify(Object.values(one)), one])).values()];
}

/** The type of a device as its events tell it: only chargers have transactions. */
function typeIn(own: readonly EventRow[]): string | undefined {
  const linked = own.map(linkedTypeOf).findLast((type) => type !== undefined);
  return linked ?? (own.some(isOfTransaction) ? 'charger' : undefined);
}

interface FollowOptions extends Pick<FoldOptions, 'meter' | 'hasTransactions' | 'newId' | 'changed'> {
  readonly before: { readonly userRef: string; readonly progress: Progress } | undefined;
  readonly ofTransaction: (link: string | null) => (id: string) => Session | undefined;
}

/** What is known of a device after its events; undefined where it is gone. */
function followed(
  own: readonly EventRow[],
  { before, ofTransaction, ...options }: FollowOptions,
): { readonly userRef: string; readonly progress: Progress } | undefined {
  let now = before;
  for (const row of own) {
    const userRef = row.user_ref ?? '';
    const of = { ...options, link: row.link_id, userRef, ofTransaction: ofTransaction(row.link_id) };
    // Another user has the device: what it did before is not theirs.
    if (now !== undefined && now.userRef !== userRef) {
      applied(now.progress, { kind: 'removed', at: row.occurred_at }, of);
      now = undefined;
    }
    let progress = now?.progress ?? NOTHING_KNOWN;
    for (const happening of happeningsOf(row)) progress = applied(progress, happening, of);
    now = row.type === 'device.removed' ? undefined : { userRef, progress };
  }
  return now;
}
