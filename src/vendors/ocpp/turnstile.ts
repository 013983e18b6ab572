/** Lets a bounded number of pieces of work run at once; the others wait their turn, up to a limit. */
export class Turnstile {
  readonly #width: number;
  readonly #waitingLimit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: number, waitingLimit: number) {
    this.#width = width;
    this.#waitingLimit = waitingLimit;
  }

  /** Whether `run` would refuse now. */
  get full(): boolean {
    return this.#waiting.length >= this.#waitingLimit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((turn) => this.#waiting.push(turn));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody slips in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
