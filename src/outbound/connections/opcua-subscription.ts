import {
  AttributeIds,
  ClientMonitoredItemGroup,
  type ClientSession,
  type NodeId,
  TimestampsToReturn,
} from 'node-opcua-client';
import type { OpcuaChange } from '../../adapter/connections.ts';
import { readingOf, UNKNOWN_NODE } from './opcua-values.ts';

/** A sign of life at least so often, ms. */
const SIGN_OF_LIFE_MS = 20_000;
/** The server ends the subscription when it has not been asked for so long, ms. */
const LIFETIME_MS = 120_000;

/**
 * One subscription with an item for each node, of which the newest value counts (queue of one). Resolves, once the server has taken it, with the
 * function that ends it.
 */
export async function subscribe(
  session: ClientSession,
  {
    items,
    everyMs,
  }: {
    readonly items: readonly { readonly node: string; readonly id: NodeId | undefined }[];
    readonly everyMs: number;
  },
  tell: (change: OpcuaChange) => void,
  ended: () => void,
): Promise<() => Promise<void>> {
  const subscription = await session.createSubscription2({
    requestedPublishingInterval: everyMs,
    requestedMaxKeepAliveCount: Math.max(1, Math.floor(SIGN_OF_LIFE_MS / everyMs)),
    requestedLifetimeCount: Math.ceil(LIFETIME_MS / everyMs),
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 0,
  });
  const known = items.flatMap(({ node, id }) => (id === undefined ? [] : [{ node, id }]));
  for (const { node, id } of items) if (id === undefined) tell({ node, reading: UNKNOWN_NODE });
  const group = ClientMonitoredItemGroup.create(
    subscription,
    known.map(({ id }) => ({ nodeId: id, attributeId: AttributeIds.Value })),
    { samplingInterval: everyMs, queueSize: 1, discardOldest: true },
    TimestampsToReturn.Source,
  );
  group.on('changed', (_item, value, index) => {
    const node = known[index]?.node;
    if (node !== undefined) tell({ node, reading: readingOf(value) });
  });
  const begun = Promise.withResolvers<void>();
  group.on('initialized', () => begun.resolve());
  group.on('err', (message) => begun.reject(new Error(message)));
  subscription.on('terminated', ended);
  await begun.promise;
  for (const [index, { statusCode }] of group.monitoredItems.entries()) {
    const node = known[index]?.node;
    if (statusCode?.isGood() === false && node !== undefined)
      tell({ node, reading: { ...UNKNOWN_NODE, status: statusCode.name } });
  }
  return () => subscription.terminate();
}
