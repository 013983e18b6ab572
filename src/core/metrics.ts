import { Registry } from 'prom-client';
import { type ConnectionMetrics, connectionMetrics } from './metrics/connections.ts';
import { type EventMetrics, eventMetrics } from './metrics/events.ts';
import { type MarketMetrics, marketMetrics } from './metrics/market.ts';
import { collectOfTheProcess } from './metrics/process.ts';
import { type ServiceMetrics, serviceMetrics } from './metrics/service.ts';
import { type VendorMetrics, vendorMetrics } from './metrics/vendors.ts';

export type { VendorLimits } from './metrics/vendors.ts';

/** The metrics of `/metrics`, one set per process for all of its services. No label ever contains an id or a secret. */
export interface Metrics
  extends ServiceMetrics,
    VendorMetrics,
    ConnectionMetrics,
    EventMetrics,
    MarketMetrics {
  readonly registry: Registry;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectOfTheProcess(registry);
  return {
    registry,
    ...serviceMetrics(registry),
    ...vendorMetrics(registry),
    ...connectionMetrics(registry),
    ...eventMetrics(registry),
    ...marketMetrics(registry),
  };
}
