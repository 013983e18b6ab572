import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { collectOfTheProcess } from './process-metrics.ts';

/** The metrics of `/metrics`, one set per process for all of its services. No label ever contains an id or a secret. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Histogram<'service' | 'method' | 'route' | 'status'>;
  readonly vendorCalls: Histogram<'vendor' | 'call' | 'outcome'>;
  readonly sourceRequests: Counter<'source' | 'outcome'>;
  readonly productionSlots: Counter<'outcome'>;
  /** Sets the source of the end of each area's newest slot (ms since 1970); called when metrics are read. */
  watchProduction(newest: () => readonly { readonly area: string; readonly until: number }[]): void;
  readonly passwordHashes: Counter;
  readonly mails: Counter<'outcome'>;
  readonly webhookDeliveries: Counter<'vendor' | 'outcome'>;
  readonly polls: Counter<'vendor' | 'outcome'>;
  /** How much later than planned devices are polled. */
  readonly pollLateness: Histogram<'vendor'>;
  readonly streamEnds: Counter<'vendor' | 'outcome'>;
  readonly streamReports: Counter<'vendor'>;
  /** Sets the source of the number of open streams; called when metrics are read. */
  watchStreams(count: () => readonly { readonly vendor: string; readonly count: number }[]): void;
  readonly eventsWritten: Counter;
  /** Sets the source of how long the oldest event has been waiting that cannot be read yet, ms; called when metrics are read. */
  watchEventLag(lag: () => Promise<number>): void;
  /** Sets the source of how far readers of the log are behind it, s; called when metrics are read. */
  watchProjections(
    look: () => Promise<readonly { readonly projection: string; readonly lag: number }[]>,
  ): void;
  /** Sets the source of the number of open streams of events; called when metrics are read. */
  watchEventStreams(count: () => number): void;
  readonly subscriptionDeliveries: Counter<'outcome'>;
  /** Sets the source of how many subscriptions there are, and how far they are behind, s; called when metrics are read. */
  watchSubscriptions(
    look: () => Promise<readonly { readonly state: string; readonly count: number; readonly lag: number }[]>,
  ): void;
  /** Sets the source of the number of waiting deliveries; called when metrics are read. */
  watchDeliveries(count: () => Promise<readonly { readonly vendor: string; readonly count: number }[]>): void;
  /** Adds the source of what a service depends on, and whether that works; called when metrics are read. */
  watchChecks(
    service: string,
    look: () => Promise<readonly { readonly check: string; readonly isWell: boolean }[]>,
  ): void;
  /** Sets the source of the number of links; called when metrics are read. */
  watchLinks(
    count: () => Promise<
      readonly { readonly vendor: string; readonly state: string; readonly count: number }[]
    >,
  ): void;
  /** Sets the source of what is left of vendors' limits; called when metrics are read. */
  watchVendorLimits(look: () => Promise<VendorLimits>): void;
  /** Sets the source of how far prices reach and when their sources responded, ms since 1970; called when metrics are read. */
  watchPrices(
    look: () => {
      readonly until: readonly { readonly area: string; readonly until: number }[];
      readonly sources: readonly { readonly source: string; readonly succeededAt: number }[];
    },
  ): void;
  /** Sets the source of the number of connected stations; called when metrics are read. */
  watchStations(count: () => readonly { readonly vendor: string; readonly count: number }[]): void;
  /** Sets the source of what gateways do; called when metrics are read. Bytes are those since the start. */
  watchGateways(
    count: () => {
      readonly gateways: number;
      readonly streams: number;
      readonly received: number;
      readonly sent: number;
    },
  ): void;
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

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectOfTheProcess(registry);
  const checks = new Map<string, Parameters<Metrics['watchChecks']>[1]>();
  return {
    registry,
    requests: new Histogram({
      name: 'elnav_http_request_seconds',
      help: 'Duration of a request',
      labelNames: ['service', 'method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 15],
      registers: [registry],
    }),
    vendorCalls: new Histogram({
      name: 'elnav_vendor_call_seconds',
      help: 'Duration of a call to a vendor, by outcome: ok or an error code',
      labelNames: ['vendor', 'call', 'outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 15],
      registers: [registry],
    }),
    sourceRequests: new Counter({
      name: 'elnav_source_requests_total',
      help: 'Requests to sources of prices, production and exchange rates, by outcome: ok, or the kind of failure',
      labelNames: ['source', 'outcome'],
      registers: [registry],
    }),
    productionSlots: new Counter({
      name: 'elnav_production_slots_total',
      help: 'Slots of production by outcome: stored, changed or implausible',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    watchProduction(newest) {
      new Gauge({
        name: 'elnav_production_until_seconds',
        help: 'End of the newest stored slot of production, in seconds since 1970',
        labelNames: ['area'],
        registers: [registry],
        collect() {
          for (const { area, until } of newest()) this.set({ area }, until / 1_000);
        },
      });
    },
    passwordHashes: new Counter({
      name: 'elnav_password_hashes_total',
      help: 'Computed Argon2id hashes',
      registers: [registry],
    }),
    mails: new Counter({
      name: 'elnav_mails_total',
      help: 'Attempts to send an email, by outcome: sent, retried or failed for good. Sign-in links are not counted',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    webhookDeliveries: new Counter({
      name: 'elnav_webhook_deliveries_total',
      help: 'Webhook deliveries of vendors: accepted, duplicate, refused or undecodable on arrival; applied or failed afterwards',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
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
    streamEnds: new Counter({
      name: 'elnav_stream_ends_total',
      help: 'Ended streams of vendors, by reason: ended, silent, stopped, changed, or an error code',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    streamReports: new Counter({
      name: 'elnav_stream_reports_total',
      help: 'States and parts of states of devices that streams of vendors reported, and that were taken',
      labelNames: ['vendor'],
      registers: [registry],
    }),
    watchStreams(count) {
      new Gauge({
        name: 'elnav_streams_open',
        help: 'Open streams of vendors in this process',
        labelNames: ['vendor'],
        registers: [registry],
        collect() {
          this.reset();
          for (const { vendor, count: open } of count()) this.set({ vendor }, open);
        },
      });
    },
    eventsWritten: new Counter({
      name: 'elnav_events_written_total',
      help: 'Events written into the log by this process',
      registers: [registry],
    }),
    watchEventLag(lag) {
      new Gauge({
        name: 'elnav_event_log_lag_seconds',
        help: 'How long the oldest event has been waiting that no reader gets yet, because an older transaction of the database server has not ended',
        registers: [registry],
        async collect() {
          this.set((await lag().catch(() => 0)) / 1_000);
        },
      });
    },
    watchProjections(look) {
      new Gauge({
        name: 'elnav_event_projection_lag_seconds',
        help: 'How long the oldest event has been waiting that readers get and that is not applied yet, in all processes, by projection: history, charging_sessions',
        labelNames: ['projection'],
        registers: [registry],
        async collect() {
          const all = await look().catch(() => []);
          this.reset();
          for (const { projection, lag } of all) this.set({ projection }, lag);
        },
      });
    },
    watchEventStreams(count) {
      new Gauge({
        name: 'elnav_event_streams_open',
        help: 'Open streams of events from this process to callers',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    subscriptionDeliveries: new Counter({
      name: 'elnav_subscription_deliveries_total',
      help: 'Deliveries of events to subscriptions by this process, by outcome: delivered, failed, or gone (410)',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    watchSubscriptions(look) {
      let reading: ReturnType<typeof look> | undefined;
      // Gauges are collected at the same time: they share a read.
      const states = () => {
        reading ??= look()
          .catch(() => [])
          .finally(() => {
            reading = undefined;
          });
        return reading;
      };
      const common = { labelNames: ['state'], registers: [registry] };
      new Gauge({
        ...common,
        name: 'elnav_subscription_lag_seconds',
        help: 'Age of the oldest event after the cursor of a subscription, the greatest by state, in all processes',
        async collect() {
          const all = await states();
          this.reset();
          for (const { state, lag } of all) this.set({ state }, lag);
        },
      });
      new Gauge({
        ...common,
        name: 'elnav_subscriptions',
        help: 'Subscriptions by state, in all processes: active, failing (the last delivery failed) or paused',
        async collect() {
          const all = await states();
          this.reset();
          for (const { state, count } of all) this.set({ state }, count);
        },
      });
    },
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
    watchGateways(count) {
      new Gauge({
        name: 'elnav_gateways_connected',
        help: 'Gateways connected to this process',
        registers: [registry],
        collect() {
          this.set(count().gateways);
        },
      });
      new Gauge({
        name: 'elnav_gateway_streams_open',
        help: 'Open connections to devices through gateways, in this process',
        registers: [registry],
        collect() {
          this.set(count().streams);
        },
      });
      new Counter({
        name: 'elnav_gateway_bytes_total',
        help: 'Bytes between this process and gateways, by direction: received or sent',
        labelNames: ['direction'],
        registers: [registry],
        collect() {
          const { received, sent } = count();
          this.reset();
          this.inc({ direction: 'received' }, received);
          this.inc({ direction: 'sent' }, sent);
        },
      });
    },
    watchChecks(service, look) {
      if (checks.size === 0)
        new Gauge({
          name: 'elnav_check_ok',
          help: 'Whether what a service depends on works, by the names of /readyz: 1 or 0',
          labelNames: ['service', 'check'],
          registers: [registry],
          async collect() {
            for (const [name, judged] of checks)
              for (const { check, isWell } of await judged())
                this.set({ service: name, check }, isWell ? 1 : 0);
          },
        });
      checks.set(service, look);
    },
    watchLinks(count) {
      new Gauge({
        name: 'elnav_links',
        help: 'Links by vendor and state, in all processes: active, unreachable or needs_relink',
        labelNames: ['vendor', 'state'],
        registers: [registry],
        async collect() {
          const all = await count().catch(() => []);
          this.reset();
          for (const { vendor, state, count: links } of all) this.set({ vendor, state }, links);
        },
      });
    },
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
    watchPrices(look) {
      new Gauge({
        name: 'elnav_prices_until_seconds',
        help: 'End of the prices that are stored without a gap from today on, in seconds since 1970',
        labelNames: ['area'],
        registers: [registry],
        collect() {
          this.reset();
          for (const { area, until } of look().until) this.set({ area }, until / 1_000);
        },
      });
      new Gauge({
        name: 'elnav_source_succeeded_seconds',
        help: 'When a source of prices or exchange rates last responded as it should, in seconds since 1970',
        labelNames: ['source'],
        registers: [registry],
        collect() {
          this.reset();
          for (const { source, succeededAt } of look().sources) this.set({ source }, succeededAt / 1_000);
        },
      });
    },
    watchStations(count) {
      new Gauge({
        name: 'elnav_stations_connected',
        help: 'Stations connected to this process',
        labelNames: ['vendor'],
        registers: [registry],
        collect() {
          for (const { vendor, count: connected } of count()) this.set({ vendor }, connected);
        },
      });
    },
  };
}
