import Type, { type Static } from 'typebox';
import type { NextStep } from '../../adapter/adapter.ts';
import type { RangedDevice, Ranges } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import {
  each,
  fits,
  lenient,
  listedOnce,
  named,
  objectIn,
  PlainId,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { isReacting, MODES, modesIn, Pod, targetsIn } from './translate.ts';

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

/* Which controllers are listed, and what the remote control that each stands in for can do. */

export const ListedPod = lenient(
  { id: PlainId },
  'room',
  'location',
  'productModel',
  'remoteCapabilities',
  'smartMode',
);
type ListedPod = Static<typeof ListedPod>;

/** What listing kept of a controller, in `DeviceRef.details`. */
const Details = Type.Object({
  /** Targets that at least one mode takes; null where no mode has a target. */
  targets: Type.Union([
    Type.Object({ min_milli_c: Type.Integer(), max_milli_c: Type.Integer() }),
    Type.Null(),
  ]),
  /** Its owner has chosen the remote control that it stands in for. */
  has_remote: Type.Boolean(),
  climate_react: Type.Boolean(),
});
type Details = Static<typeof Details>;

/** Controllers of air conditioners: Sky and Air. Others purify or measure air (`pure`, `elements`), and have the mode "fan" alone. */
const CONTROLLER = /^(sky|air)/;

/** The air conditioners among the controllers; where an account has several homes, each name says which. */
export function foundIn(pods: readonly ListedPod[]): Found[] {
  const homes = new Set(pods.map(({ location }) => word(objectIn(location).name)));
  return pods.filter(isAirConditioner).map((pod) => {
    const [room, home] = [word(objectIn(pod.room).name), word(objectIn(pod.location).name)];
    return {
      id: pod.id,
      type: 'heat_pump',
      ...named(room !== null && home !== null && homes.size > 1 ? `${room} (${home})` : room),
      details: detailsOf(pod),
    };
  });
}

const isAirConditioner = ({ productModel, remoteCapabilities }: ListedPod): boolean =>
  CONTROLLER.test(String(productModel)) ||
  MODES.some((mode) => mode !== 'fan' && mode in modesIn(remoteCapabilities));

function detailsOf({ remoteCapabilities, smartMode }: ListedPod): Details {
  const modes = Object.keys(modesIn(remoteCapabilities));
  const targets = modes.flatMap((mode) => {
    const celsius = targetsIn(remoteCapabilities, mode, 'C').map((value) => Math.round(value * 1_000));
    const fahrenheit = targetsIn(remoteCapabilities, mode, 'F').map((value) =>
      Math.round((value - 32) / 0.0018),
    );
    return celsius.length > 0 ? celsius : fahrenheit;
  });
  return {
    targets:
      targets.length === 0 ? null : { min_milli_c: Math.min(...targets), max_milli_c: Math.max(...targets) },
    has_remote: modes.length > 0,
    climate_react: isReacting(smartMode),
  };
}

const kept = (details: unknown): Details | undefined => (fits(Details, details) ? details : undefined);

/** What any mode takes; a command looks at the mode that it finds. */
export const rangesOf = ({ details }: RangedDevice): Ranges => kept(details)?.targets ?? {};

export function withheldFrom({ details }: Pick<Found, 'details'>): readonly Capability[] {
  const of = kept(details);
  if (of?.has_remote !== true) return ['on_off', 'set_temperature'];
  return of.targets === null ? ['set_temperature'] : [];
}

export function whyWithheld(found: Pick<Found, 'details'>): string | undefined {
  const withheld = withheldFrom(found);
  if (withheld.includes('on_off'))
    return 'no remote control is chosen for it; its owner does so in the Sensibo app';
  return withheld.length === 0 ? undefined : 'no mode of its air conditioner has a target temperature';
}

const REACTS: NextStep['words'] = {
  en: {
    title: 'Turn off Climate React',
    text: 'Climate React is on in the Sensibo app. It switches your air conditioner by itself, and can undo what is set here. Turn it off there if that is not what you want.',
  },
  sv: {
    title: 'Stäng av Climate React',
    text: 'Climate React är på i Sensibos app. Det styr luftvärmepumpen på egen hand och kan ändra tillbaka det som ställs in här. Stäng av det där om du inte vill det.',
  },
};

/** What the owner does in the Sensibo app, so that commands last. */
export function nextSteps(devices: readonly Pick<Found, 'id' | 'details'>[]): readonly NextStep[] {
  const reacting = devices.filter(({ details }) => kept(details)?.climate_react === true).map(({ id }) => id);
  const step = { id: 'turn_off_climate_react', url: 'https://home.sensibo.com/', words: REACTS };
  return reacting.length === 0 ? [] : [{ ...step, devices: reacting }];
}
