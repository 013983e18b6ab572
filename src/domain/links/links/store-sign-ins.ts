import type { DeviceType } from '../../../adapter/device.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import type { Sealed } from '../../vendor-calls/calls/index.ts';

const textOf = (types: readonly DeviceType[] | null): string | null => types && JSON.stringify(types);
const typesIn = (text: string | null): readonly DeviceType[] | null =>
  text === null ? null : (JSON.parse(text) as DeviceType[]);

export interface SignInRow {
  readonly stateSha256: string;
  readonly vendor: string;
  readonly sessionSha256: string | null;
  readonly browserSha256: string;
  readonly verifier: Sealed;
  /** What the session is called; null without one. */
  readonly sessionName: Sealed | null;
  /** Types of devices that permissions are asked for; null for all. */
  readonly deviceTypes: readonly DeviceType[] | null;
  readonly expiresAt: number;
}

export interface LinkSessionRow {
  readonly sha256: string;
  readonly account: number;
  readonly userRef: string;
  readonly vendor: string | null;
  readonly redirectUri: string | null;
  /** Types of devices that permissions are asked for; null for all. */
  readonly deviceTypes: readonly DeviceType[] | null;
  /** The gateway through which devices in the user's network are linked; null where the user may name one. */
  readonly gateway: string | null;
  /** The price area that the link gets; null where nobody has said it. */
  readonly priceArea: PriceArea | null;
  /** The user sees what was found before the app, also after a sign-in at a vendor. */
  readonly showsDevices: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
  /** The browser that used it; null for a program. */
  readonly browserSha256: string | null;
  /** What it was used for, once that is done. */
  readonly linked: { readonly vendor: string; readonly link: string } | null;
  /** Why the last try failed; null once one has not. */
  readonly reason: string | null;
  /** When the user went back to the app without a link; null while there may still come one. */
  readonly failedAt: number | null;
  /** The browser that was told who asks, and agreed to open this vendor. */
  readonly agreed: { readonly vendor: string; readonly browserSha256: string } | null;
}

type NewSession = Pick<
  LinkSessionRow,
  | 'sha256'
  | 'account'
  | 'userRef'
  | 'vendor'
  | 'redirectUri'
  | 'deviceTypes'
  | 'gateway'
  | 'priceArea'
  | 'showsDevices'
  | 'createdAt'
  | 'expiresAt'
>;

const eventOf = ({ account, vendor, userRef }: LinkSessionRow, occurredAt: number) => ({
  ...{ account, vendor, userRef, occurredAt },
});
const dataOf = ({ sha256 }: LinkSessionRow) => ({ session_sha256: sha256 });

