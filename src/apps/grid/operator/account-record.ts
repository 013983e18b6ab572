import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/accounts/index.ts';
import type { LinkedVendors } from '../../../domain/vendor-states/index.ts';
import { type AccountShown, accountBody } from './account.ts';
import type { Shown } from './frame.ts';
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

type Sent = Pick<AccountShown, 'faults' | 'sent' | 'sentScopes'>;

/** The page of the account in the path, with a form that is sent back; throws `user.not_found`. */
export async function accountPage(
  asked: Asked,
  { accounts: { users, brands, usageByDay }, linkedVendors }: AccountParts,
  sentBack: Sent = {},
): Promise<Pick<Shown, 'title' | 'body'>> {
  const id = accountIdOf(asked);
  const [user, brand, usage, vendors] = await Promise.all([
    users.one(id),
    brands.of(id),
    usageByDay(id),
    linkedVendors(id),
  ]);
  return {
    title: user.email,
    body: await accountBody(asked, { user, brand, usage, vendors, ...sentBack }),
  };
}
