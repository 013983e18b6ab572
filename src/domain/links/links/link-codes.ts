import { createHash } from 'node:crypto';
import type { Tokens } from '../../../adapter/login.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import type { Vault } from '../../vendor-calls/calls/index.ts';
import { createCodeStore } from './store-codes.ts';

const LIFETIME_MS = 15 * 60_000;
/** 43 letters and digits of 62 hold more than 256 bits. */
const LENGTH = 43;

interface LinkCodesOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
}

/** Codes that stand for a finished sign-in at a vendor until `POST /link` spends them: single use, 15 minutes. */
export function createLinkCodes({ database, vault, clock, random }: LinkCodesOptions) {
  const store = createCodeStore(database);
  const bindingOf = (sha256: string) => ({ account: 0, link: sha256, field: 'link_code' });
  return {
    /** Keeps the tokens of a finished sign-in, and answers the code for them. */
    async issue(
      vendor: string,
      tokens: Tokens,
    ): Promise<{ readonly code: string; readonly expiresAt: number }> {
      const code = randomBase62(random, LENGTH);
      const sha256 = sha256Of(code);
      const expiresAt = clock.now() + LIFETIME_MS;
      const sealed = vault.seal(JSON.stringify(tokens), bindingOf(sha256));
      await store.removeBefore(clock.now());
      await store.put({ sha256, vendor, sealed, expiresAt });
      return { code, expiresAt };
    },

    /**
     * Links with the tokens that a code stands for. Throws `link.credentials_refused`; a code of another vendor is spent by that,
     * too. When linking fails for another reason, an unreachable vendor say, the code can be used again.
     */
    async spend<T>(vendor: string, code: string, link: (tokens: Tokens) => Promise<T>): Promise<T> {
      const sha256 = sha256Of(code);
      const found = await store.take(sha256, clock.now());
      if (found === undefined)
        throw refused(
          `the link_code is unknown, was already used, or has expired; start again at GET /oauth/${vendor}/authorize`,
        );
      if (found.vendor !== vendor)
        throw refused(`the link_code belongs to the vendor ${found.vendor}, not to ${vendor}`);
      const tokens = JSON.parse(vault.open(found.sealed, bindingOf(sha256))) as Tokens;
      try {
        return await link(tokens);
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'link.credentials_refused';
        if (!isRefused) await store.put({ sha256, ...found });
        throw error;
      }
    },
  };
}

export type LinkCodes = ReturnType<typeof createLinkCodes>;

const refused = (sentence: string) => new AppError('link.credentials_refused', sentence);
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
