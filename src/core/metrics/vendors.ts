import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Calls to vendors, what comes from them, and what is left of their limits. */
export interface VendorMetrics {
  readonly vendorCalls: Histogram<'vendor' | 'call' | 'outcome'>;
  readonly webhookDeliveries: Counter<'vendor' | 'outcome'>;
  /** Sets the source of the number of waiting deliveries; called when metrics are read. */
  watchDeliveries(count: () => Promise<readonly { readonly vendor: string; readonly count: number }[]>): void;
  readonly polls: Counter<'vendor' | 'outcome'>;
  /** How much later than planned devices are polled. */
  readonly pollLateness: Histogram<'vendor'>;
  /** Sets the source of what is left of vendors' limits; called when metrics are read. */
  watchVendorLimits(look: () => Promise<VendorLimits>): void;
}

/** What of vendors' limits is counted for all links together. */
export interface VendorLimits {
  /** Blocks that hold, by vendor: of all links, or of one. */
  readonly blocks: readonly {
    readonly vendor: string;
    readonly of: 'all' | 'link';
    readonly count: number;
  }[];
  /** Limits that all links share, with the part of them that is used; calls are held back at 1. */
  readonly budgets: readonly { readonly vendor: string; readonly limit: string; readonly used: number }[];
}

export function vendorMetrics(registry: Registry): VendorMetrics {
  return {
    vendorCalls: new Histogram({
      name: 'elnav_vendor_call_seconds',
      help: 'Duration of a call to a vendor, by outcome: ok or an error code',
      labelNames: ['vendor', 'call', 'outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 15],
      registers: [registry],
    }),
    webhookDeliveries: new Counter({
      name: 'elnav_webhook_deliveries_total',
      help: 'Webhook deliveries of vendors: accepted, duplicate, refused or undecodable on arrival; applied or failed afterwards',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    watchDeliveries(count) {
      new Gauge({
        name: 'elnav_webhook_backlog',
        help: 'Deliveries of vendors that wait to be applied, in all processes',
        labelNames: ['vendor'],
        registers: [registry],
        async collect() {
          const all = await count().catch(() => []);
          this.reset();
          for (const { vendor, count: waiting } of all) this.set({ vendor }, waiting);
        },
      });
    },
    polls: new Counter({
      name: 'elnav_polls_total',
      help: 'Background polls by outcome: read, fresh (another process had read it), or an error code',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    pollLateness: new Histogram({
      name: 'elnav_poll_lateness_seconds',
      help: 'How much later than planned a device was polled',
      labelNames: ['vendor'],
      buckets: [0.5, 1, 2, 5, 15, 60, 300, 1_800],
      registers: [registry],
    }),
    watchVendorLimits(look) {
      new Gauge({
        name: 'elnav_vendor_blocks',
        help: 'Blocks by vendors that hold now, in all processes, of all links or of one link',
        labelNames: ['vendor', 'of'],
        registers: [registry],
        async collect() {
          const { blocks } = await look().catch(() => ({ blocks: [] }));
          this.reset();
          for (const { vendor, of, count } of blocks) this.set({ vendor, of }, count);
        },
      });
      new Gauge({
        name: 'elnav_vendor_limit_used_ratio',
        help: 'Used part of limits of vendors that all links share, as this process knows it; calls are held back at 1',
        labelNames: ['vendor', 'limit'],
        registers: [registry],
        async collect() {
          const { budgets } = await look().catch(() => ({ budgets: [] }));
          this.reset();
          for (const { vendor, limit, used } of budgets) this.set({ vendor, limit }, used);
        },
      });
    },
  };
}
