import { domainToASCII } from 'node:url';
import type { Accounts, Brand } from '../../../domain/access/accounts/index.ts';

/** Whose page it is: what the account calls itself, and the domain at which it has shown to read mail. */
export interface WhoAsks {
  readonly brand: Brand | null;
  /** Null where the address says nothing of whose app it is. */
  readonly domain: string | null;
}

export const NOBODY: WhoAsks = { brand: null, domain: null };

/** Anybody has an address there, so it would lend the provider's name to anybody. */
const PROVIDERS = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com hotmail.se live.com live.se msn.com icloud.com me.com mac.com yahoo.com yahoo.se proton.me protonmail.com gmx.com gmx.net mail.com aol.com fastmail.com zoho.com tutanota.com telia.com bredband.net comhem.se tele2.se spray.se home.se passagen.se bahnhof.se'.split(
    ' ',
  ),
);

/** The domain of an address, where it names somebody: in ASCII, so that no letter passes for another. */
export function domainOf(email: string): string | null {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1));
  return domain.includes('.') && !PROVIDERS.has(domain) ? domain : null;
}

/** Who asks the user of an account's link session. */
export async function whoAsks(
  { brands, users }: Pick<Accounts, 'brands' | 'users'>,
  account: number,
): Promise<WhoAsks> {
  const [brand, profile] = await Promise.all([brands.of(account), users.find(account)]);
  return { brand, domain: profile === undefined ? null : domainOf(profile.email) };
}
