import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import { createSemaphore } from '../../../core/semaphore.ts';
import type { Database } from '../../../db/database.ts';
import { type Accounts, canonicalEmail } from '../accounts/index.ts';
import { isCommonPassword } from './common-passwords.ts';
import {
  countTry,
  forgetFailures,
  NOBODY,
  passwordOf,
  putPassword,
  removeOtherSessions,
  replacePassword,
  whoSignsIn,
} from './store.ts';
import type { SignedIn, WebSession, WebSessions } from './web-sessions.ts';

/** NIST SP 800-63B-4, 3.2.2: after so many failures in a row the password works again only after a sign-in by link. */
export const MOST_FAILURES = 100;
/** For a browser that has signed in before: failures of strangers leave it as many attempts again. */
const MOST_FAILURES_OF_KNOWN = 2 * MOST_FAILURES;
/** Time after a sign-in by link in which a forgotten password may be replaced. */
const LINK_REPLACES_MS = 3_600_000;

interface PasswordsOptions {
  readonly database: Database;
  readonly accounts: Pick<Accounts, 'users'>;
  readonly clock: Clock;
  readonly hashes: PasswordHashes;
  readonly sessions: WebSessions;
  /** Called when sessions of an account have ended. */
  readonly ended: (account: number) => Promise<void>;
}

interface PasswordChange {
  /** The current password; required when `needsCurrentPassword` is true. */
  readonly current?: string;
  readonly next: string;
}

