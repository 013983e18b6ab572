import { createParser } from 'eventsource-parser';
import { HttpFailure } from '../adapter/http.ts';
import type { EventsRequest, EventsWatch, VendorEvent } from '../adapter/stream.ts';
import type { OutboundAgent } from './agent.ts';
import { begin, brokenOff, discard, outOfTime } from './exchange.ts';
import { outgoingOf } from './outgoing.ts';

export interface EventsOptions {
  readonly request: Pick<EventsRequest, 'path' | 'query' | 'headers' | 'lastEventId'>;
  /** What errors call the service. */
  readonly name: string;
  readonly baseUrl: string;
  readonly userAgent: string;
  /** Ends the stream, at whatever point it is. */
  readonly signal: AbortSignal;
  readonly agent: OutboundAgent;
  /** ms since 1970; for a `Retry-After` that names a time. */
  readonly now: () => number;
  readonly watch?: EventsWatch;
}

/** Of an event, and of a line. */
const MOST_CHARACTERS = 1024 * 1024;
/** A header has no room for more. */
const MOST_ID_BYTES = 1024;

/**
 * Opens a stream of server-sent events. Throws an `HttpFailure` for everything but a stream, as a call would; it is not repeated: who
 * keeps the stream waits and opens it again.
 */
export async function openEvents(options: EventsOptions): Promise<AsyncIterable<VendorEvent>> {
  const { name, agent, signal, now, request, watch = {} } = options;
  const outgoing = outgoingOf(
    {
      path: request.path,
      ...(request.query === undefined ? {} : { query: request.query }),
      headers: {
        ...request.headers,
        accept: 'text/event-stream',
        // What is packed cannot be read before enough of it is there.
        'accept-encoding': 'identity',
        'cache-control': 'no-store',
        ...lastEventId(request.lastEventId),
      },
    },
    { name, baseUrl: options.baseUrl, userAgent: options.userAgent, mostBytes: 0, timeoutMs: 0 },
  );
  // control: a stream of events is not opened at a private address that a user chose [outbound/events]
  agent.guard?.checkUrl(outgoing.url);
  if (signal.aborted) throw outOfTime(name);
  // How long it may be silent is decided by the owner of the stream.
  const begun = await begin(outgoing, { dispatcher: agent.dispatcher, signal, now, bodyTimeout: 0 });
  const { body, status, headers } = begun;
  // It may be cut off before anybody reads it.
  body.on('error', () => {});
  if (!isStream(begun)) {
    discard(body);
    throw new HttpFailure('answer_invalid', `${name} did not respond with a stream of events`, { status });
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    discard(body);
    throw new HttpFailure('answer_invalid', `${name} returned an encoding that was not requested`);
  }
  const events = eventsIn(body as AsyncIterable<Buffer>, { name, watch, id: request.lastEventId ?? '' });
  return untilAborted(events, { name, signal });
}

const isStream = ({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }) =>
  status === 200 && /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/** The header that says where to go on; an id that no header can hold is left out, or the stream could never be opened again. */
function lastEventId(id = ''): Record<string, string> {
  const bytes = Buffer.from(id).toString('latin1');
  const isSendable = /^[\x20-\x7e\x80-\xff]+$/.test(bytes) && bytes.length <= MOST_ID_BYTES;
  return isSendable ? { 'last-event-id': bytes } : {};
}

async function* untilAborted(
  events: AsyncIterable<VendorEvent>,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): AsyncGenerator<VendorEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!signal.aborted) throw brokenOff(name, error, signal);
  }
}

/**
 * The events in what comes in. An event that is not finished when the stream ends is none. Nothing is read ahead of the reader of the
 * events, and no more than an event is kept.
 */
export async function* eventsIn(
  chunks: AsyncIterable<Uint8Array>,
  { name, watch, id: before }: { readonly name: string; readonly watch: EventsWatch; readonly id: string },
): AsyncGenerator<VendorEvent> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const come: VendorEvent[] = [];
  let id = before;
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: MOST_CHARACTERS,
    onId(given) {
      id = given;
    },
    onRetry: (ms) => watch.retry?.(ms),
    onEvent: ({ event = 'message', data }) => void come.push({ event, data, id }),
    onError({ type }) {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
  });
  for await (const chunk of chunks) {
    watch.heard?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const one of come.splice(0)) {
      yield one;
      watch.taken?.(one.id);
    }
    if (isTooLarge)
      throw new HttpFailure(
        'answer_invalid',
        `${name} sent an event of more than ${MOST_CHARACTERS} characters`,
      );
    // An id may come without an event.
    watch.taken?.(id);
  }
}
