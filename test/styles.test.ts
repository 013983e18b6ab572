import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const read = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8')).join('\n');

const sources = read(
  globSync(['src/**/*.ts', 'console/*.{ts,tsx}', 'console/{app,parts}/**/*.{ts,tsx}']).filter(
    (file) => !file.endsWith('.test.ts'),
  ),
);
const names = new Set(sources.match(/[a-z][\w-]*/gi));
/** The beginning of a name with a computed end: `tone-${…}`. */
const beginnings = new Set([...sources.matchAll(/([a-z][\w-]*-)\$\{/gi)].map(([, beginning]) => beginning));

const isUsed = (name: string) => names.has(name) || beginnings.has(name.slice(0, name.lastIndexOf('-') + 1));

function classesIn(sheet: string): string[] {
  const selectors = sheet.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{/g);
  return [...selectors].flatMap(([, selector = '']) =>
    [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name),
  );
}

describe('style sheets', () => {
  for (const file of globSync('src/pages/styles/*.css'))
    it(`style sheets of ${file} have no unused class`, () => {
      const classes = classesIn(readFileSync(file, 'utf8'));
      assert.ok(classes.length > 2, 'classes were found');
      assert.deepEqual(
        classes.filter((name) => !isUsed(name)),
        [],
      );
    });

  it('style sheets would be noticed with an unused class', () => {
    assert.deepEqual(classesIn('/* .a */ @media print { .b-c > p.d:hover { top: 0.5rem } }'), ['b-c', 'd']);
    assert.equal(isUsed('tone-3'), true);
    assert.equal(isUsed('no-page-has-this'), false);
  });
});
