import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Places } from './places.ts';

/** Bodies above this are in work only two at a time, whatever their route. */
export const LARGE = 4 * 1024 * 1024;
/** A body must arrive within this, and its answer be taken within that: a slow client would keep a place from all others. */
const ARRIVAL_MS = 30_000;
const TAKING_MS = 60_000;

export interface ArrivedBody {
  /** Only the last may be partly filled; one where the client told the length. */
  readonly blocks: readonly ArrayBuffer[];
  /** Bytes. */
  readonly length: number;
  /** Does the work on the body; its place is kept until that has ended, even when the client is gone by then. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

interface ReadOptions {
  /** Most bytes that are taken. */
  readonly limit: number;
  readonly places: Places;
  readonly clock: Clock;
}

/** In this scope JSON bodies are not read before the handler, which reads them with `readLargeBody`. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));
}

/**
 * Reads a body as bytes into memory that can be handed to a thread. A body of more than 4 MiB waits for a place before it is
 * read; the place is kept until the answer has been taken.
 */
export async function readLargeBody(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ReadOptions,
): Promise<ArrivedBody> {
  const { limit, places, clock } = options;
  const told = request.headers['content-length'];
  const expected = told === undefined ? undefined : Number(told);
  if (expected !== undefined && expected > limit) {
    // What is a little too large is read and thrown away, so that the client gets to see the answer.
    if (expected > 2 * limit) reply.header('connection', 'close');
    throw tooLarge(limit);
  }
  const stay = new Stay(request, reply, places);
  if (expected !== undefined && expected > LARGE) await stay.take();
  const late = Promise.withResolvers<never>();
  const patience = clock.after(ARRIVAL_MS, () => late.reject(tooLate()));
  try {
    const { blocks, length } = await Promise.race([
      collect(request, { expected, limit, stay }),
      late.promise,
    ]);
    return { blocks, length, during: (work) => stay.during(work) };
  } catch (error) {
    reply.header('connection', 'close');
    throw error;
  } finally {
    patience();
    stay.watchAnswer(clock);
  }
}

/** What a request holds of the places, from before its body is read to when its answer is taken. */
class Stay {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #places: Places;
  #release: (() => void) | undefined;
  #working = 0;
  #gone: boolean;

  constructor(request: FastifyRequest, reply: FastifyReply, places: Places) {
    this.#request = request;
    this.#reply = reply;
    this.#places = places;
    // A client may have gone while its key was looked up.
    this.#gone = reply.raw.destroyed || request.raw.destroyed;
    reply.raw.once('close', () => {
      this.#gone = true;
      this.#leave();
    });
  }

  async take(): Promise<void> {
    this.#release = await this.#places.take(this.#request.principal?.account ?? 0);
    this.#leave();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#leave();
    }
  }

  /** Cuts the connection of a client that does not take its answer. */
  watchAnswer(clock: Clock): void {
    if (this.#release === undefined) return;
    const { raw } = this.#reply;
    const patience = clock.after(TAKING_MS, () => raw.destroy());
    raw.once('close', patience);
  }

  #leave(): void {
    if (!this.#gone || this.#working > 0) return;
    this.#release?.();
    this.#release = undefined;
  }
}

interface Collecting {
  readonly expected: number | undefined;
  readonly limit: number;
  readonly stay: Stay;
}

async function collect(
  request: FastifyRequest,
  { expected, limit, stay }: Collecting,
): Promise<{ blocks: ArrayBuffer[]; length: number }> {
  const blocks: ArrayBuffer[] = [];
  let block = new Uint8Array(expected ?? 0);
  let used = 0;
  let length = 0;
  if (expected !== undefined) blocks.push(block.buffer);
  try {
    // A request that is refused half-way stays open for the answer.
    const chunks: AsyncIterable<Uint8Array> = request.raw.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      if (expected === undefined && length > LARGE && length - chunk.length <= LARGE) await stay.take();
      let rest = chunk;
      while (rest.length > 0) {
        if (used === block.length) {
          // Ever larger blocks: few of them for a large body, and little memory for a small one.
          block = new Uint8Array(Math.min(LARGE, Math.max(64 * 1024, length)));
          blocks.push(block.buffer);
          used = 0;
        }
        const part = rest.subarray(0, block.length - used);
        block.set(part, used);
        used += part.length;
        rest = rest.subarray(part.length);
      }
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('request.malformed', 'the body ended before it was whole', { cause });
  }
  if (expected !== undefined && length !== expected) {
    throw new AppError('request.malformed', 'the content-length does not match the body');
  }
  return { blocks, length };
}

function tooLarge(limit: number): AppError {
  return new AppError('request.too_large', `the body is larger than ${limit} bytes`);
}

function tooLate(): AppError {
  return new AppError('request.timeout', `the body did not arrive within ${ARRIVAL_MS / 1000} seconds`);
}
