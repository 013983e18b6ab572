import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { readSettings, settingsOf } from '../src/core/settings/index.ts';
import { GATEWAY_SETTINGS } from '../src/gateway/settings.ts';
import { vendors } from '../src/vendors/index.ts';

const needs = needsOf(vendors);
const settings = settingsOf(needs);
const settingNames = new Set(settings.map(({ name }) => name));
const gatewayNames = new Set(Object.values(GATEWAY_SETTINGS).map(({ name }) => name));

/** A module with all that it imports of ours. */
function withImports(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g))
    withImports(join(dirname(file), specifier), found);
  return found;
}

describe('the gateway as it is deployed', () => {
  it('the gateway as it is deployed has all of its modules in its image, and little else', () => {
    const copied = [...readFileSync('deploy/gateway.Dockerfile', 'utf8').matchAll(/^COPY (src.*) \S+$/gm)];
    const sources = copied.flatMap(([, list = '']) => list.split(' '));
    const needed = [...withImports('src/bin/gateway.ts')];
    assert.ok(needed.length > 12, `only ${needed.length} modules`);
    assert.deepEqual(
      needed.filter((file) => !sources.some((source) => file === source || file.startsWith(`${source}/`))),
      [],
    );
    assert.deepEqual(
      needed.filter((file) => /^src\/(?:vendors|adapter|domain|apps|http)\//.test(file)),
      [],
    );
  });

  it('the gateway as it is deployed is set by the names of its settings in its unit and its image', () => {
    for (const file of ['deploy/gateway.Dockerfile', 'deploy/elnav-gateway.service']) {
      const named = [...readFileSync(file, 'utf8').matchAll(/\bELNAV_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
      assert.ok(named.length >= 3, file);
      assert.deepEqual(
        named.filter((name) => !gatewayNames.has(name)),
        [],
        file,
      );
    }
  });
});

describe('what is installed', () => {
  it('what is installed by npm has a checksum, each package', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>;
    };
    const installed = Object.entries(lock.packages).filter(
      ([name, { link }]) => name !== '' && link !== true,
    );
    assert.ok(installed.length > 100, `only ${installed.length} packages`);
    assert.deepEqual(
      installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-')).map(([name]) => name),
      [],
    );
  });

  it('what is installed as an image is never whatever is the latest', () => {
    const images = globSync(['compose.yaml', 'deploy/*.yaml', 'Dockerfile', 'deploy/*Dockerfile']).flatMap(
      (file) =>
        [...readFileSync(file, 'utf8').matchAll(/^ *(?:image:|FROM) (\S+)/gm)].map(([, image = '']) => image),
    );
    assert.ok(images.length >= 6, `only ${images.length} images`);
    for (const image of images) {
      assert.ok(image === 'elnav' || /:[\w?]/.test(image), `${image} names no version`);
      assert.doesNotMatch(image, /:latest$/);
    }
  });
});

describe('the settings elsewhere', () => {
  it('the settings elsewhere are set by the compose files under names that exist: an unknown one stops the start', () => {
    const set = globSync(['compose.yaml', 'deploy/*.yaml']).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^ +(ELNAV_[A-Z0-9_]+):/gm)].map(([, name = '']) => name),
    );
    assert.ok(set.length > 8, `only ${set.length} settings`);
    assert.deepEqual(
      set.filter((name) => !settingNames.has(name)),
      [],
    );
  });

  it('the settings elsewhere have their defaults in the code alone', () => {
    const texts = globSync(['compose.yaml', 'deploy/*.yaml']).map((file) => readFileSync(file, 'utf8'));
    assert.deepEqual(
      texts.flatMap((text) => [...text.matchAll(/\$\{ELNAV_[A-Z0-9_]+:-[^}]+\}/g)].map(([again]) => again)),
      [],
    );
    // What an image of a container cannot leave to them: it is reached from outside, and writes to its volume.
    const [, set = ''] = /^ENV (ELNAV_.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    assert.deepEqual(set.split(' '), ['ELNAV_HOST=0.0.0.0', 'ELNAV_DATA_DIR=/var/lib/elnav']);
  });

  it('the settings elsewhere have the ports that the image and the proxy name', () => {
    const { connectPort, gridPort } = readSettings({});
    assert.match(readFileSync('Dockerfile', 'utf8'), new RegExp(`^EXPOSE ${connectPort} ${gridPort}$`, 'm'));
    const proxied = readFileSync('deploy/Caddyfile', 'utf8').matchAll(
      /reverse_proxy elnav-1:(\d+) elnav-2:(\d+)/g,
    );
    assert.deepEqual(
      [...proxied].map(([, one, other]) => [one, other]),
      [
        [`${connectPort}`, `${connectPort}`],
        [`${gridPort}`, `${gridPort}`],
      ],
    );
  });

  it('the proxy of the public sites hides all that is for operators', () => {
    const [, hidden = ''] = /^\t\tpath (.+)$/m.exec(readFileSync('deploy/Caddyfile', 'utf8')) ?? [];
    const patterns = hidden.split(' ');
    const isHidden = (path: string) =>
      patterns.some((pattern) =>
        pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
      );
    const paths = ['connect', 'grid'].flatMap((service) => {
      const document = JSON.parse(readFileSync(`docs/openapi/${service}.json`, 'utf8')) as { paths: object };
      return Object.keys(document.paths);
    });
    const administration = paths.filter((path) => path.startsWith('/admin'));
    assert.ok(administration.length > 10);
    for (const path of [...administration, '/operator', '/operator/sign-in', '/metrics', '/readyz'])
      assert.ok(isHidden(path), path);
    assert.ok(!isHidden('/devices') && !isHidden('/auth/login') && !isHidden('/healthz'));
  });

  it('the proxy of the public sites logs each request with its id, and neither keys nor tokens', () => {
    const text = readFileSync('deploy/Caddyfile', 'utf8');
    for (const site of ['CONNECT_SITE', 'GRID_SITE'])
      assert.match(text, new RegExp(`^\\{\\$${site}\\} \\{\\n\\timport access$`, 'm'));
    // A response has its X-Request-Id among the headers that are logged.
    assert.doesNotMatch(text, /^\t*resp_headers delete/m);
    assert.match(text, /^\t*request>headers delete$/m);
    const [, pattern = '', replacement = ''] = /^\t*request>uri regexp (\S+) (\S+)$/m.exec(text) ?? [];
    const logged = (uri: string) => uri.replace(new RegExp(pattern), replacement);
    assert.equal(logged('/devices/light-1/command'), '/devices/light-1/command');
    assert.equal(logged('/links/l1/refresh'), '/links/l1/refresh');
    for (const uri of [
      '/auth/magic/verify/secret',
      '/link/sessions/secret?a=b',
      '/users/secret',
      '/oauth/easee/callback?code=secret',
    ])
      assert.doesNotMatch(logged(uri), /secret/);
  });

  it('the settings elsewhere are named as they are in the documents', () => {
    const documents = globSync([
      'README.md',
      'CONTRIBUTING.md',
      'docs/**/*.md',
      'src/vendors/*/README.md',
      'src/sources/**/README.md',
    ]);
    const named = documents.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bELNAV_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g)].map(([name]) => ({
        file,
        name,
      })),
    );
    assert.ok(named.length > 100, `only ${named.length} names`);
    assert.deepEqual(
      named.filter(({ name }) => !settingNames.has(name) && !gatewayNames.has(name)),
      [],
    );
  });

  it('the settings elsewhere start with their defaults, as the example lists them', () => {
    const example = readFileSync('.env.example', 'utf8');
    const all = parseEnv(example.replaceAll(/^#(?=[A-Z])/gm, ''));
    assert.deepEqual(Object.keys(all).sort(), [...settingNames].sort());
    assert.deepEqual(Object.keys(parseEnv(example)), [], 'what is copied sets nothing');
    const { market, people, ...read } = readSettings(all, needs);
    const { market: ownMarket, people: ownPeople, ...own } = readSettings({}, needs);
    assert.deepEqual([read, market, people], [own, ownMarket, ownPeople]);
  });
});
