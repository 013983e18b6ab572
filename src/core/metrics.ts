import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Everything that `/metrics` tells; one for a process, whichever services it runs. No label ever holds an id or a secret. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Histogram<'service' | 'method' | 'route' | 'status'>;
  readonly vendorCalls: Histogram<'vendor' | 'call' | 'outcome'>;
  readonly sourceRequests: Counter<'source' | 'outcome'>;
  readonly productionSlots: Counter<'outcome'>;
  /** Says where the end of the newest slot of each area is to be had (ms since 1970); asked when metrics are read. */
  watchProduction(newest: () => readonly { readonly area: string; readonly until: number }[]): void;
  readonly passwordHashes: Counter;
  readonly mails: Counter<'outcome'>;
  readonly webhookDeliveries: Counter<'vendor' | 'outcome'>;
  readonly polls: Counter<'vendor' | 'outcome'>;
  /** How much later than planned devices are read in the background. */
  readonly pollLateness: Histogram<'vendor'>;
  readonly streamEnds: Counter<'vendor' | 'outcome'>;
  /** Says where the number of open streams is to be had; asked when metrics are read. */
  watchStreams(count: () => readonly { readonly vendor: string; readonly count: number }[]): void;
  /** Says where the number of deliveries that wait is to be had; asked when metrics are read. */
  watchDeliveries(count: () => Promise<readonly { readonly vendor: string; readonly count: number }[]>): void;
  /** Says where the number of connected stations is to be had; asked when metrics are read. */
  watchStations(count: () => readonly { readonly vendor: string; readonly count: number }[]): void;
}

/**
 * Of what prom-client tells of the process, what says nothing of a single request: open sockets, timers and files do, so that
 * whoever reads them would see for which addresses a letter is delivered.
 */
const OF_THE_PROCESS: readonly RegExp[] = [
  /^process_cpu_/,
  /^process_start_time_seconds$/,
  /^process_resident_memory_bytes$/,
  /^process_virtual_memory_bytes$/,
  /^process_heap_bytes$/,
  /^process_max_fds$/,
  /^nodejs_eventloop_lag_/,
  /^nodejs_heap_/,
  /^nodejs_external_memory_bytes$/,
  /^nodejs_gc_/,
  /^nodejs_version_info$/,
];

function collectOfTheProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray())
    if (!OF_THE_PROCESS.some((kept) => kept.test(name))) registry.removeSingleMetric(name);
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectOfTheProcess(registry);
  return {
    registry,
    requests: new Histogram({
      name: 'elnav_http_request_seconds',
      help: 'Time to answer a request',
      labelNames: ['service', 'method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 15],
      registers: [registry],
    }),
    vendorCalls: new Histogram({
      name: 'elnav_vendor_call_seconds',
      help: 'Time of a call to a vendor, by its outcome: ok or an error code',
      labelNames: ['vendor', 'call', 'outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 15],
      registers: [registry],
    }),
    sourceRequests: new Counter({
      name: 'elnav_source_requests_total',
      help: 'Questions to sources of prices, production and exchange rates, by their outcome: ok, or what went wrong',
      labelNames: ['source', 'outcome'],
      registers: [registry],
    }),
    productionSlots: new Counter({
      name: 'elnav_production_slots_total',
      help: 'Slots of production that were stored or changed, and those that cannot be right',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    watchProduction(newest) {
      new Gauge({
        name: 'elnav_production_until_seconds',
        help: 'End of the newest slot of production that is known, in seconds since 1970',
        labelNames: ['area'],
        registers: [registry],
        collect() {
          for (const { area, until } of newest()) this.set({ area }, until / 1_000);
        },
      });
    },
    passwordHashes: new Counter({
      name: 'elnav_password_hashes_total',
      help: 'Computations of Argon2id',
      registers: [registry],
    }),
    mails: new Counter({
      name: 'elnav_mails_total',
      help: 'Tries to deliver a letter: sent, retried, or failed for good. Sign-in links are not counted',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    webhookDeliveries: new Counter({
      name: 'elnav_webhook_deliveries_total',
      help: 'What vendors posted: accepted, duplicate, refused or undecodable when it came; applied or failed afterwards',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    polls: new Counter({
      name: 'elnav_polls_total',
      help: 'Turns of background reading: read, fresh (somebody else had read), or an error code',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    pollLateness: new Histogram({
      name: 'elnav_poll_lateness_seconds',
      help: 'How much later than planned a device was read in the background',
      labelNames: ['vendor'],
      buckets: [0.5, 1, 2, 5, 15, 60, 300, 1_800],
      registers: [registry],
    }),
    streamEnds: new Counter({
      name: 'elnav_stream_ends_total',
      help: 'Streams of vendors that ended, by why: ended, silent, stopped, changed, or an error code',
      labelNames: ['vendor', 'outcome'],
      registers: [registry],
    }),
    watchStreams(count) {
      new Gauge({
        name: 'elnav_streams_open',
        help: 'Streams of vendors that are open in this process',
        labelNames: ['vendor'],
        registers: [registry],
        collect() {
          this.reset();
          for (const { vendor, count: open } of count()) this.set({ vendor }, open);
        },
      });
    },
    watchDeliveries(count) {
      new Gauge({
        name: 'elnav_webhook_backlog',
        help: 'Deliveries of vendors that wait to be applied, of all processes',
        labelNames: ['vendor'],
        registers: [registry],
        async collect() {
          const all = await count().catch(() => []);
          this.reset();
          for (const { vendor, count: waiting } of all) this.set({ vendor }, waiting);
        },
      });
    },
    watchStations(count) {
      new Gauge({
        name: 'elnav_stations_connected',
        help: 'Stations that are connected to this process',
        labelNames: ['vendor'],
        registers: [registry],
        collect() {
          for (const { vendor, count: connected } of count()) this.set({ vendor }, connected);
        },
      });
    },
  };
}
