import { Counter, Gauge, type Registry } from 'prom-client';

/** The event log, and where it is read and delivered. */
export interface EventMetrics {
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
}

export function eventMetrics(registry: Registry): EventMetrics {
  return {
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
  };
}
