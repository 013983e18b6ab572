import { readFileSync } from 'node:fs';
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError, ERRORS, type ErrorCodeName, OperatorError } from '../core/errors.ts';
import { type Random, randomBase62 } from '../core/ids.ts';
import { LateChild, type Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Traces } from '../core/traces.ts';
import type { Access, Gate } from './access.ts';
import { parseBodies } from './body.ts';
import { type Service, sendError } from './errors.ts';
import type { Exposure } from './exposure.ts';
import { addHealth, type Probe } from './health.ts';
import { refuseUnknownParameters } from './known-parameters.ts';
import type { Overload } from './overload.ts';
import { isRequestId } from './request-id.ts';
import { traceRefused, traceRequests } from './traced.ts';
import { addUnknownRoutes } from './unknown-routes.ts';

type EndArguments = Parameters<ServerResponse['end']>;

/** Responses that are written at the end of this turn of the event loop. */
const ending: BatchedResponse[] = [];

function writeAll(): void {
  for (const response of ending.splice(0)) response.endNow();
}

/**
 * A response that is written when all requests that arrived together have been handled. A write wakes its receiver: a proxy or client
 * on the same machine that sleeps and wakes between two responses costs this process about as much as a request (decision 0053).
 */
class BatchedResponse extends ServerResponse {
  #end: EndArguments | undefined;

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  override end(...given: unknown[]): this {
    if (this.#end !== undefined) return this;
    this.#end = given as unknown as EndArguments;
    if (ending.push(this) === 1) setImmediate(writeAll);
    return this;
  }

  /** Writes it, if it is ended and not written yet. */
  endNow(): void {
    if (this.#end !== undefined && !this.finished) super.end(...this.#end);
  }
}

// Node's types declare it as a field, which a class cannot override with a getter.
Object.defineProperty(BatchedResponse.prototype, 'writableEnded', {
  get(this: BatchedResponse): boolean {
    return this.isEnded;
  },
});

type Factory = ReturnType<typeof SerializerSelector>;

/**
 * Fastify's own compiler of the schemas of responses, which compiles each when it is first sent: for all of them it takes longer than to
 * load the program, at each start.
 */
const lazySerializers: Factory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (document: unknown) => {
      serialize ??= compile(route);
      return serialize(document);
    };
  };
};

