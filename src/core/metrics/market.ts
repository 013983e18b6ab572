import { Counter, Gauge, type Registry } from 'prom-client';

/** Prices, production, and their sources. */
export interface MarketMetrics {
  readonly sourceRequests: Counter<'source' | 'outcome'>;
  readonly productionSlots: Counter<'outcome'>;
  /** Sets the source of the end of each area's newest slot (ms since 1970); called when metrics are read. */
  watchProduction(newest: () => readonly { readonly area: string; readonly until: number }[]): void;
  /** Sets the source of how far prices reach and when their sources responded, ms since 1970; called when metrics are read. */
  watchPrices(
    look: () => {
      readonly until: readonly { readonly area: string; readonly until: number }[];
      readonly sources: readonly { readonly source: string; readonly succeededAt: number }[];
    },
  ): void;
}

export function marketMetrics(registry: Registry): MarketMetrics {
  return {
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
  };
}
