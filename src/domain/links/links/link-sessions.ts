import { createHash } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterNamed } from '../../../adapter/adapters.ts';
import { isForEndUsers } from '../../../adapter/credential-fields.ts';
import type { DeviceType } from '../../../adapter/device.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Linking } from './make-link.ts';
import type { LinkSessionRow, SignInStore } from './store-sign-ins.ts';

const LIFETIME_MS = 24 * 3_600_000;
/** Longer than any vendor is waited for: a process that has neither linked nor failed by then was killed. */
const ABANDONED_MS = 2 * 60_000;
/** Apps may ask how a session ended for so long. */
const KEPT_MS = 7 * LIFETIME_MS;
/** 43 letters and digits of 62 hold more than 256 bits. */
const LENGTH = 43;
const LONGEST_ADDRESS = 2_000;

interface LinkSessionRequest {
  readonly account: number;
  readonly userRef: string;
  readonly vendor: string | undefined;
  readonly redirectUri: string | undefined;
  /** Types of devices that permissions are asked for; all unless it is said. */
  readonly deviceTypes?: readonly DeviceType[] | undefined;
  /** Id of the account's gateway in the network of the user: the user is not asked for one. */
  readonly gateway?: string | undefined;
  /** That of the link that comes of it. */
  readonly priceArea?: PriceArea | undefined;
  /** The user sees what was found before the app, also after a sign-in at a vendor. */
  readonly showsDevices?: boolean | undefined;
}

/** How a session is. A user who went back to the app without a link may open the same one again: it is `failed` until then. */
type LinkSessionStatus = 'open' | 'linked' | 'failed' | 'expired';

/** How a session is, for the account that began it. */
interface LinkSessionView {
  readonly status: LinkSessionStatus;
  /** Id of the link; null without one. */
  readonly link: string | null;
  /** Why the last try failed: `cancelled`, what the vendor called it, or an error code; null where none has failed. */
  readonly reason: string | null;
  readonly expires_at: string;
}

