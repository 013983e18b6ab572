import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../core/errors.ts';
import { faultInJson } from '../../../core/json.ts';
import { textOf } from './fleet-columns.ts';
import { JsonBytes, LIST } from './json-bytes.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function takes(bytes: Uint8Array): boolean {
  try {
    const json = new JsonBytes(bytes);
    json.skip(0);
    json.finish();
    return true;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'request.malformed');
    return false;
  }
}

/** The check that every other body of the service must pass. */
function otherBodiesTake(bytes: Uint8Array): boolean {
  try {
    return faultInJson(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))) === null;
  } catch {
    return false;
  }
}

/** Pieces of JSON, valid and broken, in any order. */
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a":',
        '"a"',
        ' ',
        '\n',
        '\t',
        '\u0000',
        '\v',
        '\ufeff',
      ),
      fc.constantFrom(
        'true',
        'false',
        'null',
        'tru',
        'nul',
        'NaN',
        '-',
        '0',
        '-0',
        '01',
        '1.',
        '.5',
        '1e',
        '1E+2',
      ),
      fc.constantFrom(
        '\\',
        '\\n',
        '\\u',
        '\\u0041',
        '\\u00',
        '\\ud83d\\ude00',
        '\\ud83d',
        '\\ude00',
        '\\u0000',
        '\\x',
      ),
      fc.constantFrom('"\\ud83d\\n"', '"__proto__":', '"\\u005f_proto__":', '[]', '{}', '1e400', '-1.5e-3'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const mutated = fc
  .tuple(
    fc.json({ maxDepth: 5 }),
    fc.nat(),
    fc.constantFrom('', '"', '\\', ',', '}', ']', '0', '\\u12', 'e', '-'),
  )
  .map(([text, at, put]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + 1);
  });

describe('JSON read in place', () => {
  it('JSON read in place accepts exactly the bodies that other routes accept', () => {
    let taken = 0;
    const texts = fc.oneof(
      pieces,
      pieces.map((text) => `[${text}]`),
      pieces.map((text) => `["${text}"]`),
      pieces.map((text) => `{"b":${text}}`),
      mutated,
      fc.json(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const expected = otherBodiesTake(bytesOf(text));
        taken += expected ? 1 : 0;
        assert.equal(takes(bytesOf(text)), expected, text);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(taken > 4_000, `only ${taken} were JSON`);
  });

  it('JSON read in place refuses bytes that are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), (inner) => {
        const bytes = Uint8Array.from([0x22, ...inner, 0x22]);
        assert.equal(takes(bytes.slice()), otherBodiesTake(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  it('JSON read in place accepts 32 levels and not 33', () => {
    const nested = (levels: number) => bytesOf('['.repeat(levels) + ']'.repeat(levels));
    assert.equal(takes(nested(32)), true);
    assert.equal(takes(nested(33)), false);
    assert.equal(takes(bytesOf(`${'{"a":'.repeat(200_000)}1`)), false);
  });

  it('JSON read in place reads numbers and texts as JSON.parse does', () => {
    const unicode = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', 'x'));
    const number = fc.oneof(
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(2 ** 53),
    );
    fc.assert(
      fc.property(number, (value) => {
        const text = JSON.stringify(value);
        const read = new JsonBytes(bytesOf(text)).number();
        assert.equal(Number.isSafeInteger(read), Number.isSafeInteger(value), text);
        assert.equal(Number.isSafeInteger(value) ? read : 0, Number.isSafeInteger(value) ? value + 0 : 0);
      }),
    );
    fc.assert(
      fc.property(unicode, fc.func(fc.boolean()), (text, isEscaped) => {
        const written = [...text].map((character) =>
          isEscaped(character) ? escaped(character) : plain(character),
        );
        const json = new JsonBytes(bytesOf(`"${written.join('')}"`));
        json.text();
        assert.equal(textOf(json.bytes, json.start, json.end), text);
      }),
    );
  });

  it('JSON read in place reports the position of a syntax error', () => {
    const fault = (text: string) => () => new JsonBytes(bytesOf(text)).skip(0);
    assert.throws(fault('[1,]'), { message: 'the body is not valid JSON at byte 3' });
    assert.throws(fault('[1'), { message: 'the body is not valid JSON (it ends too early)' });
    assert.throws(fault('"a\nb"'), { message: 'the body is not valid JSON at byte 2' });
    const json = new JsonBytes(bytesOf('[1] 2'));
    json.skip(0);
    assert.throws(() => json.finish(), { message: 'the body is not valid JSON at byte 4' });
  });

  it('JSON read in place walks lists item by item', () => {
    const json = new JsonBytes(bytesOf(' [ 1 , -0, 12 ] '));
    const items: number[] = [];
    for (let more = json.enter(0); more; more = json.next(LIST)) {
      json.peek();
      items.push(json.number());
    }
    json.finish();
    assert.deepEqual(items, [1, 0, 12]);
  });
});

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

function plain(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
