import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { readSettings, settingsOf } from '../src/core/settings/index.ts';
import { vendors } from '../src/vendors/index.ts';

const needs = needsOf(vendors);
const settings = settingsOf(needs);
const settingNames = new Set(settings.map(({ name }) => name));

describe('the settings elsewhere', () => {
  it('are set by the compose files under their names: any other one stops the start', () => {
    const set = globSync(['compose.yaml', 'deploy/*.yaml']).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^ +(ELNAV_[A-Z0-9_]+):/gm)].map(([, name = '']) => name),
    );
    assert.ok(set.length > 8, `only ${set.length} settings`);
    assert.deepEqual(
      set.filter((name) => !settingNames.has(name)),
      [],
    );
  });

  it('have their defaults in the code alone', () => {
    const texts = globSync(['compose.yaml', 'deploy/*.yaml']).map((file) => readFileSync(file, 'utf8'));
    assert.deepEqual(
      texts.flatMap((text) => [...text.matchAll(/\$\{ELNAV_[A-Z0-9_]+:-[^}]+\}/g)].map(([again]) => again)),
      [],
    );
    // What an image of a container cannot leave to them: it is reached from outside, and writes to its volume.
    const [, set = ''] = /^ENV (ELNAV_.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    assert.deepEqual(set.split(' '), ['ELNAV_HOST=0.0.0.0', 'ELNAV_DATA_DIR=/var/lib/elnav']);
  });

  it('have the ports that the image and the proxy name', () => {
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

  it('are named as they are in the documents', () => {
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
      named.filter(({ name }) => !settingNames.has(name)),
      [],
    );
  });

  it('start with their defaults, as the example lists them', () => {
    const example = readFileSync('.env.example', 'utf8');
    const all = parseEnv(example.replaceAll(/^#(?=[A-Z])/gm, ''));
    assert.deepEqual(Object.keys(all).sort(), [...settingNames].sort());
    assert.deepEqual(Object.keys(parseEnv(example)), [], 'what is copied sets nothing');
    const { market, people, ...read } = readSettings(all, needs);
    const { market: ownMarket, people: ownPeople, ...own } = readSettings({}, needs);
    assert.deepEqual([read, market, people], [own, ownMarket, ownPeople]);
  });
});
