import { type Selectable, sql } from 'kysely';
import type { LinkKey } from '../../../adapter/session.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { linkName, linkRows } from '../../../db/rows.ts';
import { sharedReads } from '../../../db/shared-reads.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Sealed } from './vault.ts';

export interface TokenRow extends LinkKey {
  readonly sealed: Sealed;
  readonly version: number;
  /** ms since 1970. */
  readonly expiresAt: number;
  readonly lostReason: string | null;
}

/** A renewal that a process is about to begin. */
interface Beginning {
  readonly row: TokenRow;
  readonly renewer: string;
  readonly leaseMs: number;
}

interface Renewed {
  readonly row: TokenRow;
  readonly sealed: Sealed;
  readonly expiresAt: number;
}

const TOKENS_OF_LINKS = { table: 'link_tokens', key: { account_id: 'account', link_id: 'link' } } as const;
const VERSION = { account: 'bigint', link: 'text', version: 'bigint' } as const;
const BEGINNING = { ...VERSION, renewer: 'text', lease_ms: 'bigint' } as const;
const RENEWED = { ...VERSION, vault_key: 'text', sealed_tokens: 'text', expires_at: 'bigint' } as const;

const versionOf = ({ account, link, version }: TokenRow) => ({ account, link, version });

/** Whether each write changed its row. Of two to one link only the first did: the other was read from a version that is gone. */
function changedBy(rows: readonly TokenRow[], changed: readonly LinkKey[]): boolean[] {
  const left = new Set(changed.map(linkName));
  return rows.map((row) => left.delete(linkName(row)));
}

const firstOfEach = <T extends { readonly row: TokenRow }>(writes: readonly T[]): readonly T[] => [
  ...new Map(writes.toReversed().map((write) => [linkName(write.row), write])).values(),
];

