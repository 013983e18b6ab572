import Type, { type Static } from 'typebox';
import type { Handler } from '../../adapter/adapter.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { detailsOf, fits, objectIn, vendorCalls } from '../../adapter/kit/index.ts';
import { outOfRange } from '../../adapter/ranges.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { DAY_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import * as translate from './translate.ts';

const api = vendorCalls('myUplink');
/** A change that is not permitted is not a lost sign-in: reading goes on. */
const changes = vendorCalls('myUplink', {
  failure(cause, what) {
    if (!(cause instanceof HttpFailure) || (cause.status !== 402 && cause.status !== 403)) return undefined;
    const sentence = `myUplink does not let this account change ${what} (${cause.status}): changing settings needs the subscription "Premium Manage" in the myUplink app`;
    return new AppError('vendor.refused', sentence, { cause });
  },
});

/** The words of enumerations come in the language that is asked for; a state must not change with it. */
export const ENGLISH = { 'accept-language': 'en-GB' };
const pathOf = ({ id }: Pick<DeviceRef, 'id'>) => `/v2/devices/${encodeURIComponent(id)}`;
/** A model with all its menus has more than a thousand points. */
const MOST_BYTES = 4 * 1024 * 1024;

/** All points of a device. They stay what they were while it is not connected. */
export async function readPoints(session: Session, device: Pick<DeviceRef, 'id'>, use: 'list' | 'read') {
  const more = { use, headers: ENGLISH, mostBytes: MOST_BYTES, device: device.id, what: device.id };
  return translate.pointsIn(await api.get(session, `${pathOf(device)}/points`, translate.Points, more));
}

/** Two calls: whether it is connected, and what it says if it is. */
export async function readDevice(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const more = { headers: ENGLISH, device: device.id, what: device.id };
  const { connectionState } = await api.get(session, pathOf(device), translate.Connection, more);
  const connection = translate.connectedIn(connectionState);
  return { ...connection, points: connection.isConnected ? await readPoints(session, device, 'read') : [] };
}

/** By the target where the model has one, else by moving the heating curve. */
export const setTemperature: Handler<'set_temperature'> = async (session, device, { target_milli_c }) => {
  const { setpoint, offset } = detailsOf(translate.Details, device);
  if (setpoint !== null) {
    const { id, zone, step } = setpoint;
    const celsius = Math.round(Math.round(target_milli_c / 1_000 / step) * step * 1_000) / 1_000;
    // The point of a zone says "modified" and stays what it is.
    if (zone === null) await setPoint(session, device, { id, value: String(celsius) });
    else
      await change(session, device, {
        path: `${pathOf(device)}/zones/${zone}`,
        json: { setpointHeat: celsius },
      });
  } else if (offset !== null) await moveCurve(session, device, { offset, target_milli_c });
  else throw new AppError('vendor.refused', `${device.id} has nothing that sets a temperature`);
};

/** Where the curve was when it was first moved, so that the same target is the same offset however often it is sent. */
const Reference = Type.Object({
  room_milli_c: Type.Number(),
  offset: Type.Number(),
  /** What we set then: any other offset is somebody else's, and a new beginning. */
  set: Type.Number(),
  at: Type.Number(),
});
type Reference = Static<typeof Reference>;
const REFERENCE_MS = 7 * DAY_MS;
/** The manual of NIBE: one step is about one degree in the room. */
const MILLI_C_PER_STEP = 1_000;

async function moveCurve(
  session: Session,
  device: DeviceRef,
  { offset, target_milli_c }: { readonly offset: translate.Setting; readonly target_milli_c: number },
): Promise<void> {
  const points = await readPoints(session, device, 'read');
  const reading: translate.Reading = { ...translate.connectedIn(translate.CONNECTED), points };
  const [room, now] = [translate.temperatureOf(reading), translate.offsetOf(reading)];
  if (room === null || now === null)
    throw new AppError(
      'vendor.answer_invalid',
      `${device.id} does not tell its room temperature and heating offset now`,
    );
  const name = `heating-offset-${device.id}`;
  const kept = await session.documents.get(name);
  const at = session.clock.now();
  const isOurs = fits(Reference, kept) && kept.set === now && at - kept.at < REFERENCE_MS;
  const from: Reference = isOurs ? kept : { room_milli_c: room, offset: now, set: now, at };
  const set = from.offset + Math.round((target_milli_c - from.room_milli_c) / MILLI_C_PER_STEP);
  if (set < offset.min || set > offset.max)
    throw outOfRange(
      `target_milli_c ${target_milli_c} would need a heating offset of ${set}; ${device.id} takes ${offset.min} to ${offset.max}`,
    );
  // Before it is sent: an offset that was kept and not set is told by the next reading.
  await session.documents.put(name, { ...from, set });
  await setPoint(session, device, { id: offset.id, value: String(set) });
}

export const turnOn: Handler<'turn_on'> = (session, device) => boost(session, device, true);
export const turnOff: Handler<'turn_off'> = (session, device) => boost(session, device, false);

async function boost(session: Session, device: DeviceRef, isOn: boolean): Promise<void> {
  const { boost } = detailsOf(translate.Details, device);
  if (boost === null) throw new AppError('vendor.refused', `${device.id} has no hot-water boost`);
  await setPoint(session, device, { id: boost.id, value: isOn ? boost.on : '0' });
}

/** Values are texts with their scale applied, as a reading has them. */
async function setPoint(
  session: Session,
  device: DeviceRef,
  { id, value }: { readonly id: string; readonly value: string },
): Promise<void> {
  const path = `${pathOf(device)}/points`;
  const said = objectIn((await change(session, device, { path, json: { [id]: value } }))?.payload)[id];
  if (said !== undefined && said !== 'modified')
    throw new AppError('vendor.refused', `myUplink did not change point ${id} of ${device.id}`);
}

/** A change names the value that is wanted, so sending it twice does no harm. */
const change = (
  session: Session,
  device: DeviceRef,
  request: Pick<VendorRequest, 'path'> & { readonly json: JsonObject },
) =>
  changes.command(
    session,
    device,
    { method: 'PATCH', repeatable: true, headers: ENGLISH, ...request },
    translate.Changed,
  );
