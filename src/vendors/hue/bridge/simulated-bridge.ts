import type { SimulatedAnswer, Situation } from '../../../adapter/simulator.ts';

import type { Json, JsonObject } from '../../../core/json.ts';
import { isObject, ofDevice, type Refusal, type SimulatedCall } from '../../../proof/simulation/index.ts';

/** What the models of a simulated home have. */
const MODELS = {
  colour: {
    product: 'Hue color lamp',
    archetype: 'sultan_bulb',
    dims: true,
    whites: [153, 500],
    colours: true,
  },
  white: {
    product: 'Hue ambiance lamp',
    archetype: 'sultan_bulb',
    dims: true,
    whites: [153, 454],
    colours: false,
  },
  dimmable: {
    product: 'Hue filament bulb',
    archetype: 'vintage_bulb',
    dims: true,
    whites: null,
    colours: false,
  },
  plug: { product: 'Hue smart plug', archetype: 'plug', dims: false, whites: null, colours: false },
} as const;
type Model = keyof typeof MODELS;

const GAMUT_C = {
  red: { x: 0.6915, y: 0.3083 },
  green: { x: 0.17, y: 0.7 },
  blue: { x: 0.1532, y: 0.0475 },
};

/** A light of a bridge. */
export interface SimulatedLamp {
  readonly id: string;
  /** The device that it is part of, and its name. */
  readonly device: string;
  readonly name: string;
  /** Its own name, which differs where the device has several. */
  readonly ownName: string;
  readonly model: Model;
  online: boolean;
  on: boolean;
  /** Percent. */
  dim: number;
  xy: { readonly x: number; readonly y: number };
  /** null while it shows a colour. */
  mirek: number | null;
  isStreaming: boolean;
}

