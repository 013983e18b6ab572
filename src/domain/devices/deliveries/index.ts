import { hash } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterNamed } from '../../../adapter/adapters.ts';
import type { Delivery, Webhook } from '../../../adapter/webhook.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInJsonOf, type Json } from '../../../core/json.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { createLease } from '../../../db/lease.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import { createDeliveryQueue, type DeliveryQueue } from './apply.ts';
import { createIntake } from './intake.ts';
import { type Arrived, createDeliveryStore } from './store.ts';
import { createSubscriptionStore } from './store-subscriptions.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Deliveries of vendors that wait to be applied, by vendor, as all processes together have them. */
export const deliveryBacklog = (
  database: Database,
): Promise<readonly { readonly vendor: string; readonly count: number }[]> =>
  createDeliveryStore(database).backlog();

/** A process that has not renewed its lease for so long is treated as dead, and another goes on. */
const LEASE_MS = 10_000;
/** How often each process looks for deliveries that another has left behind. */
const LOOK_MS = 15_000;
/** Vendors repeat a delivery for hours; one that comes later than this is a new one. */
const KEPT_DAYS = { done: 3, failed: 30 } as const;
/** Removed at once by retention. */
const ROWS_AT_ONCE = 1_000;
const ID_LIMIT = 200;
/** Never stored: they name us, not the vendor. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'x-api-key', 'x-admin-token']);

const utf8 = new TextDecoder('utf-8', { fatal: true });

interface DeliveriesOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Devices;
  readonly calls: Pick<Calls, 'withVendor'>;
  readonly events: LinkEvents;
  /** What the vendor signs with; undefined while the operator has not set it. */
  readonly secretOf: (vendor: string) => string | undefined;
  /** Where a vendor is to post to; undefined where it could not reach us. */
  readonly urlOf: (vendor: string) => string | undefined;
}

type PushingVendor = Adapter & { readonly webhook: Webhook };

/** Throws `webhook.signature_invalid`. */
function verify(
  { slug, name, webhook }: PushingVendor,
  delivery: Delivery,
  { secretOf, host }: Pick<DeliveriesOptions, 'secretOf' | 'host'>,
): void {
  if (webhook.trust === 'hint') return;
  const secret = secretOf(slug);
  const isGood = secret !== undefined && secret !== '' && webhook.verify?.(delivery, secret) === true;
  // control: a delivery without the signature of its vendor is refused [deliveries/deliveries] => true
  if (isGood) return;
  host.metrics.webhookDeliveries.inc({ vendor: slug, outcome: 'refused' });
  throw new AppError(
    'webhook.signature_invalid',
    secret === undefined
      ? `the signature cannot be verified: the ${webhook.secret === undefined ? 'client secret' : webhook.secret.replaceAll('_', ' ')} of ${name} is not set`
      : `the signature is not valid for ${name}`,
  );
}

/** What is stored of a delivery. */
function arrivedOf(
  { slug: vendor, webhook }: PushingVendor,
  delivery: Delivery,
  { database, log }: Pick<Host, 'database' | 'log'>,
): Arrived {
  const kept = Object.entries(delivery.headers).filter(([name]) => !PRIVATE_HEADERS.has(name));
  const common = {
    vendor,
    // Reports are compared with what other processes have read.
    receivedAt: database.moments.clock.now(),
    headersJson: JSON.stringify(Object.fromEntries(kept)),
    body: delivery.body,
  };
  const ofBody = () => `sha256:${hash('sha256', delivery.body, 'hex')}`;
  const body = jsonIn(delivery.body);
  // It is the vendor's and it is not understood: repeating it would not help, and losing it would hide that.
  if (typeof body === 'string') return { ...common, deliveryId: ofBody(), status: 'failed', reason: body };
  let deliveryId: string | undefined;
  try {
    deliveryId = webhook.idOf?.(delivery, body.value);
  } catch (error) {
    log.warn({ err: error, vendor }, 'a delivery could not be named');
  }
  if (deliveryId === undefined || deliveryId === '') deliveryId = ofBody();
  else if (deliveryId.length > ID_LIMIT || deliveryId.includes('\0') || !deliveryId.isWellFormed())
    deliveryId = `id-sha256:${hash('sha256', deliveryId, 'hex')}`;
  return { ...common, deliveryId, status: 'pending', reason: null };
}

