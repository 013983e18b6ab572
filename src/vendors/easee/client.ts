import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import { HttpFailure } from '../../adapter/http.ts';
import {
  each,
  fits,
  jsonIn,
  lenient,
  listedOnce,
  named,
  PlainId,
  tokensIn,
  vendorCalls,
} from '../../adapter/kit/index.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ChargerRaw, emptyRaw, IDS, withObservation } from './translate.ts';

/** How long the gateway turns an address away it does not say; it is not called again at once. */
const BLOCKED_SECONDS = 900;
const mostBytes = 4 * 1024 * 1024;

const Refusal = lenient({ errorCode: Type.Number() }, 'errorCodeName');
const Observations = Type.Object({ observations: Type.Array(Type.Unknown()) });
const Products = Type.Array(Type.Unknown());
const Member = Type.Object({ id: Type.Unknown() });
/** A site or a circuit; what is in it is judged member by member. */
const Place = lenient({ id: Type.Unknown() }, 'ratedCurrent', 'circuits', 'chargers');
type Place = Static<typeof Place>;
const Charger = lenient({ id: PlainId }, 'name');

export const calls = vendorCalls('Easee', { failure });

/** What is peculiar to Easee; the rest is translated as for every vendor. */
export function failure(cause: unknown, what: string): AppError | undefined {
  if (!(cause instanceof HttpFailure) || cause.kind !== 'refused') return undefined;
  const { status } = cause;
  const reason = reasonIn(jsonIn(cause.bodyText()));
  // The gateway in front turns addresses away that call too much; the service behind it says a code.
  if (status === 403 && reason === undefined)
    return new AppError('vendor.rate_limited', 'Easee blocks our calls at its gateway (403); retry later', {
      cause,
      retryAfterSeconds: BLOCKED_SECONDS,
    });
  const did =
    status === 404 ? 'does not know' : status === 403 ? 'gives the account no access to' : 'refused';
  const advice = status === 404 ? '; it is removed here once lists of the account confirm that' : '';
  return new AppError('vendor.refused', `Easee ${did} ${what} (${reason ?? status})${advice}`, { cause });
}

/** Easee's own code, with its name where that is one word: nothing else of the body is repeated. */
function reasonIn(body: unknown): string | undefined {
  if (!fits(Refusal, body)) return undefined;
  const { errorCode, errorCodeName: name } = body;
  const isWord = typeof name === 'string' && /^[A-Za-z]{1,60}$/.test(name);
  return isWord ? `code ${errorCode}, ${name}` : `code ${errorCode}`;
}

/** 100 and 727 as clients know them; another 400 is Easee's trouble, and must not cost the user the link. */
export function isWrongPassword(cause: HttpFailure): boolean {
  if (cause.status !== 400) return cause.status === 401;
  const body = jsonIn(cause.bodyText());
  if (fits(Refusal, body)) return body.errorCode === 100 || body.errorCode === 727;
  return /user ?name or password/i.test(cause.bodyText());
}

/** An e-mail address or telephone number as Easee takes it. */
const userNameOf = (credentials: JsonObject): string => String(credentials.username).replaceAll(' ', '');

/** Names the account: the sign-in says no id that a session could see. */
export const accountOf = (credentials: JsonObject): string => userNameOf(credentials).toLowerCase();

const TOKEN_NAMES = { access: 'accessToken', refresh: 'refreshToken', seconds: 'expiresIn' };

async function tokensFrom({ http, clock }: LoginSession, path: string, json: JsonObject): Promise<Tokens> {
  const response = await http.send({ method: 'POST', path, use: 'login', json });
  const options = { now: clock.now(), before: undefined, names: TOKEN_NAMES };
  return tokensIn('Easee', response.json(), options);
}

/** From user name and password to tokens. */
export const signIn = (session: LoginSession, credentials: JsonObject): Promise<Tokens> =>
  tokensFrom(session, '/api/accounts/login', {
    userName: userNameOf(credentials),
    password: String(credentials.password),
  });

/** Both tokens are asked for; the old ones are no longer valid. */
export const refresh = (session: LoginSession, { access, refresh: refreshToken }: Tokens): Promise<Tokens> =>
  tokensFrom(session, '/api/accounts/refresh_token', { accessToken: access, refreshToken });

/** Every charger that the account may see, with its place: one call however many they are. */
export async function findChargers(session: Session): Promise<Found[]> {
  const request = { what: 'the chargers of the account', use: 'list', mostBytes } as const;
  const sites = await calls.get(session, '/api/accounts/products', Products, request);
  return listedOnce(
    each(sites, Place).flatMap((site) =>
      each(site.circuits, Place).flatMap((circuit) =>
        each(circuit.chargers, Charger).map(({ id, name }) => ({
          id,
          type: 'charger',
          ...named(name),
          details: placeOf(site, circuit),
        })),
      ),
    ),
  );
}

function placeOf(site: Place, circuit: Place): JsonObject {
  const { ratedCurrent: rated } = circuit;
  const isPlaced = Number.isInteger(site.id) && Number.isInteger(circuit.id);
  return {
    ...(isPlaced ? { site: Number(site.id), circuit: Number(circuit.id) } : {}),
    rated_a: typeof rated === 'number' && rated > 0 ? rated : null,
    // One whose id cannot be read hangs on the circuit all the same.
    alone: isPlaced && each(circuit.chargers, Member).length === 1,
  };
}

/** One call for state and limits. `/api/chargers/{id}/state` is gone since 1 September 2026. */
export async function readCharger(session: Session, device: DeviceRef): Promise<ChargerRaw> {
  const path = `/state/${encodeURIComponent(device.id)}/observations`;
  const query = { ids: IDS.join(',') };
  const request = { what: `charger ${device.id}`, query, device: device.id, mostBytes };
  const { observations } = await calls.get(session, path, Observations, request);
  return observations.reduce<ChargerRaw>(withObservation, emptyRaw(device, session.clock.now()));
}
