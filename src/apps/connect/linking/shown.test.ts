import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shown } from './shown.ts';

it('a text of others stands in a line of ours', () => {
  assert.equal(shown('  Hall\n\tlamp ', 40), 'Hall lamp');
  assert.equal(shown('abc\u202edef\u0000\u2067', 40), 'abc def');
  assert.equal(shown('x'.repeat(50), 10), `${'x'.repeat(9)}…`);
  assert.equal(shown('⚡'.repeat(50), 10), `${'⚡'.repeat(9)}…`);
  assert.equal(shown('\ud800', 10), '');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const line = shown(text, 20);
      assert.ok([...line].length <= 20);
      assert.doesNotMatch(line, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
