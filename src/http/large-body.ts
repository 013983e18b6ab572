import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { FairSemaphore } from './fair-semaphore.ts';

/** The time limit for the whole body, whatever its size. */
const ARRIVAL_MS = 30_000;
/** Before a large body gets a slot, this many bytes must arrive within `HEAD_MS`. */
const HEAD_BYTES = 64 * 1024;
const HEAD_MS = 2_000;
/** While it holds a slot, this many bytes must arrive in each stretch: 256 KiB a second. */
const STRETCH_MS = 2_000;
const STRETCH_BYTES = 512 * 1024;

/** Watches how fast a body arrives. */
interface BodyPace {
  /** Rejects with `request.timeout` once the body is too slow. */
  readonly late: Promise<never>;
  arrived(bytes: number): void;
  /** The body waits for a slot and is not read meanwhile. */
  pause(): void;
  /** The body has a slot and is read again. */
  resume(): void;
  /** Stops watching. */
  end(): void;
}

function watchPace(clock: Clock, { isLarge }: { readonly isLarge: boolean }): BodyPace {
  const late = Promise.withResolvers<never>();
  let received = 0;
  let cancel = () => {};
  const cancelArrival = clock.after(ARRIVAL_MS, () =>
    late.reject(tooSlow(`the body did not arrive within ${ARRIVAL_MS / 1000} seconds`)),
  );

  function expect(bytes: number, ms: number): void {
    const before = received;
    cancel = clock.after(ms, () => {
      if (received - before >= bytes) expect(STRETCH_BYTES, STRETCH_MS);
      else
        late.reject(tooSlow(`a large body must arrive at ${bytes} bytes per ${ms / 1000} seconds or faster`));
    });
  }
  if (isLarge) expect(HEAD_BYTES, HEAD_MS);

  return {
    late: late.promise,
    arrived(bytes) {
      received += bytes;
    },
    pause: () => cancel(),
    resume() {
      expect(STRETCH_BYTES, STRETCH_MS);
    },
    end() {
      cancel();
      cancelArrival();
    },
  };
}

function tooSlow(sentence: string): AppError {
  return new AppError('request.timeout', sentence);
}

/** Only two larger bodies are processed at a time, whatever their route. */
const LARGE = 4 * 1024 * 1024;
/** The time limit for reading a response: a slow client would keep its slot from all others. */
const READ_MS = 60_000;

interface ArrivedBody {
  /** Only the last block may be partly filled; a single block when the client sent the length. */
  readonly blocks: readonly ArrayBuffer[];
  /** Bytes. */
  readonly length: number;
  /** Works on the body; its slot is held until the work has ended, even if the client disconnects. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

interface ReadOptions {
  /** The maximum size, bytes. */
  readonly limit: number;
  readonly slots: FairSemaphore;
  readonly clock: Clock;
}

/** In this scope JSON bodies are not read before the handler, which reads them with `readLargeBody`. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));
}

/**
 * Reads a body as bytes into memory that can be transferred to a thread. A body of more than 4 MiB waits for a slot once it starts
 * to arrive, and must keep arriving; the slot is held until the response has been read.
 */
export async function readLargeBody(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ReadOptions,
): Promise<ArrivedBody> {
  const { limit, slots, clock } = options;
  const contentLength = request.headers['content-length'];
  const expected = contentLength === undefined ? undefined : Number(contentLength);
  if (expected !== undefined && expected > limit) {
    // A slightly too large body is read and discarded, so that the client receives the response.
    if (expected > 2 * limit) reply.header('connection', 'close');
    throw tooLarge(limit);
  }
  const slot = new RequestSlot(request, reply, slots);
  const pace = watchPace(clock, { isLarge: expected !== undefined && expected > LARGE });
  try {
    const { blocks, length } = await Promise.race([
      collect(request, { expected, limit, slot, pace }),
      pace.late,
    ]);
    return { blocks, length, during: (work) => slot.during(work) };
  } catch (error) {
    reply.header('connection', 'close');
    throw error;
  } finally {
    pace.end();
    slot.watchAnswer(clock);
  }
}

/** The slot of a request, from before its body is read until its response is read. */
class RequestSlot {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #slots: FairSemaphore;
  #release: (() => void) | undefined;
  #working = 0;
  #gone: boolean;

  constructor(request: FastifyRequest, reply: FastifyReply, slots: FairSemaphore) {
    this.#request = request;
    this.#reply = reply;
    this.#slots = slots;
    // The client may have disconnected during the key look-up.
    this.#gone = reply.raw.destroyed || request.raw.destroyed;
    reply.raw.once('close', () => {
      this.#gone = true;
      this.#leave();
    });
  }

  async take(): Promise<void> {
    this.#release = await this.#slots.take(this.#request.principal?.account ?? 0);
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

  /** Closes the connection of a client that does not read its response. */
  watchAnswer(clock: Clock): void {
    if (this.#release === undefined) return;
    const { raw } = this.#reply;
    const cancelTimeout = clock.after(READ_MS, () => raw.destroy());
    raw.once('close', cancelTimeout);
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
  readonly slot: RequestSlot;
  readonly pace: BodyPace;
}

async function collect(
  request: FastifyRequest,
  { expected, limit, slot, pace }: Collecting,
): Promise<{ blocks: readonly ArrayBuffer[]; length: number }> {
  // With a large content-length a slot is taken when the body really arrives; otherwise once the body has become large.
  const placeAt = expected !== undefined && expected > LARGE ? HEAD_BYTES : LARGE;
  const blocks = new Blocks(expected);
  let length = 0;
  try {
    // A request that is refused half-way stays open for the response.
    const chunks: AsyncIterable<Uint8Array> = request.raw.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      length += chunk.length;
      pace.arrived(chunk.length);
      if (length > limit) throw tooLarge(limit);
      if (length > placeAt && length - chunk.length <= placeAt) {
        pace.pause();
        await slot.take();
        pace.resume();
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

/** The bytes that have arrived; a single block when the client sent the length. */
class Blocks {
  readonly all: ArrayBuffer[] = [];
  readonly #expected: number | undefined;
  #block = new Uint8Array();
  #used = 0;

  constructor(expected: number | undefined) {
    this.#expected = expected;
  }

  /** Adds a chunk; `length` is the total so far, this chunk included. */
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
    const expected = this.#expected;
    if (expected === undefined) {
      // Ever larger blocks: few of them for a large body, and little memory for a small one.
      this.#block = new Uint8Array(Math.min(LARGE, Math.max(HEAD_BYTES, length)));
      this.#used = 0;
      this.all.push(this.#block.buffer);
      return;
    }
    // Memory for the whole of a large body is allocated only once its head has arrived.
    const head = this.#block;
    this.#block = new Uint8Array(expected > LARGE && head.length === 0 ? HEAD_BYTES : expected);
    this.#block.set(head);
    this.all[0] = this.#block.buffer;
  }
}

function tooLarge(limit: number): AppError {
  return new AppError('request.too_large', `the body is larger than ${limit} bytes`);
}
