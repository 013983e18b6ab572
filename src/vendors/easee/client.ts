import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { HttpFailure } from '../../adapter/http.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type ChargerRaw, type Circuit, IDS, withObservation } from './observations.ts';
import { failureOf, isWrongPassword, notUnderstood } from './refusal.ts';

const STATED_SECONDS = 3_600;
const MOST_BYTES = 4 * 1024 * 1024;

export const Credentials = Type.Object(
  {
    username: Type.String({
      minLength: 3,
      maxLength: 254,
      pattern: '^(\\+[0-9 ]{6,20}|[^\\s@]+@[^\\s@]+)$',
      description: 'Email address of the Easee account, or its phone number with the country code',
    }),
    password: Type.String({
      minLength: 1,
      maxLength: 256,
      writeOnly: true,
      description: 'Password of the Easee account',
    }),
  },
  { additionalProperties: false },
);

const texts = Type.String({ minLength: 1, maxLength: 8_192 });
const tokenAnswers = Compile(
  Type.Object({
    accessToken: texts,
    refreshToken: Type.Optional(Type.Union([texts, Type.Null()])),
    expiresIn: Type.Optional(Type.Number()),
  }),
);
const observationAnswers = Compile(Type.Object({ observations: Type.Array(Type.Unknown()) }));

const Charger = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  name: Type.Optional(Type.Unknown()),
});
const chargers = Compile(Charger);
const productAnswers = Compile(
  Type.Array(
    Type.Object({
      id: Type.Integer(),
      circuits: Type.Optional(
        Type.Union([
          Type.Null(),
          Type.Array(
            Type.Object({
              id: Type.Integer(),
              ratedCurrent: Type.Optional(Type.Unknown()),
              chargers: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.Unknown())])),
            }),
          ),
        ]),
      ),
    }),
  ),
);

/** An e-mail address or telephone number as Easee takes it. */
const userNameOf = (credentials: JsonObject): string => String(credentials.username).replaceAll(' ', '');

/** Names the account: the sign-in tells no id that a session could see. */
export const accountOf = (credentials: JsonObject): string => userNameOf(credentials).toLowerCase();

/** From user name and password to tokens; `link.credentials_refused` when Easee says that they are wrong. */
export async function signIn(session: LoginSession, credentials: JsonObject): Promise<Tokens> {
  try {
    const answer = await session.http.send({
      method: 'POST',
      path: '/api/accounts/login',
      use: 'login',
      json: { userName: userNameOf(credentials), password: String(credentials.password) },
    });
    return tokensIn(session, answer.json());
  } catch (cause) {
    if (isWrongPassword(cause))
      throw new AppError('link.credentials_refused', 'the Easee user name or password is wrong', {
        cause,
      });
    throw failureOf(cause, 'the sign-in');
  }
}

/** Both tokens are asked for; the old ones are good no more. 400 and 401 say that they were not good. */
export async function refresh(session: LoginSession, tokens: Tokens): Promise<Tokens> {
  try {
    const answer = await session.http.send({
      method: 'POST',
      path: '/api/accounts/refresh_token',
      use: 'login',
      json: { accessToken: tokens.access, refreshToken: tokens.refresh },
    });
    return tokensIn(session, answer.json());
  } catch (cause) {
    if (cause instanceof HttpFailure && (cause.status === 400 || cause.status === 401))
      throw new AppError('vendor.login_expired', 'the sign-in at Easee has expired; link the account again', {
        cause,
      });
    throw failureOf(cause, 'the sign-in');
  }
}

function tokensIn({ clock }: LoginSession, told: Json): Tokens {
  if (!tokenAnswers.Check(told)) throw notUnderstood('the sign-in');
  const seconds = told.expiresIn ?? STATED_SECONDS;
  return {
    access: told.accessToken,
    refresh: told.refreshToken ?? null,
    expiresAt: clock.now() + (seconds > 0 ? seconds : STATED_SECONDS) * 1000,
  };
}

export interface FoundCharger {
  readonly id: string;
  readonly name: string | undefined;
  readonly site: number;
  readonly circuit: number;
  readonly ratedA: number | null;
  readonly isAlone: boolean;
}

/** Every charger that the account may see, with its place: one call however many they are. */
export async function findChargers(session: Session): Promise<FoundCharger[]> {
  const what = 'the chargers of the account';
  const told = await ask(session, what, { path: '/api/accounts/products', use: 'list' });
  if (!productAnswers.Check(told)) throw notUnderstood(what);
  const found = new Map<string, FoundCharger>();
  for (const site of told) {
    for (const circuit of site.circuits ?? []) {
      const all = circuit.chargers ?? [];
      for (const charger of all) {
        if (!chargers.Check(charger)) {
          session.log.warn({ vendor: 'easee' }, 'a charger without a usable id was left out');
          continue;
        }
        const { ratedCurrent } = circuit;
        found.set(charger.id, {
          id: charger.id,
          name: typeof charger.name === 'string' && charger.name !== '' ? charger.name : undefined,
          site: site.id,
          circuit: circuit.id,
          ratedA: typeof ratedCurrent === 'number' && ratedCurrent > 0 ? ratedCurrent : null,
          isAlone: all.length === 1,
        });
      }
    }
  }
  return [...found.values()];
}

/** A charger of which nothing is known yet. */
export function emptyRaw({ details }: DeviceRef): ChargerRaw {
  const circuit: Circuit = {
    ratedA: typeof details.rated_a === 'number' ? details.rated_a : null,
    isAlone: details.alone === true,
  };
  return { circuit, observed: new Map() };
}

/** One call for state and limits. `/api/chargers/{id}/state` is gone since 1 September 2026. */
export async function readCharger(session: Session, device: DeviceRef): Promise<ChargerRaw> {
  const what = `charger ${device.id}`;
  const told = await ask(session, what, {
    path: `/state/${encodeURIComponent(device.id)}/observations`,
    query: { ids: IDS.join(',') },
    device: device.id,
  });
  if (!observationAnswers.Check(told)) throw notUnderstood(what);
  return told.observations.reduce<ChargerRaw>(withObservation, emptyRaw(device));
}

async function ask(session: Session, what: string, request: VendorRequest): Promise<Json> {
  try {
    return (await session.http.send({ ...request, mostBytes: MOST_BYTES })).json();
  } catch (cause) {
    throw failureOf(cause, what);
  }
}

/**
 * Posts what a charger or circuit shall do. Answers the ticks that the outcome will be told under; none when Easee has done it
 * already, or found nothing to do.
 */
export async function post(
  session: Session,
  device: DeviceRef,
  { path, json }: { readonly path: string; readonly json?: Json },
): Promise<string[]> {
  try {
    const answer = await session.http.send({
      method: 'POST',
      path,
      use: 'command',
      device: device.id,
      ...(json === undefined ? {} : { json }),
    });
    // An empty body is an answer; a page is none, whatever its status.
    const told = answer.bytes.length === 0 ? null : answer.json();
    return answer.status === 202 ? ticksIn(told) : [];
  } catch (cause) {
    throw failureOf(cause, `charger ${device.id}`);
  }
}

/** One for a command, a list for settings; 0 is nothing to do. */
function ticksIn(told: Json): string[] {
  return [told].flat().flatMap((one) => {
    const ticks = typeof one === 'object' && one !== null && !Array.isArray(one) ? one.ticks : 0;
    return typeof ticks === 'number' && ticks > 0 ? [tickName(ticks)] : [];
  });
}

/** Ticks have 18 digits, and lose the last ones as numbers; they do so in the same way wherever they are read. */
export const tickName = (ticks: number): string => ticks.toFixed(0);
