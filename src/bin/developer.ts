import { type Accounts, SCOPES } from '../domain/access/accounts/index.ts';

/** The account of a developer who tries elnav on their own machine; made with the first start's key. */
export const DEVELOPER = { email: 'developer@localhost', name: 'Developer', tier: 'pro' } as const;

const actor = { name: 'setup' as const, ip: '', requestId: '' };

/** A key of the developer's account, which is made where it is missing; the key's text can be seen this once. */
export async function makeDeveloperKey(accounts: Accounts, label: string): Promise<string> {
  const { users, keys } = accounts;
  const developer = (await users.find(DEVELOPER.email)) ?? (await users.create(DEVELOPER, actor));
  const key = await keys.create(developer.id, { label, scopes: SCOPES }, actor);
  return key.api_key;
}

/** Whether there is a developer who has never called: the key of the first start may have been lost. */
export async function isDeveloperIdle({ users }: Accounts): Promise<boolean> {
  const developer = await users.find(DEVELOPER.email);
  if (developer === undefined) return false;
  const { keys } = await users.one(developer.id);
  return keys.every((key) => key.last_used_at === null);
}
