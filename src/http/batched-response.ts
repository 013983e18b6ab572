import { ServerResponse } from 'node:http';

type EndArguments = Parameters<ServerResponse['end']>;

/** Responses that are written at the end of this turn of the event loop. */
const ending: BatchedResponse[] = [];

function writeAll(): void {
  for (const response of ending.splice(0)) response.endNow();
}

/**
 * A response that is written when all requests that arrived together have been handled. A write wakes its receiver: a proxy or client
 * on the same machine that sleeps and wakes between two responses costs this process about as much as a request (decision 0053).
 */
export class BatchedResponse extends ServerResponse {
  #end: EndArguments | undefined;

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  override end(...given: unknown[]): this {
    if (this.#end !== undefined) return this;
    this.#end = given as unknown as EndArguments;
    if (ending.push(this) === 1) setImmediate(writeAll);
    return this;
  }

  /** Writes it, if it is ended and not written yet. */
  endNow(): void {
    if (this.#end !== undefined && !this.finished) super.end(...this.#end);
  }
}

// Node's types declare it as a field, which a class cannot override with a getter.
Object.defineProperty(BatchedResponse.prototype, 'writableEnded', {
  get(this: BatchedResponse): boolean {
    return this.isEnded;
  },
});
