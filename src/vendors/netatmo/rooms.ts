import type { CommandOf } from '../../adapter/commands.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { detailsOf, homeStatus, setRoom } from './client.ts';
import { detailsIn } from './payloads.ts';
import { modeOf, type Reading, readingIn } from './translate.ts';

const LEAST_MILLI_C = 7_000;
const MOST_MILLI_C = 30_000;
/** The app and the devices set half degrees. */
const STEP_MILLI_C = 500;

/** Throws `vendor.refused` for a room that the account no longer has. */
export async function readRoom(session: Session, device: DeviceRef): Promise<Reading> {
  const details = detailsOf(device);
  const reading = readingIn(await homeStatus(session, details.home_id), details);
  if (reading !== undefined) return reading;
  throw new AppError(
    'vendor.refused',
    `Netatmo no longer reports the room ${device.id}; link the account again to update the list of devices`,
  );
}

/** One call for each home, one after the other: Netatmo also limits how many run at once. */
export async function readRooms(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, Reading>> {
  const readings = new Map<string, Reading>();
  const rooms = devices.flatMap(({ id, details }) => {
    const known = detailsIn(details);
    return known === undefined ? [] : [{ id, details: known }];
  });
  for (const [homeId, ofHome] of Map.groupBy(rooms, ({ details }) => details.home_id)) {
    const answer = await statusUnlessRefused(session, homeId);
    if (answer === undefined) continue;
    for (const { id, details } of ofHome) {
      const reading = readingIn(answer, details);
      if (reading !== undefined) readings.set(id, reading);
    }
  }
  return readings;
}

/** A home that the account no longer has must not cost the reading of the others. */
async function statusUnlessRefused(session: Session, homeId: string): Promise<unknown> {
  try {
    return await homeStatus(session, homeId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.refused') return undefined;
    throw error;
  }
}

/** Holds the room at a target for the home's default duration; then the schedule goes on. */
export async function setTemperature(
  session: Session,
  device: DeviceRef,
  { target_milli_c: target }: CommandOf<'set_temperature'>,
): Promise<void> {
  if (target < LEAST_MILLI_C || target > MOST_MILLI_C)
    throw new AppError(
      'command.out_of_range',
      `target_milli_c must be from ${LEAST_MILLI_C} to ${MOST_MILLI_C}, not ${target}`,
    );
  const { default_minutes: minutes } = detailsOf(device);
  await setRoom(session, device, {
    mode: 'manual',
    celsius: (Math.round(target / STEP_MILLI_C) * STEP_MILLI_C) / 1_000,
    ...(minutes === null ? {} : { endTime: Math.floor(session.clock.now() / 1_000) + minutes * 60 }),
  });
}

/** Back to the home's schedule; a room that is not off keeps the setpoint that its user gave it. */
export async function turnOn(session: Session, device: DeviceRef): Promise<void> {
  const mode = modeOf(await readRoom(session, device));
  if (mode === null || mode === 'off') await setRoom(session, device, { mode: 'home' });
}

export async function turnOff(session: Session, device: DeviceRef): Promise<void> {
  await setRoom(session, device, { mode: 'off' });
}