/** What vendors post: verified, stored before it is acknowledged, and applied once, in order. */
export function createDeliveries(options: DeliveriesOptions) {
  const { adapters } = options;
  const { database, clock, random, log, metrics } = options.host;
  const store = createDeliveryStore(database);
  const pushing = [...adapters.values()].filter((one): one is PushingVendor => one.webhook !== undefined);
  const queues = new Map<string, DeliveryQueue>(
    pushing.map((adapter) => {
      const name = `webhooks.${adapter.slug}`;
      const lease = createLease({ database, random, name, lengthMs: LEASE_MS });
      return [
        adapter.slug,
        createDeliveryQueue({ ...options.host, ...options, adapter, webhook: adapter.webhook, store, lease }),
      ];
    }),
  );
  const intake = createIntake({
    store,
    clock,
    log,
    stored: (vendors) => {
      for (const vendor of vendors) queues.get(vendor)?.wake();
    },
  });
  const subscriptions = createSubscriptions({
    ...options.host,
    ...options,
    store: createSubscriptionStore(database),
    pushing,
  });

  function vendorOf(slug: string): PushingVendor {
    const adapter = adapterNamed(adapters, slug);
    const { webhook } = adapter;
    if (webhook === undefined)
      throw new AppError('vendor.without_webhooks', `${adapter.name} has no webhooks`);
    return { ...adapter, webhook };
  }

  const lookAround = async (): Promise<void> => {
    for (const { vendor } of await store.backlog()) queues.get(vendor)?.wake();
  };
  const retentions: ReturnType<typeof startRetention>[] = [];
  const looks = createLoop({
    clock,
    run: lookAround,
    everyMs: LOOK_MS,
    failed: (error) => log.warn({ err: error }, 'stored deliveries could not be looked at'),
  });

  return {
    /**
     * The response to a delivery that only asks whether this address is ours; undefined for every other one. Throws `vendor.unknown` and
     * `vendor.without_webhooks`.
     */
    challenged(slug: string, delivery: Delivery): Json | undefined {
      const { webhook } = vendorOf(slug);
      const secret = options.secretOf(slug);
      if (webhook.challenge === undefined || secret === undefined || secret === '') return undefined;
      const body = jsonIn(delivery.body);
      return typeof body === 'string' ? undefined : webhook.challenge(body.value, secret);
    },

    /**
     * Takes a delivery: resolves when it is durable, `false` when it had been taken before. Throws `vendor.unknown`,
     * `vendor.without_webhooks`, and `webhook.signature_invalid` with nothing stored.
     */
    async receive(slug: string, delivery: Delivery): Promise<boolean> {
      const adapter = vendorOf(slug);
      verify(adapter, delivery, options);
      const arrived = arrivedOf(adapter, delivery, options.host);
      const isNew = await intake.add(arrived);
      const outcome = !isNew ? 'duplicate' : arrived.status === 'failed' ? 'undecodable' : 'accepted';
      metrics.webhookDeliveries.inc({ vendor: slug, outcome });
      return isNew;
    },

    /** Whether a vendor posts here; throws as `receive` does. */
    check: (slug: string): void => void vendorOf(slug),

    /** Goes on with what an earlier process has left, and looks for more from time to time. */
    start(): void {
      for (const queue of queues.values()) queue.wake();
      looks.wake();
      subscriptions.start();
      for (const status of ['done', 'failed'] as const)
        retentions.push(
          startRetention({
            ...{ host: options.host, what: `webhook deliveries, ${status}`, days: KEPT_DAYS[status] },
            removeSome: inBatches(store.ended(status), ROWS_AT_ONCE),
          }),
        );
    },

    /** Deliveries that wait to be applied. */
    backlog: store.backlog,

    /** Resolves when all that has been taken is applied, as far as it can be now. */
    async settled(): Promise<void> {
      await intake.flush();
      await looks.settled();
      for (const queue of queues.values()) await queue.settled();
      await subscriptions.settled();
    },

    async close(): Promise<void> {
      await looks.close();
      await Promise.all(retentions.map((one) => one.close()));
      await intake.flush();
      await Promise.all([subscriptions.close(), ...[...queues.values()].map((queue) => queue.close())]);
    },
  };
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The body as a value, or why it is none. */
function jsonIn(body: Uint8Array): { readonly value: Json } | string {
  try {
    const text = utf8.decode(body);
    const value = JSON.parse(text) as Json;
    return faultInJsonOf(text, value) ?? { value };
  } catch {
    return 'it is not JSON in UTF-8';
  }
}
