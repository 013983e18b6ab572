import Type from 'typebox';
import type { Linked } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import * as translate from './translate.ts';

const api = kit.vendorCalls('myUplink');
const PAGE = 100;
/** Devices whose points are asked for in one list; the others follow in the next ones. Few homes have more than two. */
const MOST_ASKED = 8;
/** A model with all its menus has more than a thousand points. */
const MOST_BYTES = 4 * 1024 * 1024;

const SystemsPage = kit.lenient({ systems: Type.Array(Type.Unknown()) }, 'numItems');
const System = kit.lenient({ systemId: kit.PlainId }, 'securityLevel', 'devices');
const SystemDevice = kit.lenient({ id: kit.PlainId }, 'product');
const Connection = Type.Object({ connectionState: Type.String() });

export const pathOf = ({ id }: Pick<DeviceRef, 'id'>) => `/v2/devices/${encodeURIComponent(id)}`;

/** All points of a device. They stay what they were while it is not connected. */
export async function readPoints(session: Session, device: Pick<DeviceRef, 'id'>, use: 'list' | 'read') {
  const more = { use, mostBytes: MOST_BYTES, device: device.id, what: device.id };
  return translate.pointsIn(
    await api.get(session, `${pathOf(device)}/points`, Type.Array(Type.Unknown()), more),
  );
}

/** Whether myUplink reaches it: `connectionState`. */
export async function connectionOf(session: Session, device: DeviceRef): Promise<string> {
  const more = { device: device.id, what: device.id };
  return (await api.get(session, pathOf(device), Connection, more)).connectionState;
}

/** Two calls: whether it is connected, and what it says if it is. */
export async function readDevice(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const connection = await connectionOf(session, device);
  const isConnected = connection === translate.CONNECTED;
  return { connection, points: isConnected ? await readPoints(session, device, 'read') : [] };
}

export async function link(session: Session): Promise<Linked> {
  const devices = await list(session, []);
  const vendorAccount = await kit.accountInToken('myUplink', session, { otherwise: devices[0]?.site });
  return { vendorAccount, devices };
}

/** The devices of all systems; a page that fails fails the list. What a device can do is in its points, which cost a call each. */
export async function list(session: Session, listedBefore: readonly DeviceRef[]): Promise<Found[]> {
  let count = 0;
  const systems = await kit.allPages('the systems', async (page: number = 1) => {
    const query = { page: String(page), itemsPerPage: String(PAGE) };
    const more = { use: 'list', query, what: 'the systems' } as const;
    const { systems: members, numItems } = await api.get(session, '/v2/systems/me', SystemsPage, more);
    count += members.length;
    const isLast = typeof numItems === 'number' ? count >= numItems : members.length < PAGE;
    return {
      members: kit.each(members, System),
      next: isLast || members.length === 0 ? undefined : page + 1,
    };
  });
  const devices = systems.flatMap(({ systemId, securityLevel, devices: some }) =>
    kit.each(some, SystemDevice).map((device) => ({ ...device, systemId, securityLevel })),
  );
  const details = new Map(
    listedBefore.flatMap((one) => (kit.fits(translate.Details, one.details) ? [[one.id, one.details]] : [])),
  );
  const wasAsked = ({ id }: { readonly id: string }) => details.has(id);
  for (const one of kit.inTurn(devices, { most: MOST_ASKED, now: session.clock.now(), wasAsked })) {
    const points = await kit.unlessRefused(readPoints(session, one, 'list'));
    if (points !== undefined) details.set(one.id, translate.detailsIn(points, one.securityLevel));
  }
  return kit.listedOnce(
    devices.map(({ id, product, systemId: site }) => ({
      id,
      type: 'heat_pump',
      site,
      ...kit.named(kit.objectIn(product).name),
      details: details.get(id) ?? {},
    })),
  );
}
