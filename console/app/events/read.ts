import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/queries.ts';
import type { EventType, LoggedEvent } from '../api/shapes.ts';
import { changes, log } from '../live/index.ts';
import { useAction } from '../parts/action.tsx';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';

const PAGE = 1_000;
/** Fewer that fit are no list yet: more of the log is looked through. */
const ENOUGH = 100;
/** Requests for one part of a list; the service looks through 5,000 events for each. */
const MOST_PAGES = 10;

export const ALL_TYPES = Object.keys(words.eventTypes) as EventType[];
/** Types whose earlier events are loaded. Changes of state are too many. */
export const LOADED_TYPES = ALL_TYPES.filter((type) => type !== 'device.state_changed');

interface EventQuery {
  readonly types: readonly EventType[];
  readonly device?: string;
  readonly userRef?: string;
}

export interface Events {
  /** Newest first. */
  readonly list: readonly LoggedEvent[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly older: Older;
}

/** What the log has before the events of a list. */
export interface Older {
  /** Whether there may be any. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  load(): void;
}

/** The newest part of the log, as far as it is loaded. */
interface Loaded {
  readonly events: readonly LoggedEvent[];
  /** What is before it has not been loaded; undefined where nothing is. */
  readonly before: string | undefined;
}

/** The events of a filter: the newest that the log of the service has, older ones when they are asked for, and what comes. */
export function useEvents(query: EventQuery): Events {
  const { types, device, userRef } = query;
  const loaded = types.filter((type) => type !== 'device.state_changed');
  const wantedOfLog = { ...query, types: loaded };
  const key = ['GET /events', loaded, device, userRef];
  const { data, error, isPending } = useQuery({
    key,
    load: (signal) => readBack(wantedOfLog, { signal }),
    // What comes later comes by the stream.
    staleMs: Number.POSITIVE_INFINITY,
  });
  const older = useOlder(key, data, wantedOfLog);
  const others = useStore(log);
  const states = useStore(changes);
  const name = JSON.stringify(query);
  const list = useMemo(() => {
    const wanted = new Set(types);
    const fits = ({ type, subject }: LoggedEvent) =>
      wanted.has(type) &&
      (device === undefined || subject.device === device) &&
      (userRef === undefined || subject.user_ref === userRef);
    const live = others.filter(fits);
    const known = new Set(live.map(({ id }) => id));
    const all = [...live, ...(data?.events ?? []).filter(({ id }) => !known.has(id))];
    if (!wanted.has('device.state_changed')) return all;
    // What was recorded at one moment stays in its order.
    return [...states.filter(fits), ...all].sort(
      (a, b) => Number(a.recorded_at < b.recorded_at) - Number(a.recorded_at > b.recorded_at),
    );
  }, [name, data, others, states]);
  return { list, error: error ?? older.error ?? null, isLoading: isPending, older };
}

function useOlder(key: readonly unknown[], data: Loaded | undefined, query: EventQuery) {
  const { run, isBusy, error } = useAction();
  const before = data?.before;
  const load = async () => {
    if (before === undefined) return;
    const more = await run(() => readBack(query, { before }));
    if (more === undefined) return;
    // The list may have been loaded again meanwhile.
    queries.setQueryData<Loaded>(key, (now) =>
      now?.before === before ? { ...more, events: [...now.events, ...more.events] } : now,
    );
  };
  return { hasMore: before !== undefined, isLoading: isBusy, error, load: () => void load() };
}

interface From {
  /** Undefined: from the newest event. */
  readonly before?: string;
  readonly signal?: AbortSignal;
}

/** A part of the log, back from a place. */
async function readBack({ types, device, userRef }: EventQuery, { before, signal }: From): Promise<Loaded> {
  if (types.length === 0) return { events: [], before: undefined };
  const events: LoggedEvent[] = [];
  let place = before;
  for (let page = 0; page < MOST_PAGES && events.length < ENOUGH; page++) {
    const { body } = await call('GET /events', {
      query: {
        ...{ order: 'newest', types: types.join(','), limit: PAGE },
        ...{ device, user_ref: userRef, before: place },
      },
      ...(signal === undefined ? {} : { signal }),
    });
    events.push(...body.events);
    if (!body.has_more) return { events, before: undefined };
    place = body.cursor;
  }
  return { events, before: place };
}
