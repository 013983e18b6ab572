import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpFailure } from '../../adapter/http.ts';
import { childOf, childrenOf, readXml, textOf } from './xml.ts';

describe('XML of a source', () => {
  it('XML of a source is read by element and attribute, whatever the prefix, and never as numbers', () => {
    const root = readXml(`<?xml version="1.0"?><a:r xmlns:a="u"><p q='1.50'> 01 </p><p>2</p><e/></a:r>`, 'x');
    const r = childOf(root, 'r');
    assert.equal(textOf(r, 'p'), '01');
    assert.equal(childrenOf(r, 'p').length, 2);
    assert.equal(textOf(childOf(r, 'p'), 'q'), '1.50');
    assert.equal(textOf(r, 'e'), '');
    assert.equal(textOf(r, 'none'), undefined);
    assert.equal(textOf(childOf(r, 'none'), 'none'), undefined);
    assert.equal(childOf(r, 'constructor'), undefined);
  });

  it('XML of a source has no entities: they stay text', () => {
    assert.equal(textOf(childOf(readXml('<r><a>&lt;b&#65;</a></r>', 'x'), 'r'), 'a'), '&lt;b&#65;');
  });

  it('XML of a source is refused with a document type, truncated, too deeply nested or with invalid names', () => {
    const wrong = [
      '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>',
      '<!doctype html><html></html>',
      '<r><a>1</a>',
      '<r><a>1</b></r>',
      '{"a":1}',
      '<r><__proto__><polluted>1</polluted></__proto__><a>1</a></r>',
      '',
      `${'<a>'.repeat(50_000)}${'</a>'.repeat(50_000)}`,
    ];
    for (const text of wrong)
      assert.throws(
        () => readXml(text, 'x'),
        (error) => error instanceof HttpFailure && error.kind === 'answer_invalid',
        text.slice(0, 60),
      );
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
