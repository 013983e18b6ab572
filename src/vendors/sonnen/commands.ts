import type { Handler } from '../../adapter/adapter.ts';
import { httpAddressOf } from '../../adapter/kit/index.ts';
import { requestScript } from '../../adapter/scripts/http.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { SetPoint } from '../../adapter/set-points.ts';
import { AppError } from '../../core/errors.ts';
import { modeRequest, operatingMode, powerRequest, setOperatingMode, setPoint, tokenHeader } from './api.ts';
import { MANUAL } from './translate.ts';

/** Under which the operating mode is kept that the owner has chosen, while a set-point of ours is in force. */
const keptAs = ({ id }: DeviceRef): string => `mode:${id}`;

/**
 * Takes the battery into manual operation, the only one in which it obeys a set-point, and keeps the mode that it was in. A battery that
 * refuses the set-point is not left there.
 */
export const setBatteryPower: Handler<'set_battery_power'> = async (session, device, { power_w }) => {
  await takeOver(session, device);
  try {
    await apply(session, device, power_w);
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.refused')
      await release(session, device).catch(() =>
        session.log.warn({ device: device.id }, 'left in manual operation'),
      );
    throw error;
  }
};

async function takeOver(session: Session, device: DeviceRef): Promise<void> {
  const mode = await operatingMode(session, device);
  const kept = await session.documents.get(keptAs(device));
  // Stored first: after a crash in between, a release finds nothing to do.
  if (mode !== MANUAL || kept === undefined) await session.documents.put(keptAs(device), mode);
  if (mode !== MANUAL) await setOperatingMode(session, device, MANUAL);
}

/** The two directions are two set-points, and the other one would go on. */
async function apply(session: Session, device: DeviceRef, power_w: number): Promise<void> {
  const [on, off] = power_w < 0 ? (['discharge', 'charge'] as const) : (['charge', 'discharge'] as const);
  await setPoint(session, device, { direction: off, watts: 0 });
  await setPoint(session, device, { direction: on, watts: Math.abs(power_w) });
}

/** Returns the battery to the mode that it was in before; one whose owner has chosen another mode since is left in it. */
async function release(session: Session, device: DeviceRef): Promise<void> {
  const kept = await session.documents.get(keptAs(device));
  if (typeof kept !== 'string') return;
  if ((await operatingMode(session, device)) === MANUAL) {
    // A set-point would be in force again the next time that its owner chooses manual operation.
    await apply(session, device, 0);
    if (kept !== MANUAL) await setOperatingMode(session, device, kept);
  }
  await session.documents.remove(keptAs(device));
}

/** As a release, with the mode that is kept now; whether its owner has chosen another one since cannot be asked for in bytes. */
async function releaseBytes(session: Session, device: DeviceRef) {
  const kept = await session.documents.get(keptAs(device));
  if (typeof kept !== 'string') return undefined;
  const baseUrl = httpAddressOf(session.credentials);
  const headers = tokenHeader(String(session.credentials.api_key).trim());
  return [
    powerRequest({ direction: 'discharge', watts: 0 }),
    powerRequest({ direction: 'charge', watts: 0 }),
    ...(kept === MANUAL ? [] : [modeRequest(kept)]),
  ].map((request) => requestScript({ baseUrl, headers, ...request }));
}

export const automatic = { release, releaseBytes } satisfies SetPoint;
