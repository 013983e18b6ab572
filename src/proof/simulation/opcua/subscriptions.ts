import {
  AttributeIds,
  type CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  type CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DataChangeNotification,
  type DataValue,
  MonitoredItemCreateResult,
  MonitoredItemNotification,
  NotificationMessage,
  type PublishRequest,
  PublishResponse,
  type ReadValueId,
  StatusCodes,
} from 'node-opcua-client';
import type { Clock } from '../../../core/clock.ts';
import type { AddressSpace } from './address-space.ts';

interface Item {
  readonly handle: number;
  readonly node: ReadValueId;
  /** What was reported last. */
  last: string | undefined;
}

interface Subscription {
  readonly id: number;
  readonly everyMs: number;
  readonly keepAliveCount: number;
  readonly items: Item[];
  sequence: number;
  /** Intervals in which there was nothing to say. */
  quiet: number;
  stop: () => void;
}

/** Least interval, ms: what is asked for faster is revised. */
const LEAST_MS = 100;

/** The subscriptions of one session; `send` answers a publish request that waits. */
export function createSubscriptions({
  space,
  clock,
  send,
}: {
  readonly space: AddressSpace;
  readonly clock: Clock;
  readonly send: (request: PublishRequest, response: PublishResponse) => void;
}) {
  const subscriptions = new Map<number, Subscription>();
  const waiting: PublishRequest[] = [];
  let ids = 0;

  const textOf = ({ value, statusCode }: DataValue): string => `${statusCode.name} ${value?.toString()}`;

  /** What changed is reported where a request waits for it, and stays to be reported where none does. */
  function publish(subscription: Subscription): void {
    const { items, id, keepAliveCount } = subscription;
    const [request] = waiting;
    if (request === undefined) return;
    const changed = items.flatMap((item) => {
      const value = space.read({ nodeId: item.node.nodeId, attributeId: AttributeIds.Value });
      const text = textOf(value);
      if (text === item.last) return [];
      item.last = text;
      return [new MonitoredItemNotification({ clientHandle: item.handle, value })];
    });
    subscription.quiet = changed.length === 0 ? subscription.quiet + 1 : 0;
    if (changed.length === 0 && subscription.quiet < keepAliveCount) return;
    waiting.shift();
    subscription.quiet = 0;
    if (changed.length > 0) subscription.sequence += 1;
    send(
      request,
      new PublishResponse({
        responseHeader: { serviceResult: StatusCodes.Good },
        subscriptionId: id,
        results: (request.subscriptionAcknowledgements ?? []).map(() => StatusCodes.Good),
        notificationMessage: new NotificationMessage({
          sequenceNumber: Math.max(1, subscription.sequence),
          publishTime: new Date(clock.now()),
          notificationData:
            changed.length === 0 ? [] : [new DataChangeNotification({ monitoredItems: changed })],
        }),
      }),
    );
  }

  function run(subscription: Subscription): void {
    subscription.stop = clock.after(subscription.everyMs, () => {
      publish(subscription);
      run(subscription);
    });
  }

  return {
    create(request: CreateSubscriptionRequest): CreateSubscriptionResponse {
      ids += 1;
      const subscription: Subscription = {
        id: ids,
        everyMs: Math.max(LEAST_MS, request.requestedPublishingInterval),
        keepAliveCount: Math.max(1, request.requestedMaxKeepAliveCount),
        items: [],
        sequence: 0,
        quiet: 0,
        stop: () => {},
      };
      subscriptions.set(ids, subscription);
      run(subscription);
      return new CreateSubscriptionResponse({
        subscriptionId: ids,
        revisedPublishingInterval: subscription.everyMs,
        revisedLifetimeCount: request.requestedLifetimeCount,
        revisedMaxKeepAliveCount: subscription.keepAliveCount,
      });
    },

    monitor({ subscriptionId, itemsToCreate }: CreateMonitoredItemsRequest): CreateMonitoredItemsResponse {
      const subscription = subscriptions.get(subscriptionId);
      const results = (itemsToCreate ?? []).map(({ itemToMonitor, requestedParameters }) => {
        if (subscription === undefined)
          return new MonitoredItemCreateResult({ statusCode: StatusCodes.BadSubscriptionIdInvalid });
        if (!space.has(itemToMonitor.nodeId))
          return new MonitoredItemCreateResult({ statusCode: StatusCodes.BadNodeIdUnknown });
        const { clientHandle, queueSize } = requestedParameters;
        subscription.items.push({ handle: clientHandle, node: itemToMonitor, last: undefined });
        return new MonitoredItemCreateResult({
          statusCode: StatusCodes.Good,
          monitoredItemId: subscription.items.length,
          revisedSamplingInterval: subscription.everyMs,
          revisedQueueSize: queueSize,
        });
      });
      return new CreateMonitoredItemsResponse({ results });
    },

    /** Keeps the request until there is something to say; false where nothing is subscribed. */
    wait(request: PublishRequest): boolean {
      if (subscriptions.size === 0) return false;
      waiting.push(request);
      for (const subscription of subscriptions.values()) publish(subscription);
      return true;
    },

    remove(ids: Iterable<number>): void {
      for (const id of ids) {
        subscriptions.get(id)?.stop();
        subscriptions.delete(id);
      }
    },

    end(): void {
      for (const { stop } of subscriptions.values()) stop();
      subscriptions.clear();
    },
  };
}
