import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeWorld } from '../../../../test/kit/world.ts';
import { turnedClock } from '../../../core/clock.ts';
import { dereferenced } from '../../../pages/reference/document.ts';

type Item = Readonly<Record<string, unknown>>;

describe('the documents of prices and production', () => {
  it('the documents of prices and production say in which formats there are responses, and which of them are tagged', async () => {
    const world = await makeWorld({ engine: 'sqlite', clock: turnedClock() });
    const { paths } = (await (await fetch(`${world.grid}/openapi.json`)).json()) as {
      paths: Record<string, { get: { parameters?: Item[]; responses: Record<string, { content?: Item }> } }>;
    };
    const formatsOf = (path: string) => Object.keys(paths[path]?.get.responses['200']?.content ?? {});
    assert.deepEqual(formatsOf('/api/v1/prices/stream'), ['text/event-stream']);
    for (const path of ['/api/v1/prices/history', '/api/v1/production/history'])
      assert.deepEqual(formatsOf(path), ['application/json', 'text/csv']);
    const tagged = Object.keys(paths).filter((path) => paths[path]?.get?.responses['304'] !== undefined);
    assert.equal(tagged.includes('/api/v1/prices/spot'), true);
    assert.deepEqual(
      tagged.filter((path) => /\/(?:history|stream)$/.test(path)),
      [],
    );
    await world.close();
  });

  it('the documents of prices and production permit the defaults of their own parameters', async () => {
    const world = await makeWorld({ engine: 'sqlite', clock: turnedClock() });
    const { paths } = dereferenced(await (await fetch(`${world.grid}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { parameters?: { name: string; schema: Item }[] }>>;
    };
    const chosen = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ schema }) => Array.isArray(schema.enum) && 'default' in schema);
    assert.ok(chosen.length >= 8, `${chosen.length} parameters have a list and a default`);
    for (const { name, schema } of chosen)
      assert.ok((schema.enum as unknown[]).includes(schema.default), `${name} may be ${schema.default}`);
    await world.close();
  });
});
