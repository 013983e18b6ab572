import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { dereferenced } from '../src/pages/reference/document.ts';
import { breakingChanges, type ComparedDocument } from '../tools/contract-changes.ts';

const REQUEST = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 60 },
    kind: { type: 'string', enum: ['a', 'b'] },
    count: { type: 'integer', minimum: 0, maximum: 10 },
    command: {
      oneOf: [
        { type: 'object', properties: { type: { type: 'string', const: 'on' } } },
        { type: 'object', properties: { type: { type: 'string', const: 'off' } } },
      ],
      discriminator: { propertyName: 'type' },
    },
  },
};
const RESPONSE = {
  type: 'object',
  required: ['id', 'at'],
  properties: {
    id: { type: 'string' },
    at: { type: 'string' },
    power_w: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
    // Two objects that no field tells apart.
    either: {
      anyOf: [
        { type: 'object', properties: { day: { type: 'string' } } },
        { type: 'object', properties: { hour: { type: 'integer' } } },
      ],
    },
  },
};

const documentWith = ({
  request = REQUEST as object,
  response = RESPONSE as object,
  operation = {} as object,
  path = '/things',
}): ComparedDocument => ({
  paths: {
    [path]: {
      post: {
        operationId: 'createThing',
        security: [{ apiKey: ['link:write'] }],
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
        requestBody: { content: { 'application/json': { schema: request } } },
        responses: { 200: { content: { 'application/json': { schema: response } } } },
        ...operation,
      },
    },
  },
});

const changed = (change: Parameters<typeof documentWith>[0]): string[] =>
  breakingChanges(documentWith({}), documentWith(change)).map((one) => one.change);
const withFields = <T extends { readonly properties: object }>(schema: T, fields: object) => ({
  ...schema,
  properties: { ...schema.properties, ...fields },
});
const without = <T extends { readonly properties: object }>(schema: T, name: string) => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties).filter(([field]) => field !== name)),
});

describe('a change of the published documents', () => {
  it('a change of the published documents breaks nobody when it only adds', () => {
    const [on, off] = REQUEST.properties.command.oneOf;
    const more = { type: 'object', properties: { type: { type: 'string', const: 'dim' } } };
    assert.deepEqual(changed({}), []);
    assert.deepEqual(changed({ request: withFields(REQUEST, { note: { type: 'string' } }) }), []);
    assert.deepEqual(
      changed({ request: withFields(REQUEST, { kind: { type: 'string', enum: ['a', 'b', 'c'] } }) }),
      [],
    );
    assert.deepEqual(
      changed({ request: withFields(REQUEST, { name: { type: ['string', 'null'], maxLength: 80 } }) }),
      [],
    );
    assert.deepEqual(
      changed({
        request: withFields(REQUEST, { command: { ...REQUEST.properties.command, oneOf: [on, off, more] } }),
      }),
      [],
    );
    assert.deepEqual(changed({ response: withFields(RESPONSE, { new_field: { type: 'string' } }) }), []);
    assert.deepEqual(changed({ response: { ...RESPONSE, required: ['id', 'at', 'power_w'] } }), []);
    const optional = [
      { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 1_000 } },
      { name: 'cursor', in: 'query', schema: { type: 'string' } },
    ];
    assert.deepEqual(changed({ operation: { parameters: optional } }), []);
  });

  it('a change of the published documents breaks callers when an operation, a status or a media type is removed or renamed', () => {
    assert.deepEqual(changed({ path: '/others' }), ['is removed']);
    assert.deepEqual(changed({ operation: { operationId: 'makeThing' } }), [
      'operationId changed from createThing to makeThing',
    ]);
    assert.deepEqual(changed({ operation: { responses: { 201: {} } } }), ['200 is removed']);
    assert.deepEqual(changed({ operation: { responses: { 200: { content: { 'text/csv': {} } } } } }), [
      '200 is no application/json any more',
    ]);
    assert.deepEqual(changed({ operation: { security: [{ apiKey: ['devices:command'] }] } }), [
      'security does not permit {"apiKey":["link:write"]} any more',
    ]);
  });

  it('a change of the published documents breaks callers when a response lacks a field, or has another type', () => {
    assert.deepEqual(changed({ response: without(RESPONSE, 'power_w') }), ['200.power_w is removed']);
    assert.deepEqual(changed({ response: { ...RESPONSE, required: ['id'] } }), ['200.at may be absent now']);
    assert.deepEqual(changed({ response: withFields(RESPONSE, { id: { type: 'integer' } }) }), [
      '200.id changed from string to integer',
    ]);
    const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    assert.deepEqual(changed({ response: withFields(RESPONSE, { id: nullable }) }), [
      '200.id changed from string to string or null',
    ]);
    const either = { anyOf: [RESPONSE.properties.either.anyOf[0], { type: 'object', properties: {} }] };
    assert.deepEqual(changed({ response: withFields(RESPONSE, { either }) }), [
      '200.either(object).hour is removed',
    ]);
    const items = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } };
    assert.deepEqual(changed({ response: withFields(RESPONSE, { items }) }), [
      '200.items[].id changed from string to integer',
    ]);
  });

  it('a change of the published documents breaks callers when a request must have more, or may have less', () => {
    assert.deepEqual(changed({ request: { ...REQUEST, required: ['name', 'kind'] } }), [
      'body.kind is required now',
    ]);
    assert.deepEqual(changed({ request: without(REQUEST, 'count') }), ['body.count is removed']);
    assert.deepEqual(changed({ request: withFields(REQUEST, { kind: { type: 'string', enum: ['a'] } }) }), [
      'body.kind may not be b any more',
    ]);
    assert.deepEqual(changed({ request: withFields(REQUEST, { name: { type: 'string', maxLength: 20 } }) }), [
      'body.name has maxLength 20 now',
    ]);
    const command = { ...REQUEST.properties.command, oneOf: REQUEST.properties.command.oneOf.slice(1) };
    assert.deepEqual(changed({ request: withFields(REQUEST, { command }) }), ['body.command(on) is removed']);
    const parameters = [
      { name: 'limit', in: 'query', required: true, schema: { type: 'integer', maximum: 10 } },
    ];
    assert.deepEqual(changed({ operation: { parameters } }), [
      'query.limit is required now',
      'query.limit has maximum 10 now',
    ]);
    assert.deepEqual(changed({ operation: { parameters: [] } }), ['query.limit is removed']);
  });

  it('a change of the published documents is found in the published documents, in requests, responses and events', () => {
    const read = () =>
      dereferenced(JSON.parse(readFileSync('docs/openapi/connect.json', 'utf8')) as ComparedDocument);
    assert.deepEqual(breakingChanges(read(), read()), []);
    const text = readFileSync('docs/openapi/connect.json', 'utf8').replaceAll('"current_a"', '"ampere"');
    const found = breakingChanges(read(), dereferenced(JSON.parse(text) as ComparedDocument));
    const operations = new Set(found.map(({ operation }) => operation));
    for (const operation of ['POST /devices/{id}/command', 'GET /devices/{id}', 'GET /events', 'events'])
      assert.ok(operations.has(operation), operation);
  });
});
