import type { FastifyRequest } from 'fastify';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import { canonicalEmail, clientAddress } from '../../../domain/access/accounts/index.ts';
import type { Limits, OwnLimit } from '../../../http/rate-limit.ts';

/**
 * Limits that are used up before anything is computed: by who asks; by who asks for which address, strictly; and by address,
 * loosely, so that a stranger can keep nobody out. A browser that signed in to the account before passes the last one.
 */
export function signInLimits(limits: Limits, vaultKeys: readonly VaultKey[]) {
  const passwords = [limits.perIp('sign-in.minute', 20, 60), limits.perIp('auth.hour', 100, 3_600)];
  const passwordsOf = limits.perName('sign-in.address', 10, 900);
  const passwordsOfAll = limits.perName('sign-in.address-of-all', 100, 3_600);
  const letters = [limits.perIp('sign-in.letters', 30, 3_600)];
  const lettersTo = limits.perName('sign-in.letters-to', 5, 900);
  // Known or not, an address is counted; what is counted does not tell it.
  const hashes = createKeyedHash(vaultKeys, 'names of limits');
  const named = (email: string, ip = '') => hashes.of(`${clientAddress(ip)} ${canonicalEmail(email)}`);
  return {
    async password({ ip }: FastifyRequest, email: string, isKnownBrowser: boolean): Promise<void> {
      for (const limit of passwords) await limit.take(ip);
      await passwordsOf.take(named(email, ip));
      // control: all callers together guess at one address a hundred times an hour [journeys/sign-in]
      if (!isKnownBrowser) await passwordsOfAll.take(named(email));
    },
    /** A password is computed, and not tried. */
    async newPassword({ ip }: FastifyRequest): Promise<void> {
      for (const limit of passwords) await limit.take(ip);
    },
    /** How many are mailed to an address, regardless of who asks, is limited where they are made. */
    async letter({ ip }: FastifyRequest, email: string): Promise<void> {
      for (const limit of letters) await limit.take(ip);
      await lettersTo.take(named(email, ip));
    },
  };
}

/** Links are unguessable; this is so that guessing them keeps nobody busy. */
export const linkLimit = (limits: Limits): OwnLimit => limits.perIp('sign-in.links', 120, 60);
