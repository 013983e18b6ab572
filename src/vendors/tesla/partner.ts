import { HttpFailure } from '../../adapter/http.ts';
import type { LoginSession } from '../../adapter/login.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
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

/**
 * Registers this service with Tesla in a region, which must be done once in each region that users live in, and may be done
 * again. Tesla then fetches the public key from `https://{domain}` + the path of `wellKnown`. Throws an `OperatorError`.
 */
export async function registerPartner(
  { http, partner }: Pick<LoginSession, 'http' | 'partner'>,
  { domain, region }: { readonly domain: string; readonly region: Region },
): Promise<void> {
  if (partner === undefined)
    throw new OperatorError(
      "registering with Tesla takes the client id and secret of Tesla's developer portal",
    );
  const token = await partnerToken({ http, partner }, region);
  try {
    const answer = await http.send({
      method: 'POST',
      host: hostOf('api', region),
      path: '/api/1/partner_accounts',
      use: 'login',
      headers: { authorization: `Bearer ${token}` },
      json: { domain },
      expect: REFUSALS,
    });
    if (answer.status < 300) return;
    throw new OperatorError(
      `Tesla did not register ${domain} in the region ${region} (status ${answer.status}): the domain must be an allowed origin in the developer portal, and its public key must be reachable over https`,
    );
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`Tesla did not register ${domain} in the region ${region}`, {
      cause: vendorFailure('Tesla', error),
    });
  }
}

/** A token of the service itself, for no user (`client_credentials`). */
async function partnerToken(
  { http, partner }: { http: LoginSession['http']; partner: NonNullable<LoginSession['partner']> },
  region: Region,
): Promise<string> {
  try {
    const answer = await http.send({
      method: 'POST',
      host: 'token',
      path: TOKEN_PATH,
      use: 'login',
      form: {
        grant_type: 'client_credentials',
        client_id: partner.clientId,
        client_secret: partner.clientSecret,
        scope: SCOPES.filter((scope) => scope !== 'offline_access').join(' '),
        audience: AUDIENCES[region],
      },
    });
    const told = answer.json();
    if (
      typeof told === 'object' &&
      told !== null &&
      !Array.isArray(told) &&
      typeof told.access_token === 'string'
    )
      return told.access_token;
  } catch (cause) {
    const isRefused = cause instanceof HttpFailure && cause.kind === 'refused';
    throw new OperatorError(
      isRefused ? 'Tesla refused the client id and secret' : "Tesla's token endpoint did not answer",
      { cause: vendorFailure('Tesla', cause) },
    );
  }
  throw new OperatorError("the answer of Tesla's token endpoint was not understood");
}
