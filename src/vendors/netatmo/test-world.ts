import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { makeSimulatedVendor, type SimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import type { Found } from '../../adapter/adapter.ts';
import { capabilitiesOf, kindOf, stateOf } from '../../adapter/derive.ts';
import type { DeviceState } from '../../adapter/device.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Delivery } from '../../adapter/webhook.ts';
import type { Random } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import { netatmo } from './index.ts';
import { createSimulator, type NetatmoSimulator } from './simulator.ts';

export interface World extends SimulatedVendor {
  readonly simulator: NetatmoSimulator;
  readonly clientSecret: string;
  /** What the simulator posted, and where. */
  readonly posted: { readonly url: string; readonly delivery: Delivery }[];
  /** Whether our side takes what is posted. */
  isUp: boolean;
  /** Answers instead of the simulator, for one call, when it answers anything. */
  instead: ((request: SimulatedRequest) => SimulatedAnswer | undefined) | undefined;
  found(): Promise<readonly Found[]>;
  /** The room with heating whose name starts so. */
  room(name: string): Promise<DeviceRef>;
  state(device: DeviceRef): Promise<DeviceState>;
}

interface WorldOptions {
  readonly random?: Random;
  /** How far the vendor's clock is ahead of ours. */
  readonly skewMs?: number;
}

/** Netatmo's simulator and our adapter, signed in as one of the simulator's users. */
export async function makeWorld(
  user = 'home',
  { random = (bytes) => Buffer.alloc(bytes, 1), skewMs = 0 }: WorldOptions = {},
): Promise<World> {
  const made: { simulator?: NetatmoSimulator; clientSecret?: string; world?: World } = {};
  const posted: World['posted'] = [];
  const vendor = await makeSimulatedVendor({
    ...netatmo,
    simulator: async () => ({
      createSimulator(options) {
        const simulator = createSimulator({
          ...options,
          clock: { now: () => options.clock.now() + skewMs, after: options.clock.after },
          // Tokens must differ; what is posted must not depend on chance.
          random: (bytes) => (bytes === 1 ? random(bytes) : options.random(bytes)),
          post: async (url, { body, headers }) => {
            if (made.world?.isUp !== true) throw new Error('nobody listens');
            posted.push({
              url,
              delivery: { body: Buffer.from(body), headers, receivedAt: options.clock.now() },
            });
          },
        });
        made.simulator = simulator;
        made.clientSecret = options.partner?.clientSecret ?? '';
        return {
          ...simulator,
          user: { ...simulator.user, name: user },
          handle: async (request) => made.world?.instead?.(request) ?? simulator.handle(request),
        };
      },
    }),
  });
  assert.ok(made.simulator !== undefined && made.clientSecret !== undefined);
  const found = async () => (await netatmo.link(vendor.session())).devices;
  // Assigned, not spread: what the vendor holds (tokens, renewals) changes.
  const world: World = Object.assign(vendor, {
    simulator: made.simulator,
    clientSecret: made.clientSecret,
    posted,
    isUp: true,
    instead: undefined,
    found,
    async room(name: string) {
      const device = (await found()).find((one) => one.name?.startsWith(name) === true);
      assert.ok(device !== undefined, `no room ${name}`);
      return refOf(device);
    },
    async state(device: DeviceRef) {
      const kind = kindOf(netatmo, 'thermostat');
      return stateOf(kind, await kind.read(vendor.session(), device), capabilitiesOf(kind, device));
    },
  });
  made.world = world;
  return world;
}

export function refOf(found: Found): DeviceRef {
  return { account: 1, link: 'link-1', id: found.id, type: found.type, details: found.details ?? {} };
}

/** One of the recorded answers. */
export function recorded(file: string): Json {
  return JSON.parse(readFileSync(new URL(`./recorded/${file}.json`, import.meta.url), 'utf8')) as Json;
}
