import type { Adapter } from '../../../adapter/adapter.ts';
import type { Delivery, DeviceChange, Webhook } from '../../../adapter/webhook.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { Lease } from '../../../db/lease.ts';
import type { DeviceOf, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import type { DeliveryStore, Pending } from './store.ts';

/** Work of one round; the lease is renewed between rounds. */
const ROUND = 256;
/** Waits between attempts of what could not be applied; after the last one it is kept as failed. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
/** A database that was away is tried again so soon, and while another process applies. */
const AGAIN_MS = 1_000;

interface DeliveryQueueOptions {
  readonly adapter: Adapter;
  readonly webhook: Webhook;
  readonly store: DeliveryStore;
  readonly lease: Lease;
  readonly devices: Pick<Devices, 'named' | 'report' | 'flush'>;
  readonly events: Pick<LinkEvents, 'emitOrThrow'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'webhookDeliveries'>;
}

/** What a round has found to do besides what it has done. */
interface Round {
  readonly toRead: Map<string, DeviceOf>;
  readonly named: Map<string, Promise<DeviceOf[]>>;
}

/**
 * Applies a vendor's deliveries in the order of their arrival, on one process at a time. What is applied twice, after a crash or
 * beside a process that stalled, comes to the same: states are merged by their time, and reads ask what is so now.
 */
export function createDeliveryQueue(options: DeliveryQueueOptions) {
  const { adapter, webhook, store, lease, devices, events, clock, log, metrics } = options;
  const { slug: vendor } = adapter;
  const loop = createLoop({
    clock,
    run: work,
    retryMs: () => AGAIN_MS,
    failed: (error) =>
      log.warn({ err: error, vendor }, 'deliveries could not be applied; they are tried again'),
  });

  /** Applies what is pending; resolves to the time until the next attempt when another process holds the lease. */
  async function work(): Promise<number | undefined> {
    if (!(await lease.hold())) return AGAIN_MS;
    try {
      while (!loop.isClosed && (await round())) if (!(await lease.hold())) return AGAIN_MS;
      return undefined;
    } finally {
      await lease.release();
    }
  }

  /** Answers whether there may be more to do. */
  async function round(): Promise<boolean> {
    const pending = await store.pending(vendor, ROUND);
    if (pending.length === 0) return false;
    const found: Round = { toRead: new Map(), named: new Map() };
    const done: number[] = [];
    for (const one of pending) {
      const fault = await faultOf(one, found);
      if (fault === undefined) done.push(one.id);
      else await putOff(one, fault);
    }
    if (found.toRead.size > 0) await events.emitOrThrow('hinted', [...found.toRead.values()]);
    // Only what is stored may be called applied.
    if (!(await devices.flush())) throw new Error('what was reported could not be stored');
    await store.done(done);
    metrics.webhookDeliveries.inc({ vendor, outcome: 'applied' }, done.length);
    return pending.length === ROUND;
  }

  /** Applies one; what fails of it by itself is answered, what fails of the database is thrown. */
  async function faultOf(one: Pending, found: Round): Promise<string | undefined> {
    const delivery: Delivery = {
      body: one.body,
      headers: JSON.parse(one.headersJson) as Record<string, string>,
      receivedAt: one.receivedAt,
    };
    let reported: readonly DeviceChange[];
    try {
      reported = webhook.read(JSON.parse(Buffer.from(one.body).toString()) as Json, delivery);
    } catch (error) {
      log.warn({ err: error, vendor, delivery: one.id }, 'a delivery was not understood');
      return error instanceof AppError ? error.message : 'it was not understood';
    }
    try {
      for (const each of reported) await apply(each, delivery, found);
      return undefined;
    } catch (error) {
      // A database that is unreachable is so for all: nothing counts against this one.
      if (error instanceof AppError && error.code.startsWith('database.')) throw error;
      log.warn({ err: error, vendor, delivery: one.id }, 'a delivery could not be applied');
      return error instanceof AppError ? error.message : 'it could not be applied';
    }
  }

  async function apply(reported: DeviceChange, { receivedAt }: Delivery, found: Round): Promise<void> {
    // Nothing can be meant in the future: a vendor's clock may be ahead of ours.
    const at = Math.min(reported.at ?? receivedAt, receivedAt);
    const isTrusted = webhook.trust === 'signed';
    const { vendorAccount } = reported;
    if (reported.isLoginLost === true && isTrusted && vendorAccount !== undefined)
      return events.emitOrThrow('loginLost', { vendor, vendorAccount, at });
    if (reported.isListChanged === true && vendorAccount !== undefined)
      return events.emitOrThrow('accountListChanged', { vendor, vendorAccount, isTrusted });
    for (const device of await devicesOf(reported, found)) {
      const isApplied =
        reported.state !== undefined && isTrusted
          ? await devices.report(device, device.id, { state: reported.state, at })
          : 'unknown';
      if (isApplied === 'unknown') found.toRead.set(`${device.account}/${device.id}`, device);
    }
  }

  function devicesOf({ vendorAccount, device }: DeviceChange, { named }: Round): Promise<DeviceOf[]> {
    if (vendorAccount === undefined && device === undefined) return Promise.resolve([]);
    const key = JSON.stringify([vendorAccount, device]);
    const known = named.get(key);
    if (known !== undefined) return known;
    const asked = devices
      .named(vendor, { vendorAccount, device })
      .then((found) => found.map((one) => ({ ...one, vendor })));
    named.set(key, asked);
    return asked;
  }

  async function putOff(one: Pending, reason: string): Promise<void> {
    const waitMs = RETRY_MS[one.attempts];
    await store.notDone(one.id, { attempts: one.attempts + 1, waitMs, reason: reason.slice(0, 500) });
    if (waitMs === undefined) metrics.webhookDeliveries.inc({ vendor, outcome: 'failed' });
  }

  return {
    /** There may be something to apply. */
    wake: (): void => loop.wake(),
    /** Resolves when what is under way is done. */
    settled: loop.settled,
    close: loop.close,
  };
}

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;
