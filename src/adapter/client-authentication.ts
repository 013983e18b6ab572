import type { OAuth, Partner } from './login.ts';

/** How a client authenticates at the token endpoint (RFC 6749 §2.3.1); nothing where there is no client. */
export function clientFields(
  { clientAuthentication }: Pick<OAuth, 'clientAuthentication'>,
  client: Pick<Partner, 'clientId' | 'clientSecret'> | undefined,
): { readonly form: Record<string, string>; readonly headers: Record<string, string> } {
  if (client === undefined) return { form: {}, headers: {} };
  const { clientId, clientSecret } = client;
  if (clientAuthentication === 'body')
    return { form: { client_id: clientId, client_secret: clientSecret }, headers: {} };
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return { form: {}, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
