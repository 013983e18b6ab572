import type { MakeSignIn } from './sign-in.ts';

/** Nothing carries a secret: whose device it is, its address tells. The user `home` is at the address itself, others at names below it. */
export function byAddress(): MakeSignIn {
  return ({ baseUrl, users }) => ({
    page: () => undefined,
    token: () => undefined,
    callerOf({ headers }) {
      const [name = ''] = (headers.host ?? '').split('.');
      return { user: users.includes(name) ? name : 'home', scopes: [] };
    },
    expireTokens: () => {},
    revoke: () => {},
    credentialsOf: (user) => ({ host: hostOf(user, baseUrl()) }),
    password: '',
  });
}

/** Where the device of a simulated user is. */
export function hostOf(user: string, baseUrl: string): string {
  const host = baseUrl.replace('http://', '');
  return user === 'home' ? host : `${user}.${host}`;
}
