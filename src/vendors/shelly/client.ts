import Type, { type Static } from 'typebox';
import type { Identified } from '../../adapter/discovers.ts';
import { HttpFailure } from '../../adapter/http.ts';
import {
  figure,
  fits,
  jsonIn,
  LOOKING,
  lenient,
  objectIn,
  refused,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { LoginSession } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/* Remote procedure calls of Shelly devices of the second generation and later. */

/** Codes of errors that another call may not meet (Shelly: "Common Errors"). */
const PASSING = new Set([-104, -114]);
const ERRORS: Readonly<Record<number, string>> = {
  '-103': 'an argument is invalid',
  '-104': 'the device did not finish in time',
  '-105': 'the device has no such part',
  '-108': 'the device is out of resources',
  '-109': 'a precondition is not met',
  '-114': 'the part is unavailable',
  '404': 'the device has no such call',
};

/** An error of a call, in a response or as one; its text is the device's, so it is never shown. */
export function failureOf(error: unknown, what: string): AppError | undefined {
  const code = figure(objectIn(error).code, -32_768, 999);
  if (code === null) return undefined;
  const sentence = `Shelly refused ${what} with error ${code}${ERRORS[code] === undefined ? '' : `: ${ERRORS[code]}`}`;
  return PASSING.has(code) ? new AppError('vendor.unreachable', sentence) : refused(sentence);
}

const api = vendorCalls('Shelly', {
  failure: (cause, what) =>
    cause instanceof HttpFailure && cause.kind !== 'rate_limited' && !cause.isOutcomeUnknown
      ? failureOf(jsonIn(cause.bodyText()), what)
      : undefined,
});

/** Whatever a device says of itself without a password. */
const Identity = lenient({}, 'id', 'gen', 'model', 'name', 'type', 'mac', 'app', 'profile', 'auth_en');
type Identity = Static<typeof Identity>;

const WHICH = 'which device it is';

/** What a device of the second generation or later says of itself to anybody; undefined for others. */
export async function identified(session: Session): Promise<Identified | undefined> {
  const options = { use: 'list', what: WHICH, ...LOOKING } as const;
  const answer = await api.get(session, '/shelly', Identity, options);
  const { id, name } = identityIn(answer);
  const label = name ?? word(answer.app) ?? word(answer.model);
  return {
    name: label === null ? 'Shelly' : `Shelly ${label}`,
    vendorAccount: id,
    ...(answer.auth_en === true ? { needs: ['password'] } : {}),
  };
}

/** Throws `vendor.refused` for a device of the first generation, and for none of Shelly. Other failures are translated by who asks. */
export async function identify({ http }: Pick<LoginSession, 'http'>): Promise<void> {
  const answer: unknown = (await http.send({ path: '/shelly', use: 'login' })).json();
  if (!fits(Identity, answer)) throw api.notUnderstood(WHICH);
  identityIn(answer);
}

/** The id of a device and the name that its owner gave it. */
export async function identityOf(session: Session): Promise<DeviceIdentity> {
  return identityIn(await api.get(session, '/shelly', Identity, { use: 'list', what: WHICH }));
}

interface DeviceIdentity {
  readonly id: string;
  readonly name: string | null;
}

const PLAIN = /^[\w-]{1,64}$/;

/** @param identity the response of `/shelly` */
export function identityIn({ id, gen, type, name }: Identity): {
  readonly id: string;
  readonly name: string | null;
} {
  const generation = figure(gen, 2, 99);
  if (generation === null && typeof type === 'string')
    throw refused(
      'this is a Shelly of the first generation, which has another API; those from Plus, Pro and Gen3 on can be linked',
    );
  const own = word(id);
  if (generation === null || own === null || !PLAIN.test(own))
    throw refused('there is no Shelly of the second generation or later at this address');
  return { id: own, name: word(name, 200) };
}

const Answer = lenient({}, 'result', 'error');

/** The one user that devices know. */
export const USER = 'admin';

/** The name under which elnav calls; devices address their messages to it. */
const SOURCE = 'elnav';

/** A call as it goes over HTTP and over a WebSocket. */
export const frameOf = (id: number, method: string, params: JsonObject = {}): JsonObject => ({
  id,
  src: SOURCE,
  method,
  params,
});

export const RPC = { method: 'POST', path: '/rpc' } as const;

async function read(session: Session, method: string, use: 'read' | 'list'): Promise<JsonObject> {
  const request = { ...RPC, use, json: frameOf(1, method), repeatable: true };
  const { result, error } = await api.send(session, request, Answer, method);
  const failure = failureOf(error, method);
  if (failure !== undefined) throw failure;
  if (!fits(Type.Object({}), result)) throw api.notUnderstood(method);
  return objectIn(result);
}

/** Everything that a device reports of its parts: `{"switch:0": …, "em:0": …, "sys": …}`. */
export const readStatus = (session: Session, use: 'read' | 'list' = 'read'): Promise<JsonObject> =>
  read(session, 'Shelly.GetStatus', use);

/** What its parts are set to, their names among it. */
export const readConfig = (session: Session): Promise<JsonObject> =>
  read(session, 'Shelly.GetConfig', 'list');

/** Switches a relay; the same twice does no harm. */
export async function setSwitch(
  session: Session,
  device: DeviceRef,
  of: { readonly id: number; readonly on: boolean },
) {
  const request = { ...RPC, json: frameOf(1, 'Switch.Set', { ...of }), repeatable: true };
  const { error } = await api.command(session, device, request, Answer);
  const failure = failureOf(error, device.id);
  if (failure !== undefined) throw failure;
}