/** Who is answered by an overloaded server too: health checks, and operators who look for the cause. */
const UNREFUSED: ReadonlySet<Access> = new Set(['public', 'operator', 'operator-session', 'admin']);
/** Refused callers come back at different times. */
const MOST_RETRY_SECONDS = 3;

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads the certificate and its key and checks that they match; throws an error that names the fault. */
function readTls({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const read = (name: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (cause) {
      throw new OperatorError(`${name}: ${file} cannot be read (${messageOf(cause)}).`, { cause });
    }
  };
  const cert = read('ELNAV_TLS_CERT_FILE', certFile);
  const key = read('ELNAV_TLS_KEY_FILE', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new OperatorError(
      `ELNAV_TLS_CERT_FILE ${certFile} and ELNAV_TLS_KEY_FILE ${keyFile} are not a PEM certificate and its key (${messageOf(cause)}).`,
      { cause },
    );
  }
  return { cert, key };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export interface ServerOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where requests are reported; absent where the operator wants it nowhere. */
  readonly traces?: Traces;
  readonly gate: Gate;
  readonly exposure: Pick<Exposure, 'note'>;
  /** Of the whole process: its services share an event loop. */
  readonly overload: Pick<Overload, 'enter' | 'refuses'>;
  /** The probes of `/readyz`. */
  readonly probes: readonly Probe[];
  readonly trustProxy: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** The configured public address; if it is https, browsers are instructed to use nothing else. */
  readonly publicUrl?: string | undefined;
}

export interface Server {
  readonly app: FastifyInstance;
  /** Adds `/healthz`, `/readyz` and `/metrics`; call it after the routes, so that the documents list them last. */
  addHealth(): void;
  /** Fires when the server begins to stop: endless responses are ended then. */
  readonly stopping: AbortSignal;
  /** From now on new requests get 503. Resolves when the running ones are done. */
  drain(): Promise<void>;
}

/** The maximum size of a body unless the route sets its own: callers' bodies are rarely larger than a few KiB. */
// control: a body has at most 16 KiB unless its route permits more [bodies] => 256 * 1024
const BODY_LIMIT = 16 * 1024;
/** A year, and only for this host: others of the domain may belong to somebody else (RFC 6797). */
const HSTS = 'max-age=31536000';

/** How Fastify is set up, whichever kind of server it is; `newId` makes the id of a request that has none. */
function settingsOf({ service, log, traces, trustProxy }: ServerOptions, newId: () => string) {
  return {
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent: FastifyBaseLogger, bindings: Record<string, unknown>) =>
      new LateChild(parent as Log, bindings) as FastifyBaseLogger,
    bodyLimit: BODY_LIMIT,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers } },
    // A decimal is text of digits, described for callers; the serializer would warn of a format that it does not know.
    serializerOpts: { ajv: { formats: { decimal: true } } },
    // control: X-Forwarded-For is ignored unless a proxy is trusted [routes/addresses] => true
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    genReqId(request: IncomingMessage) {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && isRequestId(sent) ? sent : newId();
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-request-id', request.id);
      sendError(service, error, request, reply);
      const { id, method, ip, failure } = request;
      if (traces !== undefined && failure !== null)
        traceRefused(traces, { service, method, id, status: reply.statusCode, code: failure.code, ip });
    },
    clientErrorHandler: (error: Error, socket: Socket) => {
      const id = newId();
      const refused = answerBrokenRequest(error, socket, { service, id });
      const { remoteAddress: ip } = socket;
      if (traces !== undefined && refused !== undefined)
        traceRefused(traces, { service, method: 'unknown', id, ...refused, ip });
    },
  } satisfies FastifyServerOptions;
}

