import type { LoggedEvent } from '../api/shapes.ts';
import { createStore, type Store } from '../store.ts';

/** More would be scrolled past, and are in the log of the service. */
const MOST = 2_000;
/** Faster than anybody reads. */
const TOLD_EVERY_MS = 250;

export interface Log extends Pick<Store<readonly LoggedEvent[]>, 'get' | 'subscribe'> {
  add(events: readonly LoggedEvent[]): void;
}

/** What happened since the page was opened, newest first. */
export function createLog(): Log {
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
