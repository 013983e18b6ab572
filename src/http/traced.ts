import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCodeName } from '../core/errors.ts';
import { LateChild, type Log } from '../core/log.ts';
import type { Kept, RequestFacts, TracedRun, Traces } from '../core/traces.ts';
import { clientAddress } from '../domain/access/accounts/index.ts';
import type { Service } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Which requests are kept, to be found by their ids; by default failures, and all with a writing method. Set where those change nothing, or
     * where what they change is kept elsewhere, and for looking requests up.
     */
    kept?: Kept;
  }
  interface FastifyRequest {
    /** What reports the request; null for those that are left out. */
    traced: TracedRun | null;
    /** Why it failed, in the words that its caller got. */
    failure: Failure | null;
  }
}

type Failure = NonNullable<RequestFacts['error']>;

const WRITING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const SLUG = /^[a-z0-9_-]{1,40}$/;
/** A shorter value is too common in a sentence to be recognised. */
const LEAST_HIDDEN = 3;

/**
 * Reports each request, with the calls that it leads to. Routes of the operator and `/healthz` are left out: they are asked all the time.
 * Returns what is to be called once a response has ended, or will never be.
 */
export function traceRequests(
  app: FastifyInstance,
  service: Service,
  traces: Traces,
): (request: FastifyRequest, reply: FastifyReply) => void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'unknown', config } = request.routeOptions;
    if (config.access !== 'operator' && route !== '/healthz') {
      const { method, id, headers } = request;
      const kept = config.kept ?? (WRITING.has(method) ? 'all' : 'failures');
      request.traced = traces.request({ service, method, route, id, headers, kept });
      const { traceId } = request.traced;
      if (traceId !== undefined) {
        const log = new LateChild(request.log as Log, { trace_id: traceId }) as FastifyBaseLogger;
        request.log = log;
        reply.log = log;
      }
    }
    done();
  });
  // Not sooner: reading a body runs in the context of its connection.
  app.addHook('preHandler', (request, _reply, done) => {
    const { traced } = request;
    if (traced === null) done();
    else traced.run(done);
  });
  return (request, reply) => {
    request.traced?.end({
      status: reply.raw.headersSent ? reply.statusCode : null,
      durationMs: reply.elapsedTime,
      facts: () => factsOf(request),
    });
    request.traced = null;
  };
}

function factsOf(request: FastifyRequest): RequestFacts {
  const { principal, person, operator, failure } = request;
  const account = principal?.account ?? person?.account ?? operator?.account?.id ?? null;
  return {
    account,
    keyId: principal?.keyId ?? null,
    caller: account === null ? callerAt(request.ip) : String(account),
    ...subjectOf(request),
    error: failure === null ? null : { code: failure.code, sentence: sentenceOf(failure, request) },
  };
}

/** The fields of the log line of a request that failed, as they are kept with the request; what is not known is left out. */
export function loggedFacts(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const { method, principal, person, operator, traced } = request;
  const { device, link, vendor } = subjectOf(request);
  const called = traced?.called?.();
  const known = {
    account: principal?.account ?? person?.account ?? operator?.account?.id ?? null,
    key_id: principal?.keyId ?? null,
    device,
    link: link ?? called?.link ?? null,
    vendor: called?.vendor ?? vendor,
  };
  return {
    method,
    route: request.routeOptions.url ?? 'unknown',
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

/** Once a connection is closed, Node does not know its address any more, whatever the types say: such callers count as one. */
const callerAt = (ip: string | undefined): string => (ip === undefined ? 'disconnected' : clientAddress(ip));

/** Of an unknown path the sentence repeats the path, which may hold a secret. */
const sentenceOf = ({ code, sentence }: Failure, request: FastifyRequest): string =>
  request.routeOptions.url === undefined ? ERRORS[code].title : withoutValues(sentence, request);

interface Refused {
  readonly service: Service;
  readonly method: string;
  readonly id: string;
  readonly status: number;
  readonly code: ErrorCodeName;
  readonly ip: string | undefined;
}

/** Reports a request that is refused before there is a route for it. */
export function traceRefused(traces: Traces, { service, method, id, status, code, ip }: Refused): void {
  const refused = traces.request({ service, method, route: 'unknown', id, headers: {}, kept: 'failures' });
  refused.end({
    status,
    durationMs: 0,
    facts: () => ({
      ...{ account: null, keyId: null, device: null, link: null, vendor: null },
      caller: callerAt(ip),
      error: { code, sentence: ERRORS[code].title },
    }),
  });
}

/** What a path is about: `/devices/:id`, `/links/:id`, or a vendor. */
function subjectOf({
  routeOptions,
  params,
  query,
}: FastifyRequest): Pick<RequestFacts, 'device' | 'link' | 'vendor'> {
  const collection = /\/([a-z]+)\/:id(?:\/|$)/.exec(routeOptions.url ?? '')?.[1];
  const id = textIn(params, 'id');
  const vendor = textIn(params, 'vendor') ?? textIn(query, 'vendor');
  return {
    device: collection === 'devices' ? id : null,
    link: collection === 'links' ? id : null,
    vendor: vendor !== null && SLUG.test(vendor) ? vendor : null,
  };
}

const textIn = (values: unknown, name: string): string | null => {
  const value: unknown =
    typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined;
  return typeof value === 'string' ? value : null;
};

/** The sentence with the names of parameters of the path and the query for their values: those may be secrets, places or people. */
function withoutValues(sentence: string, { params, query }: FastifyRequest): string {
  let text = sentence;
  for (const values of [params, query])
    for (const [name, value] of Object.entries(values ?? {}))
      if (name !== 'vendor' && typeof value === 'string' && value.length >= LEAST_HIDDEN)
        // Sentences repeat at most the beginning of a long one.
        for (const shown of [value, value.slice(0, 100), value.slice(0, 60)])
          text = text.replaceAll(shown, `{${name}}`);
  return text;
}
