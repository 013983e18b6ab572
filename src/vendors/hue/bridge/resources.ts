import Type, { type Static } from 'typebox';
import type { Found } from '../../../adapter/adapter.ts';
import type { Status } from '../../../adapter/device.ts';
import {
  each,
  figure,
  fits,
  lenient,
  named,
  objectIn,
  PlainId,
  unrecognized,
  word,
} from '../../../adapter/kit/index.ts';
import { kelvinOf, rgbOf } from './colour.ts';
import { Ability, abilityIn, XY } from './lamp.ts';

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
