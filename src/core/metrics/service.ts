import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Requests, what they need, and what is sent to people. */
export interface ServiceMetrics {
  readonly requests: Histogram<'service' | 'method' | 'route' | 'status'>;
  readonly requestsNotKept: Counter<'reason'>;
  readonly passwordHashes: Counter;
  readonly mails: Counter<'outcome'>;
  /** Adds the source of what a service depends on, and whether that works; called when metrics are read. */
  watchChecks(
    service: string,
    look: () => Promise<readonly { readonly check: string; readonly isWell: boolean }[]>,
  ): void;
}

export function serviceMetrics(registry: Registry): ServiceMetrics {
  const checks = new Map<string, Parameters<ServiceMetrics['watchChecks']>[1]>();
  return {
    requests: new Histogram({
      name: 'elnav_http_request_seconds',
      help: 'Duration of a request',
      labelNames: ['service', 'method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 15],
      registers: [registry],
    }),
    requestsNotKept: new Counter({
      name: 'elnav_requests_not_kept_total',
      help: 'Requests that cannot be found by their ids although others of their kind can, by reason: flood (too many in a minute), full (too many waited for the database), refused (by the database)',
      labelNames: ['reason'],
      registers: [registry],
    }),
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
  };
}
