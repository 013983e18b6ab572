import { Duplex } from 'node:stream';
import { mqttLength } from './frame-meter.ts';

/*
 * What comes of a broker, before the library: it would keep all of a message that is announced, and MQTT permits 256 MiB. A message that is
 * too large is skipped while it comes, and the connection goes on: somebody else may have published it, and it may be retained for ever.
 */

/** Zigbee2MQTT says 3–7 KB of each of its devices in one message, so that 570 fit; parsing that takes some 20 ms. */
export const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** What any connection may take at any time. */
const SMALL_BYTES = 1024 * 1024;
/** What larger messages of all connections of a process may take together. */
const LARGE_BYTES = 32 * 1024 * 1024;

/** Who sends so much at once sends more. */
const MUCH_BYTES = 16 * 1024;

const PUBLISH = 3;
const TOPIC_LENGTH_BYTES = 2;
const ID_BYTES = 2;

/** Room for the large messages of all connections. */
export class LargeMessages {
  #left = LARGE_BYTES;

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** A message that was not taken. */
export interface SkippedMessage {
  readonly topic: string;
  readonly bytes: number;
  readonly isRetained: boolean;
}

interface Filter {
  readonly large: LargeMessages;
  readonly skipped: (message: SkippedMessage) => void;
  /** What is too large is no message, and what follows it is not known. */
  readonly failed: () => void;
}

/** Of a message that is skipped, what is needed to name and to acknowledge it. */
interface Skipping {
  readonly flags: number;
  readonly bytes: number;
  /** Topic and packet id. */
  readonly begin: number[];
}

/** The connection without messages that are too large; those are acknowledged here. */
export class MqttFrames extends Duplex {
  readonly #socket: Duplex;
  readonly #filter: Filter;
  #head: number[] = [];
  /** Bytes of the frame that are still to come. */
  #left = 0;
  #skipping: Skipping | undefined;
  /** What the frame that comes has taken of the room. */
  #taken = 0;
  /** More is buffered than is taken; and one turn of the event loop has had its share. */
  #isFull = false;
  #isResting = false;
  /** What of a chunk is passed on. */
  #passed: Buffer[] = [];

  constructor(socket: Duplex, filter: Filter) {
    super();
    // Told by `close`.
    this.on('error', () => {});
    this.#socket = socket;
    this.#filter = filter;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => {
      this.#giveRoom();
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#isFull = false;
    if (!this.#isResting) this.#socket.resume();
  }

  /** Reads on in the next turn of the event loop: the system would hand over megabytes in one, of thousands of messages each. */
  #rest(): void {
    this.#isResting = true;
    this.#socket.pause();
    setImmediate(() => {
      this.#isResting = false;
      if (!this.#isFull) this.#socket.resume();
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    this.#giveRoom();
    done(error);
  }

  #giveRoom(): void {
    this.#filter.large.give(this.#taken);
    this.#taken = 0;
  }

  #take(chunk: Buffer): void {
    if (chunk.length >= MUCH_BYTES) this.#rest();
    // As a rule all of it is passed on, as it is.
    let isWhole = this.#head.length === 0;
    let at = 0;
    while (at < chunk.length && !this.destroyed) {
      if (this.#left === 0) {
        this.#begin(chunk[at] ?? 0);
        at += 1;
        continue;
      }
      const part = chunk.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#skipping === undefined) this.#passed.push(part);
      else {
        isWhole = false;
        this.#skip(this.#skipping, part);
      }
      if (this.#left === 0) this.#end();
    }
    const passed = this.#passed;
    this.#passed = [];
    isWhole &&= this.#head.length === 0 && this.#skipping === undefined;
    if (this.destroyed || (!isWhole && passed.length === 0)) return;
    if (this.push(isWhole ? chunk : Buffer.concat(passed))) return;
    this.#isFull = true;
    this.#socket.pause();
  }

  /** Takes a byte of the header; with its last one it is known whether the message is taken. */
  #begin(byte: number): void {
    this.#head.push(byte);
    const length = mqttLength(Uint8Array.from(this.#head));
    if (length === undefined) return;
    const head = this.#head;
    this.#head = [];
    if (!this.#fits(length)) {
      const isMessage = byteAt(head, 0) >> 4 === PUBLISH && qosOf(byteAt(head, 0)) < 2;
      if (!isMessage || !Number.isFinite(length)) {
        this.#filter.failed();
        return;
      }
      this.#skipping = { flags: byteAt(head, 0), bytes: length, begin: [] };
    } else this.#passed.push(Buffer.from(head));
    this.#left = length - head.length;
    if (this.#left === 0) this.#end();
  }

  #fits(length: number): boolean {
    if (length <= SMALL_BYTES) return true;
    if (length > MOST_MESSAGE_BYTES || !this.#filter.large.take(length)) return false;
    this.#taken = length;
    return true;
  }

  #skip({ flags, begin }: Skipping, part: Buffer): void {
    let at = 0;
    while (at < part.length && begin.length < beginLength(flags, begin)) {
      begin.push(part[at] ?? 0);
      at += 1;
    }
  }

  #end(): void {
    this.#giveRoom();
    const { flags, begin, bytes } = this.#skipping ?? {};
    this.#skipping = undefined;
    if (flags === undefined || begin === undefined || bytes === undefined) return;
    const text = Buffer.from(begin);
    const end = qosOf(flags) === 0 ? text.length : text.length - ID_BYTES;
    // PUBACK: without it the broker would send it again, and after some of them nothing any more.
    if (end < text.length) this.#socket.write(Buffer.from([0x40, 2, ...text.subarray(end)]));
    const topic = text.subarray(TOPIC_LENGTH_BYTES, end).toString();
    this.#filter.skipped({ topic, bytes, isRetained: (flags & 1) === 1 });
  }
}

const byteAt = (bytes: readonly number[], at: number): number => bytes[at] ?? 0;
const qosOf = (flags: number): number => (flags >> 1) & 3;

/** How long what comes before the payload is, as far as it can be told. */
const beginLength = (flags: number, begin: readonly number[]): number =>
  begin.length < TOPIC_LENGTH_BYTES
    ? TOPIC_LENGTH_BYTES
    : TOPIC_LENGTH_BYTES + byteAt(begin, 0) * 256 + byteAt(begin, 1) + (qosOf(flags) === 0 ? 0 : ID_BYTES);
