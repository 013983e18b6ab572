import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Metrics } from '../core/metrics.ts';
import type { Service } from './errors.ts';

/** One thing that the service leans on. */
export interface Probe {
  readonly name: string;
  /** Without it requests cannot be answered; a probe that is not vital only shows. */
  readonly vital: boolean;
  /** A word or a sentence on how it is; throws when it is not well. */
  check(): Promise<string>;
}

interface HealthOptions {
  readonly service: Service;
  readonly probes: readonly Probe[];
  readonly metrics: Metrics;
  isStopping(): boolean;
}

const Ready = Type.Object({
  status: Type.Enum(['ready', 'degraded', 'not_ready']),
  checks: Type.Record(Type.String(), Type.String()),
});

const WHO =
  'For whoever runs the service: from its own machine, from the addresses in `ELNAV_METRICS_FROM`, or with the admin token. Everybody else gets 404.';

/** `/healthz`: the process answers. `/readyz`: it can do its work. `/metrics`: Prometheus. */
export function addHealth(app: FastifyInstance, options: HealthOptions): void {
  const config = {
    access: 'operator' as const,
    // As an address that nothing is at.
    ...(app.showUnknown === null ? {} : { showError: app.showUnknown }),
  };
  const nothing = Type.Object(
    { [options.service === 'connect' ? 'error' : 'detail']: Type.String() },
    { description: 'To everybody but the operator' },
  );
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        summary: 'The process is alive',
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
        summary: 'The service can do its work',
        description: `Degraded (200): something that is not vital is away. Not ready: 503. ${WHO}`,
        tags: ['Operation'],
        response: { 200: Ready, 404: nothing, 503: Ready },
      },
    },
    async (_request, reply) => {
      const checks: Record<string, string> = {};
      let status: 'ready' | 'degraded' | 'not_ready' = options.isStopping() ? 'not_ready' : 'ready';
      for (const probe of options.probes) {
        try {
          checks[probe.name] = await probe.check();
        } catch (error) {
          checks[probe.name] = error instanceof Error ? error.message : 'failed';
          if (probe.vital) status = 'not_ready';
          else if (status === 'ready') status = 'degraded';
        }
      }
      return reply.code(status === 'not_ready' ? 503 : 200).send({ status, checks });
    },
  );

  app.get(
    '/metrics',
    {
      config,
      schema: {
        summary: 'Metrics for Prometheus',
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
