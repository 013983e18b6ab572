import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { allControls, controlsIn, testFileOf } from '../tools/controls/marked.ts';

/** The source without its only control, in one line. */
function without(source: string): string {
  const [control, ...others] = controlsIn('src/a/door.ts', source);
  assert.deepEqual(others, []);
  assert.ok(control);
  return control.without
    .replaceAll(/\/\/.*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('a marked control', () => {
  const CASES = [
    [
      'an `if` goes with its body',
      'let a = 1;\n// control: x\nif (a > 0) {\n  a = 0;\n}\na;',
      'let a = 1; a;',
    ],
    [
      'a call of a chain goes alone',
      "q\n  .of('b')\n  // control: x\n  .where('a', '=', a)\n  .end();",
      "q .of('b') .end();",
    ],
    ['an optional call of a chain goes alone', 'q\n  // control: x\n  ?.where(a)\n  .end();', 'q .end();'],
    ['a property goes with its comma', 'f({\n  a,\n  // control: x\n  b: 1,\n  c,\n});', 'f({ a, c, });'],
    ['a spread goes with its comma', 'f({\n  // control: x\n  ...b,\n  c,\n});', 'f({ c, });'],
    [
      'the first operand goes with its operator',
      'if (\n  // control: x\n  a &&\n  b && c\n) d();',
      'if ( b && c ) d();',
    ],
    ['a later operand goes with its operator', 'if (\n  a ||\n  // control: x\n  b\n) d();', 'if ( a ) d();'],
    ['a condition is replaced', '// control: x => a\nif (a && b) c();', 'if (a) c();'],
    ['a constant is replaced', '// control: x => 9\nexport const A = 3;', 'export const A = 9;'],
    [
      'a returned value is replaced',
      'function f() {\n  // control: x => 0\n  return a + b;\n}',
      'function f() { return 0; }',
    ],
    ['the value of a property is replaced', 'f({\n  // control: x => 2\n  a: 1,\n});', 'f({ a: 2, });'],
    ['a statement is replaced', '// control: x => a = b\na ||= b;', 'a = b;'],
    [
      'a call of a chain is replaced',
      'q\n  // control: x => .all()\n  .one()\n  .end();',
      'q .all() .end();',
    ],
  ] as const;
  for (const [title, source, left] of CASES) it(title, () => assert.equal(without(source), left));

  it('a marked control has its sentence, its tests and what they need', () => {
    const source =
      '// control: a wrong key\n// is refused [http/gate TEST_DATABASE_URL] => a[0]\nif (a) b();';
    const [control] = controlsIn('src/a/door.ts', source);
    assert.ok(control);
    const { without: left, ...rest } = control;
    assert.equal(left.split('\n').at(-1), 'if (a[0]) b();');
    assert.deepEqual(rest, {
      file: 'src/a/door.ts',
      line: 1,
      guards: 'a wrong key is refused',
      tests: ['http/gate'],
      needs: ['TEST_DATABASE_URL'],
    });
  });

  it('a marked control has the test beside its file where it names none', () => {
    assert.deepEqual(controlsIn('src/a/door.ts', '// control: x\na();')[0]?.tests, ['src/a/door']);
  });

  it('a marked control is refused without a sentence, and where nothing can be taken away', () => {
    assert.throws(
      () => controlsIn('src/a/door.ts', '// control:\na();'),
      /door\.ts:1: the marker has no sentence/,
    );
    assert.throws(
      () => controlsIn('src/a/door.ts', 'const a =\n  // control: x\n  b;'),
      /door\.ts:2: nothing below/,
    );
  });

  it('a marked control names one test file, by its name or the end of its path', () => {
    const files = ['src/a/door.test.ts', 'src/b/door.test.ts', 'src/b/backdoor.test.ts'];
    assert.equal(testFileOf('b/door', files), 'src/b/door.test.ts');
    assert.equal(testFileOf('backdoor', files), 'src/b/backdoor.test.ts');
    assert.throws(() => testFileOf('door', files), /both src\/a\/door.test.ts and src\/b\/door.test.ts/);
    assert.throws(() => testFileOf('window', files), /no test file is named window/);
  });
});

describe('the controls of the sources', () => {
  const controls = allControls();
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']);

  it('the controls of the sources are at most a hundred, with a sentence each of their own', () => {
    const sentences = controls.map(({ guards }) => guards);
    assert.equal(new Set(sentences).size, sentences.length);
    assert.ok(sentences.length <= 100, `${sentences.length} controls are marked`);
  });

  it('the controls of the sources name tests that exist', () => {
    for (const { tests } of controls) for (const name of tests) testFileOf(name, files);
  });

  for (const [what, place] of [
    ['the isolation of accounts', /\/devices\/store|\/requests\/store|\/gateways\/store/],
    ['who may call', /src\/http\//],
    ['commands', /\/commands\//],
    ['set-points', /\/set-points\//],
    ['events', /\/records\/events\//],
    ['signatures of deliveries', /\/deliveries\//],
    ['the keys of the vault', /src\/bin\/start/],
    ['addresses of outgoing calls', /src\/outbound\/address-guard/],
    ['the database', /src\/db\//],
  ] as const)
    it(`the controls of the sources guard ${what}`, () =>
      assert.ok(controls.some(({ file }) => place.test(file))));
});
