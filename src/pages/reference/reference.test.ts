import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { curlOf } from './curl.ts';
import { type ApiDocument, type Schema, sectionsOf } from './document.ts';
import { exampleOf } from './example.ts';
import { renderReference } from './reference.ts';
import { limitsOf, tree, typeOf } from './schema.ts';
import { inline, json } from './text.ts';

const BAD = `"><img src=x onerror=alert(1)>'</textarea><script>alert(1)</script>`;

const hostile: ApiDocument = {
  info: { title: BAD, description: `${BAD}\n\n\`${BAD}\` [${BAD}](javascript:alert(1))`, version: BAD },
  tags: [{ name: BAD, description: BAD }],
  components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: BAD, description: BAD } } },
  paths: {
    [`/a/${BAD}/{${BAD}}`]: {
      post: {
        summary: BAD,
        description: BAD,
        tags: [BAD],
        security: [{ apiKey: [BAD] }],
        parameters: [
          { name: BAD, in: BAD, required: true, description: BAD, schema: { type: BAD, pattern: BAD } },
          { name: BAD, in: 'query', schema: { enum: [BAD], default: BAD } },
        ],
        requestBody: {
          content: {
            [BAD]: {
              schema: {
                type: 'object',
                required: [BAD],
                properties: { [BAD]: { type: 'string', description: BAD, examples: [BAD] } },
              },
            },
          },
        },
        responses: {
          200: { description: BAD, content: { 'application/json': { schema: { const: BAD } } } },
          400: { description: BAD },
        },
      },
    },
  },
};

const page = (document: ApiDocument, warnings: Record<string, string> = {}): string =>
  renderReference({
    document,
    address: 'https://elnav.example',
    services: [
      { href: '/docs', text: 'Connect', isHere: true },
      { href: 'javascript:alert(1)', text: BAD },
    ],
    errors: [{ code: BAD, status: 400, retry: 'never', title: BAD }],
    start: { steps: [{ title: BAD, text: BAD }], calls: [] },
    warnings,
  }).toString();

const simple = (paths: ApiDocument['paths'], tags: ApiDocument['tags'] = []): ApiDocument => ({
  info: { title: 'A', version: '1' },
  tags,
  paths,
});

