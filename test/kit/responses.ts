import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { type Contract, contractOf, type OpenApi } from './document.ts';

/**
 * Holds every response of every service of this process against the document of the service. Importing it is enough, also for a
 * process that a test starts (`--import`): Fastify reports each of its servers on a channel.
 */
export const responses = {
  /** The responses that did not fit, each with its fault. */
  faults: [] as string[],
  /** How many of an operation with a status were checked: `GET /devices 200`. */
  checked: new Map<string, number>(),
};

/** How a fault begins in the output of a process. */
export const FAULT = 'a response does not fit the document: ';

const contracts = new Map<string, Contract>();
const noted = new Set<string>();

function watch(app: FastifyInstance): void {
  let routes = '';
  let document: RouteHandlerMethod | undefined;
  app.addHook('onRoute', ({ method, url, handler }) => {
    routes += `${method} ${url}\n`;
    if (url === '/openapi.json' && method === 'GET') document = handler;
  });
  let contract: Contract | undefined;
  app.addHook('onRequest', (request, reply, done) => {
    if (document !== undefined) {
      // Servers with the same routes share a contract.
      contract ??= contracts.get(routes) ?? contractOf(read(document));
      contracts.set(routes, contract);
      record(contract, request, reply);
    }
    done();
  });
}

/** The document as its handler sends it: a request would be counted, logged and traced. */
function read(handler: RouteHandlerMethod): OpenApi {
  let text = '';
  const reply = {
    header: () => reply,
    send(body: unknown) {
      text = String(body);
    },
  };
  Reflect.apply(handler, undefined, [{ headers: {} }, reply]);
  return JSON.parse(text) as OpenApi;
}

/** Records the bytes of a response, and checks it once it is complete or its caller has disconnected. */
function record(contract: Contract, request: FastifyRequest, reply: FastifyReply): void {
  const { url } = request.routeOptions;
  const operation = url === undefined ? undefined : contract.operationOf(request.method, url);
  if (operation === undefined) return;
  const { raw } = reply;
  const { write, end } = raw;
  const parts: Buffer[] = [];
  const keep = ([chunk]: readonly unknown[]) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk));
  };
  let isJudged = false;
  const judge = (isWhole: boolean) => {
    if (isJudged) return;
    isJudged = true;
    const status = raw.statusCode;
    const name = `${operation} ${status}`;
    responses.checked.set(name, (responses.checked.get(name) ?? 0) + 1);
    const body = Buffer.concat(parts).toString('utf8');
    const sent = { status, headers: reply.getHeaders(), body, isWhole: isWhole && request.method !== 'HEAD' };
    for (const fault of contract.faultsOf(operation, sent)) {
      // Once for each: a route that is called a thousand times has a thousand of the same.
      const kind = `${name} ${fault.split(': ', 1)[0]}`;
      if (noted.has(kind)) continue;
      noted.add(kind);
      note(`${request.method} ${request.url} (${operation}) ${status}: ${fault}`);
    }
  };
  raw.write = (...given: unknown[]): boolean => {
    keep(given);
    return Reflect.apply(write, raw, given);
  };
  raw.end = (...given: unknown[]): typeof raw => {
    keep(given);
    judge(true);
    return Reflect.apply(end, raw, given);
  };
  raw.once('close', () => {
    if (raw.headersSent) judge(false);
  });
}

function note(fault: string): void {
  responses.faults.push(fault);
  process.stderr.write(`${FAULT}${fault}\n`);
}

subscribe('fastify.initialization', (message) => watch((message as { fastify: FastifyInstance }).fastify));
