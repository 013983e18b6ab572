import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import { type Accounts, canonicalEmail } from '../accounts/index.ts';
import type { PasswordHashes } from './password-hash.ts';
import { faultInPassword } from './password-rules.ts';
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

export interface PasswordChange {
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