interface LinkSessionsOptions {
  readonly store: SignInStore;
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Public address of Connect, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Throws `gateway.not_found` for a gateway that the account does not have. */
  readonly requireGateway: (gateway: { readonly account: number; readonly id: string }) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Sessions in which an end user links an account on a page of ours: single use, 24 hours. */
export function createLinkSessions(options: LinkSessionsOptions) {
  const { store, adapters, publicUrl, clock, random } = options;
  return {
    /** Throws `vendor.unknown`, `gateway.not_found` or `request.invalid`. */
    async begin(request: LinkSessionRequest): Promise<{ session: string; url: string; expires_at: string }> {
      const { account, userRef, vendor, redirectUri, deviceTypes, gateway, priceArea } = request;
      if (vendor !== undefined && !isForEndUsers(adapterNamed(adapters, vendor)))
        throw new AppError(
          'request.invalid',
          `vendor is ${vendor}, which has more to say than a page can ask for; link it with POST /link`,
        );
      const fault = redirectUri === undefined ? null : faultInRedirect(redirectUri);
      if (fault !== null) throw new AppError('request.invalid', `redirect_uri ${fault}`);
      if (gateway !== undefined) await options.requireGateway({ account, id: gateway });
      const session = randomBase62(random, LENGTH);
      const now = clock.now();
      await store.removeSessionsBefore(now - KEPT_MS);
      await store.putSession({
        sha256: sha256Of(session),
        account,
        userRef,
        vendor: vendor ?? null,
        redirectUri: redirectUri ?? null,
        deviceTypes: deviceTypes ?? null,
        gateway: gateway ?? null,
        priceArea: priceArea ?? null,
        showsDevices: request.showsDevices ?? false,
        createdAt: now,
        expiresAt: now + LIFETIME_MS,
      });
      return {
        session,
        url: `${publicUrl()}/link/sessions/${session}`,
        expires_at: rfc3339(now + LIFETIME_MS),
      };
    },

    /** A session that can still be used. Throws `session.invalid`, the same whatever is wrong with it. */
    async open(session: string): Promise<LinkSessionRow> {
      const row = await store.findSession(sha256Of(session));
      const now = clock.now();
      if (row === undefined || isInUse(row, now) || row.expiresAt <= now) throw invalidSession();
      return row;
    },

    byHash: (sha256: string): Promise<LinkSessionRow | undefined> => store.findSession(sha256),

    /**
     * Does the work that a session is for: of two that use it at once, one does. A session whose work fails can be used again.
     * `browser` is what the cookie holds of the browser that does it. Throws `session.invalid`, and what the work throws.
     */
    async use(
      row: LinkSessionRow,
      {
        browser,
        vendor,
        work,
      }: { browser: string | undefined; vendor: string; work: () => Promise<Linking> },
    ): Promise<Linking> {
      const now = clock.now();
      const by = {
        at: now,
        browserSha256: browser === undefined ? null : sha256Of(browser),
        abandonedBefore: now - ABANDONED_MS,
      };
      if (row.expiresAt <= now || !(await store.useSession(row.sha256, by))) throw invalidSession();
      let linking: Linking;
      try {
        linking = await work();
      } catch (error) {
        if (error instanceof AppError) await store.noteReason(row.sha256, error.code);
        await store.giveBackSession(row.sha256, now);
        throw error;
      }
      await store.noteLinked(row, { vendor, link: linking.link, at: clock.now() });
      return linking;
    },

    /** The user of this browser was told who asks, and goes on to the vendor. */
    agree: (row: LinkSessionRow, { browser, vendor }: { browser: string; vendor: string }): Promise<void> =>
      store.agree(row.sha256, { vendor, browserSha256: sha256Of(browser) }),

    /** The user goes back to the app without a link, which is told the same reason. The session can be used again. */
    fail: (row: LinkSessionRow, reason: string): Promise<void> =>
      store.noteFailed(row, { reason, at: clock.now() }),

    /** How a session of this account is, until a week after its end. Throws `session.not_found`, for that of another too. */
    async view(account: number, session: string): Promise<LinkSessionView> {
      const row = await store.findSession(sha256Of(session));
      // control: a link session is returned to the account that started it alone [journeys/link-sessions] => row === undefined
      if (row === undefined || row.account !== account)
        throw new AppError('session.not_found', 'there is no such link session');
      return {
        status: statusOf(row, clock.now()),
        link: row.linked?.link ?? null,
        reason: row.reason,
        expires_at: rfc3339(row.expiresAt),
      };
    },

    /**
     * A session that was used by this browser, until it would have ended; undefined for all others. `linked` is null while
     * the work is still being done.
     */
    async usedBy(browser: string | undefined, session: string): Promise<LinkSessionRow | undefined> {
      if (browser === undefined) return undefined;
      const row = await store.findSession(sha256Of(session));
      const now = clock.now();
      const isTheirs = row !== undefined && isInUse(row, now) && row.browserSha256 === sha256Of(browser);
      return isTheirs && row.expiresAt > now ? row : undefined;
    },
  };
}

export type LinkSessions = ReturnType<typeof createLinkSessions>;

/** Whether it was linked with, or is being; a process that was killed meanwhile must not keep it until it ends. */
const isInUse = ({ usedAt, linked }: LinkSessionRow, now: number): boolean =>
  usedAt !== null && (linked !== null || usedAt > now - ABANDONED_MS);

function statusOf({ linked, failedAt, expiresAt }: LinkSessionRow, now: number): LinkSessionStatus {
  if (linked !== null) return 'linked';
  if (expiresAt <= now) return 'expired';
  return failedAt === null ? 'open' : 'failed';
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function invalidSession(): AppError {
  return new AppError(
    'session.invalid',
    'the link session is unknown, was already used, or has expired; ask the app for a new one',
  );
}

/** What is wrong with an address that users are sent back to, or null. It is used as it is, so it must be one beyond doubt. */
function faultInRedirect(address: string): string | null {
  if (address.length > LONGEST_ADDRESS) return `must have at most ${LONGEST_ADDRESS} characters`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:\/\/[^/\\@\s]+/i.test(address))
    return 'must be an absolute address such as https://app.example.com/linked';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not hold a fragment';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    return 'must be an https address; http is accepted for localhost alone';
  return null;
}
