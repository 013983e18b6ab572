import type { WebSocket } from 'ws';
import type { Clock } from '../../core/clock.ts';
import { Bucket } from '../../core/rate.ts';
import { decode, encode, type Frame } from './frame.ts';
import { type FrameType, failure, HEADER_BYTES, PING_MS, WINDOW_BYTES } from './protocol.ts';
import { TunnelStream } from './stream.ts';

/** The close code of a WebSocket for what breaks a protocol (RFC 6455 §7.4.1). */
const PROTOCOL_ERROR = 1002;
/** Signs of life that may be asked for between two of ours, by frames and by pings of the WebSocket. */
const MOST_PINGS = 10;
/** Frames that are taken without delay. More than that, the connection is not read for a while: its sender has to wait. */
const PACE = { perSecond: 10_000, burst: 2_000, behind: Number.POSITIVE_INFINITY };

export interface SessionOptions {
  readonly clock: Clock;
  /** The other end gave a sign of life. */
  readonly heard?: () => void;
  /** Called once, when the connection is gone. */
  readonly closed: () => void;
}

/** What the ends do differently: it answers false where the frame is not expected. */
type TakeUnknown = (frame: Frame) => boolean;

export const gone = (): Error => failure('EGATEWAY', 'the gateway is not connected');

/** The streams over one WebSocket. Whatever breaks the protocol ends the connection with all of them. */
export class TunnelSession {
  readonly #socket: WebSocket;
  readonly #streams = new Map<number, TunnelStream>();
  readonly #options: SessionOptions;
  readonly #takeUnknown: TakeUnknown;
  /** The number of the newest stream. */
  newest = 0;
  #isClosed = false;
  /** Bytes that may still come for streams that this end has given up: no more than their windows held. */
  #late = 0;
  #isAnswered = true;
  #pings = 0;
  #cancelPing = () => {};
  readonly #pace: Bucket;
  #cancelResume = () => {};

  constructor(socket: WebSocket, options: SessionOptions, takeUnknown: TakeUnknown) {
    this.#socket = socket;
    this.#options = options;
    this.#takeUnknown = takeUnknown;
    this.#pace = new Bucket(options.clock, PACE);
    socket.binaryType = 'nodebuffer';
    socket.on('message', (message: Buffer, isBinary) => {
      if (this.#isClosed) return;
      const frame = isBinary ? decode(message) : undefined;
      if (frame === undefined || !this.#take(frame)) this.#end(PROTOCOL_ERROR);
      else this.#keepPace();
    });
    // The ends ask by frames; each of these is a response to write as well.
    socket.on('ping', () => {
      this.#pings += 1;
      if (this.#pings > MOST_PINGS) this.#end(PROTOCOL_ERROR);
    });
    // What broke is told by the close that follows.
    socket.on('error', () => {});
    socket.once('close', () => this.#end());
    this.#ping();
  }

  get isAlive(): boolean {
    return !this.#isClosed;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Adds a stream; its number is above all before it. */
  add(number: number): TunnelStream {
    const stream = new TunnelStream({
      send: (type, payload, sent) => this.send(type, { stream: number, payload, sent }),
      over: () => {
        this.#streams.delete(number);
        this.#late += WINDOW_BYTES;
      },
    });
    this.newest = number;
    this.#streams.set(number, stream);
    return stream;
  }

  send(
    type: FrameType,
    {
      stream,
      payload,
      sent,
    }: { stream: number; payload?: Uint8Array | undefined; sent?: (() => void) | undefined },
  ): void {
    if (!this.#isClosed) this.#socket.send(encode(type, stream, payload), () => sent?.());
  }

  close(): void {
    this.#end(1001);
  }

  #take(frame: Frame): boolean {
    const { type, stream: number, payload } = frame;
    if (type === 'ping') {
      this.#pings += 1;
      this.send('pong', { stream: 0 });
      return this.#pings <= MOST_PINGS;
    }
    if (type === 'pong') {
      const wasAsked = !this.#isAnswered;
      this.#isAnswered = true;
      this.#options.heard?.();
      return wasAsked;
    }
    const stream = this.#streams.get(number);
    if (type === 'open' || number > this.newest) return this.#takeUnknown(frame);
    if (type === 'opened' && this.#takeUnknown(frame)) return true;
    if (stream !== undefined) return stream.receive(type, payload);
    // It was sent before the other end knew that the stream is over.
    this.#late -= type === 'data' ? payload.length : HEADER_BYTES;
    return this.#late >= 0;
  }

  #keepPace(): void {
    const waitMs = this.#pace.take() ?? 0;
    if (waitMs === 0 || this.#socket.isPaused) return;
    this.#socket.pause();
    this.#cancelResume = this.#options.clock.after(waitMs, () => this.#socket.resume());
  }

  #ping(): void {
    this.#cancelPing = this.#options.clock.after(PING_MS, () => {
      if (!this.#isAnswered) return this.#end();
      this.#isAnswered = false;
      this.#pings = 0;
      this.send('ping', { stream: 0 });
      this.#ping();
    });
  }

  #end(code?: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelPing();
    this.#cancelResume();
    // A peer that does not close its side is not waited for.
    if (code === undefined) this.#socket.terminate();
    else {
      // A connection that is not read would not see the other side close.
      this.#socket.resume();
      this.#socket.close(code);
      const cancel = this.#options.clock.after(PING_MS, () => this.#socket.terminate());
      this.#socket.once('close', cancel);
    }
    for (const stream of [...this.#streams.values()]) stream.cut(gone());
    this.#options.closed();
  }
}
