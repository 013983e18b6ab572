import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { OpenAnswers } from './open-answers.ts';

interface EventStreamsOptions {
  readonly clock: Clock;
  /** Ends every stream. */
  readonly stopping: AbortSignal;
  /** How many may be open at a time. */
  readonly limit: OpenAnswers;
}

/** An answer without an end, to one caller. */
export interface EventStream {
  /** Sends text as `eventText` makes it. A caller who does not read is hung up on. */
  send(text: string): void;
}

export interface EventStreams {
  /** Answers with events, the first of them at once; `closed` is called when the caller is gone, or was hung up on. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    options: { readonly first: string; opened(stream: EventStream): () => void },
  ): FastifyReply;
}

/** Proxies commonly give up on a connection that is silent for 30 or 60 seconds. */
const HEARTBEAT_MS = 20_000;
const RETRY_MS = 5_000;
/** What waits for a caller, beyond what the system's own buffers hold. */
const MOST_WAITING_BYTES = 256 * 1024;

/** Server-sent events (HTML Living Standard, 9.2). */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { clock, stopping, limit } = options;
  const open = new Set<Readable>();
  let cancelHeartbeat: (() => void) | undefined;

  const send = (body: Readable, text: string): void => {
    if (body.readableLength > MOST_WAITING_BYTES) body.destroy();
    else if (!body.destroyed && !body.readableEnded) body.push(text);
  };
  const beat = (): void => {
    for (const body of open) send(body, ':\n\n');
    cancelHeartbeat = open.size === 0 ? undefined : clock.after(HEARTBEAT_MS, beat);
  };
  stopping.addEventListener('abort', () => {
    cancelHeartbeat?.();
    for (const body of open) body.push(null);
  });

  return {
    open(request, reply, { first, opened }) {
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      limit.enter(request, reply);
      const body = new Readable({ read: () => {} });
      open.add(body);
      cancelHeartbeat ??= clock.after(HEARTBEAT_MS, beat);
      const closed = opened({ send: (text) => send(body, text) });
      // Not that of the answer: it comes before, where the caller was gone while the key was looked up.
      body.once('close', () => {
        closed();
        open.delete(body);
      });
      body.push(`retry: ${RETRY_MS}\n\n${first}`);
      return reply.send(body);
    },
  };
}

/** One event: an id that the client sends back when it returns, a name, and data in one line. */
export function eventText(event: {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}): string {
  return `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
