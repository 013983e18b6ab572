import { Duplex } from 'node:stream';
import { creditOf } from './frame.ts';
import { codeIn, type FrameType, failure, MOST_DATA_BYTES, WINDOW_BYTES } from './protocol.ts';

/** Credit is given back in larger pieces than frames. */
const GIVEN_BACK_BYTES = WINDOW_BYTES / 4;

/** Sends a frame of one stream; `sent` is called when the connection has taken it. */
type SendFrame = (type: FrameType, payload?: Uint8Array, sent?: () => void) => void;

interface StreamOptions {
  readonly send: SendFrame;
  /** The stream is over at this end. */
  readonly over: () => void;
}

/** One stream of a tunnel: a byte stream with a window of its own in each direction. */
export class TunnelStream extends Duplex {
  readonly #send: SendFrame;
  readonly #over: () => void;
  /** What may still be sent, and what the other end may still send. */
  #credit = WINDOW_BYTES;
  #granted = WINDOW_BYTES;
  /** What was received and not given back yet. */
  #taken = 0;
  #waiting: { chunk: Buffer; done: () => void } | undefined;
  #isEndSent = false;
  #isEndReceived = false;
  #isReset = false;

  constructor({ send, over }: StreamOptions) {
    super({ readableHighWaterMark: MOST_DATA_BYTES, writableHighWaterMark: MOST_DATA_BYTES });
    this.#send = send;
    this.#over = over;
    // What broke is told by the close that follows, also where nobody listens any more.
    this.on('error', () => {});
  }

  /** Takes in a frame of the other end; false where that breaks the protocol. */
  receive(type: FrameType, payload: Buffer): boolean {
    switch (type) {
      case 'data':
        return this.#takeData(payload);
      case 'credit': {
        const credit = this.#credit + payload.readUInt32BE();
        // A stream is given no more credit than its window.
        if (credit > WINDOW_BYTES) return false;
        this.#credit = credit;
        this.#sendWaiting();
        return true;
      }
      case 'end':
        if (this.#isEndReceived) return false;
        this.#isEndReceived = true;
        this.push(null);
        return true;
      case 'reset':
        this.#isReset = true;
        this.destroy(failure(payload.toString('latin1'), 'the other end has ended the stream'));
        return true;
      default:
        return false;
    }
  }

  /** The tunnel is gone: there is nobody to be told. */
  cut(reason: Error): void {
    this.#isReset = true;
    this.destroy(reason);
  }

  #takeData(payload: Buffer): boolean {
    if (this.#isEndReceived || payload.length > this.#granted) return false;
    this.#granted -= payload.length;
    this.#taken += payload.length;
    if (this.push(payload)) this.#giveBack();
    return true;
  }

  #giveBack(): void {
    if (this.#taken < GIVEN_BACK_BYTES || this.#isEndReceived) return;
    this.#granted += this.#taken;
    this.#send('credit', creditOf(this.#taken));
    this.#taken = 0;
  }

  #sendWaiting(): void {
    while (this.#waiting !== undefined && this.#credit > 0) {
      const { chunk, done } = this.#waiting;
      const part = chunk.subarray(0, Math.min(this.#credit, MOST_DATA_BYTES));
      this.#credit -= part.length;
      const isLast = part.length === chunk.length;
      this.#waiting = isLast ? undefined : { chunk: chunk.subarray(part.length), done };
      this.#send('data', part, isLast ? done : undefined);
    }
  }

  override _read(): void {
    this.#giveBack();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (chunk.length === 0) {
      done();
      return;
    }
    this.#waiting = { chunk, done };
    this.#sendWaiting();
  }

  override _final(done: () => void): void {
    this.#isEndSent = true;
    this.#send('end', undefined, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const isDone = this.#isEndSent && this.#isEndReceived;
    if (!isDone && !this.#isReset)
      this.#send('reset', Buffer.from(error === null ? 'ECANCELED' : codeIn(error)));
    this.#waiting = undefined;
    this.#over();
    done(error);
  }
}
