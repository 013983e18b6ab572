import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Clock } from '../core/clock.ts';
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
  readonly clock: Clock;
  readonly probes: readonly Probe[];
  readonly metrics: Metrics;
  isStopping(): boolean;
}

const Ready = Type.Object({
  status: Type.Enum(['ready', 'degraded', 'not_ready']),
  checks: Type.Record(Type.String(), Type.String(), { examples: [{ database: 'ok' }] }),
});

const WHO =
  'For the operator: from the same machine, from the addresses in `ELNAV_METRICS_FROM`, or with the admin token. Returns 404 to others.';

/** Whoever asks a probe that is silent is told so then; orchestrators give up not much later. */
const PROBE_MS = 2_000;
/** Nobody needs to be told more often, and anybody may ask. */
const KEPT_MS = 1_000;

/** `/healthz`: the process answers. `/readyz`: it can do its work. `/metrics`: Prometheus. */
export function addHealth(app: FastifyInstance, options: HealthOptions): void {
  const config = {
    access: 'operator' as const,
    // As an address that nothing is at.
    ...(app.showUnknown === null ? {} : { showError: app.showUnknown }),
  };
  const nothing = Type.Object(
    { [options.service === 'connect' ? 'error' : 'detail']: Type.String() },
    { description: 'For everybody except the operator' },
  );
  const { clock, probes } = options;
  const ready = kept(clock, () => judge(probes, clock));
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
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
        summary: 'Check that the service is ready',
        description: `Returns 200 if ready or degraded (a part that is not vital is unavailable), 503 if not ready. ${WHO}`,
        tags: ['Operation'],
        response: { 200: Ready, 404: nothing, 503: Ready },
      },
    },
    async (_request, reply) => {
      const { status, checks } = await ready();
      const told = options.isStopping() ? 'not_ready' : status;
      return reply.code(told === 'not_ready' ? 503 : 200).send({ status: told, checks });
    },
  );

  app.get(
    '/metrics',
    {
      config,
      schema: {
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

/** What is made for everybody: shared while it is being made, and for a second afterwards. */
function kept<T>(clock: Clock, make: () => Promise<T>): () => Promise<T> {
  let last: { readonly made: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock.now() < last.until) return last.made;
    const own = { made: make(), until: Number.POSITIVE_INFINITY };
    const keep = (ms: number) => {
      own.until = clock.now() + ms;
    };
    own.made.then(
      () => keep(KEPT_MS),
      () => keep(0),
    );
    last = own;
    return own.made;
  };
}

/** Asks all probes at once; one that is silent for two seconds is not well. */
async function judge(probes: readonly Probe[], clock: Clock): Promise<Static<typeof Ready>> {
  const judged = await Promise.all(
    probes.map(async ({ name, vital, check }) => {
      const silent = Promise.withResolvers<never>();
      const patience = clock.after(PROBE_MS, () =>
        silent.reject(new Error(`no answer in ${PROBE_MS / 1_000} seconds`)),
      );
      try {
        return { name, vital, isWell: true, told: await Promise.race([check(), silent.promise]) };
      } catch (error) {
        return { name, vital, isWell: false, told: error instanceof Error ? error.message : 'failed' };
      } finally {
        patience();
      }
    }),
  );
  const unwell = judged.filter(({ isWell }) => !isWell);
  return {
    status: unwell.some(({ vital }) => vital) ? 'not_ready' : unwell.length > 0 ? 'degraded' : 'ready',
    checks: Object.fromEntries(judged.map(({ name, told }) => [name, told])),
  };
}
