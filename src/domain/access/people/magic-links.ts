import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import { type Accounts, type Actor, canonicalEmail } from '../accounts/index.ts';
import type { PasswordHashes } from './passwords.ts';
import {
  countLinks,
  forgetFailures,
  insertLink,
  type LinkRow,
  linkBy,
  putPassword,
  takeLink,
} from './store.ts';
import { isToken, randomToken, type SignedIn, sha256Of, type WebSessions } from './web-sessions.ts';

const LIFETIME_MS = 15 * 60_000;
/** Unexpired emails to one address, regardless of who requested them. */
const MOST_ON_THEIR_WAY = 3;

/** A sign-in email; the token is the end of its link. */
export interface Letter {
  /** `known`: a sign-up with an address that already has an account. */
  readonly kind: 'sign_in' | 'sign_up' | 'known';
  readonly to: string;
  readonly token: string;
  /**
   * False for an unknown address, and while enough other emails are unexpired. The email is composed anyway, so that the
   * work does not reveal it.
   */
  readonly isMailed: boolean;
}

/** Value of the cookie of a browser that requested a link; undefined without one. */
export type Browser = string | undefined;

/** Effects of a link, shown before it is used. */
export interface Offer {
  readonly email: string;
  readonly makesAccount: boolean;
  /** Whether this browser requested the link. */
  readonly isSameBrowser: boolean;
  /** Whether a password chosen at sign-up is lost, as only the requesting browser may keep it. */
  readonly losesPassword: boolean;
}

interface MagicLinksOptions {
  readonly database: Database;
  readonly accounts: Pick<Accounts, 'users'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly hashes: PasswordHashes;
  readonly sessions: WebSessions;
}

/** Sign-in and sign-up by an emailed link that works once, within 15 minutes. */
export function createMagicLinks(options: MagicLinksOptions) {
  const { database, accounts, clock, random, hashes, sessions } = options;
  const { queries } = database;

  /** Makes a token. It is not stored while the address has enough unexpired emails. */
  async function issue(row: Omit<LinkRow, 'sha256' | 'expires_at' | 'browser_sha256'>, browser: Browser) {
    const token = randomToken(random);
    const now = clock.now();
    if ((await countLinks(queries, row.email, now)) >= MOST_ON_THEIR_WAY) return { token, isNew: false };
    await insertLink(
      queries,
      {
        ...row,
        sha256: sha256Of(token),
        expires_at: now + LIFETIME_MS,
        browser_sha256: browser === undefined ? null : sha256Of(browser),
      },
      now,
    );
    return { token, isNew: true };
  }

  return {
    /** Composes an email with a sign-in link. For an unknown address the work is the same, but it is not sent. */
    async askForLink(address: string, browser: Browser): Promise<Letter> {
      const email = canonicalEmail(address);
      const profile = await accounts.users.find(email);
      const link = { email, account_id: profile?.id ?? null, purpose: 'sign_in' };
      const { token, isNew } = await issue({ ...link, pending_name: null, pending_phc: null }, browser);
      return { kind: 'sign_in', to: email, token, isMailed: isNew && profile !== undefined };
    },

    /**
     * The email after a sign-up: a link that creates the account, or a sign-in link if it exists already. The work is the
     * same for both. An empty password means none.
     */
    async signUp(
      wish: { readonly email: string; readonly password: string; readonly name: string },
      browser: Browser,
    ): Promise<Letter> {
      const email = canonicalEmail(wish.email);
      const phc = wish.password === '' ? null : await hashes.hash(wish.password);
      const profile = await accounts.users.find(email);
      if (profile !== undefined) {
        const link = { email, account_id: profile.id, purpose: 'sign_in' };
        const { token, isNew } = await issue({ ...link, pending_name: null, pending_phc: null }, browser);
        return { kind: 'known', to: email, token, isMailed: isNew };
      }
      const link = { email, account_id: null, purpose: 'sign_up' };
      const { token, isNew } = await issue({ ...link, pending_name: wish.name, pending_phc: phc }, browser);
      return { kind: 'sign_up', to: email, token, isMailed: isNew };
    },

    /** A sign-in link that the operator hands over; it is not mailed. Throws `user.not_found`, `user.closing`. */
    async linkFor(account: number): Promise<{ readonly token: string; readonly expiresAt: number }> {
      const { email } = await accounts.users.profile(account);
      const token = randomToken(random);
      const now = clock.now();
      const expiresAt = now + LIFETIME_MS;
      await insertLink(
        queries,
        {
          ...{
            sha256: sha256Of(token),
            email,
            account_id: account,
            purpose: 'sign_in',
            expires_at: expiresAt,
          },
          ...{ browser_sha256: null, pending_name: null, pending_phc: null },
        },
        now,
      );
      return { token, expiresAt };
    },

    /** Effects of a link without using it; undefined for an invalid one. */
    async lookAt(token: string, browser: Browser): Promise<Offer | undefined> {
      const row = isToken(token) ? await linkBy(queries, sha256Of(token), clock.now()) : undefined;
      if (row === undefined || !isValid(row)) return undefined;
      const isSameBrowser = isOf(row, browser);
      return {
        email: row.email,
        makesAccount: row.purpose === 'sign_up',
        isSameBrowser,
        losesPassword: row.pending_phc !== null && !isSameBrowser,
      };
    },

    /**
     * Signs in with a link and uses it up. Throws `signin.link_invalid`, the same for an unknown, used or expired one.
     * The password chosen at sign-up is kept only in the browser that requested the link: the owner of the mailbox must
     * not get an account whose password someone else knows.
     */
    async useLink({
      token,
      browser,
      before,
      actor,
    }: {
      readonly token: string;
      readonly browser: Browser;
      readonly before: string | undefined;
      readonly actor: Actor;
    }): Promise<SignedIn> {
      if (!isToken(token)) throw invalid();
      return database.transaction(async (transaction) => {
        const now = clock.now();
        const row = await takeLink(transaction, sha256Of(token), now);
        if (row === undefined || !isValid(row)) throw invalid();
        const name = row.pending_name ?? '';
        const { profile, isNew } = await accounts.users.join(transaction, { email: row.email, name }, actor);
        const account = profile.id;
        if (isNew && row.pending_phc !== null && isOf(row, browser))
          await putPassword(transaction, { account, phc: row.pending_phc, now });
        else await forgetFailures(transaction, account);
        return { token: await sessions.begin({ account, by: 'link', before }, transaction), profile };
      });
    },
  };
}

export type MagicLinks = ReturnType<typeof createMagicLinks>;

/** A sign-in link for an unknown address was never sent, so it is invalid. */
const isValid = (row: LinkRow): boolean => row.purpose === 'sign_up' || row.account_id !== null;

const isOf = (row: LinkRow, browser: Browser): boolean =>
  browser !== undefined && row.browser_sha256 === sha256Of(browser);

const invalid = () =>
  new AppError(
    'signin.link_invalid',
    'this sign-in link is unknown, was already used, or is older than 15 minutes; request a new one at /auth/login',
  );
