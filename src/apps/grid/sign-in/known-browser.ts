import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import { canonicalEmail } from '../../../domain/access/accounts/index.ts';
import { cookieIn, setCookie } from '../../../http/cookies.ts';

const DAYS = 180;
/** Vault key, day of the sign-in since 1970, and the hash of that day and the e-mail address. */
const WELL_FORMED = /^([A-Za-z0-9_-]{1,32})\.(\d{1,6})\.([0-9a-f]{64})$/;

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const nameOf = (isSecure: boolean) => (isSecure ? '__Host-elnav_known' : 'elnav_known');

/**
 * Browsers that have signed in with an e-mail address before, by a cookie that they keep for half a year. It signs nobody in: it
 * only lets its browser try a password when strangers have used up the tries of everybody.
 */
export interface KnownBrowsers {
  isKnown(request: FastifyRequest, email: string): boolean;
  /** Remembers the browser that has signed in. */
  remember(reply: FastifyReply, email: string): void;
}

interface Options {
  readonly vaultKeys: readonly VaultKey[];
  readonly clock: Clock;
  readonly isSecure: () => boolean;
}

export function knownBrowsers({ vaultKeys, clock, isSecure }: Options): KnownBrowsers {
  const hashes = createKeyedHash(vaultKeys, 'known browser');
  const said = (day: number, email: string) => `${day} ${canonicalEmail(email)}`;
  const today = () => Math.floor(clock.now() / DAY_MS);
  return {
    isKnown(request, email) {
      const [, keyId = '', day = '', hash = ''] =
        WELL_FORMED.exec(cookieIn(request, nameOf(isSecure())) ?? '') ?? [];
      const expected = hashes.by(keyId, said(Number(day), email));
      if (expected === undefined || hash === '' || today() - Number(day) >= DAYS) return false;
      return timingSafeEqual(Buffer.from(hash), Buffer.from(expected));
    },
    remember(reply, email) {
      const value = `${hashes.currentKey}.${today()}.${hashes.of(said(today(), email))}`;
      setCookie(reply, { name: nameOf(isSecure()), value, maxAge: DAYS * 86_400, secure: isSecure() });
    },
  };
}
