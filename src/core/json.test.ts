import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { faultInJson, faultInText } from './json.ts';

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('a JSON value', () => {
  it('a JSON value is accepted when every database can store it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const storable = !/\\u0000|\\ud[89a-f]|"__proto__":/.test(text);
        assert.equal(faultInJson(JSON.parse(text)) === null, storable, text);
      }),
      { numRuns: 500 },
    );
  });

  it('a JSON value is refused with the place of the fault', () => {
    assert.match(faultInJson({ a: [1, { b: 'x\0' }] }) ?? '', /^body\.a\[1\]\.b holds a NUL/);
    assert.match(faultInJson({ a: '\ud800' }) ?? '', /^body\.a holds a lone surrogate/);
    assert.match(faultInJson({ 'a\0': 1 }) ?? '', /^a field name in body holds a NUL/);
    assert.match(
      faultInJson(JSON.parse('{"a":{"__proto__":1}}')) ?? '',
      /^body\.a has a field named __proto__/,
    );
    assert.equal(faultInText('\u{1f600}', 'text'), null);
  });

  it('a JSON value is refused below 32 levels, in a sentence of limited length', () => {
    assert.equal(faultInJson(nested(32)), null);
    assert.match(faultInJson(nested(33)) ?? '', /deeper than 32 levels/);
    const long = 'k'.repeat(100_000);
    const faults = [{ [long]: '\0' }, { [long]: { '\ud800': 1 } }, JSON.parse(`{"${long}":{"__proto__":1}}`)];
    for (const value of faults) assert.ok((faultInJson(value) ?? long).length < 200);
  });
});
