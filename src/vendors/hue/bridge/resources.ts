import Type, { type Static } from 'typebox';
import { type AnyKind, type Handler, kind } from '../../../adapter/adapter.ts';
import type { Found, Status } from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import {
  detailsOf,
  each,
  figure,
  fits,
  gone,
  lenient,
  named,
  objectIn,
  PlainId,
  unrecognized,
  word,
} from '../../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { kelvinOf, rgbOf } from './colour.ts';
import { Ability, abilityIn, bodyOf, isPlain, XY } from './lamp.ts';

/*
 * The resources of a bridge (CLIP v2), whichever way they were read. A lamp is a `device`, which has its name; its `light` is what is
 * switched, and its `zigbee_connectivity` says whether the bridge reaches it. Rooms, zones and groups are not devices.
 */

export const Resources = Type.Array(Type.Unknown());

const Light = lenient(
  { id: PlainId, type: Type.Literal('light') },
  'owner',
  'metadata',
  'on',
  'dimming',
  'color',
  'color_temperature',
  'mode',
);
type Light = Static<typeof Light>;
const Device = lenient({ id: PlainId, type: Type.Literal('device') }, 'metadata');
const Connectivity = lenient(
  { type: Type.Enum(['zigbee_connectivity', 'wifi_connectivity']), owner: lenient({ rid: PlainId }) },
  'id',
  'status',
);
const Bridge = lenient({ type: Type.Literal('bridge'), bridge_id: PlainId });

/** What is shown of a lamp; `connectivity` is undefined where the bridge says nothing of it. */
export interface Reading {
  readonly light: Light;
  readonly connectivity: unknown;
}

/** What listing kept of a lamp, in `DeviceRef.details`. */
export const Details = Type.Object({ ability: Ability });
export type Details = Static<typeof Details>;

/** Names the bridge; undefined where it does not say. */
export const bridgeIn = (resources: readonly unknown[]): string | undefined =>
  each(resources, Bridge)[0]?.bridge_id.toLowerCase();

/** The lamps; a device with several, such as a lamp that shines up and down, is one for each. */
export function lightsIn(resources: readonly unknown[]): Found[] {
  const lights = each(resources, Light);
  const names = new Map(each(resources, Device).map(({ id, metadata }) => [id, objectIn(metadata).name]));
  return lights.map((light) => {
    const owner = ownerOf(light);
    const isOnly = lights.filter((one) => ownerOf(one) === owner).length === 1;
    const [device, own] = [word(names.get(owner)), word(objectIn(light.metadata).name)];
    const both = device !== null && own !== null && device !== own ? `${device} (${own})` : null;
    const details: Details = { ability: abilityIn(light) };
    return {
      id: light.id,
      type: 'light',
      ...named(isOnly ? (device ?? own) : (both ?? own ?? device)),
      details: { ...details },
    };
  });
}

const ownerOf = ({ owner, id }: Light): string => word(objectIn(owner).rid) ?? id;

/** One lamp; undefined where the bridge no longer has it, and disconnected where there is no bridge to ask. */
export function readingIn(resources: readonly unknown[] | undefined, id: string): Reading | undefined {
  if (resources === undefined) return { light: { id, type: 'light' }, connectivity: 'disconnected' };
  const light = each(resources, Light).find((one) => one.id === id);
  if (light === undefined) return undefined;
  const connectivity = each(resources, Connectivity).find(({ owner }) => owner.rid === ownerOf(light));
  return { light, connectivity: connectivity?.status };
}

/** The lamps that a resource concerns: itself, or those of its device. */
export function lightsOf(resources: readonly unknown[], id: string): string[] {
  const lights = each(resources, Light);
  const connectivity = each(resources, Connectivity).find((one) => one.id === id);
  return lights
    .filter((light) => light.id === id || ownerOf(light) === connectivity?.owner.rid)
    .map((light) => light.id);
}

