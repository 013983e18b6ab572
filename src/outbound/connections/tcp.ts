import type { Duplex } from 'node:stream';
import type { Exchange } from '../../adapter/connections.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import type { Clock } from '../../core/clock.ts';
import type { AppError } from '../../core/errors.ts';
import { lost, type Named, notUnderstoodAt, timedOut } from './failures.ts';
import type { Channel, Place, Pool } from './pool.ts';

const TIMEOUT_MS = 5_000;
/** Of a response; an ADU of Modbus has 260. */
const MOST_BYTES = 64 * 1024;

type Asked = Pick<Exchange, 'request' | 'responseLength' | 'timeoutMs'>;

interface Asking {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The request is about to be written. */
  readonly sent: () => void;
}

/** A failure of an exchange, and whether the other end may have been gone before it. */
interface Broken {
  readonly error: AppError;
  readonly isSilent: boolean;
}

/** A byte stream with one exchange at a time; it is closed as soon as nobody knows where the next response would begin. */
export class TcpChannel implements Channel {
  readonly #socket: Duplex;
  readonly #named: Named;
  #received: Buffer = Buffer.alloc(0);
  /** Looks at what was received; undefined while nothing was asked. */
  #look: (() => void) | undefined;
  #break: ((broken: Broken) => void) | undefined;
  #tellClosed = () => {};

  constructor(socket: Duplex, named: Named) {
    this.#socket = socket;
    this.#named = named;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    // What broke is told by the close that follows.
    socket.on('error', () => {});
    socket.on('end', () => this.close());
    socket.on('close', () => this.#closed());
  }

  get isAlive(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  onClosed(tell: () => void): void {
    this.#tellClosed = tell;
    if (this.#socket.destroyed) tell();
  }

  close(): void {
    this.#socket.destroy();
    this.#closed();
  }

  #closed(): void {
    this.#break?.({ error: lost(this.#named), isSilent: this.#received.length === 0 });
    this.#tellClosed();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    // What nobody asked for would be mistaken for the response to what is asked next.
    if (this.#look === undefined) this.close();
    else this.#look();
  }

  exchange({ request, responseLength, timeoutMs = TIMEOUT_MS }: Asked, asking: Asking): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const { signal, clock, sent } = asking;
    const over = () => {
      cancel();
      signal.removeEventListener('abort', giveUp);
      this.#look = undefined;
      this.#break = undefined;
      this.#received = Buffer.alloc(0);
    };
    const fail = (broken: Broken) => {
      over();
      this.#socket.destroy();
      this.#tellClosed();
      reject(broken);
    };
    // A response that comes later would be mistaken for the one to the next request.
    const giveUp = () => fail({ error: timedOut(this.#named), isSilent: this.#received.length === 0 });
    const cancel = clock.after(timeoutMs, giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#break = fail;
    this.#look = () => {
      const received = this.#received;
      const length = this.#lengthOf(received, responseLength);
      if (typeof length === 'object') fail({ error: length, isSilent: false });
      else if (length !== undefined && length <= received.length) {
        over();
        // Nothing was asked that would be answered by more.
        if (received.length > length) this.close();
        resolve(received.subarray(0, length));
      }
    };
    if (signal.aborted) giveUp();
    else {
      sent();
      this.#socket.write(request);
    }
    return promise;
  }

  #lengthOf(received: Buffer, responseLength: Asked['responseLength']): number | undefined | AppError {
    try {
      const length = responseLength(received);
      if ((length ?? received.length) <= MOST_BYTES) return length;
    } catch {
      return notUnderstoodAt(this.#named, 'sent what is no response');
    }
    return notUnderstoodAt(this.#named, `sent a response of more than ${MOST_BYTES} bytes`);
  }
}

interface OverTcp extends Asking {
  readonly pool: Pool;
  readonly place: Place;
  readonly open: (signal: AbortSignal) => Promise<TcpChannel>;
  readonly isCommand: boolean;
}

/**
 * One exchange over the connection of a place. What reads is sent once more where a connection that was kept turns out to be dead; a command
 * never is.
 */
export function exchangeOver(asked: Asked, over: OverTcp): Promise<Uint8Array> {
  const { pool, place, open, signal, clock, isCommand } = over;
  let isSent = false;
  const once = () =>
    pool.use(place, open, {
      signal,
      work: async ({ channel, isReused }) => {
        try {
          return await channel.exchange(asked, {
            signal,
            clock,
            sent() {
              isSent = true;
              over.sent();
            },
          });
        } catch (cause) {
          const { error, isSilent } = cause as Broken;
          if (
            isReused &&
            isSilent &&
            // control: a command is not sent twice over a connection that was dead [connections/tcp]
            !isCommand &&
            !signal.aborted
          )
            return undefined;
          throw isCommand && isSent ? outcomeUnknown(place.name, error) : error;
        }
      },
    });
  return pool.alone(place, signal, async () => {
    const response = (await once()) ?? (await once());
    if (response === undefined) throw lost(place);
    return response;
  });
}
