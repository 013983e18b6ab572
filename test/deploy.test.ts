import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { SETTINGS } from '../src/core/config.ts';
import { settingsOfVendors } from '../src/core/vendor-settings.ts';
import { vendors } from '../src/vendors/index.ts';

it('the compose files set what is a setting: any other name stops the start', () => {
  const known = new Set([...SETTINGS, ...settingsOfVendors(needsOf(vendors))].map(({ name }) => name));
  const set = globSync(['compose.yaml', 'deploy/*.yaml']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^ +(ELNAV_[A-Z0-9_]+):/gm)].map(([, name = '']) => name),
  );
  assert.ok(set.length > 12, `only ${set.length} settings`);
  assert.deepEqual(
    set.filter((name) => !known.has(name)),
    [],
  );
});
