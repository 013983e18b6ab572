import { fits, PlainId, partnerTokens } from '../../adapter/kit/index.ts';
import type { Login, LoginSession, Tokens, WithoutCode } from '../../adapter/login.ts';
import { AppError } from '../../core/errors.ts';
import { connectionsIn, userIn } from './client.ts';

export const TOKEN_PATH = '/oauth2/token';

/** The token of the app, for an hour; the user is named beside it. What it permits is the app's, and not what the user granted. */
async function tokenOfApp(session: LoginSession, extra: Tokens['extra'] = {}): Promise<Tokens> {
  const endpoint = { tokenHost: 'token', tokenPath: TOKEN_PATH };
  const { access, expiresAt } = await partnerTokens('Smartcar', session, endpoint);
  return { access, refresh: null, expiresAt, extra };
}

/** One token is good for all users: each call names its user in a header. */
const headers = ({ access, extra }: Tokens) => ({
  authorization: `Bearer ${access}`,
  'sc-user-id': String(extra?.user_id ?? ''),
});

export const login: Login = {
  signIn: (session, _credentials, before) => tokenOfApp(session, before?.extra),
  headers,
};

/**
 * Smartcar Connect returns the id of the user in the address, and stores our reference with the user's connections (`external_id`).
 * Only both together show that it was this user who granted something in this sign-in.
 */
export const withoutCode: WithoutCode = {
  parameters: ({ partner, reference }) => ({
    response_type: 'none',
    application_id: partner.more?.application_id ?? '',
    external_id: reference,
  }),
  async signIn(session, { query, reference }) {
    const [user, ...others] = query.getAll('user_id');
    if (!fits(PlainId, user) || others.length > 0)
      throw new AppError('oauth.denied', 'Smartcar did not name the user; start again');
    const tokens = await tokenOfApp(session, { user_id: user });
    const asked = {
      use: 'login',
      headers: headers(tokens),
      query: { 'filter[user.externalId]': reference },
      costs: { app_hour: 1 },
    } as const;
    const { members } = await connectionsIn(session, user, asked);
    if (members.some((connection) => userIn(connection).externalId === reference)) return tokens;
    throw new AppError(
      'oauth.denied',
      'Smartcar does not confirm that this user connected a car; start again',
    );
  },
};