describe('the reference of an API', () => {
  it('the reference of an API escapes all text of a document', () => {
    const markup = page(hostile);
    assert.ok(markup.includes('&lt;img'), 'the text is included');
    assert.doesNotMatch(markup, /<img|<script|onerror=alert\(1\)>(?!&|')|href="javascript/);
    const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map((match) => match[1] ?? '');
    for (const id of ids) assert.match(id, /^[a-zA-Z0-9-]+$/);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('the reference of an API gives each operation a stable anchor of its own', () => {
    const get = { get: { tags: ['B'] } };
    const sections = sectionsOf(
      simple({ '/a/{b}': get, '/a/b': get, '/z': { get: { tags: ['A'] }, post: {} } }, [
        { name: 'A' },
        { name: 'empty' },
      ]),
    );
    assert.deepEqual(
      sections.map(({ id, operations }) => [id, operations.map((operation) => operation.id)]),
      [
        ['tag-a', ['get-z']],
        ['tag-b', ['get-a-b', 'get-a-b-2']],
        ['tag-other', ['post-z']],
      ],
    );
  });

  it('the reference of an API refuses a warning about an unknown operation', () => {
    const document = simple({ '/a': { get: {} } });
    assert.match(page(document, { 'GET /a': 'Beware of this' }), /Beware of this/);
    assert.throws(() => page(document, { 'GET /b': 'Beware' }), /GET \/b/);
  });

  it('the reference of an API reads the required access from the document', () => {
    const of = (security: readonly Record<string, readonly string[]>[]) =>
      sectionsOf(simple({ '/a': { get: { security } } }))[0]?.operations[0];
    assert.equal(of([])?.access, 'nobody asked');
    assert.equal(of([{}, { apiKey: [] }])?.access, 'key optional');
    assert.equal(of([{ adminToken: [] }])?.access, 'admin token');
    assert.equal(of([{ session: [] }])?.access, 'session');
    const scoped = of([{ apiKey: ['devices:read'] }, { bearer: ['devices:read'] }]);
    assert.deepEqual([scoped?.access, scoped?.scope], ['key', 'devices:read']);
  });

  it('the reference of an API makes examples that are valid by the schema, and leaves out optional fields', () => {
    const schema: Schema = {
      type: 'object',
      required: ['a', 'b', 'c', 'd', 'e'],
      properties: {
        a: { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 5 }] },
        b: { type: 'array', minItems: 2, items: { type: 'number', maximum: -2, minimum: -9 } },
        c: { enum: ['', 'x'] },
        d: { type: 'string', format: 'date' },
        e: { type: 'string', examples: ['mine'] },
        f: { type: 'boolean' },
      },
    };
    const least = { a: 5, b: [-2, -2], c: 'x', d: '2026-11-21', e: 'mine' };
    assert.deepEqual(exampleOf(schema), { ...least, f: true });
    assert.deepEqual(exampleOf(schema, { onlyRequired: true }), least);
  });

  it('the reference of an API describes types and limits in words', () => {
    const written = (schema: Schema) =>
      limitsOf(schema)
        .map(String)
        .join(' · ')
        .replaceAll(/<\/?code>/g, '');
    assert.equal(typeOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), 'integer or null');
    assert.equal(
      typeOf({ type: 'array', items: { type: 'string', format: 'date' } }),
      'array of string, date',
    );
    assert.equal(typeOf({ enum: ['a', 'b'] }), 'string');
    assert.equal(typeOf({}), 'anything');
    assert.equal(
      written({ type: 'integer', minimum: 1, maximum: 1000, default: 5 }),
      '1 to 1,000 · default 5',
    );
    assert.equal(written({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER }), '');
    assert.equal(written({ type: 'string', minLength: 3, maxLength: 3 }), 'exactly 3 characters');
    assert.equal(written({ enum: ['', 'a', 'b'], default: '' }), 'one of a, b');
  });

  it('the reference of an API shows the fields of objects, lists and variants', () => {
    const inside = String(
      tree(
        {
          type: 'array',
          items: {
            anyOf: [
              { type: 'object', properties: { type: { enum: ['on'] } } },
              { type: 'object', properties: { type: { enum: ['limit'] }, amps: { type: 'integer' } } },
            ],
          },
        },
        'sent',
      ),
    );
    assert.match(inside, /One of 2/);
    assert.match(inside, /type: limit/);
    assert.match(inside, /amps/);
    assert.equal(tree({ type: 'string' }, 'sent'), null);
  });

  it('the reference of an API quotes commands correctly for a shell', () => {
    const [section] = sectionsOf(
      simple({
        '/a/{id}': {
          post: {
            security: [{ apiKey: [] }],
            parameters: [
              { name: 'id', in: 'path', required: true, schema: {}, example: "it's" },
              { name: 'day', in: 'query', required: true, schema: { type: 'string' } },
            ],
            requestBody: { content: { 'application/json': { schema: { examples: [{ a: "o'clock" }] } } } },
          },
        },
      }),
    );
    const [operation] = section?.operations ?? [];
    assert.ok(operation !== undefined);
    assert.equal(
      curlOf(operation, 'https://elnav.example'),
      [
        "curl -X POST 'https://elnav.example/a/it'\\''s?day={day}' \\",
        '  -H "X-Api-Key: $KEY" \\',
        "  -H 'content-type: application/json' \\",
        `  -d '{\n  "a": "o'\\''clock"\n}'`,
      ].join('\n'),
    );
  });

  it('the reference of an API renders code and links of Markdown, and colours JSON without changing it', () => {
    const text = (parts: readonly unknown[]) => parts.map(String).join('');
    assert.equal(
      text(inline('a `b` [c](https://d.example) *e*')),
      'a <code>b</code> <a href="https://d.example">c</a> *e*',
    );
    const value = { a: [1, -2.5e3, true, null, 'x"y\\', { 'b:': '' }] };
    const plain = String(json(value))
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"');
    assert.deepEqual(JSON.parse(plain), value);
  });
});
