import { hash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/** Text that must not be disclosed: it prints, logs and serialises as `[redacted]`. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one caller that needs it. */
  reveal(): string {
    return this.#text;
  }

  /** Compares in constant time, whatever the text and its length. */
  equals(candidate: string): boolean {
    return timingSafeEqual(hash('sha256', this.#text, 'buffer'), hash('sha256', candidate, 'buffer'));
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}
