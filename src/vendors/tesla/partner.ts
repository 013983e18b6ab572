import { vendorFailure } from '../../adapter/failures.ts';
import { partnerTokens } from '../../adapter/kit/index.ts';
import type { LoginSession } from '../../adapter/login.ts';
import type { Needs } from '../../adapter/tokens.ts';
import { AppError, OperatorError } from '../../core/errors.ts';
import { AUDIENCES, hostOf, REFUSALS, type Region } from './failures.ts';

export const TOKEN_PATH = '/oauth2/v3/token';

/** Permissions that every owner is asked for. Where their cars are is none of them. */
export const SCOPES = ['openid', 'offline_access', 'user_data'] as const;
const CAR_DATA = ['vehicle_device_data'];
/** A car that sleeps is woken first. */
const CAR_COMMANDS = ['vehicle_device_data', 'vehicle_cmds', 'vehicle_charging_cmds'];
const SITE_DATA = ['energy_device_data'];

/** A service has no sign-in that could be renewed. */
const OF_PARTNER = [...SCOPES.filter((scope) => scope !== 'offline_access'), ...CAR_COMMANDS, ...SITE_DATA];

export const CAR_NEEDS: Needs = {
  read_battery_soc: CAR_DATA,
  read_power: CAR_DATA,
  read_energy: CAR_DATA,
  charge_limit: CAR_COMMANDS,
  charge_control: CAR_COMMANDS,
  set_current: CAR_COMMANDS,
};
export const SITE_NEEDS: Needs = {
  read_battery_soc: SITE_DATA,
  read_power: SITE_DATA,
  read_production: SITE_DATA,
};

/**
 * Registers this service with Tesla in a region, which must be done once in each region that users live in, and may be done
 * again. Tesla then fetches the public key from `https://{domain}` + the path of `wellKnown`. Throws an `OperatorError`.
 */
export async function registerPartner(
  session: LoginSession,
  { domain, region }: { readonly domain: string; readonly region: Region },
): Promise<void> {
  const failed = `Tesla did not register ${domain} in the region ${region}`;
  const access = await partnerToken(session, region);
  const request = {
    method: 'POST',
    use: 'login',
    host: hostOf('api', region),
    path: '/api/1/partner_accounts',
    headers: { authorization: `Bearer ${access}` },
    json: { domain },
    expect: REFUSALS,
  } as const;
  const { status } = await session.http.send(request).catch((cause: unknown) => {
    throw new OperatorError(failed, { cause: vendorFailure('Tesla', cause) });
  });
  if (status >= 300)
    throw new OperatorError(
      `${failed} (status ${status}): the domain must be an allowed origin in the developer portal, and its public key must be reachable over https`,
    );
}

/** A token of the service itself, for no user. */
async function partnerToken(session: LoginSession, region: Region): Promise<string> {
  const portal = "registering with Tesla takes the client id and secret of Tesla's developer portal";
  if (session.partner === undefined) throw new OperatorError(portal);
  const scope = OF_PARTNER.join(' ');
  const endpoint = { tokenHost: 'token', tokenPath: TOKEN_PATH, scope };
  try {
    const tokenParameters = { audience: AUDIENCES[region] };
    return (await partnerTokens('Tesla', session, { ...endpoint, tokenParameters })).access;
  } catch (cause) {
    const isRefused = cause instanceof AppError && cause.code === 'vendor.refused';
    throw new OperatorError(
      isRefused ? 'Tesla refused the client id and secret' : "Tesla's token endpoint did not answer",
      { cause },
    );
  }
}
