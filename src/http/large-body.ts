import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { type BodyPace, HEAD_BYTES, watchPace } from './body-pace.ts';
import type { Places } from './places.ts';

/** Bodies above this are in work only two at a time, whatever their route. */
export const LARGE = 4 * 1024 * 1024;
/** An answer must be taken within this: a slow client would keep a place from all others. */
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
 * Reads a body as bytes into memory that can be handed to a thread. A body of more than 4 MiB waits for a place once it comes,
 * and must go on coming; the place is kept until the answer has been taken.
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
  const pace = watchPace(clock, { isLarge: expected !== undefined && expected > LARGE });
  try {
    const { blocks, length } = await Promise.race([
      collect(request, { expected, limit, stay, pace }),
      pace.late,
    ]);
    return { blocks, length, during: (work) => stay.during(work) };
  } catch (error) {
    reply.header('connection', 'close');
    throw error;
  } finally {
    pace.end();
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
  readonly pace: BodyPace;
}

async function collect(
  request: FastifyRequest,
  { expected, limit, stay, pace }: Collecting,
): Promise<{ blocks: readonly ArrayBuffer[]; length: number }> {
  // Where the client tells that it is large a place is taken when it really comes; else once it has become large.
  const placeAt = expected !== undefined && expected > LARGE ? HEAD_BYTES : LARGE;
  const blocks = new Blocks(expected);
  let length = 0;
  try {
    // A request that is refused half-way stays open for the answer.
    const chunks: AsyncIterable<Uint8Array> = request.raw.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      length += chunk.length;
      pace.arrived(chunk.length);
      if (length > limit) throw tooLarge(limit);
      if (length > placeAt && length - chunk.length <= placeAt) {
        pace.waits();
        await stay.take();
        pace.placed();
      }
      blocks.add(chunk, length);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('request.malformed', 'the body ended before it was complete', { cause });
  }
  if (expected !== undefined && length !== expected) {
    throw new AppError('request.malformed', 'the header content-length does not match the body');
  }
  return { blocks: blocks.all, length };
}

/** What has arrived; one block where the client told the length. */
class Blocks {
  readonly all: ArrayBuffer[] = [];
  readonly #expected: number | undefined;
  #block = new Uint8Array();
  #used = 0;

  constructor(expected: number | undefined) {
    this.#expected = expected;
  }

  /** Adds a chunk; `length` are the bytes that have arrived with it. */
  add(chunk: Uint8Array, length: number): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#used === this.#block.length) this.#begin(length);
      const part = rest.subarray(0, this.#block.length - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      rest = rest.subarray(part.length);
    }
  }

  #begin(length: number): void {
    const told = this.#expected;
    if (told === undefined) {
      // Ever larger blocks: few of them for a large body, and little memory for a small one.
      this.#block = new Uint8Array(Math.min(LARGE, Math.max(HEAD_BYTES, length)));
      this.#used = 0;
      this.all.push(this.#block.buffer);
      return;
    }
    // Memory for the whole of a large one only once its head is there.
    const head = this.#block;
    this.#block = new Uint8Array(told > LARGE && head.length === 0 ? HEAD_BYTES : told);
    this.#block.set(head);
    this.all[0] = this.#block.buffer;
  }
}

function tooLarge(limit: number): AppError {
  return new AppError('request.too_large', `the body is larger than ${limit} bytes`);
}
