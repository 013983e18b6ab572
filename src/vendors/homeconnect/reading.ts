import type { Found } from '../../adapter/adapter.ts';
import { accountInToken, sweepBy, unlessRefused } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { APPLIANCES, api, errorKeyOf, pathOf, READ } from './api.ts';
import { Program } from './programs.ts';
import * as translate from './translate.ts';

/** The appliances of the account, and whether each is reached; one response has them all. */
const listAll = (session: Session) =>
  api.get(session, APPLIANCES, translate.Appliances, {
    headers: READ,
    use: 'list',
    mostBytes: 4 * 1024 * 1024,
    what: 'the appliances',
  });

export const list = async (session: Session): Promise<Found[]> =>
  translate.appliancesIn(await listAll(session));

/** The account is named in the token alone. */
export async function link(session: Session) {
  const vendorAccount = await accountInToken('Home Connect', session);
  return { vendorAccount, devices: await list(session) };
}

/** Whether Home Connect reaches the appliance is asked first: a call about one that it does not reach is an error, and ten of them block us. */
export async function readAppliance(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const about = { headers: READ, device: device.id, what: device.id };
  const { connected } = await api.get(session, pathOf(device), translate.Appliance, about);
  return connected === false ? translate.OFFLINE : readConnected(session, device);
}

type Appliance = Pick<DeviceRef, 'id'>;

async function readConnected(session: Session, device: Appliance): Promise<translate.Reading> {
  const about = { headers: READ, device: device.id, what: device.id };
  const { StatusResponse, SettingsResponse } = translate;
  try {
    const { status } = await api.get(session, pathOf(device, '/status'), StatusResponse, about);
    const asked = api.get(session, pathOf(device, '/settings'), SettingsResponse, about);
    // An appliance without settings is still one with a state.
    const { settings } = (await unlessRefused(asked)) ?? {};
    const reading = translate.withItems(translate.withItems(translate.CONNECTED, status), settings);
    // Without a programme the question is an error.
    if (!translate.hasProgram(reading.values[translate.OPERATION]?.value)) return reading;
    const { options } = await activeProgram(session, device);
    return translate.withItems(reading, options);
  } catch (error) {
    if (error instanceof AppError && error.code === 'device.offline') return translate.OFFLINE;
    throw error;
  }
}

/** The programme that runs, or waits to; it may have ended meanwhile. */
async function activeProgram(session: Session, device: Appliance): Promise<Pick<Program, 'options'>> {
  const about = { headers: READ, device: device.id, what: device.id };
  try {
    return await api.get(session, pathOf(device, '/programs/active'), Program, about);
  } catch (error) {
    if (errorKeyOf(error) === 'SDK.Error.NoProgramActive') return {};
    throw error;
  }
}

/** One call says of all appliances whether they are reached, so that none is asked that is not. */
export async function sweep(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, translate.Reading>> {
  const connected = translate.connectedIn(await listAll(session));
  const oneByOne = sweepBy({
    by: ({ id }) => (connected.has(id) ? id : undefined),
    call: async (_session, id) =>
      connected.get(id) === true ? readConnected(session, { id }) : translate.OFFLINE,
    pick: (reading) => reading,
  });
  return oneByOne(session, devices);
}
