import Type from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import { each, listedOnce, vendorCalls } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { foundIn, ListedPod } from './listing.ts';
import { Pod } from './translate.ts';

/** `{"status": "success", "result": …}`. */
export const api = vendorCalls('Sensibo', { inside: 'result' });

const Me = Type.Object({ username: Type.String({ minLength: 1, maxLength: 200 }) });
const List = Type.Array(Type.Unknown());
const LISTED = 'id,room,location,productModel,remoteCapabilities,smartMode';
export const READ =
  'id,acState,measurements,mainMeasurementsSensor,connectionStatus,temperatureUnit,smartMode';

export const pathOf = ({ id }: Pick<DeviceRef, 'id'>): string => `/api/v2/pods/${encodeURIComponent(id)}`;

/** Names the account. */
export async function accountOf(session: Session): Promise<string> {
  const request = { use: 'list', what: 'the account' } as const;
  return (await api.get(session, '/api/v1/users/me', Me, request)).username;
}

/** The air conditioners of every home of the account; one call. */
export async function findPods(session: Session): Promise<Found[]> {
  return listedOnce(foundIn(each(await listed(session, LISTED, 'list'), ListedPod)));
}

/** Every controller of the account as it is now: one call, since a call for each would go beyond the limit. */
export const readPods = async (session: Session): Promise<readonly Pod[]> =>
  each(await listed(session, READ, 'read'), Pod);

const listed = (session: Session, fields: string, use: 'list' | 'read') => {
  // What a remote control can do takes some 4 kB for each controller.
  const request = { use, query: { fields }, mostBytes: 8 * 1024 * 1024, what: 'the controllers' };
  return api.get(session, '/api/v2/users/me/pods', List, request);
};

/** One controller. Throws `vendor.refused` for one that the account no longer has. */
export const readPod = (session: Session, device: DeviceRef, fields = READ): Promise<Pod> =>
  api.get(session, pathOf(device), Pod, { query: { fields }, device: device.id, what: device.id });
