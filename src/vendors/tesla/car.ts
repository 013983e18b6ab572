import type { CommandOf } from '../../adapter/commands.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { type CarOrder, carData, carState, orderCar } from './client.ts';
import { spoken } from './failures.ts';
import { lastKnown, remember } from './last-known.ts';
import { type CarReading, chargeLimitRange } from './translate.ts';
import { whileAwake } from './wake.ts';

/** Never wakes the car: one that Tesla does not call online is not asked, and one that sleeps after all says so itself. */
export async function readCar(session: Session, device: DeviceRef): Promise<CarReading> {
  const state = await carState(session, device);
  if (state !== 'online') return { isAwake: false, state, last: await lastKnown(session, device) };
  const data = await carData(session, device);
  if (data === undefined)
    return { isAwake: false, state: 'asleep or offline', last: await lastKnown(session, device) };
  const charge = data.charge_state ?? {};
  await remember(session, device, charge);
  return { isAwake: true, charge };
}

/** Refusals that mean that things are already as they should be. */
const ALREADY = ['already_set', 'requested'];

/** Wakes the car if it sleeps, and gives it the order. */
async function obey(
  session: Session,
  device: DeviceRef,
  { done = [], ...order }: CarOrder & { readonly done?: readonly string[] },
): Promise<void> {
  const told = await whileAwake(session, device, () => orderCar(session, device, order));
  if (told.result || [...ALREADY, ...done].includes(told.reason)) return;
  throw new AppError('vendor.refused', `the car ${device.id} refused the command${spoken(told.reason)}`);
}

export async function startCharge(session: Session, device: DeviceRef): Promise<void> {
  await obey(session, device, { name: 'charge_start', body: {}, done: ['is_charging'] });
  await session.documents.remove(pauseOf(device));
}

export async function stopCharge(session: Session, device: DeviceRef): Promise<void> {
  await obey(session, device, { name: 'charge_stop', body: {}, done: ['not_charging'] });
  await session.documents.remove(pauseOf(device));
}

export async function setChargeLimit(
  session: Session,
  device: DeviceRef,
  { percent }: CommandOf<'set_charge_limit'>,
): Promise<void> {
  const [least, most] = chargeLimitRange(await lastKnown(session, device));
  if (percent < least || percent > most)
    throw new AppError(
      'command.out_of_range',
      `percent must be from ${least} to ${most} for this car, not ${percent}`,
    );
  await obey(session, device, { name: 'set_charge_limit', body: { percent } });
}

/** Marks a car that was paused by a current of 0, so that a current above 0 lets it go on, and one that its owner stopped not. */
const pauseOf = ({ id }: DeviceRef) => `paused/${id}`;

/** The current is set, which is what was asked for; that the car was unplugged or is full by now is no refusal of it. */
const NOTHING_TO_RESUME = ['is_charging', 'complete', 'disconnected'];

/** A Tesla has no current of 0: pausing stops the charge. */
export async function setCurrent(
  session: Session,
  device: DeviceRef,
  { current_a }: CommandOf<'set_current'>,
): Promise<void> {
  if (current_a === 0) {
    await obey(session, device, { name: 'charge_stop', body: {}, done: ['not_charging'] });
    await session.documents.put(pauseOf(device), true);
    return;
  }
  await obey(session, device, { name: 'set_charging_amps', body: { charging_amps: current_a } });
  if ((await session.documents.get(pauseOf(device))) === undefined) return;
  await obey(session, device, { name: 'charge_start', body: {}, done: NOTHING_TO_RESUME });
  await session.documents.remove(pauseOf(device));
}
