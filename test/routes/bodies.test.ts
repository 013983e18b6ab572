import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Compile } from 'typebox/compile';
import type { ErrorCodeName } from '../../src/core/errors.ts';
import { onEachEngine } from '../kit/databases.ts';
import { faultsOfError, parsed } from './judge.ts';
import { makeRouteWorld, type RouteWorld } from './samples.ts';

const KIB = 1024;

interface Broken {
  readonly why: string;
  readonly body: string | Buffer;
  readonly status: number;
  readonly code: ErrorCodeName;
  readonly headers?: Readonly<Record<string, string>>;
}

const malformed = (why: string, body: string | Buffer): Broken => ({
  why,
  body,
  status: 400,
  code: 'request.malformed',
});

/** Bodies that every route refuses. */
const BROKEN: readonly Broken[] = [
  malformed('cut off', '{"a":'),
  malformed('two values', '{} {}'),
  malformed('single quotes', "{'a':1}"),
  malformed('a comment', '{/* */}'),
  malformed('NaN', '{"a":NaN}'),
  malformed('spaces', '   '),
  malformed('bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  malformed('an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])),
  malformed('a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])),
  malformed('NUL in a value', '{"a":"x\\u0000y"}'),
  malformed('NUL in a key', '{"x\\u0000":1}'),
  malformed('a lone surrogate in a value', '{"a":"\\ud800"}'),
  malformed('a lone surrogate in a key', '{"\\udc00":1}'),
  malformed('__proto__', '{"__proto__":{"admin":true}}'),
  malformed('__proto__ further in', '{"a":[{"__proto__":1}]}'),
  malformed('200 levels of lists', `${'['.repeat(200)}${']'.repeat(200)}`),
  malformed('200 levels of objects', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`),
  malformed('8,000 levels', `${'['.repeat(8_000)}${']'.repeat(8_000)}`),
  malformed('120,000 levels', `${'['.repeat(120_000)}${']'.repeat(120_000)}`),
  {
    why: 'text/plain',
    body: '{}',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'request.media_type',
  },
  {
    why: 'a form',
    body: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    code: 'request.media_type',
  },
  {
    why: 'JSON by another name',
    body: '{}',
    headers: { 'content-type': 'application/json-patch+json' },
    status: 415,
    code: 'request.media_type',
  },
  { why: 'no type', body: '{}', headers: { 'content-type': '' }, status: 415, code: 'request.media_type' },
];

/** Whole bodies that are not an object; an empty body is not one either. */
const NOT_OBJECTS = ['', 'null', 'true', '0', '-0', '1e400', '""', '"text"', '[]', '[{}]'];

/** Replacements for each field of a sample, as JSON text. */
const VALUES = [
  'null',
  'true',
  '""',
  '"x"',
  '1.5',
  '-0',
  '-1',
  '9007199254740993',
  '1e400',
  '-1e400',
  '1e-400',
  '[]',
  '[1,2]',
  '{}',
  '{"constructor":{"prototype":{"x":1}}}',
  `"${'x'.repeat(10_000)}"`,
];

onEachEngine('every body', (engine) => {
  let here: RouteWorld;
  let withBody: RouteWorld['routes'];
  before(async () => {
    here = await makeRouteWorld(engine);
    withBody = here.routes.filter(({ body }) => body !== undefined);
    assert.ok(withBody.length >= 4, `only ${withBody.length} routes take a body`);
  });
  after(() => here.close());

  it('every body is refused when it is not JSON that can be stored', async () => {
    const faults: string[] = [];
    for (const route of withBody) {
      const { largest = 16 * KIB, takesForms } = route.sample;
      const broken = BROKEN.filter(
        ({ why, body }) => body.length <= largest && (why !== 'a form' || takesForms !== true),
      );
      for (const { why, body, status, code, headers } of broken) {
        const reply = await here.good(route, { body, ...(headers === undefined ? {} : { headers }) });
        const found = faultsOfError(route.service, reply, { status, code });
        faults.push(...found.map((fault) => `${route.name}, ${why}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every body is refused when it is too large, and only then', async () => {
    const faults: string[] = [];
    for (const route of withBody) {
      const { largest = 16 * KIB } = route.sample;
      const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}`;
      const reply = await here.good(route, { body: sized(largest + 1) });
      const found = faultsOfError(route.service, reply, { status: 413, code: 'request.too_large' });
      const taken = await here.good(route, { body: sized(largest) });
      found.push(...faultsOfError(route.service, taken, { status: route.service === 'grid' ? 422 : 400 }));
      faults.push(...found.map((fault) => `${route.name}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });

  it('every body is refused when it is not an object', async () => {
    const faults: string[] = [];
    for (const route of withBody) {
      for (const body of NOT_OBJECTS) {
        const reply = await here.good(route, { body });
        // The ranges of commands are judged once the device is known.
        const isOutOfRange = reply.headers['elnav-error'] === 'command.out_of_range';
        const status = route.service === 'grid' || isOutOfRange ? 422 : 400;
        const found = faultsOfError(route.service, reply, { status });
        faults.push(...found.map((fault) => `${route.name} ${body}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every body is validated field by field as documented', async () => {
    const faults: string[] = [];
    let refused = 0;
    for (const route of withBody) {
      const { sample } = route;
      const schema = Compile(route.body ?? {});
      const fields = Object.entries(sample.body ?? {}).map(([name, value]) => [name, JSON.stringify(value)]);
      const bodies = fields.flatMap(([name]) => [
        // The field is left out.
        objectOf(fields.filter(([other]) => other !== name)),
        ...VALUES.map((value) =>
          objectOf(fields.map(([other, own]) => [other, other === name ? value : own])),
        ),
      ]);
      for (const body of bodies) {
        const reply = await here.good(route, { body });
        const takes = [sample.good, ...(sample.also ?? [])];
        if (schema.Check(parsed(body))) {
          if (!takes.includes(reply.status))
            faults.push(`${route.name} ${body.slice(0, 90)}: ${reply.status} ${reply.text.slice(0, 90)}`);
          continue;
        }
        refused += 1;
        const isOutOfRange = reply.headers['elnav-error'] === 'command.out_of_range';
        const status = route.service === 'grid' || isOutOfRange ? 422 : 400;
        const found = faultsOfError(route.service, reply, { status });
        faults.push(...found.map((fault) => `${route.name} ${body.slice(0, 90)}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(refused > 80, `only ${refused} bodies were refused`);
  });

  it('every body may have unknown fields, but not in a command', async () => {
    const faults: string[] = [];
    for (const route of withBody) {
      const { sample } = route;
      for (const name of ['no_such_field', 'constructor', 'toString', 'hasOwnProperty']) {
        const body = JSON.stringify({ ...sample.body, [name]: { prototype: { admin: true } } });
        const reply = await here.good(route, { body });
        const found =
          sample.strict === true
            ? faultsOfError(route.service, reply, { status: 400, code: 'request.invalid' })
            : reply.status === sample.good
              ? []
              : [`${reply.status} ${reply.text.slice(0, 100)}`];
        faults.push(...found.map((fault) => `${route.name} ${name}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
    assert.equal(Reflect.get({}, 'admin'), undefined, 'no prototype was changed');
  });

  it('every body may be absent where none is expected, with or without a content type', async () => {
    const faults: string[] = [];
    const without = here.routes.filter(({ body, method }) => body === undefined && method !== 'GET');
    for (const route of without) {
      const reply = await here.good(route);
      if (reply.status !== route.sample.good) faults.push(`${route.name}: ${reply.status}`);
    }
    for (const route of without) {
      const reply = await here.good(route, { headers: { 'content-type': 'application/json' } });
      if (reply.status !== route.sample.good)
        faults.push(`${route.name} with a type: ${reply.status} ${reply.text}`);
    }
    assert.deepEqual(faults, []);
    assert.ok(without.length > 5);
  });
});

function objectOf(fields: readonly (readonly (string | undefined)[])[]): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
