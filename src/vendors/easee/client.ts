import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { each, fits, notUnderstood, tokensIn, vendorCalls } from '../../adapter/kit/index.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type ChargerRaw, emptyRaw, IDS, withObservation } from './charger.ts';

/** How long the gateway turns an address away it does not say; it is not called again at once. */
const BLOCKED_SECONDS = 900;
const MOST_BYTES = 4 * 1024 * 1024;
const NAME_LENGTH = 200;

const Refusal = Type.Object({ errorCode: Type.Number(), errorCodeName: Type.Optional(Type.Unknown()) });
const TokenResponse = Type.Object({
  accessToken: Type.Unknown(),
  refreshToken: Type.Optional(Type.Unknown()),
  expiresIn: Type.Optional(Type.Unknown()),
});
const Observations = Type.Object({ observations: Type.Array(Type.Unknown()) });
const Products = Type.Array(Type.Unknown());
const Member = Type.Object({ id: Type.Unknown() });
/** A site or a circuit; what is in it is judged member by member. */
const Place = Type.Object({
  id: Type.Unknown(),
  ratedCurrent: Type.Optional(Type.Unknown()),
  circuits: Type.Optional(Type.Unknown()),
  chargers: Type.Optional(Type.Unknown()),
});
type Place = Static<typeof Place>;
const Charger = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  name: Type.Optional(Type.Unknown()),
});
const Ticks = Type.Object({ commandId: Type.Optional(Type.Unknown()), ticks: Type.Number() });

const calls = vendorCalls('Easee', { failure });

/** What is peculiar to Easee; the rest is translated as for every vendor. */
export function failure(cause: unknown, what: string): AppError | undefined {
  if (!(cause instanceof HttpFailure) || cause.kind !== 'refused') return undefined;
  const { status } = cause;
  const reason = refusalIn(cause);
  // The gateway in front turns addresses away that call too much; the service behind it says a code.
  if (status === 403 && reason === undefined)
    return new AppError('vendor.rate_limited', 'Easee blocks our calls at its gateway (403); retry later', {
      cause,
      retryAfterSeconds: BLOCKED_SECONDS,
    });
  const did =
    status === 404 ? 'does not know' : status === 403 ? 'gives the account no access to' : 'refused';
  const advice = status === 404 ? '; link the account again if it moved' : '';
  return new AppError('vendor.refused', `Easee ${did} ${what} (${reason ?? status})${advice}`, { cause });
}

/** Easee's own code, with its name where that is one word: nothing else of the body is repeated. */
function refusalIn(cause: HttpFailure): string | undefined {
  const body = bodyOf(cause);
  if (!fits(Refusal, body)) return undefined;
  const { errorCode, errorCodeName: name } = body;
  const isWord = typeof name === 'string' && /^[A-Za-z]{1,60}$/.test(name);
  return isWord ? `code ${errorCode}, ${name}` : `code ${errorCode}`;
}

function bodyOf(cause: HttpFailure): unknown {
  try {
    return JSON.parse(cause.bodyText());
  } catch {
    return undefined;
  }
}

/** 100 and 727 as clients know them; another 400 is Easee's trouble, and must not cost the user the link. */
export function isWrongPassword(cause: HttpFailure): boolean {
  if (cause.status === 401) return true;
  if (cause.status !== 400) return false;
  const body = bodyOf(cause);
  if (fits(Refusal, body)) return body.errorCode === 100 || body.errorCode === 727;
  return /user ?name or password/i.test(cause.bodyText());
}

/** An e-mail address or telephone number as Easee takes it. */
const userNameOf = (credentials: JsonObject): string => String(credentials.username).replaceAll(' ', '');

/** Names the account: the sign-in says no id that a session could see. */
export const accountOf = (credentials: JsonObject): string => userNameOf(credentials).toLowerCase();

