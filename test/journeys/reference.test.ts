import assert from 'node:assert/strict';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Compile } from 'typebox/compile';
import { type ApiDocument, dereferenced, sectionsOf } from '../../src/pages/reference/document.ts';
import { exampleOf } from '../../src/pages/reference/example.ts';
import { makeWorld, type World } from '../kit/world.ts';

const SERVICES = ['connect', 'grid'] as const;

/** Names of fields at all levels. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, inner]) => [name, shapeOf(inner)]),
      )
    : typeof value;

/** A device without its meter, which keeps counting. */
const withoutMeter = (device: unknown): unknown => {
  const { state, ...rest } = device as { readonly state: Record<string, unknown> };
  const { energy_wh, ...others } = state;
  return { ...rest, state: others };
};

/** The size of a page as it is transferred, bytes. */
const sizeOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'br' } }, async (response) => {
      resolve((await buffer(response)).length);
    }).on('error', reject);
  });

const anchorOf = (method: string, path: string): string =>
  `${method} ${path}`.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');

describe('the reference of both services', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
  });
  after(() => world?.close());

  it('the reference of both services has every operation of the document, each under its anchor', async () => {
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

  it('the reference of both services is one page for everybody, revalidated by browsers, small, and without inline scripts or styles', async () => {
    for (const service of SERVICES) {
      const answer = await fetch(`${world[service]}/docs`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), 'br');
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self';/,
      );
      assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /unsafe|nonce|http/);
      assert.ok((await sizeOf(`${world[service]}/docs`)) < 40 * 1024, 'small when it is transferred');
      const page = await answer.text();
      assert.doesNotMatch(page, /<style|<script(?! type="module" src="\/assets\/)| style="| on[a-z]+="/);
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(`${world[service]}/docs`, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304);
      const slash = await fetch(`${world[service]}/docs/`, { redirect: 'manual' });
      assert.deepEqual([slash.status, slash.headers.get('location')], [301, '/docs']);
    }
  });

  it('the reference of both services links from one service to the other, and calls its own address', async () => {
    const connect = await (await fetch(`${world.connect}/docs`)).text();
    const grid = await (await fetch(`${world.grid}/docs`)).text();
    assert.ok(connect.includes(`href="${world.grid}/docs"`));
    assert.ok(grid.includes(`href="${world.connect}/docs"`));
    assert.ok(connect.includes(`curl &#39;${world.connect}/devices&#39;`));
    assert.ok(grid.includes(`curl &#39;${world.grid}/api/v1/prices/current&#39;`));
    assert.ok(grid.includes(`curl &#39;${world.grid}/api/v1/lookup/postal?code=11122&#39;`));
  });

  it('the reference of both services has an example of every body and response, which matches its schema', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const service of SERVICES) {
      const document = (await (await fetch(`${world[service]}/openapi.json`)).json()) as ApiDocument;
      const { paths, webhooks = {} } = dereferenced(document);
      for (const [path, methods] of Object.entries({ ...paths, ...webhooks })) {
        for (const [method, { requestBody, responses = {} }] of Object.entries(methods)) {
          const media = [requestBody, ...Object.values(responses)].flatMap((one) =>
            Object.entries(one?.content ?? {}),
          );
          const json = media.flatMap(([type, one]) => (type === 'application/json' ? [one] : []));
          count += json.length;
          const bad = json.filter(({ schema = {}, example }) => !Compile(schema).Check(example));
          wrong.push(...bad.map(({ example }) => `${service} ${method} ${path}: ${JSON.stringify(example)}`));
        }
      }
    }
    assert.ok(count > 100, `only ${count} examples`);
    assert.deepEqual(wrong, []);
  });

  it('the reference of both services shows what the sandbox and the planner really return', async () => {
    const caller = await world.newAccount();
    const document = (await (await fetch(`${world.connect}/openapi.json`)).json()) as ApiDocument;
    const operations = sectionsOf(document).flatMap((section) => section.operations);
    const of = (method: string, path: string) => {
      const found = operations.find((one) => one.method === method && one.path === path);
      assert.ok(found !== undefined, path);
      const schemaOf = (status: string) =>
        found.answers.find((answer) => answer.status === status)?.content?.['application/json']?.schema;
      return {
        body: exampleOf(found.body?.schema ?? {}, { onlyRequired: true }),
        answer: exampleOf(schemaOf('200') ?? {}),
      };
    };
    const { body } = of('POST', '/link');
    const linked = (await caller.call('POST', '/link', body)).body as { devices: unknown[] };
    const { devices } = of('POST', '/link').answer as { devices: unknown[] };
    assert.ok(
      devices.every((device) => linked.devices.some((one) => isDeepStrictEqual(one, device))),
      JSON.stringify(devices),
    );
    const charger = '/devices/charger-u2vsdkcko5';
    const read = (await caller.call('GET', charger)).body as Record<string, object>;
    // Only a device that needs something of its user shows interventions.
    const { interventions, ...shown } = of('GET', '/devices/{id}').answer as typeof read;
    assert.ok(Array.isArray(interventions));
    assert.deepEqual(shapeOf(shown), shapeOf(read));
    assert.deepEqual(shown.device, read.device);
    const command = of('POST', '/devices/{id}/command');
    const commanded = (await caller.call('POST', `${charger}/command`, command.body)).body;
    assert.deepEqual(withoutMeter(command.answer), withoutMeter(commanded));
    for (const path of ['/optimize/plan', '/flex/dispatch', '/flex/flexibility']) {
      const example = of('POST', path);
      assert.deepEqual(example.answer, (await caller.call('POST', path, example.body)).body, path);
    }
  });

  it('the reference of both services gives 304 for an unchanged document', async () => {
    for (const service of SERVICES) {
      const url = `${world[service]}/openapi.json`;
      const etag = (await fetch(url)).headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}"$/);
      const unchanged = await fetch(url, { headers: { 'if-none-match': etag } });
      assert.deepEqual(
        [unchanged.status, await unchanged.text(), unchanged.headers.get('etag')],
        [304, '', etag],
      );
      const changed = await fetch(url, { headers: { 'if-none-match': '"another"' } });
      assert.equal(changed.status, 200);
      assert.ok((await changed.text()).length > 10_000);
    }
  });

  it('the reference of both services names the scope that a key must have', async () => {
    const { paths } = (await (await fetch(`${world.connect}/openapi.json`)).json()) as {
      paths: Record<string, { get: { security: unknown } }>;
    };
    assert.deepEqual(paths['/devices']?.get.security, [
      { apiKey: ['devices:read'] },
      { bearer: ['devices:read'] },
    ]);
  });
});
