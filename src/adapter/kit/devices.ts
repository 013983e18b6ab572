import type { Static, TSchema } from 'typebox';
import { DAY_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { Found } from '../device.ts';
import { DeviceLimited, ListOutdated } from '../failures.ts';
import type { DeviceRef, Session } from '../session.ts';
import { fits } from './calls.ts';

/** What linking kept of a device; throws when another version of the adapter kept something else. */
export function detailsOf<S extends TSchema>(schema: S, { id, details }: DeviceRef): Static<S> {
  if (fits(schema, details)) return details;
  throw new ListOutdated(
    'vendor.answer_invalid',
    `${id} was listed by another version of elnav; it is listed again, so retry in some minutes, or link the account again`,
  );
}

/** The error for a device that the account no longer has; the account is listed again for it. */
export function gone(vendor: string, { id }: Pick<DeviceRef, 'id'>): AppError {
  return new ListOutdated(
    'vendor.refused',
    `${vendor} no longer reports ${id}; it is removed here once lists of the account confirm that`,
  );
}

/** The devices of an account: one that is listed twice is one. */
export function listedOnce(found: readonly Found[]): Found[] {
  return [...new Map(found.map((one) => [`${one.type} ${one.id}`, one])).values()];
}

/** What a call returns; undefined where the vendor refuses it, so that one device or permission costs the others nothing. */
export function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'vendor.refused') return undefined;
    throw error;
  });
}

/**
 * The members of an account that one list asks what they can do, where each costs a call: those that were never asked, then the others in
 * turn by day.
 */
export function inTurn<T>(
  members: readonly T[],
  of: { readonly most: number; readonly now: number; readonly wasAsked: (member: T) => boolean },
): T[] {
  const first = (Math.floor(of.now / DAY_MS) * of.most) % Math.max(1, members.length);
  const turns = [...members.slice(first), ...members.slice(0, first)];
  return turns.toSorted((a, b) => Number(of.wasAsked(a)) - Number(of.wasAsked(b))).slice(0, of.most);
}

const REFUSED = Symbol('refused');
const LIMITED = Symbol('limited');

interface Group<Raw, Response> {
  /** What a call reads together: the site of the device unless it is said. A device without one is left out. */
  readonly by?: (device: DeviceRef) => string | undefined;
  /** Reads the group; `devices` are those of it that are wanted. */
  readonly call: (
    session: Session,
    group: string,
    devices: readonly [DeviceRef, ...DeviceRef[]],
  ) => Promise<Response>;
  /** One device in the response; undefined when it is not there. */
  readonly pick: (response: Response, device: DeviceRef) => Raw | undefined;
}

/**
 * A `sweep` with one call for each group, one after the other. A group that is refused, or beyond a limit of its own, must not cost the
 * others: its devices are left out, and are then read by themselves. Any other limit that is reached on the way ends the sweep with what has been read.
 */
export function sweepBy<Raw, Response>({ by = ({ site }) => site, call, pick }: Group<Raw, Response>) {
  return async (session: Session, devices: readonly DeviceRef[]): Promise<ReadonlyMap<string, Raw>> => {
    const readings = new Map<string, Raw>();
    for (const [group, [first, ...others]] of Map.groupBy(devices, by)) {
      if (group === undefined || first === undefined) continue;
      const response = await call(session, group, [first, ...others]).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'vendor.refused' || error instanceof DeviceLimited) return REFUSED;
        if (error.code === 'vendor.rate_limited' && readings.size > 0) return LIMITED;
        throw error;
      });
      if (response === LIMITED) break;
      if (response === REFUSED) continue;
      for (const device of [first, ...others]) {
        const reading = pick(response, device);
        if (reading !== undefined) readings.set(device.id, reading);
      }
    }
    return readings;
  };
}
