import type { DeviceRef, Session } from '../session.ts';

/** The least that a car charges with, ampere on each phase (IEC 61851-1). */
export const LEAST_A = 6;

type Kept = Pick<Session, 'documents'>;
const nameOf = ({ id }: Pick<DeviceRef, 'id'>) => `limit:${id}`;

/**
 * Stores the limit of a charger that is about to be paused by a limit of 0 A: the pause overwrites it. A charger that is paused already
 * has none.
 * @param amperes null where it is not reported
 */
export async function keepLimit(
  { documents }: Kept,
  device: Pick<DeviceRef, 'id'>,
  amperes: number | null,
): Promise<void> {
  if (amperes !== null && amperes >= LEAST_A) await documents.put(nameOf(device), amperes);
}

/** The limit from before the last pause, ampere; undefined where none was stored. */
export async function keptLimit(
  { documents }: Kept,
  device: Pick<DeviceRef, 'id'>,
): Promise<number | undefined> {
  const kept = await documents.get(nameOf(device));
  return typeof kept === 'number' ? kept : undefined;
}
