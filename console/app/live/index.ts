import { invalidate, queries } from '../api/queries.ts';
import type { EventType, LoggedEvent } from '../api/shapes.ts';
import { createStore, type Store } from '../store.ts';
import { createDeviceList, type DeviceId } from './devices.ts';
import { followEvents } from './stream.ts';

/** More would be scrolled past, and are in the log of the service. */
const MOST = 2_000;
/** Faster than anybody reads. */
const TOLD_EVERY_MS = 250;

interface Log extends Pick<Store<readonly LoggedEvent[]>, 'get' | 'subscribe'> {
  add(events: readonly LoggedEvent[]): void;
}

/** What happened since the page was opened, newest first. */
function createLog(): Log {
  const shown = createStore<readonly LoggedEvent[]>([]);
  let fresh: LoggedEvent[] = [];
  return {
    get: shown.get,
    subscribe: shown.subscribe,
    add(events) {
      if (events.length === 0) return;
      if (fresh.length === 0)
        setTimeout(() => {
          shown.set([...fresh.reverse(), ...shown.get()].slice(0, MOST));
          fresh = [];
        }, TOLD_EVERY_MS);
      fresh.push(...events);
    },
  };
}

export const devices = createDeviceList();

/**
 * When a device was measured last.
 * @param read when a reading says that it was
 */
export function measuredAt({ vendor, id }: DeviceId, read: string | undefined): string | undefined {
  const heard = devices.observedAt(vendor, id);
  return heard === undefined || (read !== undefined && read > heard) ? read : heard;
}

/** Changes of state are kept apart: they are so many that nothing else would be left. */
export const changes = createLog();
export const log = createLog();

type Reads = Parameters<typeof invalidate>[0];

/** What is asked for again when something happens. */
const CHANGED: Partial<Record<EventType, readonly Reads[]>> = {
  'command.succeeded': ['GET /devices/{id}/set-points'],
  'command.failed': ['GET /devices/{id}/set-points'],
  'command.outcome_unknown': ['GET /devices/{id}/set-points'],
  'link.linked': ['GET /links', 'GET /interventions'],
  'link.needs_relink': ['GET /links', 'GET /interventions'],
  'link.unreachable': ['GET /links'],
  'link.reachable': ['GET /links'],
  'link.recovered': ['GET /links', 'GET /interventions'],
  'link.removed': ['GET /links', 'GET /interventions'],
  'intervention.opened': ['GET /interventions'],
  'intervention.resolved': ['GET /interventions'],
  'link_session.completed': ['GET /link/sessions/{session}'],
  'link_session.failed': ['GET /link/sessions/{session}'],
  'charging.session_started': ['GET /devices/{id}/sessions'],
  'charging.session_completed': ['GET /devices/{id}/sessions'],
  'subscription.paused': ['GET /subscriptions'],
  'charging.started': ['GET /devices/{id}/sessions'],
  'charging.updated': ['GET /devices/{id}/sessions'],
  'charging.ended': ['GET /devices/{id}/sessions'],
};

function applyEvents(events: readonly LoggedEvent[]): void {
  devices.apply(events);
  changes.add(events.filter(({ type }) => type === 'device.state_changed'));
  log.add(events.filter(({ type }) => type !== 'device.state_changed'));
  for (const operation of new Set(events.flatMap(({ type }) => CHANGED[type] ?? []))) invalidate(operation);
}

export const stream = followEvents({
  onEvents: applyEvents,
  onMissed: () => {
    void devices.load();
    void queries.invalidateQueries();
  },
});

// What happens while the list is being loaded comes by the stream, which must be open before.
void stream.opened.then(() => devices.load());
