import { type Accounts, SCOPES } from '../domain/accounts/index.ts';

/** The developer's account of the first start, and its key, which is shown this once. */
export async function firstAccount(accounts: Accounts): Promise<string> {
  const actor = { name: 'setup' as const, ip: '', requestId: '' };
  const user = await accounts.users.create(
    { email: 'developer@localhost', name: 'Developer', tier: 'pro' },
    actor,
  );
  const key = await accounts.keys.create(user.id, { label: 'first start', scopes: SCOPES }, actor);
  return key.api_key;
}
