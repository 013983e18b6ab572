import Type, { type Static } from 'typebox';
import type { Identified } from '../../adapter/discovers.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import { HttpFailure } from '../../adapter/http.ts';
import {
  figure,
  gone,
  jsonIn,
  LOOKING,
  lenient,
  objectIn,
  refused,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';

/* The local HTTP API of go-eChargers, version 2: https://github.com/goecharger/go-eCharger-API-v2 */

/** What a charger says of itself: keys that its firmware does not have are absent. */
export const ChargerStatus = lenient(
  { sse: Type.String({ pattern: '^[\\w-]{1,32}$' }) },
  'fna',
  'car',
  'err',
  'modelStatus',
  'frc',
  'amp',
  'ama',
  'adi',
  'cbl',
  'var',
  'nrg',
  'eto',
);
export type ChargerStatus = Static<typeof ChargerStatus>;

/** Its API is off, or it is none: anything answers 404 to a path that it does not have. */
function notThere(cause: unknown): AppError | undefined {
  return cause instanceof HttpFailure && cause.status === 404
    ? new AppError(
        'vendor.refused',
        'there is no go-eCharger with its API at this address; switch on "Allow access to local HTTP API v2" in the go-e app, or correct the address',
        { cause },
      )
    : undefined;
}

/** A setting that the charger does not take: status 500, and a sentence for each key that begins with the key. */
function notTaken(cause: unknown): AppError | undefined {
  if (!(cause instanceof HttpFailure) || cause.status !== 500) return undefined;
  const said = Object.entries(objectIn(jsonIn(cause.bodyText())));
  // The sentence is the charger's, so it is not shown.
  const key = said.find(([name, value]) => word(value, 200)?.startsWith(`${name}:`) === true)?.[0];
  return key === undefined ? undefined : refused(`the go-eCharger does not take the new value of "${key}"`);
}

const api = vendorCalls('go-e', { failure: (cause) => notThere(cause) ?? notTaken(cause) });

/** No more than is used: the documents of the API advise against asking for all of its some 300 keys. */
const FILTER = Object.keys(ChargerStatus.properties).join(',');

const ask = (session: Session, options: Partial<typeof LOOKING> & { readonly use: 'read' | 'list' }) =>
  api.get(session, '/api/status', ChargerStatus, {
    query: { filter: FILTER },
    what: 'its status',
    ...options,
  });

/** Throws `vendor.refused` where another device of go-e answers, such as a controller. */
export async function findCharger(session: Session): Promise<ChargerStatus> {
  const status = await ask(session, { use: 'list' });
  if (!isCharger(status)) throw refused('what answers at this address is no go-eCharger');
  return status;
}

/** What is at an address; undefined for what is no charger. */
export async function identified(session: Session): Promise<Identified | undefined> {
  const status = await ask(session, { use: 'list', ...LOOKING });
  const name = word(status.fna, 200);
  return isCharger(status)
    ? { name: name === null ? 'go-eCharger' : `go-eCharger ${name}`, vendorAccount: status.sse }
    : undefined;
}

const isCharger = ({ amp }: ChargerStatus): boolean => figure(amp, 0, 80) !== null;

/** Throws `vendor.refused` where another charger has got the address meanwhile. */
export async function readCharger(session: Session, device: DeviceRef): Promise<ChargerStatus> {
  const status = await ask(session, { use: 'read' });
  if (status.sse !== device.id) throw gone('go-e', device);
  return status;
}

/**
 * Sets keys of a charger, and resolves when it says of each that it has; each names the state that is wanted, so that setting it twice does
 * no harm. Throws `vendor.refused` for a value that is not taken.
 */
export async function setKeys(
  session: Session,
  device: DeviceRef,
  keys: Readonly<Record<string, number>>,
): Promise<void> {
  const query = Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, String(value)]));
  const request = { method: 'GET', path: '/api/set', query, repeatable: true } as const;
  const said = objectIn(await api.command(session, device, request));
  if (!Object.keys(keys).every((key) => said[key] === true)) throw outcomeUnknown('go-e');
}
