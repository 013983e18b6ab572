import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageOf } from './language.ts';

describe('the language of a page', () => {
  const cases: readonly (readonly [string | undefined, 'sv' | 'en'])[] = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['sv', 'sv'],
    ['sv-SE,sv;q=0.9,en;q=0.8', 'sv'],
    ['SV-se', 'sv'],
    ['en-GB,sv;q=0.9', 'en'],
    ['de-DE,de;q=0.9,sv;q=0.5,en;q=0.4', 'sv'],
    ['de,fr', 'en'],
    ['sv;q=0', 'en'],
    ['sv;q=0.3,en;q=0.7', 'en'],
    ['svx', 'en'],
    ['sv;q=nonsense', 'sv'],
    [`${'x,'.repeat(10_000)}sv`, 'en'],
  ];
  for (const [header, language] of cases)
    it(`the language of a page is ${language} for ${String(header).slice(0, 40)}`, () =>
      assert.equal(languageOf(header), language));
});