/** Creates the HTTP server of a service: ids, the gate, bodies, errors, metrics, health. Routes are added after. */
export function createServer(options: ServerOptions): Server {
  const { service, random, log, metrics, gate, exposure, overload, tls, traces } = options;
  const prefix = randomBase62(random, 10);
  const logsRequests = log.level === 'debug' || log.level === 'trace';
  const isSecure = tls !== undefined || options.publicUrl?.startsWith('https:') === true;
  let requests = 0;
  let running = 0;
  const stopping = new AbortController();
  let drained = () => {};
  const newId = () => {
    requests += 1;
    return `${prefix}-${requests.toString(36)}`;
  };

  const http = {
    // Node's own refusal has no body; ours is below.
    requireHostHeader: false,
    ServerResponse: BatchedResponse as typeof ServerResponse,
    // Upgrades only to a WebSocket that a route handles; a client that offers HTTP/2 (curl --http2) gets HTTP/1.1.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      app.server.listenerCount('upgrade') > 0 && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const common = settingsOf(options, newId);
  const app: FastifyInstance =
    tls === undefined
      ? Fastify({ ...common, http })
      : // The services use nothing that differs between the two kinds of server.
        (Fastify({
          ...common,
          https: { ...http, ...readTls(tls) },
        }) as unknown as FastifyInstance);

  parseBodies(app);
  app.decorateRequest('principal', null);
  app.decorateRequest('person', null);
  app.decorateRequest('operator', null);
  app.decorateRequest('isCounted', false);
  app.decorateRequest('traced', null);
  app.decorateRequest('failure', null);
  app.setErrorHandler((error, request, reply) => sendError(service, error, request, reply));
  // Schemas here describe and serialise; handlers validate input themselves, since responses, order and cost are fixed (ADR 0040).
  app.setValidatorCompiler(() => () => true);

  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined)
      throw new Error(`${route.method} ${route.url} declares no access`);
  });
  addUnknownRoutes(app, service);
  const traced = traces === undefined ? undefined : traceRequests(app, service, traces);

  app.addHook('onRequest', (request, reply, done) => {
    running += 1;
    const leave = overload.enter();
    reply.raw.once('close', () => {
      leave();
      // A caller that disconnected in the middle of a response is counted like any other.
      if (reply.raw.headersSent) answered(request, reply);
      traced?.(request, reply);
      running -= 1;
      if (running === 0) drained();
    });
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (isSecure) reply.header('strict-transport-security', HSTS);
    refuseHosts(request.raw);
    exposure.note(request.raw);
    const { access } = request.routeOptions.config;
    // A cache may keep what came with X-Api-Key (RFC 9111, 3.5). Routes whose responses may be kept say so themselves.
    if (access !== 'public') reply.header('cache-control', 'no-store');
    if (access === undefined) {
      done();
      return;
    }
    if (stopping.signal.aborted && access !== 'public' && access !== 'operator') {
      throw new AppError('server.stopping', 'the server is stopping; retry', { retryAfterSeconds: 2 });
    }
    if (!UNREFUSED.has(access) && overload.refuses()) {
      const [byte = 0] = random(1);
      throw new AppError('server.busy', 'the server has more requests than it can answer; retry', {
        retryAfterSeconds: 1 + (byte % MOST_RETRY_SECONDS),
      });
    }
    const waiting = gate.admit(request, reply, access);
    if (waiting === undefined) done();
    else waiting.then(() => done(), done);
  });
  refuseUnknownParameters(app, service);
  const answered = (request: FastifyRequest, reply: FastifyReply): void => {
    // A response may close before or after it is finished; it is counted once.
    if (request.isCounted) return;
    request.isCounted = true;
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requests.observe(
      { service, method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    if (logsRequests) {
      request.log.debug(
        { method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime },
        'request completed',
      );
    }
    gate.count(request, reply);
  };
  app.addHook('onResponse', (request, reply, done) => {
    answered(request, reply);
    done();
  });

  return {
    app,
    stopping: stopping.signal,
    addHealth: () =>
      addHealth(app, {
        service,
        clock: options.clock,
        probes: options.probes,
        metrics,
        isStopping: () => stopping.signal.aborted,
      }),
    drain() {
      stopping.abort();
      return new Promise((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      });
    },
  };
}

/** A request must have one Host header; with two, a proxy and we might use different ones (RFC 9112, 3.2). */
function refuseHosts({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new AppError('request.malformed', 'the header Host must be sent once');
  if (hosts === 0 && httpVersion === '1.1')
    throw new AppError('request.malformed', 'the header Host is missing');
}

/** How long a client may keep its half of a connection open after we ended ours. */
const LINGER_MS = 2_000;

/**
 * Responds to a request that Node's parser refuses: it never reaches Fastify, and gets the same body as every other error. Undefined
 * where nothing can be sent.
 */
function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: { headersSent: boolean } | null },
  { service, id }: { readonly service: Service; readonly id: string },
): { readonly status: number; readonly code: ErrorCodeName } | undefined {
  // What was responded before the error was found is not lost with the connection.
  if (socket._httpMessage instanceof BatchedResponse) socket._httpMessage.endNow();
  // Nothing may be written into a response that is being sent.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const [code, sentence]: [ErrorCodeName, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['request.header_too_large', 'the request headers are larger than 16 KiB']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['request.timeout', 'the request did not arrive in time']
        : ['request.malformed', 'the request is not well-formed HTTP'];
  const status = ERRORS[code][service];
  const body = JSON.stringify(service === 'connect' ? { error: sentence } : { detail: sentence });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\nelnav-error: ${code}\r\nx-request-id: ${id}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  return { status, code };
}