/** Ids look as a bridge's do. */
const uuid = (group: number, number: number) =>
  `${String(group).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A lamp; several with one `device` number are one device. */
export const newLamp = (
  number: number,
  name: string,
  model: Model,
  { device = number, ownName = name }: { readonly device?: number; readonly ownName?: string } = {},
): SimulatedLamp => ({
  id: uuid(1, number),
  device: uuid(2, device),
  name: `${name} (simulated)`,
  ownName: `${ownName} (simulated)`,
  model,
  online: true,
  on: true,
  dim: 100,
  xy: { x: 0.4578, y: 0.41 },
  mirek: 366,
  isStreaming: false,
});

/** Its `light`. */
export function lightOf(lamp: SimulatedLamp): JsonObject {
  const { id, device, ownName, model, on, dim, xy, mirek, isStreaming } = lamp;
  const { archetype, dims, whites, colours } = MODELS[model];
  const [least, most] = whites ?? [];
  return {
    id,
    id_v1: `/lights/${Number(id.slice(-12))}`,
    type: 'light',
    owner: { rid: device, rtype: 'device' },
    metadata: { name: ownName, archetype, function: 'mixed' },
    on: { on },
    ...(dims ? { dimming: { brightness: dim, min_dim_level: 0.2 } } : {}),
    ...(colours ? { color: { xy, gamut: GAMUT_C, gamut_type: 'C' } } : {}),
    ...(least === undefined || most === undefined
      ? {}
      : {
          color_temperature: {
            mirek,
            mirek_valid: mirek !== null,
            mirek_schema: { mirek_minimum: least, mirek_maximum: most },
          },
        }),
    mode: isStreaming ? 'streaming' : 'normal',
    service_id: 0,
  };
}

/** Its device with what belongs to it, besides its lights. */
function deviceOf(lamp: SimulatedLamp, lights: readonly SimulatedLamp[]) {
  const { device, name, model } = lamp;
  const { product, archetype } = MODELS[model];
  const connectivity = connectivityOf(lamp);
  return [
    {
      id: device,
      type: 'device',
      metadata: { name, archetype },
      product_data: { product_name: product, manufacturer_name: 'Signify Netherlands B.V.', certified: true },
      services: [
        { rid: connectivity.id, rtype: 'zigbee_connectivity' },
        ...lights.map(({ id }) => ({ rid: id, rtype: 'light' })),
      ],
    },
    connectivity,
  ] satisfies JsonObject[];
}

/** Whether the bridge reaches its device. */
export const connectivityOf = ({ device, online }: SimulatedLamp) =>
  ({
    id: device.replace(/^0+2/, '00000003'),
    type: 'zigbee_connectivity',
    owner: { rid: device, rtype: 'device' },
    status: online ? 'connected' : 'disconnected',
  }) satisfies JsonObject;

/** Sets a lamp. Answers the errors: none, that it is refused (`isRefused`), or that it may not have had an effect. */
function setLamp(
  lamp: SimulatedLamp,
  wanted: JsonObject,
): { readonly errors: readonly string[]; readonly isRefused?: true } {
  const { dims, whites, colours } = MODELS[lamp.model];
  const { on = {}, dimming, color, color_temperature } = wanted;
  const part = (of: Json | undefined, name: string): Json | undefined =>
    isObject(of) ? of[name] : undefined;
  const refused = (reason: string) => ({ errors: [reason], isRefused: true }) as const;
  const brightness = part(dimming, 'brightness');
  const xy = part(color, 'xy');
  const mirek = part(color_temperature, 'mirek');
  const isOn = part(on, 'on');
  if (isOn !== undefined && typeof isOn !== 'boolean') return refused('invalid value for on');
  if (dimming !== undefined && (!dims || !isWithin(brightness, 0, 100)))
    return refused('invalid value for dimming');
  if (color !== undefined && (!colours || !isWithin(part(xy, 'x'), 0, 1) || !isWithin(part(xy, 'y'), 0, 1)))
    return refused('invalid value for color');
  const [least, most] = whites ?? [1, 0];
  if (color_temperature !== undefined && !isWithin(mirek, least, most))
    return refused('invalid value for color_temperature');
  const effect = (reason: string) => ({
    errors: [`device (light) ${lamp.id} ${reason} may not have effect`],
  });
  if (!lamp.online) return effect('has communication issues, command (.on)');
  if (!lamp.on && isOn !== true && (dimming ?? color ?? color_temperature) !== undefined)
    return effect('is "soft off", command (.color)');
  if (typeof isOn === 'boolean') lamp.on = isOn;
  if (typeof brightness === 'number') lamp.dim = brightness;
  if (isObject(xy)) Object.assign(lamp, { xy: { x: Number(xy.x), y: Number(xy.y) }, mirek: null });
  if (typeof mirek === 'number') lamp.mirek = mirek;
  return { errors: [] };
}

const isWithin = (value: Json | undefined, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

/** Brings a lamp into a situation that a check of its commands begins in. */
export const arrange = (lamp: SimulatedLamp, situation: Situation): void =>
  void Object.assign(lamp, { on: situation !== 'off', dim: 100 });

export type Home = SimulatedLamp[];
export type Call = SimulatedCall<Home>;
type Answer = (call: Call) => SimulatedAnswer | undefined;

export const refusal: Refusal = (status, reason) => ({
  status,
  json: { errors: [{ description: reason }], data: [] },
});

const answered = (data: readonly JsonObject[]): SimulatedAnswer => ({
  status: 200,
  json: { errors: [], data: [...data] },
});

/** Errors of the older API come with status 200. */
export const refused = (type: number, description: string): SimulatedAnswer => ({
  status: 200,
  json: [{ error: { type, address: '', description } }],
});

const TYPES = ['light', 'device', 'room', 'bridge', 'zigbee_connectivity'];

/**
 * The resources of a bridge (CLIP v2).
 * @param start the path before `/clip`
 * @param keyed what stands before each call
 * @param changed a lamp was changed
 */
export function clipRoutes(
  start: string,
  keyed: (answer: Answer) => Answer,
  changed: (lamp: SimulatedLamp, call: Call) => void = () => {},
): Record<string, Answer> {
  const resource = `${start}/clip/v2/resource`;
  const ofType = (type: string): [string, Answer] => [
    `GET ${resource}/${type}`,
    keyed((call) => answered(resourcesOf(call).filter((one) => one.type === type))),
  ];
  return {
    [`GET ${resource}`]: keyed((call) => answered(resourcesOf(call))),
    ...Object.fromEntries(TYPES.map(ofType)),
    [`GET ${resource}/light/:id`]: keyed(ofDevice((lamp) => answered([lightOf(lamp)]))),
    [`PUT ${resource}/light/:id`]: keyed(
      ofDevice((lamp, call) => {
        const { errors, isRefused } = setLamp(lamp, call.body);
        if (isRefused) return refusal(400, errors.join());
        if (errors.length === 0) changed(lamp, call);
        const json = {
          errors: errors.map((description) => ({ description })),
          data: [{ rid: lamp.id, rtype: 'light' }],
        };
        return { status: errors.length === 0 ? 200 : 207, json };
      }),
    ),
  };
}

/** As bridges write it themselves: in upper case. */
export const bridgeIdOf = (user: string): string =>
  `001788FFFE${Buffer.from(user).toString('hex').slice(0, 6).padEnd(6, '0').toUpperCase()}`;

/** Everything that a bridge has. */
function resourcesOf({ home, user }: Call): JsonObject[] {
  const devices = [...Map.groupBy(home, ({ device }) => device).values()];
  const children = devices.map(([first]): Json => ({ rid: first?.device ?? '', rtype: 'device' }));
  return [
    ...devices.flatMap((lights) => lights.slice(0, 1).flatMap((first) => deviceOf(first, lights))),
    ...home.map(lightOf),
    {
      id: '00000004-0000-4000-8000-000000000001',
      type: 'room',
      metadata: { name: 'Living room', archetype: 'living_room' },
      children,
      services: [{ rid: '00000005-0000-4000-8000-000000000001', rtype: 'grouped_light' }],
    },
    {
      id: '00000005-0000-4000-8000-000000000001',
      type: 'grouped_light',
      owner: { rid: '00000004-0000-4000-8000-000000000001', rtype: 'room' },
      on: { on: home.some(({ on }) => on) },
      dimming: { brightness: 100 },
    },
    { id: '00000006-0000-4000-8000-000000000001', type: 'device', metadata: { name: 'Hue dimmer switch' } },
    {
      id: '00000007-0000-4000-8000-000000000001',
      type: 'bridge',
      bridge_id: bridgeIdOf(user),
      time_zone: { time_zone: 'Europe/Stockholm' },
    },
  ];
}

/** Every kind of lamp, a plug, and a lamp with two lights. */
export const newHome = (): Home => [
  newLamp(1, 'Sofa', 'colour'),
  newLamp(2, 'Kitchen', 'white'),
  newLamp(3, 'Hall', 'dimmable'),
  newLamp(4, 'Christmas tree', 'plug'),
  newLamp(5, 'Wall', 'colour', { ownName: 'Up' }),
  newLamp(6, 'Wall', 'colour', { device: 5, ownName: 'Down' }),
];
