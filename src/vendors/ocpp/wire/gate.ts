import { hash } from 'node:crypto';
import type { Expected, StationHost } from '../../../adapter/dial-in.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import { sleep } from '../../../core/clock.ts';
import { PerMinute } from '../../../core/rate.ts';
import { createSemaphore } from '../../../core/semaphore.ts';
import { hashPassword, passwordsMeant, samePassword } from '../credentials.ts';
import type { StationOptions } from '../options.ts';

/** Concurrent hashes: they share their threads with the rest of the process. */
const HASHES_AT_ONCE = 2;
/** Sign-ins that run and that may wait: enough for a fleet that reconnects after a restart, not for a flood. */
const SIGN_INS_AT_ONCE = 16;
const SIGN_INS_WAITING = 20_000;

const REMEMBERED = 50_000;

/** Sign-ins that may wait because of earlier failures. */
const SUSPECTS_WAITING = 1_000;

interface Visitor {
  readonly identity: string;
  /** The password bytes of HTTP Basic; absent when none were sent or the user name is another identity. */
  readonly password: Buffer | undefined;
  readonly address: string;
}

/** The HTTP status and body that end the handshake. */
export interface Refusal {
  readonly status: 401 | 404 | 429 | 503;
  readonly words: string;
}

export type Admission = { readonly link: Expected } | { readonly refusal: Refusal };

const refuse = (status: Refusal['status'], words: string): Admission => ({ refusal: { status, words } });
const TOO_MANY = refuse(429, 'too many sign-ins have failed');

const guesserOf = ({ identity, address }: Visitor): string => `${identity} ${address}`;

/**
 * Decides which link, if any, a connecting station belongs to. After too many failures the right password is still accepted,
 * but each comparison waits, one at a time. An unknown identity takes as long as a wrong password.
 */
export class Gate {
  readonly #host: StationHost;
  readonly #hash: typeof hashPassword;
  readonly #suspectMs: number;
  readonly #wrong: PerMinute;
  readonly #failed: PerMinute;
  /** Sign-ins that wait because of too many failures, by identity and address. */
  readonly #suspects = new Set<string>();
  readonly #signIns = createSemaphore({ places: SIGN_INS_AT_ONCE, waiting: SIGN_INS_WAITING });
  readonly #hashes = createSemaphore({ places: HASHES_AT_ONCE, waiting: SIGN_INS_WAITING });
  /** SHA-256 of the password that last matched a stored hash, so that a reconnect needs no hashing. */
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
    // control: wrong passwords of a station are limited [ocpp/connection]
    this.#wrong.count(guesserOf(visitor));
    const refusal = this.#fail(visitor, expected);
    return isSuspect ? TOO_MANY : refusal;
  }

  #fail({ address, password }: Visitor, expected: readonly Expected[]): Admission {
    this.#failed.count(address);
    if (expected.length === 0) return refuse(404, 'unknown identity');
    return refuse(401, password === undefined ? 'a password is needed' : 'wrong password');
  }

  /** False when another sign-in of the same identity and address waits, or too many do. */
  async #hasWaited(guesser: string): Promise<boolean> {
    if (this.#suspects.has(guesser) || this.#suspects.size >= SUSPECTS_WAITING) return false;
    this.#suspects.add(guesser);
    await sleep(this.#host.clock, this.#suspectMs);
    this.#suspects.delete(guesser);
    return true;
  }

  /** Also hashes for an unknown identity, so that the response time does not reveal which identities exist. */
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
