import { HttpFailure } from '../../adapter/http.ts';
import type { TranslateFailure } from '../../adapter/kit/calls.ts';
import { errorCodes, jsonIn, objectIn, vendorCalls } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';

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