/** The only SQL for `link_tokens`. */
export function createTokenStore({ queries, moments, rows, lockedRows, group }: Database) {
  const beginRenewal = group(async (on, beginning: readonly Beginning[]): Promise<boolean[]> => {
    const given = firstOfEach(beginning).map(({ row, renewer, leaseMs }) => ({
      ...versionOf(row),
      renewer,
      lease_ms: leaseMs,
    }));
    const { rows: begun } = await sql<LinkKey>`
      update link_tokens set renewer = r.renewer, renewing_until = ${moments.now} + r.lease_ms
      from ${lockedRows(TOKENS_OF_LINKS, BEGINNING, given)} as r
      where link_tokens.account_id = r.account and link_tokens.link_id = r.link and link_tokens.version = r.version
        and link_tokens.lost_reason is null
        and (link_tokens.renewing_until is null or link_tokens.renewing_until <= ${moments.now})
      returning link_tokens.account_id as account, link_tokens.link_id as link`.execute(on);
    return changedBy(
      beginning.map(({ row }) => row),
      begun,
    );
  });

  const storeRenewed = group(async (on, renewed: readonly Renewed[]): Promise<boolean[]> => {
    const given = firstOfEach(renewed).map(({ row, sealed, expiresAt }) => ({
      ...versionOf(row),
      vault_key: sealed.keyId,
      sealed_tokens: sealed.text,
      expires_at: expiresAt,
    }));
    // The vendor may have refused the old tokens to another process: those are lost, and these are not.
    const { rows: stored } = await sql<LinkKey>`
      update link_tokens set vault_key = r.vault_key, sealed_tokens = r.sealed_tokens, expires_at = r.expires_at,
        version = r.version + 1, lost_reason = null, renewer = null, renewing_until = null
      from ${lockedRows(TOKENS_OF_LINKS, RENEWED, given)} as r
      where link_tokens.account_id = r.account and link_tokens.link_id = r.link and link_tokens.version = r.version
      returning link_tokens.account_id as account, link_tokens.link_id as link`.execute(on);
    return changedBy(
      renewed.map(({ row }) => row),
      stored,
    );
  });

  const ofLink = ({ account, link }: LinkKey) => ({ account_id: account, link_id: link });

  return {
    find: sharedReads(async (links: readonly LinkKey[]): Promise<(TokenRow | undefined)[]> => {
      const { rows: found } = await sql<Selectable<Tables['link_tokens']>>`
        select link_tokens.* from ${linkRows(rows, links)} as r
        join link_tokens on link_tokens.account_id = r.account and link_tokens.link_id = r.link`.execute(
        queries,
      );
      const byName = new Map(found.map(toRow).map((row) => [linkName(row), row]));
      return links.map((link) => byName.get(linkName(link)));
    }),

    /** The tokens of an account that was linked just now, whatever was there; ends a renewal that is on its way. */
    async put(
      transaction: Queries,
      key: LinkKey,
      tokens: { readonly sealed: Sealed; readonly expiresAt: number; readonly version: number },
    ): Promise<void> {
      const written = {
        vault_key: tokens.sealed.keyId,
        sealed_tokens: tokens.sealed.text,
        expires_at: tokens.expiresAt,
        lost_reason: null,
        renewer: null,
        renewing_until: null,
        version: tokens.version,
      };
      await transaction
        .insertInto('link_tokens')
        .values({ ...ofLink(key), ...written })
        .onConflict((conflict) => conflict.columns(['account_id', 'link_id']).doUpdateSet(written))
        .execute();
    },

    /** Takes the renewal of a version for a process; false when another has it, or the version is no longer the stored one. */
    beginRenewal: (
      row: TokenRow,
      by: { readonly renewer: string; readonly leaseMs: number },
    ): Promise<boolean> => beginRenewal({ row, ...by }),

    /** Stores renewed tokens as the next version; false when the account was linked again meanwhile, or unlinked. */
    renewed: (
      row: TokenRow,
      tokens: { readonly sealed: Sealed; readonly expiresAt: number },
    ): Promise<boolean> => storeRenewed({ row, ...tokens }),

    /** Gives a renewal up that failed; with a reason, the tokens are lost for good. */
    async endRenewal({ account, link, version }: TokenRow, lostReason: string | null): Promise<void> {
      await queries
        .updateTable('link_tokens')
        .set({ renewer: null, renewing_until: null, lost_reason: lostReason })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('version', '=', version)
        .execute();
    },

    /** Takes back that the tokens are lost; false when they were not. */
    async forgetLoss({ account, link }: LinkKey): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('link_tokens')
        .set({ lost_reason: null })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('lost_reason', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Replaces the sealed tokens if they are still the ones that were read. */
    async reseal({ account, link }: LinkKey, was: Sealed, now: Sealed): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('link_tokens')
        .set({ vault_key: now.keyId, sealed_tokens: now.text })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('sealed_tokens', '=', was.text)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Rows that another key has sealed, by (account, link). */
    async sealedWithOtherThan(
      keyId: string,
      page: { readonly after: LinkKey; readonly limit: number },
    ): Promise<(LinkKey & { sealed: Sealed })[]> {
      const { account, link } = page.after;
      const rows = await queries
        .selectFrom('link_tokens')
        .select(['account_id', 'link_id', 'vault_key', 'sealed_tokens'])
        .where('vault_key', '!=', keyId)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('account_id', 'link_id'), '>', tuple(account, link)))
        .orderBy('account_id')
        .orderBy('link_id')
        .limit(page.limit)
        .execute();
      return rows.map((row) => ({
        account: row.account_id,
        link: row.link_id,
        sealed: { keyId: row.vault_key, text: row.sealed_tokens },
      }));
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;

function toRow(row: Selectable<Tables['link_tokens']>): TokenRow {
  return {
    account: row.account_id,
    link: row.link_id,
    sealed: { keyId: row.vault_key, text: row.sealed_tokens },
    version: row.version,
    expiresAt: row.expires_at,
    lostReason: row.lost_reason,
  };
}
