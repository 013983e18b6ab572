import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { makePlace } from './kit/databases.ts';
import { type Contract, contractOf, type OpenApi } from './kit/document.ts';
import { responses } from './kit/responses.ts';
import { envOf, startService, stopService } from './kit/service.ts';

const Thing = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    part: { $ref: '#/components/schemas/Part' },
    free: { type: 'object', additionalProperties: true },
  },
};
const json = (schema: Readonly<Record<string, unknown>>) => ({ 'application/json': { schema } });

const DOCUMENT: OpenApi = {
  info: { title: 'Things' },
  paths: {
    '/things/{id}': {
      get: {
        security: [{ apiKey: [] }, { bearer: [] }],
        responses: {
          200: {
            content: json({ $ref: '#/components/schemas/Thing' }),
            headers: { ETag: { required: true } },
          },
          202: {
            content: json({ allOf: [{ $ref: '#/components/schemas/Thing' }, { properties: { more: {} } }] }),
          },
          204: {},
          404: { $ref: '#/components/responses/NotFound' },
          429: {
            content: json({ type: 'object', properties: { error: { type: 'string' } } }),
            headers: { 'Elnav-Error': {}, 'Retry-After': {} },
          },
          503: { content: json({ type: 'object', properties: { status: { type: 'string' } } }) },
        },
      },
    },
    '/stream': { get: { responses: { 200: { content: { 'text/event-stream': { schema: Thing } } } } } },
  },
  components: {
    schemas: { Thing, Part: { type: 'object', properties: { size: { type: 'integer' } } } },
    responses: {
      NotFound: {
        content: json({ type: 'object', properties: { error: { type: 'string' } } }),
        headers: { 'Elnav-Error': {} },
      },
    },
  },
};

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'r',
  etag: '"1"',
  ratelimit: '"minute";r=1;t=1',
  'ratelimit-policy': '"minute";q=1;w=60',
};

describe('a response is held against the document', () => {
  const contract: Contract = contractOf(DOCUMENT);
  const operation = contract.operationOf('GET', '/things/:id') ?? '';
  const faultsOf = (body: unknown, { status = 200, headers = {} as object } = {}) =>
    contract.faultsOf(operation, {
      ...{ status, headers: { ...HEADERS, ...headers }, isWhole: true },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const isRefused = (faults: readonly string[], pattern: RegExp) => assert.match(faults.join('\n'), pattern);

  it('an operation is found by the route of a request', () => {
    assert.equal(operation, 'GET /things/{id}');
    assert.equal(contract.operationOf('HEAD', '/things/:id(^[a-z]+$)'), operation);
    assert.equal(contract.operationOf('POST', '/things/:id'), undefined);
  });

  it('a body has the required fields, of their types, and no others', () => {
    assert.deepEqual(
      faultsOf({ id: 'a', at: '2026-11-26T21:00:00Z', part: { size: 1 }, free: { any: 1 } }),
      [],
    );
    isRefused(faultsOf({}), /must have required properties/);
    isRefused(faultsOf({ id: 1 }), /\/id must be string/);
    isRefused(faultsOf({ id: 'a', at: 'today' }), /\/at must match format/);
    isRefused(faultsOf({ id: 'a', extra: 1 }), /must not have additional properties .*extra/);
    isRefused(
      faultsOf({ id: 'a', part: { size: 1, extra: 1 } }),
      /\/part must not have additional properties/,
    );
    isRefused(faultsOf('<p>'), /is not JSON/);
  });

  it('the parts of an allOf are judged together', () => {
    assert.deepEqual(faultsOf({ id: 'a', more: 1 }, { status: 202 }), []);
    isRefused(faultsOf({ id: 'a', extra: 1 }, { status: 202 }), /unevaluated/);
  });

  it('a status, a content type and a body are declared', () => {
    isRefused(faultsOf({}, { status: 418 }), /status 418 is not declared/);
    isRefused(
      faultsOf({ id: 'a' }, { headers: { 'content-type': 'text/html' } }),
      /content type is "text\/html"/,
    );
    assert.deepEqual(faultsOf('', { status: 204 }), []);
    isRefused(faultsOf({ id: 'a' }, { status: 204 }), /a body is not declared/);
  });

  it('a response lacks no header', () => {
    for (const name of ['x-request-id', 'etag', 'ratelimit', 'ratelimit-policy'])
      isRefused(
        faultsOf({ id: 'a' }, { headers: { [name]: undefined } }),
        new RegExp(`header ${name} is missing`),
      );
    isRefused(faultsOf({ error: 'gone' }, { status: 404 }), /header elnav-error is missing/);
    assert.deepEqual(faultsOf({ error: 'gone' }, { status: 404, headers: { 'elnav-error': 'gone' } }), []);
    isRefused(
      faultsOf({}, { status: 429, headers: { 'elnav-error': 'limit' } }),
      /header retry-after is missing/,
    );
    // A report that is no error declares neither.
    assert.deepEqual(faultsOf({ status: 'not_ready' }, { status: 503 }), []);
    isRefused(faultsOf({ id: 'a' }, { headers: { link: '/next' } }), /header link is \/next/);
  });

  it('the data of each server-sent event fits', () => {
    const stream = contract.operationOf('GET', '/stream') ?? '';
    const headers = { ...HEADERS, 'content-type': 'text/event-stream' };
    const sent = (body: string) => contract.faultsOf(stream, { status: 200, headers, body, isWhole: false });
    assert.deepEqual(sent('retry: 5\n\nid: 1\nevent: x\ndata: {"id":"a"}\n\n:\n\ndata: {"cut'), []);
    isRefused(sent('data: {"id":"a"}\n\ndata: {"id":1}\n\n'), /\/id must be string/);
  });
});

describe('every response of every server is held against its document', () => {
  const faults = () => responses.faults.splice(0);

  it('every response of every server is held against its document of a server of this process, whatever the client does with it', async () => {
    const app = Fastify();
    app.get('/openapi.json', (_request, reply) => reply.header('etag', '"1"').send(JSON.stringify(DOCUMENT)));
    app.get('/things/:id', (_request, reply) => {
      for (const [name, value] of Object.entries(HEADERS)) reply.header(name, value);
      return reply.send('{"id":"a","extra":1}');
    });
    await app.inject('/things/a');
    assert.match(
      faults().join(),
      /^GET \/things\/a \(GET \/things\/\{id\}\) 200: the body must not have additional properties/,
    );
    assert.ok(responses.checked.has('GET /things/{id} 200'));
    await app.close();
  });

  it('every response of every server is held against its document of a process that a test has started', async () => {
    const place = await makePlace('sqlite');
    // Loaded before the service: each of its responses loses a header.
    const loser = `import { subscribe } from 'node:diagnostics_channel';
      subscribe('fastify.initialization', ({ fastify }) => fastify.addHook('onSend', async (_, reply) => { reply.removeHeader('x-request-id'); }));`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(loser)}`;
    const service = await startService({ env: { ...envOf(place), NODE_OPTIONS } });
    assert.equal((await fetch(`${service.connect}/healthz`)).status, 200);
    await stopService(service);
    assert.match(faults().join(), /GET \/healthz \(GET \/healthz\) 200: the header x-request-id is missing/);
    await place.remove();
  });
});
