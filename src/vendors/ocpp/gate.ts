import { hash } from 'node:crypto';
import type { Expected, StationHost } from '../../adapter/dial-in.ts';
import { hashPassword, passwordsMeant, samePassword } from './credentials.ts';
import type { StationOptions } from './options.ts';
import { PerMinute } from './rate.ts';
import { Turnstile } from './turnstile.ts';

/** Hashes at once: the threads that hash are shared with the rest of the process. */
const HASHES_AT_ONCE = 2;
/** Sign-ins that may wait; a fleet that comes back after a restart fits, a flood does not. */
const SIGN_INS_AT_ONCE = 16;
const SIGN_INS_WAITING = 20_000;

const REMEMBERED = 50_000;

export interface Visitor {
  readonly identity: string;
  /** The bytes of HTTP Basic; absent when the station sent none, or those of another identity. */
  readonly password: Buffer | undefined;
  readonly address: string;
}

/** An HTTP status that ends the handshake, and its body. */
export interface Refusal {
  readonly status: 401 | 404 | 429 | 503;
  readonly words: string;
}

export type Admission = { readonly link: Expected } | { readonly refusal: Refusal };

const refuse = (status: Refusal['status'], words: string): Admission => ({ refusal: { status, words } });

/** Decides which link, if any, a station that knocks belongs to. */
export class Gate {
  readonly #host: StationHost;
  readonly #wrong: PerMinute;
  readonly #signIns = new Turnstile(SIGN_INS_AT_ONCE, SIGN_INS_WAITING);
  readonly #hashes = new Turnstile(HASHES_AT_ONCE, SIGN_INS_WAITING);
  /** SHA-256 of the bytes that last passed for a stored hash: the next time costs no hashing. */
  readonly #passed = new Map<string, string>();

  constructor(host: StationHost, options: StationOptions) {
    this.#host = host;
    this.#wrong = new PerMinute(host.clock, options.wrongPasswordsPerMinute);
  }

  async admit(visitor: Visitor): Promise<Admission> {
    if (this.#signIns.full) return refuse(503, 'too many sign-ins');
    return this.#signIns.run(() => this.#decide(visitor));
  }

  async #decide({ identity, password, address }: Visitor): Promise<Admission> {
    const expected = await this.#host.expected(identity);
    if (expected.length === 0) return refuse(404, 'unknown identity');
    if (password === undefined) return refuse(401, 'a password is needed');
    const digest = hash('sha256', password, 'hex');
    const remembered = expected.find((link) => this.#passed.get(hashOf(link)) === digest);
    if (remembered !== undefined) return { link: remembered };
    const guesser = `${identity} ${address}`;
    if (this.#wrong.over(guesser)) return refuse(429, 'too many wrong passwords');
    for (const meant of passwordsMeant(password)) {
      const presented = await this.#hashes.run(() => hashPassword(identity, meant));
      const link = expected.find((candidate) => samePassword(hashOf(candidate), presented));
      if (link !== undefined) {
        this.#remember(presented, digest);
        return { link };
      }
    }
    this.#wrong.count(guesser);
    return refuse(401, 'wrong password');
  }

  #remember(stored: string, digest: string): void {
    this.#passed.set(stored, digest);
    const [oldest] = this.#passed.keys();
    if (this.#passed.size > REMEMBERED && oldest !== undefined) this.#passed.delete(oldest);
  }
}

const hashOf = ({ credentials }: Expected): string =>
  typeof credentials.password_hash === 'string' ? credentials.password_hash : '';
