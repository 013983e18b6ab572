import Type from 'typebox';
import { lenient, vendorCalls } from '../../adapter/kit/index.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { Changed, Resources, requireSet } from './bridge/resources.ts';

/** What Hue's cloud passes on to the bridge of the user. */
const BRIDGE = '/route';
const RESOURCE = `${BRIDGE}/clip/v2/resource`;
/** A large home with its scenes takes 1 MB. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Hue's cloud does not reach the bridge, which says nothing of the cloud: no other home is held up by it. */
class BridgeUnreachable extends AppError {}

const api = vendorCalls('Hue', {
  refusals: {
    statuses: [403, 504],
    error({ status }) {
      if (status === 504)
        return new BridgeUnreachable(
          'vendor.unreachable',
          'Hue does not reach the bridge; it may be switched off or without internet',
        );
      return new AppError(
        'vendor.refused',
        `the Hue bridge does not accept elnav (${status}); if it was removed in the Hue app, link the account again`,
      );
    },
  },
});

const Answer = lenient({ data: Resources });

/** Everything that the bridge has, in one call: all users share the calls of a day. */
export async function readBridge(session: Session, use: 'list' | 'read'): Promise<readonly unknown[]> {
  const request = { use, mostBytes: MOST_BYTES, what: 'the bridge' };
  return (await api.get(session, RESOURCE, Answer, request)).data;
}

/** The same for reading; undefined while Hue does not reach the bridge. */
export const reachedBridge = (session: Session): Promise<readonly unknown[] | undefined> =>
  readBridge(session, 'read').catch((error: unknown) => {
    if (error instanceof BridgeUnreachable) return undefined;
    throw error;
  });

/** Sets a lamp; throws where the bridge did not do so, or is not reached. */
export async function setLight(session: Session, device: DeviceRef, json: JsonObject): Promise<void> {
  const path = `${RESOURCE}/light/${encodeURIComponent(device.id)}`;
  const request = { method: 'PUT', path, json, repeatable: true } as const;
  const { errors } = await api.command(session, device, request, Changed).catch((error: unknown) => {
    throw error instanceof BridgeUnreachable ? new AppError('device.offline', error.message) : error;
  });
  requireSet(errors, device.id);
}

const Pressed = Type.Array(lenient({ success: Type.Unknown() }), { minItems: 1 });
const Made = Type.Array(
  lenient({ success: lenient({ username: Type.String({ pattern: '^[\\w-]{8,128}$' }) }) }),
  {
    minItems: 1,
  },
);
/** What the Hue app calls it in the list of apps. */
const APP = 'elnav#connect';

/** A key of the user's bridge, which calls carry besides the token. The cloud presses the bridge's button in place of the user. */
export async function applicationKey(session: LoginSession, { access }: Tokens): Promise<JsonObject> {
  const more = { use: 'login', headers: { authorization: `Bearer ${access}` } } as const;
  const press = {
    ...more,
    method: 'PUT',
    path: `${BRIDGE}/api/0/config`,
    json: { linkbutton: true },
  } as const;
  await api.send(session, press, Pressed, 'the button of the bridge');
  const make = { ...more, method: 'POST', path: `${BRIDGE}/api`, json: { devicetype: APP } } as const;
  const [made] = await api.send(session, make, Made, 'the key of the bridge');
  return { application_key: made?.success.username ?? '' };
}

export const headers = ({ access, extra }: Tokens): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${access}`,
  'hue-application-key': String(extra?.application_key),
});
