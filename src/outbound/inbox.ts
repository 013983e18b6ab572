import { HttpFailure } from '../adapter/http.ts';

const MOST_WAITING = 10_000;
const MOST_SIZE = 8 * 1024 * 1024;

/** What came, in the order in which it came, for one reader. Who sends faster than is read is cut off. */
export class Inbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #size = 0;
  readonly #sizeOf: (one: T) => number;
  readonly #tellEnd = Promise.withResolvers<void>();
  #wake: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  /** @param sizeOf characters or bytes of one */
  constructor(sizeOf: (one: T) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Resolves when nothing is taken in any more. */
  get ended(): Promise<void> {
    return this.#tellEnd.promise;
  }

  push(one: T): void {
    if (this.#end !== undefined) return;
    const size = this.#sizeOf(one);
    if (this.#waiting.length >= MOST_WAITING || this.#size + size > MOST_SIZE) {
      this.end(new HttpFailure('answer_invalid', 'it sends more than can be read'));
      return;
    }
    this.#waiting.push(one);
    this.#size += size;
    this.#wake?.();
  }

  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#tellEnd.resolve();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      for (;;) {
        const one = this.#waiting.shift();
        if (one !== undefined) {
          this.#size -= this.#sizeOf(one);
          yield one;
          continue;
        }
        if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.end();
    }
  }
}