/** Signing in with a password, and changing it. */
export function createPasswords({ database, accounts, clock, hashes, sessions, ended }: PasswordsOptions) {
  const { queries } = database;

  const hasPassword = async (account: number): Promise<boolean> =>
    (await passwordOf(queries, account)) !== undefined;

  async function needsCurrentPassword({ account, createdAt, signedInBy }: WebSession): Promise<boolean> {
    if (signedInBy === 'link' && clock.now() - createdAt < LINK_REPLACES_MS) return false;
    return hasPassword(account);
  }

  /** Verifies an account's password and counts failures. The same work for `NOBODY`, whose password is always wrong. */
  async function isRight(account: number, password: string, mostFailures = MOST_FAILURES): Promise<boolean> {
    const stored = await countTry(queries, account, mostFailures);
    const phc = account === NOBODY ? undefined : stored;
    if (!(await hashes.verify(password, phc)) || phc === undefined) return false;
    await forgetFailures(queries, account);
    if (hashes.isOutdated(phc)) {
      const updated = await hashes.hash(password);
      await replacePassword(queries, { account, phc: updated, now: clock.now(), before: phc });
    }
    return true;
  }

  return {
    hasPassword,
    /** Whether a change of password requires the current one. */
    needsCurrentPassword,

    /**
     * Signs in with a password; `before` is the browser's previous session. Throws `signin.refused`, after the same work,
     * for a wrong password, an unknown address, an account without a password, and one with too many failures.
     */
    async signIn({
      email,
      password,
      before,
      isKnownBrowser = false,
    }: {
      readonly email: string;
      readonly password: string;
      readonly before: string | undefined;
      readonly isKnownBrowser?: boolean;
    }): Promise<SignedIn> {
      const most = isKnownBrowser ? MOST_FAILURES_OF_KNOWN : MOST_FAILURES;
      const account = await whoSignsIn(queries, canonicalEmail(email), most);
      if (!(await isRight(account, password, most))) throw refused();
      const profile = await accounts.users.find(account);
      if (profile === undefined) throw refused();
      return { token: await sessions.begin({ account, by: 'password', before }), profile };
    },

    /**
     * Sets a password and ends all other sessions. Throws `password.wrong` for the current one, and `password.unfit` for
     * the next, each with a sentence.
     */
    async changePassword(session: WebSession, { current, next }: PasswordChange): Promise<void> {
      const { account } = session;
      const profile = await accounts.users.find(account);
      const fault = faultInPassword(next, [profile?.email ?? '', profile?.name ?? '']);
      if (fault !== null) throw new AppError('password.unfit', fault.sentence);
      if ((await needsCurrentPassword(session)) && !(await isRight(account, current ?? '')))
        throw new AppError('password.wrong', 'the current password is wrong');
      const phc = await hashes.hash(next);
      await database.transaction(async (transaction) => {
        await putPassword(transaction, { account, phc, now: clock.now() });
        await removeOtherSessions(transaction, account, session.session);
      });
      await ended(account);
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;

const refused = () =>
  new AppError(
    'signin.refused',
    'the email address or the password is wrong; check them, or request a sign-in link by email',
  );

const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** OWASP's minimum for Argon2id; `memory` in KiB is used by each sign-in. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
/** A flood of sign-ins must not use up the processor and the thread pool. */
const FEW = { places: 2, waiting: 24 };

/** https://github.com/P-H-C/phc-string-format: a stored hash names its parameters. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

type Parameters = typeof PARAMETERS;

interface Computation extends Parameters {
  readonly message: Buffer;
  readonly nonce: Buffer;
  readonly tagLength: number;
}

export type ComputeArgon2 = (computation: Computation) => Promise<Buffer>;

const promisedArgon2 = promisify(argon2);
export const computeArgon2: ComputeArgon2 = (computation) => promisedArgon2('argon2id', computation);

export interface PasswordHashes {
  /** A PHC string of a password. */
  hash(password: string): Promise<string>;
  /** Whether the password matches. Takes as long for `undefined`, which nothing matches. */
  verify(password: string, phc: string | undefined): Promise<boolean>;
  /** Whether it was computed with other parameters than the current ones. */
  isOutdated(phc: string): boolean;
}

/** Argon2id, at most two at a time; throws `limit.busy` when too many wait. */
export function createPasswordHashes(random: Random, compute: ComputeArgon2): PasswordHashes {
  const few = createSemaphore(FEW);
  const computeQueued: ComputeArgon2 = (computation) => {
    if (few.isFull)
      throw new AppError('limit.busy', 'too many sign-ins are in progress; retry in a moment', {
        retryAfterSeconds: 2,
      });
    return few.run(() => compute(computation));
  };
  // A random hash, which no known password matches.
  const nobodys = written(PARAMETERS, random(SALT_BYTES), random(TAG_BYTES));
  const bytesOf = (password: string) => Buffer.from(normalPassword(password));

  return {
    async hash(password) {
      const nonce = random(SALT_BYTES);
      const message = bytesOf(password);
      const tag = await computeQueued({ ...PARAMETERS, message, nonce, tagLength: TAG_BYTES });
      return written(PARAMETERS, nonce, tag);
    },
    async verify(password, phc) {
      const { parameters, nonce, tag } = read(phc ?? nobodys);
      const message = bytesOf(password);
      const computed = await computeQueued({ ...parameters, message, nonce, tagLength: tag.length });
      return timingSafeEqual(computed, tag) && phc !== undefined;
    },
    isOutdated(phc) {
      const { parameters } = read(phc);
      return written(parameters, Buffer.of(), Buffer.of()) !== written(PARAMETERS, Buffer.of(), Buffer.of());
    },
  };
}

function written({ memory, passes, parallelism }: Parameters, nonce: Buffer, tag: Buffer): string {
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`;
}

function read(phc: string) {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? [];
  if (salt === undefined || hash === undefined)
    throw new TypeError('a stored password is not an Argon2id PHC string');
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    nonce: Buffer.from(salt, 'base64'),
    tag: Buffer.from(hash, 'base64'),
  };
}

/** NIST SP 800-63B-4, 3.1.1, for a password as the only factor. No rules on kinds of characters, no expiry. */
const SHORTEST_PASSWORD = 15;
/** In UTF-8. Longer ones are refused before any computation. */
export const LONGEST_PASSWORD_BYTES = 1024;

interface PasswordFault {
  readonly kind: 'short' | 'long' | 'common';
  /** The fault, and the valid values. */
  readonly sentence: string;
}

/** Normalizes a password, so that different keyboards give the same one. */
const normalPassword = (password: string): string => password.normalize('NFKC');

/** Whether it is too long to be a password; cheap for any input. */
export function isTooLong(password: string): boolean {
  return Buffer.byteLength(normalPassword(password)) > LONGEST_PASSWORD_BYTES;
}

/** Why a new password is refused, or null. `own`: the user's address and name. */
export function faultInPassword(password: string, own: readonly string[]): PasswordFault | null {
  if (isTooLong(password)) {
    return { kind: 'long', sentence: `the password is longer than ${LONGEST_PASSWORD_BYTES} bytes` };
  }
  const normal = normalPassword(password);
  const length = [...normal].length;
  if (length < SHORTEST_PASSWORD) {
    return {
      kind: 'short',
      sentence: `the password has ${length} ${length === 1 ? 'character' : 'characters'} and needs at least ${SHORTEST_PASSWORD}; a few unrelated words are easy to remember`,
    };
  }
  if (isCommonPassword(normal, own)) {
    return {
      kind: 'common',
      sentence:
        'the password is easy to guess: a common phrase, a row of keys, a repetition, or your own name; use a few unrelated words',
    };
  }
  return null;
}
