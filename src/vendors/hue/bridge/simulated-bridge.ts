import type { SimulatedAnswer } from '../../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { ofDevice, type Refusal, type SimulatedCall } from '../../../simulation/index.ts';
import { deviceOf, lightOf, newLamp, type SimulatedLamp, setLamp } from './simulated-lamp.ts';

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
