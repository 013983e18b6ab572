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

export interface EventStreams {
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
/** With less than this buffered, a caller has kept up. */
const FEW_WAITING_BYTES = 32 * 1024;

/** Server-sent events (HTML Living Standard, 9.2). */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { clock, stopping, limit, heartbeatMs = HEARTBEAT_MS } = options;
  const open = new Set<Readable>();
  let cancelHeartbeat: (() => void) | undefined;

  /** False when the caller has to read before it should be sent more. */
  const send = (body: Readable, text: string): boolean => {
    if (body.readableLength > MOST_WAITING_BYTES) body.destroy();
    return body.destroyed || body.readableEnded || body.push(text);
  };
  const beat = (): void => {
    for (const body of open) send(body, ':\n\n');
    cancelHeartbeat = open.size === 0 ? undefined : clock.after(heartbeatMs, beat);
  };
  stopping.addEventListener('abort', () => {
    cancelHeartbeat?.();
    for (const body of open) end(body);
  });
  const end = (body: Readable): void => {
    if (!body.destroyed && !body.readableEnded) body.push(null);
  };

  return {
    count: () => open.size,
    open(request, reply, { first, opened }) {
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      limit.enter(request, reply);
      let hasRoom = true;
      let goOn = () => {};
      const body = new Readable({
        highWaterMark: FEW_WAITING_BYTES,
        read() {
          hasRoom = true;
          goOn();
        },
      });
      open.add(body);
      cancelHeartbeat ??= clock.after(heartbeatMs, beat);
      body.push(`retry: ${RETRY_MS}\n\n${first}`);
      const closed = opened({
        send(text) {
          // Set before: the text may be read within the call.
          hasRoom = false;
          if (send(body, text)) hasRoom = true;
        },
        keepUp: () =>
          new Promise((resolve) => {
            goOn = resolve;
            if (hasRoom || body.destroyed) resolve();
          }),
        end: () => end(body),
        get isClosed() {
          return body.destroyed || body.readableEnded;
        },
      });
      // The response may have closed before, when the caller disconnected during the key look-up; its own event would be missed.
      body.once('close', () => {
        closed();
        goOn();
        open.delete(body);
      });
      return reply.send(body);
    },
  };
}

/** One event: an id that the client sends when it reconnects, a name, and data in one line. */
export function eventText(event: {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}): string {
  return `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
