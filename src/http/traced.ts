import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TracedWork, Traces } from '../core/traces.ts';
import type { Service } from './errors.ts';

/** Reports each request, with the calls that it leads to. Routes of the operator and `/healthz` are left out: they are asked all the time. */
export function traceRequests(app: FastifyInstance, service: Service, traces: Traces): void {
  const traced = new WeakMap<FastifyRequest, TracedWork<number>>();
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'unknown', config } = request.routeOptions;
    if (config.access === 'operator' || route === '/healthz') {
      done();
      return;
    }
    const { method, id, headers } = request;
    const work = traces.request({ service, method, route, id, headers });
    traced.set(request, work);
    reply.raw.once('close', () => work.end(reply.statusCode));
    done();
  });
  // Not sooner: reading a body runs in the context of its connection.
  app.addHook('preHandler', (request, _reply, done) => {
    const work = traced.get(request);
    if (work === undefined) done();
    else work.run(done);
  });
}
