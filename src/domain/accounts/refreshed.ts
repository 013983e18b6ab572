import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';

interface RefreshedOptions<T> {
  readonly clock: Clock;
  readonly log: Log;
  load(): Promise<T>;
}

/** The longest that a process may go on with what it read, should a message of another process never reach it. */
export const TRUSTED_FOR_MS = 30_000;

/**
 * A small value of the database, kept in memory so that it can be asked for without waiting. It is read again when told,
 * and in the background once it is 30 seconds old.
 */
export class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  #value: T;
  #readAt: number;
  #reading: Promise<void> = Promise.resolve();

  private constructor(options: RefreshedOptions<T>, value: T) {
    this.#options = options;
    this.#value = value;
    this.#readAt = options.clock.now();
  }

  static async of<T>(options: RefreshedOptions<T>): Promise<Refreshed<T>> {
    return new Refreshed(options, await options.load());
  }

  get current(): T {
    if (this.#options.clock.now() - this.#readAt >= TRUSTED_FOR_MS) this.refreshSoon();
    return this.#value;
  }

  /** Resolves with a value that was read after the call. */
  async refresh(): Promise<T> {
    // One reading after the other: an older answer must not replace a newer one.
    const reading = this.#reading.then(async () => {
      this.#readAt = this.#options.clock.now();
      this.#value = await this.#options.load();
    });
    this.#reading = reading.catch(() => {});
    await reading;
    return this.#value;
  }

  refreshSoon(): void {
    this.#readAt = this.#options.clock.now();
    this.refresh().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'what is kept in memory could not be read again');
    });
  }
}
