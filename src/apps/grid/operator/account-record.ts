import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/accounts/index.ts';
import type { LinkedVendors } from '../../../domain/vendor-states/index.ts';
import type { AccountShown } from './account.ts';
import type { Asked } from './scope.ts';

/** The id of an account in the path of a page; throws `user.not_found` for what is no id. */
export function accountIdOf(asked: Asked): number {
  const text = asked.param('id');
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('user.not_found', 'the id of a user is a whole number');
}

/** What the page of one account is read from. */
export interface AccountParts {
  readonly accounts: Pick<Accounts, 'users' | 'brands' | 'usageByDay'>;
  readonly linkedVendors: LinkedVendors;
}

/** All that the page of one account shows; throws `user.not_found`. */
export async function ofAccount(
  { accounts: { users, brands, usageByDay }, linkedVendors }: AccountParts,
  id: number,
): Promise<AccountShown> {
  const [user, brand, usage, vendors] = await Promise.all([
    users.one(id),
    brands.of(id),
    usageByDay(id),
    linkedVendors(id),
  ]);
  return { user, brand, usage, vendors };
}
