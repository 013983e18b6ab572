import { Counter, Gauge, type Registry } from 'prom-client';

/** Links, and connections that stay open. */
export interface ConnectionMetrics {
  /** Sets the source of the number of links; called when metrics are read. */
  watchLinks(
    count: () => Promise<
      readonly { readonly vendor: string; readonly state: string; readonly count: number }[]
    >,
  ): void;
  readonly streamEnds: Counter<'vendor' | 'outcome'>;
  readonly streamReports: Counter<'vendor'>;
  /** Sets the source of the number of open streams; called when metrics are read. */
  watchStreams(count: () => readonly { readonly vendor: string; readonly count: number }[]): void;
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

export function connectionMetrics(registry: Registry): ConnectionMetrics {
  return {
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
  };
}
