import Type from 'typebox';
import { HttpFailure } from '../../adapter/http.ts';
import { fits } from '../../adapter/kit/index.ts';
import type { LoginSession } from '../../adapter/login.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { OperatorError } from '../../core/errors.ts';
import { REFUSALS } from './failures.ts';
import { AUDIENCES, hostOf, type Region } from './regions.ts';

export const TOKEN_PATH = '/oauth2/v3/token';

/** Permissions that owners are asked for. Where their cars are is none of them. */
export const SCOPES = [
  'openid',
  'offline_access',
  'user_data',
  'vehicle_device_data',
  'vehicle_cmds',
  'vehicle_charging_cmds',
  'energy_device_data',
] as const;

type Partner = Pick<LoginSession, 'http' | 'partner'>;

/**
 * Registers this service with Tesla in a region, which must be done once in each region that users live in, and may be done
 * again. Tesla then fetches the public key from `https://{domain}` + the path of `wellKnown`. Throws an `OperatorError`.
 */
export async function registerPartner(
  { http, partner }: Partner,
  { domain, region }: { readonly domain: string; readonly region: Region },
): Promise<void> {
  const place = `${domain} in the region ${region}`;
  const { status } = await sent(
    http,
    {
      host: hostOf('api', region),
      path: '/api/1/partner_accounts',
      headers: { authorization: `Bearer ${await partnerToken({ http, partner }, region)}` },
      json: { domain },
      expect: REFUSALS,
    },
    () => `Tesla did not register ${place}`,
  );
  if (status >= 300)
    throw new OperatorError(
      `Tesla did not register ${place} (status ${status}): the domain must be an allowed origin in the developer portal, and its public key must be reachable over https`,
    );
}

const Token = Type.Object({ access_token: Type.String({ minLength: 1 }) });

/** A token of the service itself, for no user (`client_credentials`). */
async function partnerToken({ http, partner }: Partner, region: Region): Promise<string> {
  if (partner === undefined)
    throw new OperatorError(
      "registering with Tesla takes the client id and secret of Tesla's developer portal",
    );
  const form = {
    grant_type: 'client_credentials',
    client_id: partner.clientId,
    client_secret: partner.clientSecret,
    scope: SCOPES.filter((scope) => scope !== 'offline_access').join(' '),
    audience: AUDIENCES[region],
  };
  const { body } = await sent(http, { host: 'token', path: TOKEN_PATH, form }, (cause) =>
    cause instanceof HttpFailure && cause.kind === 'refused'
      ? 'Tesla refused the client id and secret'
      : "Tesla's token endpoint did not answer",
  );
  if (fits(Token, body)) return body.access_token;
  throw new OperatorError("the answer of Tesla's token endpoint was not understood");
}

/** Posts, and says to the operator why there is no answer. */
async function sent(
  http: LoginSession['http'],
  request: VendorRequest,
  sentence: (cause: unknown) => string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await http.send({ method: 'POST', use: 'login', ...request });
    return { status: answer.status, body: answer.status < 300 ? answer.json() : undefined };
  } catch (cause) {
    throw new OperatorError(sentence(cause), { cause: vendorFailure('Tesla', cause) });
  }
}
