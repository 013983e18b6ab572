import { setImmediate } from 'node:timers/promises';
import { socketPair } from '../../../test/kit/simulated-socket.ts';
import { makeVendorWorld, recordedIn, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { jsonIn, objectIn } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { kone } from './index.ts';
import type { KoneSimulator } from './simulator.ts';

export interface KoneWorld extends VendorWorld {
  readonly kone: KoneSimulator;
}

export const makeWorld = async (): Promise<KoneWorld> => {
  const world = await makeVendorWorld(kone);
  return Object.assign(world, { kone: world.vendor as KoneSimulator });
};

export const BUILDING = '9990000951';

/** A lift of the simulator's user `home`. */
export const refTo = (lift = '1', group = '1'): DeviceRef => ({
  account: 1,
  link: 'link-1',
  id: `${BUILDING}-${group}-${lift}`,
  type: 'elevator',
  details: { building: BUILDING, group, lift },
});

export const recorded = recordedIn(import.meta.dirname);

/** A session whose connection is answered by the test: `answer` gets each request and gives the frames. */
export function scripted(world: KoneWorld, answer: (request: JsonObject) => readonly Json[]) {
  const [client, server] = socketPair();
  const sent: JsonObject[] = [];
  let isClosed = false;
  server.onFrame((text) => {
    const request = objectIn(jsonIn(text));
    sent.push(request);
    for (const frame of answer(request)) server.send(JSON.stringify(frame));
  });
  server.onClose(() => {
    isClosed = true;
  });
  const session: Session = { ...world.session(), connect: async () => client };
  return { session, client, server, sent, isClosed: () => isClosed };
}

/** What a building answers that works; `events` come before the acknowledgement of a subscription. */
export function building(events: readonly Json[]) {
  return ({ callType, requestId, payload, groupId }: JsonObject): Json[] => {
    const accepted = {
      connectionId: 'c',
      requestId: requestId ?? null,
      statusCode: 201,
      data: { time: NOW },
    };
    const frame = {
      callType: callType ?? null,
      buildingId: `building:${BUILDING}`,
      groupId: groupId ?? null,
    };
    switch (callType) {
      case 'ping':
        return [{ ...frame, data: { request_id: objectIn(payload).request_id ?? null, time: NOW } }];
      case 'config':
        return [accepted, recorded('config')];
      default:
        return [...events, accepted];
    }
  };
}

export const NOW = '2026-11-21T10:00:00.000Z';

export const event = (topic: string, data: JsonObject, { lift = '1', group = '1' } = {}): JsonObject => ({
  data: { time: NOW, ...data },
  subtopic: `lift_${lift}/${topic}`,
  callType: 'monitor',
  buildingId: `building:${BUILDING}`,
  groupId: group,
});

export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn += 1) await setImmediate();
};
