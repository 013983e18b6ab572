import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { OpenResponses } from './open-responses.ts';

interface EventStreamsOptions {
  readonly clock: Clock;
  /** Ends every stream when it fires. */
  readonly stopping: AbortSignal;
  /** Limits how many streams are open at a time. */
  readonly limit: OpenResponses;
  /** How often a comment is sent. */
  readonly heartbeatMs?: number;
}

/** A response without an end, to one caller. */
export interface EventStream {
  /** Sends text from `eventText`. A caller that does not read is disconnected. */
  send(text: string): void;
  /** Resolves when the caller has read most of what was sent, or is gone. */
  keepUp(): Promise<void>;
  /** Ends the response. */
  end(): void;
  readonly isClosed: boolean;
}

interface EventStreams {
  /** Starts a stream with its first events; `closed` is called when the caller has disconnected or was disconnected. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    options: { readonly first: string; opened(stream: EventStream): () => void },
  ): FastifyReply;
  /** How many are open. */
  count(): number;
}

/** Proxies commonly close a connection that is silent for 30 or 60 seconds. */
const HEARTBEAT_MS = 20_000;
const RETRY_MS = 5_000;
/** The maximum that is buffered for a caller, besides the system's own buffers. */
const MOST_WAITING_BYTES = 256 * 1024;

/**
 * Server-sent events (HTML Living Standard, 9.2). They are written to the connection itself: a stream in between, and what watches it, would
 * take a third of the memory of an open response.
 */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { clock, stopping, limit, heartbeatMs = HEARTBEAT_MS } = options;
  const open = new Set<ServerResponse>();
  let cancelHeartbeat: (() => void) | undefined;

  const isClosed = (response: ServerResponse): boolean => response.destroyed || response.writableEnded;
  const send = (response: ServerResponse, text: string): void => {
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
    if (!isClosed(response)) response.write(text);
  };
  const beat = (): void => {
    // Who has something to read yet knows that the connection is there.
    for (const response of open) if (!response.writableNeedDrain) send(response, ':\n\n');
    cancelHeartbeat = open.size === 0 ? undefined : clock.after(heartbeatMs, beat);
  };
  const end = (response: ServerResponse): void => {
    if (!isClosed(response)) response.end();
  };
  stopping.addEventListener('abort', () => {
    cancelHeartbeat?.();
    for (const response of open) end(response);
  });

  return {
    count: () => open.size,
    open(request, reply, { first, opened }) {
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      limit.enter(request, reply);
      const { raw: response } = reply;
      reply.hijack();
      if (!isClosed(response)) {
        response.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
        response.write(`retry: ${RETRY_MS}\n\n${first}`);
      }
      open.add(response);
      cancelHeartbeat ??= clock.after(heartbeatMs, beat);
      const closed = opened({
        send: (text) => send(response, text),
        keepUp: () => keptUp(response),
        end: () => end(response),
        get isClosed() {
          return isClosed(response);
        },
      });
      const forget = () => {
        closed();
        open.delete(response);
      };
      // A caller that disconnected during the key look-up says so no more.
      if (response.closed) forget();
      else response.once('close', forget);
      return reply;
    },
  };
}

/** Resolves when the caller has read most of what was written, or is gone. */
function keptUp(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}

/** One event: an id that the client sends when it reconnects, a name, and data in one line. */
export function eventText(event: {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}): string {
  return `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
