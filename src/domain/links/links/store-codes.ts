import type { Database } from '../../../db/database.ts';
import type { Sealed } from '../../vendor-calls/calls/index.ts';

/** The only SQL for `link_codes`. Codes are named by their SHA-256. */
export function createCodeStore(database: Database) {
  const { queries } = database;
  return {
    async put(code: {
      readonly sha256: string;
      readonly vendor: string;
      readonly sealed: Sealed;
      readonly expiresAt: number;
    }): Promise<void> {
      await queries
        .insertInto('link_codes')
        .values({
          code_sha256: code.sha256,
          vendor: code.vendor,
          vault_key: code.sealed.keyId,
          sealed_tokens: code.sealed.text,
          expires_at: code.expiresAt,
        })
        .execute();
    },

    /** Codes that nobody spent in time; they hold sign-ins, so they go whenever another is made. */
    async removeBefore(expiresAt: number): Promise<void> {
      await queries.deleteFrom('link_codes').where('expires_at', '<=', expiresAt).execute();
    },

    /** Takes a code out: exactly one caller gets it. */
    async take(
      sha256: string,
      now: number,
    ): Promise<{ readonly vendor: string; readonly sealed: Sealed; readonly expiresAt: number } | undefined> {
      const row = await queries
        .deleteFrom('link_codes')
        .where('code_sha256', '=', sha256)
        .where('expires_at', '>', now)
        .returning(['vendor', 'vault_key', 'sealed_tokens', 'expires_at'])
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const sealed = { keyId: row.vault_key, text: row.sealed_tokens };
      return { vendor: row.vendor, sealed, expiresAt: row.expires_at };
    },
  };
}
