import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database } from '../../../db/database.ts';
import type { Actor, Audit } from './audit.ts';
import { existingAccount } from './keys.ts';
import { faultInLine } from './names-and-emails.ts';
import { type Brand, brandOf, putBrand, removeBrand } from './store-administration.ts';

/** A brand as it is asked for; an address that is not named stays. */
type WantedBrand = Pick<Brand, 'name' | 'color'> & Partial<Brand>;

interface BrandsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

const LONGEST_NAME = 60;
const LONGEST_URL = 500;
const COLOR = /^#[0-9a-f]{6}$/;

/** Names and colours that accounts show to their own users. */
export class Brands {
  readonly #options: BrandsOptions;

  constructor(options: BrandsOptions) {
    this.#options = options;
  }

  /** Null for an account that has set none. */
  async of(account: number): Promise<Brand | null> {
    const row = await brandOf(this.#options.database.queries, account);
    return row === undefined ? null : { ...row };
  }

  /** Null removes it. Throws `request.invalid` for what `faultInBrand` finds. */
  async set(account: number, brand: WantedBrand | null, actor: Actor): Promise<Brand | null> {
    const fault = brand === null ? null : faultInBrand(brand);
    if (fault !== null) throw new AppError('request.invalid', `${fault.field} ${fault.sentence}`);
    const { database, clock, audit } = this.#options;
    return database.transaction(async (queries) => {
      await existingAccount(queries, account);
      const kept = brand === null ? null : canonicalBrand(brand, await brandOf(queries, account));
      if (kept === null) await removeBrand(queries, account);
      else await putBrand(queries, { account_id: account, ...kept, updated_at: clock.now() });
      await audit(queries, actor, {
        action: kept === null ? 'brand.removed' : 'brand.set',
        target: `user/${account}`,
        detail: kept === null ? {} : { ...kept },
      });
      return kept;
    });
  }
}

/** What is wrong with a brand, by field, or null. */
export function faultInBrand(
  brand: WantedBrand,
): { readonly field: keyof Brand; readonly sentence: string } | null {
  const { name, color, ...addresses } = canonicalBrand(brand);
  const inName = faultInLine(name, { shortest: 1, longest: LONGEST_NAME });
  if (inName !== null) return { field: 'name', sentence: inName };
  if (color !== null && !COLOR.test(color))
    return { field: 'color', sentence: 'must be a colour as #rrggbb, such as #0b5d48' };
  for (const field of ['privacy_url', 'terms_url'] as const) {
    if (addresses[field] !== null && !isWebAddress(addresses[field]))
      return {
        field,
        sentence: 'must be an address as https://example.com/privacy, of at most 500 characters',
      };
  }
  return null;
}

/** Whether a text is the address of a page that a browser may be led to. Nothing in it may pass for another host. */
function isWebAddress(text: string): boolean {
  if (text.length > LONGEST_URL || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return false;
  const { username, password, hostname } = new URL(text);
  // control: a link page leads to no address that passes for another host [brands] => hostname.includes('.')
  return username === '' && password === '' && hostname.includes('.');
}

function canonicalBrand({ name, color, privacy_url, terms_url }: WantedBrand, before?: Brand): Brand {
  const filled = (text: string | null = null) => (text === null || text.trim() === '' ? null : text.trim());
  return {
    name: name.normalize('NFC').trim(),
    color: color === null ? null : color.trim().toLowerCase(),
    privacy_url: filled(privacy_url === undefined ? before?.privacy_url : privacy_url),
    terms_url: filled(terms_url === undefined ? before?.terms_url : terms_url),
  };
}
