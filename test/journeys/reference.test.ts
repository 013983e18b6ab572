import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { type ApiDocument, sectionsOf } from '../../src/pages/reference/document.ts';
import { exampleOf } from '../../src/pages/reference/example.ts';
import { makeWorld, type World } from '../world.ts';

const SERVICES = ['connect', 'grid'] as const;

const anchorOf = (method: string, path: string): string =>
  `${method} ${path}`.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');

describe('the reference of both services', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
  });
  after(() => world?.close());

  it('has every operation of the document, each under its anchor', async () => {
    for (const service of SERVICES) {
      const { paths } = (await (await fetch(`${world[service]}/openapi.json`)).json()) as ApiDocument;
      const page = await (await fetch(`${world[service]}/docs`)).text();
      const anchors = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => anchorOf(method, path)),
      );
      assert.ok(anchors.length > 20, `only ${anchors.length} operations of ${service}`);
      for (const anchor of anchors) {
        assert.ok(page.includes(`<article class="operation" id="${anchor}"`), `${service} lacks ${anchor}`);
        assert.ok(page.includes(`href="#${anchor}"`), `${service} does not lead to ${anchor}`);
      }
      assert.equal(page.split('<article class="operation"').length - 1, anchors.length);
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1] ?? '');
      assert.equal(new Set(ids).size, ids.length, 'no id stands twice');
      for (const [, target = ''] of page.matchAll(/href="#([^"]*)"/g))
        assert.ok(ids.includes(target), `${service}: #${target} leads nowhere`);
    }
  });

  it('is one page for all, which browsers ask for again, small and without a script or style in it', async () => {
    for (const service of SERVICES) {
      const answer = await fetch(`${world[service]}/docs`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), 'br');
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self';/,
      );
      assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /unsafe|nonce|http/);
      const page = await answer.text();
      assert.doesNotMatch(page, /<style|<script(?! type="module" src="\/assets\/)| style="| on[a-z]+="/);
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(`${world[service]}/docs`, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304);
      const slash = await fetch(`${world[service]}/docs/`, { redirect: 'manual' });
      assert.deepEqual([slash.status, slash.headers.get('location')], [301, '/docs']);
    }
  });

  it('leads from one service to the other, and calls by its own address', async () => {
    const connect = await (await fetch(`${world.connect}/docs`)).text();
    const grid = await (await fetch(`${world.grid}/docs`)).text();
    assert.ok(connect.includes(`href="${world.grid}/docs"`));
    assert.ok(grid.includes(`href="${world.connect}/docs"`));
    assert.ok(connect.includes(`curl &#39;${world.connect}/devices&#39;`));
    assert.ok(grid.includes(`curl &#39;${world.grid}/api/v1/prices/current&#39;`));
    assert.ok(grid.includes(`curl &#39;${world.grid}/api/v1/lookup/postal?code=11122&#39;`));
  });

  it('shows examples that the schemas let through', async () => {
    const wrong: string[] = [];
    let seen = 0;
    for (const service of SERVICES) {
      const document = (await (await fetch(`${world[service]}/openapi.json`)).json()) as ApiDocument;
      for (const { id, body, answers } of sectionsOf(document).flatMap(({ operations }) => operations)) {
        const sent = [body?.schema].filter((schema) => schema !== undefined);
        const answered = answers
          .map(({ content }) => content?.['application/json']?.schema)
          .filter((schema) => schema !== undefined);
        const shown = [
          ...sent.map((schema) => [schema, exampleOf(schema, { onlyRequired: true })] as const),
          ...answered.map((schema) => [schema, exampleOf(schema)] as const),
        ];
        seen += shown.length;
        const bad = shown.filter(([schema, example]) => !Compile(schema).Check(example));
        wrong.push(...bad.map(([, example]) => `${service} ${id}: ${JSON.stringify(example)}`));
      }
    }
    assert.ok(seen > 100, `only ${seen} examples`);
    assert.deepEqual(wrong, []);
  });

  it('is not sent again, as a document, to who has it', async () => {
    for (const service of SERVICES) {
      const url = `${world[service]}/openapi.json`;
      const etag = (await fetch(url)).headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}"$/);
      const known = await fetch(url, { headers: { 'if-none-match': etag } });
      assert.deepEqual([known.status, await known.text(), known.headers.get('etag')], [304, '', etag]);
      const changed = await fetch(url, { headers: { 'if-none-match': '"another"' } });
      assert.equal(changed.status, 200);
      assert.ok((await changed.text()).length > 10_000);
    }
  });

  it('names the scope that a key must have', async () => {
    const { paths } = (await (await fetch(`${world.connect}/openapi.json`)).json()) as {
      paths: Record<string, { get: { security: unknown } }>;
    };
    assert.deepEqual(paths['/devices']?.get.security, [
      { apiKey: ['devices:read'] },
      { bearer: ['devices:read'] },
    ]);
  });
});
