import type { RequestRow } from './store.ts';

/** Requests that wait to be written: about a kilobyte each, so that a lost database costs some megabytes. */
export const MOST_WAITING = 5_000;

/** A bounded queue. Where it is full the oldest success makes room, and only where there is none the oldest failure. */
export class Waiting {
  readonly #dropped: () => void;
  #failures: RequestRow[] = [];
  #successes: RequestRow[] = [];

  /** `dropped` is called for each request that is lost. */
  constructor(dropped: () => void) {
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#failures.length + this.#successes.length;
  }

  add(row: RequestRow): void {
    this.#listOf(row).push(row);
    this.#bound();
  }

  /** Removes the oldest ones, failures first: they matter most. */
  take(most: number): RequestRow[] {
    const failures = this.#failures.splice(0, most);
    return [...failures, ...this.#successes.splice(0, most - failures.length)];
  }

  /** Puts those back that could not be written. */
  giveBack(rows: readonly RequestRow[]): void {
    this.#failures = [...rows.filter(hasFailed), ...this.#failures];
    this.#successes = [...rows.filter((row) => !hasFailed(row)), ...this.#successes];
    this.#bound();
  }

  #listOf(row: RequestRow): RequestRow[] {
    return hasFailed(row) ? this.#failures : this.#successes;
  }

  #bound(): void {
    while (this.size > MOST_WAITING) {
      if (this.#successes.shift() === undefined) this.#failures.shift();
      this.#dropped();
    }
  }
}

/** Also where the caller disconnected before there was a response. */
export const hasFailed = ({ status }: Pick<RequestRow, 'status'>): boolean =>
  status === null || status >= 400;
