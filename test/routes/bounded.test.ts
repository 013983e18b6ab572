import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { COMMANDS } from '../../src/adapter/commands.ts';
import { unboundedIn } from '../../src/core/bounded-schema.ts';
import { vendors } from '../../src/vendors/index.ts';
import { makeWorld, type World } from '../kit/world.ts';
import { type Route, routesOf } from './route-table.ts';

/** Bodies of megabytes, which are read as bytes, in threads when they are large, by checks of their own. */
const READ_ON_THREADS = ['POST /optimize/plan', 'POST /flex/dispatch', 'POST /flex/flexibility'];

describe('the size of a request', () => {
  let world: World;
  let routes: readonly Route[];
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    routes = [...(await routesOf('connect', world.connect)), ...(await routesOf('grid', world.grid))];
  });
  after(() => world.close());

  it('the size of a request is limited in every body', () => {
    const bodies = routes.flatMap(({ name, body }) => (body === undefined ? [] : [{ name, body }]));
    const judged = bodies.filter(({ name }) => !READ_ON_THREADS.includes(name));
    assert.equal(judged.length, bodies.length - READ_ON_THREADS.length);
    assert.ok(judged.length >= 8, `only ${judged.length} routes take a body`);
    assert.deepEqual(
      judged.flatMap(({ name, body }) => unboundedIn(body, name)),
      [],
    );
  });

  it('the size of a request is limited in credentials and in every command', () => {
    const schemas = new Map<string, TSchema>(Object.entries(COMMANDS));
    for (const { slug, credentials, conditions } of vendors) {
      schemas.set(`credentials of ${slug}`, credentials);
      if (conditions !== undefined) schemas.set(`conditions of ${slug}`, conditions.schema);
    }
    assert.ok(schemas.size > vendors.length + 10);
    assert.deepEqual(
      [...schemas].flatMap(([name, schema]) => unboundedIn(schema, name)),
      [],
    );
  });

  it('the size of a request is limited in parameters, of which each has one value', () => {
    const types = routes.flatMap(({ name, parameters }) =>
      parameters.map((parameter) => [`${name} ${parameter.name}`, parameter.schema.type ?? 'enum']),
    );
    assert.ok(types.length > 50);
    const simple = ['string', 'integer', 'number', 'boolean', 'enum'];
    assert.deepEqual(
      types.filter(([, type = '']) => !simple.includes(type)),
      [],
    );
  });
});