/** The only SQL for `oauth_states` and `link_sessions`. States and sessions are named by their SHA-256. */
export function createSignInStore(database: Database) {
  const { queries } = database;
  return {
    async putState(row: SignInRow): Promise<void> {
      await queries
        .insertInto('oauth_states')
        .values({
          state_sha256: row.stateSha256,
          vendor: row.vendor,
          session_sha256: row.sessionSha256,
          browser_sha256: row.browserSha256,
          vault_key: row.verifier.keyId,
          sealed_verifier: row.verifier.text,
          sealed_session: row.sessionName?.text ?? null,
          device_types_json: textOf(row.deviceTypes),
          expires_at: row.expiresAt,
        })
        .execute();
    },

    /** Sign-ins that nobody ended in time: each new one removes them, or their number would only grow. */
    async removeStatesBefore(expiresAt: number): Promise<void> {
      await queries.deleteFrom('oauth_states').where('expires_at', '<=', expiresAt).execute();
    },

    /** Takes a state out: exactly one caller gets it. */
    async takeState(stateSha256: string): Promise<SignInRow | undefined> {
      const row = await queries
        .deleteFrom('oauth_states')
        .where('state_sha256', '=', stateSha256)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        stateSha256,
        vendor: row.vendor,
        sessionSha256: row.session_sha256,
        browserSha256: row.browser_sha256,
        verifier: { keyId: row.vault_key, text: row.sealed_verifier },
        sessionName: row.sealed_session === null ? null : { keyId: row.vault_key, text: row.sealed_session },
        deviceTypes: typesIn(row.device_types_json),
        expiresAt: row.expires_at,
      };
    },

    async putSession(row: NewSession): Promise<void> {
      await queries
        .insertInto('link_sessions')
        .values({
          session_sha256: row.sha256,
          account_id: row.account,
          user_ref: row.userRef,
          vendor: row.vendor,
          redirect_uri: row.redirectUri,
          device_types_json: textOf(row.deviceTypes),
          gateway_id: row.gateway,
          price_area: row.priceArea,
          shows_devices: row.showsDevices ? 1 : 0,
          created_at: row.createdAt,
          expires_at: row.expiresAt,
          used_at: null,
          browser_sha256: null,
          linked_vendor: null,
          linked_link: null,
          reason: null,
          failed_at: null,
          agreed_vendor: null,
          agreed_browser_sha256: null,
        })
        .execute();
    },

    async findSession(sha256: string): Promise<LinkSessionRow | undefined> {
      const row = await queries
        .selectFrom('link_sessions')
        .selectAll()
        .where('session_sha256', '=', sha256)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        sha256,
        account: row.account_id,
        userRef: row.user_ref,
        vendor: row.vendor,
        redirectUri: row.redirect_uri,
        deviceTypes: typesIn(row.device_types_json),
        gateway: row.gateway_id,
        priceArea: PRICE_AREAS.find((area) => area === row.price_area) ?? null,
        showsDevices: row.shows_devices === 1,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        usedAt: row.used_at,
        browserSha256: row.browser_sha256,
        linked:
          row.linked_vendor === null || row.linked_link === null
            ? null
            : { vendor: row.linked_vendor, link: row.linked_link },
        reason: row.reason,
        failedAt: row.failed_at,
        agreed:
          row.agreed_vendor === null || row.agreed_browser_sha256 === null
            ? null
            : { vendor: row.agreed_vendor, browserSha256: row.agreed_browser_sha256 },
      };
    },

    /** Marks a session as used; false when it is in use, or was linked with. */
    async useSession(
      sha256: string,
      by: { at: number; browserSha256: string | null; abandonedBefore: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('link_sessions')
        .set({ used_at: by.at, browser_sha256: by.browserSha256, failed_at: null })
        .where('session_sha256', '=', sha256)
        .where('linked_link', 'is', null)
        .where((where) =>
          where.or([where('used_at', 'is', null), where('used_at', '<=', by.abandonedBefore)]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Makes a session good again that was used at this moment. */
    async giveBackSession(sha256: string, usedAt: number): Promise<void> {
      await queries
        .updateTable('link_sessions')
        .set({ used_at: null, browser_sha256: null })
        .where('session_sha256', '=', sha256)
        .where('used_at', '=', usedAt)
        .execute();
    },

    /** Keeps what a session was used for, with its event. */
    async noteLinked(
      row: LinkSessionRow,
      { vendor, link, at }: { readonly vendor: string; readonly link: string; readonly at: number },
    ): Promise<void> {
      await database.transaction(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('link_sessions')
          .set({ linked_vendor: vendor, linked_link: link, reason: null, failed_at: null })
          .where('session_sha256', '=', row.sha256)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        await database.events.append(transaction, [
          { ...eventOf(row, at), type: 'link_session.completed', vendor, link, data: dataOf(row) },
        ]);
      });
    },

    /** Keeps which browser was told who asks, and agreed to open a vendor: it tries again. */
    async agree(sha256: string, by: { vendor: string; browserSha256: string }): Promise<void> {
      await queries
        .updateTable('link_sessions')
        .set({ agreed_vendor: by.vendor, agreed_browser_sha256: by.browserSha256, failed_at: null })
        .where('session_sha256', '=', sha256)
        .execute();
    },

    /** Keeps why a try failed. What has been linked since stays linked. */
    async noteReason(sha256: string, reason: string): Promise<void> {
      await queries
        .updateTable('link_sessions')
        .set({ reason, failed_at: null })
        .where('session_sha256', '=', sha256)
        .where('linked_link', 'is', null)
        .execute();
    },

    /** Keeps that the user has gone back to the app without a link, and why, with its event. */
    async noteFailed(row: LinkSessionRow, { reason, at }: { readonly reason: string; readonly at: number }) {
      await database.transaction(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('link_sessions')
          .set({ reason, failed_at: at })
          .where('session_sha256', '=', row.sha256)
          .where('linked_link', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        await database.events.append(transaction, [
          { ...eventOf(row, at), type: 'link_session.failed', link: null, data: { ...dataOf(row), reason } },
        ]);
      });
    },

    /** Removes what ended before: until then it is told apart from what never was. */
    async removeSessionsBefore(expiresAt: number): Promise<void> {
      await queries.deleteFrom('link_sessions').where('expires_at', '<', expiresAt).execute();
    },
  };
}

export type SignInStore = ReturnType<typeof createSignInStore>;
