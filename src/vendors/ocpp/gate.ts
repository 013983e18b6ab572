import { hash } from 'node:crypto';
import type { Expected, StationHost } from '../../adapter/dial-in.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import { sleep } from '../../core/clock.ts';
import { createSemaphore } from '../../core/semaphore.ts';
import { hashPassword, passwordsMeant, samePassword } from './credentials.ts';
import type { StationOptions } from './options.ts';
import { PerMinute } from './rate.ts';

/** Hashes at once: the threads that hash are shared with the rest of the process. */
const HASHES_AT_ONCE = 2;
/** Sign-ins that may wait; a fleet that comes back after a restart fits, a flood does not. */
const SIGN_INS_AT_ONCE = 16;
const SIGN_INS_WAITING = 20_000;

const REMEMBERED = 50_000;

/** Sign-ins that may wait because of failures before them. */
const SUSPECTS_WAITING = 1_000;

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
const TOO_MANY = refuse(429, 'too many sign-ins have failed');

const guesserOf = ({ identity, address }: Visitor): string => `${identity} ${address}`;

/**
 * Decides which link, if any, a station that knocks belongs to. Who fails too often is not kept out altogether: the right
 * password is still let in, but compared after a wait, one at a time. An unknown identity costs what a wrong password does.
 */
export class Gate {
  readonly #host: StationHost;
  readonly #hash: typeof hashPassword;
  readonly #suspectMs: number;
  readonly #wrong: PerMinute;
  readonly #failed: PerMinute;
  /** What is waiting to be compared after too many failures: identity and address. */
  readonly #suspects = new Set<string>();
  readonly #signIns = createSemaphore({ places: SIGN_INS_AT_ONCE, waiting: SIGN_INS_WAITING });
  readonly #hashes = createSemaphore({ places: HASHES_AT_ONCE, waiting: SIGN_INS_WAITING });
  /** SHA-256 of the bytes that last passed for a stored hash: the next time costs no hashing. */
  readonly #passed = new BoundedMap<string, string>(REMEMBERED);

  constructor(host: StationHost, options: StationOptions, hash = hashPassword) {
    this.#host = host;
    this.#hash = hash;
    this.#suspectMs = options.suspectMs;
    this.#wrong = new PerMinute(host.clock, options.wrongPasswordsPerMinute);
    this.#failed = new PerMinute(host.clock, options.failedSignInsPerMinute);
  }

  async admit(visitor: Visitor): Promise<Admission> {
    const { identity, address, password } = visitor;
    const isOver = this.#failed.over(address);
    if (password === undefined && isOver) return TOO_MANY;
    if (this.#signIns.isFull) return refuse(503, 'too many sign-ins');
    const expected = await this.#signIns.run(() => this.#host.expected(identity));
    if (password === undefined) return this.#fail(visitor, expected);
    const digest = hash('sha256', password, 'hex');
    const remembered = expected.find((link) => this.#passed.get(hashOf(link)) === digest);
    if (remembered !== undefined) return { link: remembered };
    const isSuspect = isOver || this.#wrong.over(guesserOf(visitor));
    if (isSuspect && !(await this.#hasWaited(guesserOf(visitor)))) return TOO_MANY;
    const link = await this.#signIns.run(() => this.#compare(identity, password, expected));
    if (link !== undefined) {
      this.#passed.set(hashOf(link), digest);
      return { link };
    }
    this.#wrong.count(guesserOf(visitor));
    const refusal = this.#fail(visitor, expected);
    return isSuspect ? TOO_MANY : refusal;
  }

  #fail({ address, password }: Visitor, expected: readonly Expected[]): Admission {
    this.#failed.count(address);
    if (expected.length === 0) return refuse(404, 'unknown identity');
    return refuse(401, password === undefined ? 'a password is needed' : 'wrong password');
  }

  /** False when another one of the same identity and address is waiting, or too many are. */
  async #hasWaited(guesser: string): Promise<boolean> {
    if (this.#suspects.has(guesser) || this.#suspects.size >= SUSPECTS_WAITING) return false;
    this.#suspects.add(guesser);
    await sleep(this.#host.clock, this.#suspectMs);
    this.#suspects.delete(guesser);
    return true;
  }

  /** Hashes for an unknown identity too, so that the time tells nothing of which there are. */
  async #compare(
    identity: string,
    password: Buffer,
    expected: readonly Expected[],
  ): Promise<Expected | undefined> {
    for (const meant of passwordsMeant(password)) {
      const presented = await this.#hashes.run(() => this.#hash(identity, meant));
      const link = expected.find((candidate) => samePassword(hashOf(candidate), presented));
      if (link !== undefined) return link;
    }
    return undefined;
  }
}

const hashOf = ({ credentials }: Expected): string =>
  typeof credentials.password_hash === 'string' ? credentials.password_hash : '';
