import type { Clock } from '../../../core/clock.ts';
import { Bucket } from '../../../core/rate.ts';
import { STATIONS_OF_A_SHARE, type StationOptions } from '../options.ts';
import type { Rpc } from './rpc.ts';

/** The longest pause: a station that is not read from for longer misses a ping, and is disconnected. */
const LONGEST_MS = 20_000;

/** The WebSocket below the RPC layer, which has no call for this: its own pause, since it resumes the socket by itself. */
interface Pausable {
  readonly _ws?: { pause(): void; resume(): void };
}

interface Account {
  readonly bucket: Bucket;
  stations: number;
}

/**
 * Limits how many bytes are read from the stations of an account. Messages are parsed on the thread that serves all accounts: a station
 * that sends more than any needs is read from more slowly, and so are all of an account together.
 */
export class BytePaces {
  readonly #clock: Clock;
  readonly #options: StationOptions;
  readonly #accounts = new Map<number, Account>();

  constructor(clock: Clock, options: StationOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Watches a connection until it is closed. */
  watch(rpc: Rpc, account: number): void {
    const { bytesPerSecond, bytesBurst } = this.#options;
    const own = this.#bucket(bytesPerSecond, bytesBurst);
    const all = this.#arrived(account);
    let cancel: (() => void) | undefined;
    const resume = () => {
      cancel?.();
      cancel = undefined;
      socket?.resume();
    };
    let isClosing = false;
    const { _ws: socket } = rpc as unknown as Pausable;
    rpc.on('message', ({ message, outbound }: { message: unknown; outbound: boolean }) => {
      if (outbound || isClosing) return;
      const bytes = Buffer.isBuffer(message) ? message.length : String(message).length;
      const share = STATIONS_OF_A_SHARE / (STATIONS_OF_A_SHARE + all.stations);
      const delayMs = Math.max(own.take(bytes) ?? 0, all.bucket.take(bytes * share) ?? 0);
      if (delayMs > 0 && cancel === undefined) {
        socket?.pause();
        cancel = this.#clock.after(Math.min(delayMs, LONGEST_MS), resume);
      }
    });
    // The station's side of the handshake that closes the connection has to be read.
    rpc.once('closing', () => {
      isClosing = true;
      resume();
    });
    rpc.once('close', () => {
      cancel?.();
      all.stations -= 1;
      if (all.stations === 0) this.#accounts.delete(account);
    });
  }

  #arrived(account: number): Account {
    const { accountBytesPerSecond, accountBytesBurst } = this.#options;
    const known = this.#accounts.get(account) ?? {
      bucket: this.#bucket(accountBytesPerSecond, accountBytesBurst),
      stations: 0,
    };
    known.stations += 1;
    this.#accounts.set(account, known);
    return known;
  }

  /** What is owed is waited for, and never too much. */
  #bucket = (perSecond: number, burst: number): Bucket =>
    new Bucket(this.#clock, { perSecond, burst, behind: Number.POSITIVE_INFINITY });
}
