import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { EventType, LoggedEvent } from '../api/shapes.ts';
import { changes, log } from '../live/index.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';

const PAGE = 1_000;
/** Requests for one list; the log is read from its oldest event on. */
const MOST_PAGES = 30;
const MOST = 2_000;

export const ALL_TYPES = Object.keys(words.eventTypes) as EventType[];
/** Types whose earlier events are loaded. Changes of state are too many. */
export const LOADED_TYPES = ALL_TYPES.filter((type) => type !== 'device.state_changed');

export interface EventQuery {
  readonly types: readonly EventType[];
  readonly device?: string;
  readonly userRef?: string;
}

export interface Events {
  /** Newest first. */
  readonly list: readonly LoggedEvent[];
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** The events of a filter: what the log of the service has, and what comes. */
export function useEvents(query: EventQuery): Events {
  const { types, device, userRef } = query;
  const loaded = types.filter((type) => type !== 'device.state_changed');
  const { data, error, isPending } = useQuery({
    key: ['GET /events', loaded, device, userRef],
    load: (signal) => readLog({ ...query, types: loaded }, signal),
    // What comes later comes by the stream.
    staleMs: Number.POSITIVE_INFINITY,
  });
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
    const all = [...live, ...(data ?? []).filter(({ id }) => !known.has(id))];
    if (!wanted.has('device.state_changed')) return all;
    return [...states.filter(fits), ...all].sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1));
  }, [name, data, others, states]);
  return { list, error, isLoading: isPending };
}

async function readLog(query: EventQuery, signal: AbortSignal): Promise<readonly LoggedEvent[]> {
  if (query.types.length === 0) return [];
  const found: LoggedEvent[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { body } = await call('GET /events', {
      query: {
        types: query.types.join(','),
        device: query.device,
        user_ref: query.userRef,
        limit: PAGE,
        after,
      },
      signal,
    });
    found.push(...body.events);
    if (!body.has_more) break;
    after = body.cursor;
  }
  return found.reverse().slice(0, MOST);
}