async function tokensFrom(session: LoginSession, path: string, json: JsonObject): Promise<Tokens> {
  const body = (await session.http.send({ method: 'POST', path, use: 'login', json })).json();
  if (!fits(TokenResponse, body)) throw notUnderstood('Easee', 'the sign-in');
  const { accessToken: access_token, refreshToken: refresh_token, expiresIn: expires_in } = body;
  const standard = { access_token, refresh_token, expires_in } as JsonObject;
  return tokensIn('Easee', standard, { now: session.clock.now(), before: undefined });
}

/** From user name and password to tokens. */
export const signIn = (session: LoginSession, credentials: JsonObject): Promise<Tokens> =>
  tokensFrom(session, '/api/accounts/login', {
    userName: userNameOf(credentials),
    password: String(credentials.password),
  });

/** Both tokens are asked for; the old ones are good no more. 400 and 401 say that they were not good. */
export async function refresh(session: LoginSession, tokens: Tokens): Promise<Tokens> {
  try {
    return await tokensFrom(session, '/api/accounts/refresh_token', {
      accessToken: tokens.access,
      refreshToken: tokens.refresh,
    });
  } catch (cause) {
    const isLost = cause instanceof HttpFailure && (cause.status === 400 || cause.status === 401);
    if (!isLost) throw failure(cause, 'the sign-in') ?? vendorFailure('Easee', cause);
    const sentence = 'the sign-in at Easee has expired; link the account again';
    throw new AppError('vendor.login_expired', sentence, { cause });
  }
}

/** Every charger that the account may see, with its place: one call however many they are. */
export async function findChargers(session: Session): Promise<Found[]> {
  const what = 'the chargers of the account';
  const request = { what, use: 'list', mostBytes: MOST_BYTES } as const;
  const sites = await calls.get(session, '/api/accounts/products', Products, request);
  const found = each(sites, Place).flatMap((site) =>
    each(site.circuits, Place).flatMap((circuit) =>
      each(circuit.chargers, Charger).map((charger) => foundCharger(site, circuit, charger)),
    ),
  );
  return [...new Map(found.map((charger) => [charger.id, charger])).values()];
}

function foundCharger(site: Place, circuit: Place, { id, name }: Static<typeof Charger>): Found {
  const rated = circuit.ratedCurrent;
  const isPlaced = Number.isInteger(site.id) && Number.isInteger(circuit.id);
  const isNamed = typeof name === 'string' && name !== '';
  return {
    id,
    type: 'charger',
    ...(isNamed ? { name: name.slice(0, NAME_LENGTH).toWellFormed() } : {}),
    details: {
      ...(isPlaced ? { site: Number(site.id), circuit: Number(circuit.id) } : {}),
      rated_a: typeof rated === 'number' && rated > 0 ? rated : null,
      // One whose id cannot be read hangs on the circuit all the same.
      alone: isPlaced && each(circuit.chargers, Member).length === 1,
    },
  };
}

/** One call for state and limits. `/api/chargers/{id}/state` is gone since 1 September 2026. */
export async function readCharger(session: Session, device: DeviceRef): Promise<ChargerRaw> {
  const path = `/state/${encodeURIComponent(device.id)}/observations`;
  const { observations } = await calls.get(session, path, Observations, {
    what: `charger ${device.id}`,
    query: { ids: IDS.join(',') },
    device: device.id,
    mostBytes: MOST_BYTES,
  });
  return observations.reduce<ChargerRaw>(withObservation, emptyRaw(device, session.clock.now()));
}

/** What Easee says of a command that it has passed on; the charger's own response names both. */
export interface Passed {
  readonly commandId: number | null;
  readonly ticks: number;
}

/** Posts what a charger or circuit shall do; undefined when Easee has done it already, or found nothing to do. */
export async function post(
  session: Session,
  device: DeviceRef,
  request: { readonly path: string; readonly json?: Json },
): Promise<Passed | undefined> {
  const response = await calls.command(session, device, request);
  // One for a command, a list for settings; 0 is nothing to do.
  const [passed] = each([response].flat(), Ticks).filter(({ ticks }) => ticks > 0);
  if (passed === undefined) return undefined;
  const { commandId, ticks } = passed;
  return { commandId: typeof commandId === 'number' ? commandId : null, ticks };
}
