import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Clock } from '../core/clock.ts';
import type { Metrics } from '../core/metrics.ts';
import { shareBriefly } from '../core/share-briefly.ts';
import { ConnectError, GridError } from './contract/errors.ts';
import type { Service } from './errors.ts';

/** Checks one dependency of the service. */
export interface Probe {
  readonly name: string;
  /** Whether requests cannot be served without it; a failed probe that is not vital only degrades the service. */
  readonly vital: boolean;
  /** A word or a sentence on its state; throws when it does not work. */
  check(): Promise<string>;
}

interface HealthOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly probes: readonly Probe[];
  readonly metrics: Metrics;
  isStopping(): boolean;
}

const Ready = Type.Object(
  {
    status: Type.Enum(['ready', 'degraded', 'not_ready']),
    checks: Type.Record(Type.String(), Type.String(), { examples: [{ database: 'ok' }] }),
  },
  { title: 'Readiness' },
);

const WHO =
  'For the operator: from the same machine, from the addresses in `ELNAV_METRICS_FROM`, or with the admin token. Returns 404 to others.';

/** The time limit of a probe; orchestrators give up not much later. */
const PROBE_MS = 2_000;
/** How long a result is reused, since anybody with access may ask often. */
const SHARED_MS = 1_000;

/** `/healthz`: the process responds. `/readyz`: it can serve requests. `/metrics`: Prometheus. */
export function addHealth(app: FastifyInstance, options: HealthOptions): void {
  const config = {
    access: 'operator' as const,
    // The same page as for an unknown path.
    ...(app.showUnknown === null ? {} : { showError: app.showUnknown }),
  };
  const nothing = {
    ...(options.service === 'connect' ? ConnectError : GridError),
    description: 'For everybody except the operator',
  };
  const { clock, probes } = options;
  const judged = shareBriefly(clock, SHARED_MS, () => judge(probes, clock));
  options.metrics.watchChecks(options.service, async () =>
    (await judged()).map(({ name, isWell }) => ({ check: name, isWell })),
  );
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'checkHealth',
        summary: 'Check that the process is alive',
        tags: ['Operation'],
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      config,
      schema: {
        operationId: 'checkReadiness',
        summary: 'Check that the service is ready',
        description: `Returns 200 if ready or degraded (a part that is not vital is unavailable), 503 if not ready. ${WHO}`,
        tags: ['Operation'],
        response: { 200: Ready, 404: nothing, 503: Ready },
      },
    },
    async (_request, reply) => {
      const { status, checks } = readyOf(await judged());
      const reported = options.isStopping() ? 'not_ready' : status;
      return reply.code(reported === 'not_ready' ? 503 : 200).send({ status: reported, checks });
    },
  );

  app.get(
    '/metrics',
    {
      config,
      schema: {
        operationId: 'getMetrics',
        summary: 'Read metrics for Prometheus',
        description: WHO,
        tags: ['Operation'],
        response: {
          200: {
            description: 'In the text format of Prometheus',
            content: { 'text/plain': { schema: Type.String() } },
          },
          404: nothing,
        },
      },
    },
    async (_request, reply) =>
      reply.type(options.metrics.registry.contentType).send(await options.metrics.registry.metrics()),
  );
}

/** How a dependency is, and what its probe says of it. */
export interface Judged {
  readonly name: string;
  readonly vital: boolean;
  readonly isWell: boolean;
  readonly message: string;
}

/** Runs all probes at once; one that does not respond within two seconds has failed. Never rejects. */
export function judge(probes: readonly Probe[], clock: Clock): Promise<Judged[]> {
  return Promise.all(
    probes.map(async ({ name, vital, check }) => {
      try {
        return { name, vital, isWell: true, message: await inTime(clock, check) };
      } catch (error) {
        return { name, vital, isWell: false, message: error instanceof Error ? error.message : 'failed' };
      }
    }),
  );
}

/** Rejects where an answer does not come within two seconds. */
export async function inTime<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  const silent = Promise.withResolvers<never>();
  const cancelTimeout = clock.after(PROBE_MS, () =>
    silent.reject(new Error(`no response in ${PROBE_MS / 1_000} seconds`)),
  );
  try {
    return await Promise.race([ask(), silent.promise]);
  } finally {
    cancelTimeout();
  }
}

function readyOf(judged: readonly Judged[]): Static<typeof Ready> {
  const unwell = judged.filter(({ isWell }) => !isWell);
  return {
    status: unwell.some(({ vital }) => vital) ? 'not_ready' : unwell.length > 0 ? 'degraded' : 'ready',
    checks: Object.fromEntries(judged.map(({ name, message }) => [name, message])),
  };
}
