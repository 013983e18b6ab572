import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';

interface RefreshedOptions<T> {
  readonly clock: Clock;
  readonly log: Log;
  load(): Promise<T>;
}

/** Longest time a process uses a cached value if another process's message never arrives. */
export const TRUSTED_FOR_MS = 30_000;

/**
 * A small database value cached in memory for synchronous reads. It is read again on `refresh`, and in the background
 * once it is 30 seconds old.
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
    // One read at a time: an older result must not replace a newer one.
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
      this.#options.log.warn({ err: error }, 'a cached database value could not be refreshed');
    });
  }
}
