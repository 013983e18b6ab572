import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ConnectorRaw, Details, PointStatus, rawOf, Settings } from './translate.ts';

const BASE = '/api/v5';
const mostBytes = 4 * 1024 * 1024;

const Owned = Type.Array(Type.Unknown());
const Point = kit.lenient({ id: kit.PlainId }, 'name', 'ocppVersion', 'ownerReadOnly', 'connectors');
const Connector = kit.lenient({ connectorId: Type.Integer({ minimum: 0 }) }, 'type');
/** The socket of a Halo is for anything but a car. */
const SOCKET = 'Schuko';

export const api = kit.vendorCalls('Charge Amps');

const TOKEN_NAMES = { access: 'token', refresh: 'refreshToken', seconds: 'expires_in' };

/** The response has no lifetime: the token says itself when it ends (RFC 7519 §4.1.4). */
async function tokensFrom(
  { http, clock }: LoginSession,
  request: Pick<VendorRequest, 'path' | 'json' | 'headers'>,
): Promise<Tokens> {
  const response = await http.send({ method: 'POST', use: 'login', ...request });
  const options = { now: clock.now(), before: undefined, names: TOKEN_NAMES };
  const tokens = kit.tokensIn('Charge Amps', response.json(), options);
  const ends = Number(claimsIn(tokens.access)?.exp) * 1_000;
  return ends > clock.now() ? { ...tokens, expiresAt: ends } : tokens;
}

/** From user name, password and API key to tokens. */
export const signIn = (
  session: LoginSession,
  { username, password, api_key }: Readonly<Record<'username' | 'password' | 'api_key', string>>,
): Promise<Tokens> =>
  tokensFrom(session, {
    path: `${BASE}/auth/login`,
    json: { email: username.trim(), password },
    headers: { apiKey: api_key.trim() },
  });

/** Never a new sign-in where this does: with the eleventh, Charge Amps signs the owner's app out. */
export const refresh = (session: LoginSession, tokens: Tokens, { api_key }: JsonObject): Promise<Tokens> =>
  tokensFrom(session, {
    path: `${BASE}/auth/refreshToken`,
    json: { token: tokens.access, refreshToken: tokens.refresh },
    headers: { apiKey: String(api_key).trim() },
  });

/** The connectors for cars of all charge points; one call. */
export async function findConnectors(session: Session): Promise<Found[]> {
  const request = { what: 'the charge points', use: 'list', mostBytes } as const;
  const points = await api.get(session, `${BASE}/chargepoints/owned`, Owned, request);
  return kit.listedOnce(
    kit.each(points, Point).flatMap((point) => {
      const connectors = kit.each(point.connectors, Connector).filter(({ type }) => type !== SOCKET);
      return connectors.map((one) => foundOf(point, one, connectors.length === 1));
    }),
  );
}

function foundOf(
  point: Static<typeof Point>,
  { connectorId }: Static<typeof Connector>,
  isOnly: boolean,
): Found {
  const { ocppVersion: version, ownerReadOnly } = point;
  const name = kit.word(point.name);
  const details: Details = {
    charge_point: point.id,
    connector: connectorId,
    firmware: version === null ? 'capi' : typeof version === 'string' ? 'ocpp' : null,
    read_only: ownerReadOnly === true,
  };
  return {
    id: `${point.id}-${connectorId}`,
    type: 'charger',
    ...kit.named(name === null || isOnly ? name : `${name} (${connectorId})`),
    details,
  };
}

const pathTo = ({ charge_point }: Details) => `${BASE}/chargepoints/${encodeURIComponent(charge_point)}`;
export const settingsPath = (details: Details) =>
  `${pathTo(details)}/connectors/${details.connector}/settings`;

/** A connector of a charge point, with its settings. */
export async function readConnector(session: Session, device: DeviceRef): Promise<ConnectorRaw> {
  const details = kit.detailsOf(Details, device);
  const request = { what: `charge point ${details.charge_point}`, device: device.id };
  const point = await api.get(session, `${pathTo(details)}/status`, PointStatus, request);
  const settings = await api.get(session, settingsPath(details), Settings, request);
  return rawOf(details, point, settings);
}