/** The bridge does not reach the lamp, or does not hear it. */
const UNREACHABLE: readonly unknown[] = ['disconnected', 'connectivity_issue', 'unidirectional_incoming'];
const STREAMING = 'streaming';

/** `operation_state` has brightness and colour, as `dim 62, 2710 K` or `dim 80, color 255,120,0`. */
export function statusOf({ light, connectivity }: Reading): Status {
  if (UNREACHABLE.includes(connectivity)) return { online: false };
  const { on } = objectIn(light.on);
  const dim = figure(objectIn(light.dimming).brightness, 0, 100);
  const shown = [
    light.mode === STREAMING ? STREAMING : null,
    dim === null ? null : `dim ${Math.round(dim)}`,
    colourOf(light),
  ].filter((one) => one !== null);
  return {
    online: true,
    power_on: typeof on === 'boolean' ? on : null,
    operation_state: shown.length === 0 ? null : shown.join(', '),
  };
}

function colourOf({ color, color_temperature }: Light): string | null {
  const { mirek, mirek_valid } = objectIn(color_temperature);
  const white = mirek_valid === false ? null : figure(mirek, 50, 1_000);
  if (white !== null) return `${Math.round(kelvinOf(white))} K`;
  const { xy } = objectIn(color);
  return fits(XY, xy) ? `color ${rgbOf(xy).join(',')}` : null;
}

/** Modes and connections that are not recognized. */
export const unrecognizedIn = ({ light, connectivity }: Reading): string[] =>
  unrecognized({
    'mode of the light': [light.mode, ['normal', STREAMING]],
    'status of the connection': [connectivity, ['connected', ...UNREACHABLE]],
  });

/** What a bridge answers to a change. Errors come with 207: a lamp that is not reached, or one that is off. */
export const Changed = lenient({ errors: Type.Array(Type.Unknown()) });

/** Throws `device.offline` or `vendor.refused` where the bridge did not set the lamp, with its reason. */
export function requireSet(errors: readonly unknown[], id: string): void {
  const reason = word(objectIn(errors[0]).description, 200);
  if (errors.length === 0) return;
  if (reason?.includes('communication issues') === true)
    throw new AppError('device.offline', `the Hue bridge does not reach ${id}; it may be without power`);
  const hint = reason?.includes('soft off') === true ? '; it is off, and dim switches it on' : '';
  throw new AppError('vendor.refused', `the Hue bridge did not set ${id}: ${reason ?? 'no reason'}${hint}`);
}

/** The way to a bridge. */
interface Way {
  /** Everything that the bridge has; undefined where it is known not to be reached. */
  read(session: Session): Promise<readonly unknown[] | undefined>;
  /** Changes a light; throws if the bridge did not. The request names the wanted state, so a retry does no harm. */
  set(session: Session, device: DeviceRef, json: JsonObject): Promise<void>;
}

/** The lamps and plugs of a bridge. */
export function lights({ read, set }: Way): AnyKind {
  const turn =
    (on: boolean): Handler<'turn_on' | 'turn_off'> =>
    (session, device) =>
      set(session, device, { on: { on } });
  return kind<Reading>({
    async read(session, device) {
      const reading = readingIn(await read(session), device.id);
      if (reading === undefined) throw gone('Hue', device);
      return reading;
    },
    status: statusOf,
    unrecognized: unrecognizedIn,
    reads: {},
    controls: {
      on_off: { turn_on: turn(true), turn_off: turn(false) },
      set_light: {
        set_light: (session, device, command) =>
          set(session, device, bodyOf(command, detailsOf(Details, device).ability, device.id)),
      },
    },
    withholds: (found) => (isSwitch(found) ? ['set_light'] : []) satisfies Capability[],
    whyWithheld: (found) => (isSwitch(found) ? 'it can only be switched on and off' : undefined),
  });
}

/** A plug, or a lamp behind a relay. */
const isSwitch = ({ details }: Pick<Found, 'details'>): boolean =>
  !fits(Details, details) || isPlain(details.ability);
