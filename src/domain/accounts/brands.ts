import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import type { Actor, Audit } from './audit.ts';
import { existingAccount } from './keys.ts';
import { faultInLine } from './line.ts';
import { brandOf, putBrand, removeBrand } from './store-brands.ts';

/** Branding of the page on which an account's users link their devices. */
export interface Brand {
  /** 1 to 60 characters. */
  readonly name: string;
  /** As in #0b5d48, in lower case; null for the colour of the pages. */
  readonly color: string | null;
}

interface BrandsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

const LONGEST_NAME = 60;
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
    return row === undefined ? null : { name: row.name, color: row.color };
  }

  /** Null removes it. Throws `request.invalid` for what `faultInBrand` finds. */
  async set(account: number, brand: Brand | null, actor: Actor): Promise<Brand | null> {
    const fault = brand === null ? null : faultInBrand(brand);
    if (fault !== null) throw new AppError('request.invalid', `${fault.field} ${fault.sentence}`);
    const { database, clock, audit } = this.#options;
    const kept = brand === null ? null : canonicalBrand(brand);
    await database.transaction(async (queries) => {
      await existingAccount(queries, account);
      if (kept === null) await removeBrand(queries, account);
      else await putBrand(queries, { account_id: account, ...kept, updated_at: clock.now() });
      await audit(queries, actor, {
        action: kept === null ? 'brand.removed' : 'brand.set',
        target: `user/${account}`,
        detail: kept === null ? {} : { ...kept },
      });
    });
    return kept;
  }
}

/** What is wrong with a brand, by field, or null. */
export function faultInBrand(
  brand: Brand,
): { readonly field: 'name' | 'color'; readonly sentence: string } | null {
  const { name, color } = canonicalBrand(brand);
  const inName = faultInLine(name, { shortest: 1, longest: LONGEST_NAME });
  if (inName !== null) return { field: 'name', sentence: inName };
  if (color === null || COLOR.test(color)) return null;
  return { field: 'color', sentence: 'must be a colour as #rrggbb, such as #0b5d48' };
}

function canonicalBrand({ name, color }: Brand): Brand {
  return { name: name.normalize('NFC').trim(), color: color === null ? null : color.trim().toLowerCase() };
}
