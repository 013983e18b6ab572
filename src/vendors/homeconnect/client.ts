import type { Found } from '../../adapter/device.ts';
import { HttpFailure } from '../../adapter/http.ts';
import type { TranslateFailure } from '../../adapter/kit/calls.ts';
import {
  accountInToken,
  errorCodes,
  jsonIn,
  objectIn,
  sweepBy,
  unlessRefused,
  vendorCalls,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as translate from './translate.ts';
import { Program } from './translate.ts';

/** `{"error": {"key": "SDK.Error.NoProgramActive", "description": …}}`. */
const codes = errorCodes('Home Connect', {
  codeIn: ({ error }) => objectIn(error).key,
  token: ['invalid_token'],
  limited: ['429'],
  refused: {
    insufficient_scope:
      'the account did not permit this; link it again and permit identifying, monitoring, settings and control',
    'SDK.Error.NoProgramSelected':
      'no programme is chosen; choose one at the appliance, then send the command again',
    'SDK.Error.NoProgramActive': 'no programme is running',
    'SDK.Error.UnsupportedProgram':
      'the chosen programme cannot be started by apps; choose another at the appliance',
    'SDK.Error.ProgramNotAvailable':
      'the chosen programme is not available now; look at the display of the appliance',
    'SDK.Error.UnsupportedOption': 'the chosen programme does not have this option',
    'SDK.Error.UnsupportedOperation': 'the appliance does not support this',
    'SDK.Error.UnsupportedSetting': 'the appliance does not have this setting',
    'SDK.Error.WrongOperationState': 'the appliance is doing something else now',
    'SDK.Error.WrongDoorState': 'the door of the appliance is open',
    'BSH.Common.Error.LockedByLocalControl':
      'somebody is operating the appliance; wait a moment, then send the command again',
    'BSH.Common.Error.RemoteControlNotActive':
      'remote control is switched off in the settings of the appliance',
    'BSH.Common.Error.RemoteStartNotActive':
      'remote start is not allowed at the appliance; press Remote start on it, then send the command again',
  },
  needsUser: {
    'BSH.Common.Error.RemoteControlNotActive': 'allow_remote_control',
    'BSH.Common.Error.RemoteStartNotActive': 'allow_remote_start',
  },
});

/** Every call about an appliance gets this with status 409 while Home Connect does not reach it. */
const OFFLINE = 'SDK.Error.HomeAppliance.Connection.Initialization.Failed';

/** The key of Home Connect's own error that this one was made of. */
export function errorKeyOf(error: unknown): unknown {
  const failure = error instanceof AppError ? error.cause : error;
  if (!(failure instanceof HttpFailure)) return undefined;
  return objectIn(objectIn(jsonIn(failure.bodyText())).error).key;
}

const failure: TranslateFailure = (cause, what) =>
  errorKeyOf(cause) === OFFLINE
    ? new AppError(
        'device.offline',
        `Home Connect does not reach ${what}; it may be switched off or without Wi-Fi`,
        { cause },
      )
    : codes.failure(cause, what);

export const { isTokenRefused } = codes;

/** Calls to Home Connect. What was asked for stands in `data`. */
export const api = vendorCalls('Home Connect', { failure, inside: 'data' });

const MEDIA = 'application/vnd.bsh.sdk.v1+json';
/** Names and descriptions come in this language; nothing here depends on them. */
export const LANGUAGE = { 'accept-language': 'en-GB' };
export const READ = { ...LANGUAGE, accept: MEDIA };
export const WRITE = { ...READ, 'content-type': MEDIA };

export const APPLIANCES = '/api/homeappliances';
export const pathOf = ({ id }: Pick<DeviceRef, 'id'>, rest = '') =>
  `${APPLIANCES}/${encodeURIComponent(id)}${rest}`;

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
