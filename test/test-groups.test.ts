import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { groupsOf } from '../tools/test-groups.ts';

const file = (path: string, text = '') => ({ path, text });
const pathsOf = (files: Parameters<typeof groupsOf>[0]) => groupsOf(files).map(({ paths }) => paths);

describe('groups of test files', () => {
  it('groups of test files have each file of the repository once, in fewer processes', () => {
    const files = globSync('{src,test}/**/*.test.ts').map((path) => file(path, readFileSync(path, 'utf8')));
    const groups = pathsOf(files);
    assert.deepEqual(groups.flat().toSorted(), files.map(({ path }) => path).toSorted());
    assert.ok(groups.length < files.length / 4, `${groups.length} groups`);
  });

  it('groups of test files begin with those that run longest', () => {
    const files = ['src/core/a.test.ts', 'test/journeys/b.test.ts', 'test/faults/c.test.ts'].map((path) =>
      file(path),
    );
    assert.deepEqual(
      pathsOf(files),
      files.toReversed().map(({ path }) => [path]),
    );
  });

  for (const text of [
    'beforeEach(() => open());',
    "process.on('warning', note);",
    'unset = setEnvironment({ A: url });',
    'const [, , port] = process.argv;',
    'const before = process.memoryUsage().heapUsed;',
  ])
    it(`groups of test files give a process of its own to one that has ${text}`, () => {
      const files = [
        file('src/core/a.test.ts'),
        file('src/core/b.test.ts', `\n${text}\n`),
        file('src/core/c.test.ts'),
      ];
      assert.deepEqual(pathsOf(files), [
        ['src/core/a.test.ts', 'src/core/c.test.ts'],
        ['src/core/b.test.ts'],
      ]);
    });

  it('groups of test files let hooks of a suite share a process', () => {
    const files = [file('src/core/a.test.ts'), file('src/core/b.test.ts', '  beforeEach(() => open());\n')];
    assert.equal(groupsOf(files).length, 1);
  });

  it('groups of test files are not long', () => {
    const long = 'x'.repeat(40_000);
    assert.equal(groupsOf([file('src/core/a.test.ts', long), file('src/core/b.test.ts', long)]).length, 2);
  });
});
