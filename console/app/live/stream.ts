import { createParser } from 'eventsource-parser';
import { Refused, send } from '../api/call.ts';
import type { LoggedEvent } from '../api/shapes.ts';
import { createStore, type Store } from '../store.ts';

/** `live`: events come. `lost`: it is being tried again, and nothing is missed. */
type StreamState = 'connecting' | 'live' | 'lost';

/** The service sends a comment every 15 seconds. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** A tab that is not looked at gives its connection back: browsers have six for a service. */
const HIDDEN_MS = 60_000;

interface StreamOptions {
  /** Events in their order, as many as came at once. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void;
  /** Events were removed before they could be read: what is shown must be loaded again. */
  readonly onMissed: () => void;
}

export interface EventStream {
  readonly state: Store<StreamState>;
  /** Resolves when the first events could come: what is loaded after that misses nothing. */
  readonly opened: Promise<void>;
}

/** Follows what happens, from now on, through lost connections. */
export function followEvents({ onEvents, onMissed }: StreamOptions): EventStream {
  const state = createStore<StreamState>('connecting');
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<void>();
  let lastId = '';
  let waitMs = FIRST_WAIT_MS;

  async function read(signal: AbortSignal, alive: () => void): Promise<void> {
    const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
    const response = await send('GET /events/stream', { signal }, headers);
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    let events: LoggedEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, data }) => {
        if (id !== undefined) lastId = id;
        if (data !== '') events.push(JSON.parse(data) as LoggedEvent);
      },
    });
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const text = decoder.decode(value, { stream: true });
      // The first part is an id without data, which parsers do not tell.
      if (lastId === '') lastId = /^id: (\S+)$/m.exec(text)?.[1] ?? '';
      parser.feed(text);
      waitMs = FIRST_WAIT_MS;
      state.set('live');
      setOpened();
      if (events.length > 0) onEvents(events);
      events = [];
    }
  }

  async function connect(): Promise<void> {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => over.abort(), SILENCE_MS);
    };
    const release = whenHidden(() => over.abort());
    alive();
    try {
      await read(over.signal, alive);
    } catch (error) {
      if (error instanceof Refused) {
        if (error.status === 410) {
          lastId = '';
          onMissed();
        }
        waitMs = Math.max(waitMs, (error.retryAfterSeconds ?? 0) * 1_000);
      }
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async function follow(): Promise<never> {
    for (;;) {
      await connect();
      state.set('lost');
      // Many pages are disconnected at once when a service is restarted.
      await pause(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      await shown();
    }
  }
  void follow();
  return { state, opened };
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    addEventListener(
      'online',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

/** Calls back when the page has been hidden for long; the result ends that. */
function whenHidden(callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(callback, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

const shown = () =>
  new Promise<void>((resolve) => {
    if (!document.hidden) return resolve();
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
  });
