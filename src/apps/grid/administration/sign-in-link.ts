import { rfc3339 } from '../../../core/clock.ts';
import type { Accounts, Actor } from '../../../domain/access/accounts/index.ts';
import type { People } from '../../../domain/access/people/index.ts';
import { ownPath } from '../../../http/own-path.ts';

interface SignInLinks {
  readonly accounts: Pick<Accounts, 'noteChange'>;
  readonly people: Pick<People, 'linkFor'>;
  readonly publicUrl: () => string;
}

/** Returns a function that creates a link that signs a user in, once and within 15 minutes, and leads to `next`. It is not mailed. */
export function signInLinks({ accounts, people, publicUrl }: SignInLinks) {
  return async (user: number, next: string, actor: Actor): Promise<{ url: string; expires_at: string }> => {
    const { token, expiresAt } = await people.linkFor(user);
    await accounts.noteChange(actor, {
      action: 'user.sign_in_link_created',
      target: `user/${user}`,
      detail: {},
    });
    const path = ownPath(next);
    const query = new URLSearchParams({ ...(path === undefined ? {} : { next: path }), for: 'person' });
    return { url: `${publicUrl()}/auth/magic/verify/${token}?${query}`, expires_at: rfc3339(expiresAt) };
  };
}
