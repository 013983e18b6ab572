import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** The parts of `src` that may be imported by any path. */
const BELOW_BIN = [
  'src/core',
  'src/adapter',
  'src/simulation',
  'src/vendors',
  'src/sources',
  'src/outbound',
  'src/tunnel',
  'src/gateway',
  'src/db',
  'src/pages',
  'src/http',
  'src/apps',
];

/** Allowed imports by folder; a folder that is not in the table fails the test. `*` stands for one folder name. */
const TABLE: readonly { readonly folder: string; readonly may: readonly string[] }[] = [
  { folder: 'src/core', may: [] },
  { folder: 'src/adapter', may: ['src/core'] },
  { folder: 'src/vendors/index.ts', may: ['src/adapter', 'src/vendors/*/index.ts'] },
  { folder: 'src/simulation', may: ['src/core', 'src/adapter'] },
  // What a bridge of Hue says of its lamps is the same over Hue's cloud and at home.
  {
    folder: 'src/vendors/hue_bridge',
    may: ['src/core', 'src/adapter', 'src/simulation', 'src/vendors/hue/bridge', 'self'],
  },
  { folder: 'src/vendors/*', may: ['src/core', 'src/adapter', 'src/simulation', 'self'] },
  { folder: 'src/sources/contract', may: ['src/core', 'src/adapter'] },
  { folder: 'src/sources/index.ts', may: ['src/sources/contract', 'src/sources/*/index.ts'] },
  { folder: 'src/sources/*', may: ['src/core', 'src/adapter', 'src/sources/contract', 'self'] },
  { folder: 'src/tunnel', may: ['src/core'] },
  { folder: 'src/gateway', may: ['src/core', 'src/tunnel'] },
  { folder: 'src/outbound', may: ['src/core', 'src/adapter', 'src/tunnel'] },
  { folder: 'src/db', may: ['src/core'] },
  // Plain calculations: no database, no other domain.
  { folder: 'src/domain/planner', may: ['src/core', 'src/adapter'] },
  { folder: 'src/domain/flex', may: ['src/core', 'src/adapter'] },
  // Domains that call vendors import this one.
  {
    folder: 'src/domain/calls',
    may: [
      'src/core',
      'src/db',
      'src/adapter',
      'src/domain/budgets/index.ts',
      'src/domain/interventions/index.ts',
    ],
  },
  {
    folder: 'src/domain/*',
    may: ['src/core', 'src/db', 'src/adapter', 'src/sources/contract', 'src/domain/*/index.ts', 'self'],
  },
  {
    folder: 'src/registers',
    may: ['src/core', 'src/adapter', 'src/sources/contract', 'src/domain/areas/index.ts'],
  },
  { folder: 'src/pages', may: ['src/core'] },
  { folder: 'src/http', may: ['src/core', 'src/pages', 'src/domain/accounts/index.ts'] },
  {
    folder: 'src/apps/*',
    may: [
      'src/core',
      'src/adapter',
      'src/simulation',
      'src/sources/contract',
      'src/domain/*/index.ts',
      'src/http',
      'src/pages',
      'src/tunnel',
      'self',
    ],
  },
  { folder: 'src/bin', may: [...BELOW_BIN, 'src/domain/*/index.ts', 'src/registers/index.ts'] },
  { folder: 'test', may: ['src', 'tools/mutants', 'tools/new-vendor', 'console/app'] },
  { folder: 'bench', may: ['src', 'test'] },
  {
    folder: 'tools',
    may: [...BELOW_BIN, 'src/bin', 'src/domain/*/index.ts', 'src/registers/index.ts', 'test'],
  },
  { folder: 'console', may: [] },
];

/** Tests may import the test database in addition to what their folder may. */
const FOR_TESTS = ['src/core', 'src/adapter', 'src/simulation', 'test'];

const files = globSync([
  'src/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'tools/**/*.ts',
  'console/**/*.{ts,tsx}',
]).map((file) => normalize(file));

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const statements = /^(?:(?:import|export|\}).*from |import )'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;
  const specifiers = [...source.matchAll(statements)].map((match) => match[1] ?? match[2] ?? '');
  return specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
}

/**
 * The imports that a module needs when it is evaluated. Types are erased and `import()` runs later, so neither can reach a module that
 * is only half evaluated.
 */
function valueImportsOf(file: string, source: string): string[] {
  const statements = /^(?:import|export)\s(?!type\s)([^';]*\sfrom\s)?'(\.[^']+)';/gm;
  return [...source.matchAll(statements)]
    .filter(([, clause = '']) => !/^\{(?:\s*type\s[^,}]+,?)*\s*\}\sfrom\s$/.test(clause))
    .map(([, , specifier = '']) => normalize(join(dirname(file), specifier)));
}

/** Front doors for others than us: the libraries of the package, and what vendors are made of. Tests of a vendor are found by their path. */
const OPEN = [
  'src/domain/planner/index.ts',
  'src/domain/flex/index.ts',
  'src/adapter/kit/index.ts',
  'src/simulation/index.ts',
  ...globSync('src/vendors/*/test-conformance.ts').map((file) => normalize(file)),
];

/** The names in the braces of a statement: theirs, or ours after `as`. */
const namesIn = (braces: string, side: 0 | -1): string[] =>
  braces.split(',').flatMap((part) => {
    const name = part
      .trim()
      .replace(/^type\s+/, '')
      .split(/\s+as\s+/)
      .at(side);
    return name === undefined || name === '' ? [] : [name];
  });

/** What a module takes of others; `*` for all of it. */
function namedImportsOf(file: string, source: string): { readonly from: string; readonly names: string[] }[] {
  const statements =
    /^(?:import|export)\s(?:type\s)?[^;'{]*?(?:\{([^}]*)\}\s*)?from\s+'(\.[^']+)'|\b(?:import|URL)\('(\.[^']+)'/gm;
  return [...source.matchAll(statements)].map(([, braces, specifier, whole]) => ({
    from: normalize(join(dirname(file), specifier ?? whole ?? '')),
    names: braces === undefined ? ['*'] : namesIn(braces, 0),
  }));
}

/** The values that a module exports, and all that it hands on. Types may stand for what a function takes. */
function exportsOf(source: string): string[] {
  const own = source.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm);
  const handedOn = source.matchAll(/^export (?:type )?\{([^}]*)\} from/gm);
  return [
    ...[...own].map(([, name = '']) => name),
    ...[...handedOn].flatMap(([, braces = '']) => namesIn(braces, -1)),
  ];
}

/** The first cycle of a module's imports; null where there is none. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

function patternOf(folder: string): RegExp {
  return new RegExp(`^${folder.split('*').map(RegExp.escape).join('[^/]+')}(?:/|$)`);
}

const isForTests = (file: string): boolean =>
  file.endsWith('.test.ts') || file.includes('/test-') || file.startsWith('test/');

function faultsOf(file: string): string[] {
  const row = TABLE.find(({ folder }) => patternOf(folder).test(file));
  if (row === undefined) return [`${file} is in no folder of the table`];
  const self = patternOf(row.folder).exec(file)?.[0].replace(/\/$/, '') ?? '';
  return importsOf(file)
    .filter((target) => {
      const permitted = [
        ...row.may.filter((may) => may !== 'self'),
        self,
        ...(isForTests(file) ? FOR_TESTS : []),
      ];
      return !permitted.some((may) => patternOf(may).test(target));
    })
    .map((target) => `${file} imports ${target}`);
}

describe('the architecture', () => {
  it('allows only the imports in the table', () => {
    assert.ok(files.length > 50, `only ${files.length} files were read`);
    assert.deepEqual(files.flatMap(faultsOf), []);
  });

  it('would notice a forbidden import', () => {
    const reads = files.filter((file) => importsOf(file).length > 0);
    assert.ok(reads.length > 40, 'imports are found in most files');
    assert.equal(patternOf('src/vendors/*').test('src/vendors/ocpp/server.ts'), true);
    assert.equal(patternOf('src/vendors/*/index.ts').test('src/vendors/ocpp/server.ts'), false);
  });

  it('has no cycles of imports other than of types', () => {
    const graph = new Map(files.map((file) => [file, valueImportsOf(file, readFileSync(file, 'utf8'))]));
    const found = [...graph.values()].flat();
    assert.ok(found.length > 2_000, `only ${found.length} imports were found`);
    assert.deepEqual(
      found.filter((target) => target.endsWith('.ts') && !graph.has(target)),
      [],
    );
    assert.equal(cycleIn(graph), null);
  });

  it('has no cycles between domains, not even of types', () => {
    const domainOf = (file: string) => /^src\/domain\/([^/]+)\//.exec(file)?.[1];
    const graph = new Map<string, string[]>();
    for (const file of files.filter((one) => !isForTests(one))) {
      const domain = domainOf(file);
      if (domain === undefined) continue;
      const others = importsOf(file).flatMap((target) => domainOf(target) ?? []);
      const existing = graph.get(domain) ?? [];
      graph.set(domain, [...existing, ...others.filter((other) => other !== domain)]);
    }
    assert.ok(graph.size > 12, `only ${graph.size} domains were read`);
    assert.ok(graph.get('devices')?.includes('calls'), 'imports of other domains are found');
    assert.equal(cycleIn(graph), null);
  });

  it('would notice a cycle', () => {
    const sources = {
      'a.ts': "import { one } from './b.ts';",
      'b.ts': "import {\n  type Two,\n  two,\n} from './c.ts';",
      'c.ts': "export { one } from './b.ts';",
      'd.ts': "import type { E } from './e.ts';\nimport { type F, type G } from './e.ts';",
      'e.ts': "import './d.ts';\nconst later = () => import('./e.ts');",
    };
    const graph = new Map(
      Object.entries(sources).map(([file, source]) => [file, valueImportsOf(file, source)]),
    );
    assert.deepEqual(graph.get('d.ts'), []);
    assert.deepEqual(graph.get('e.ts'), ['d.ts']);
    assert.deepEqual(cycleIn(graph), ['b.ts', 'c.ts', 'b.ts']);
    graph.set('c.ts', []);
    assert.equal(cycleIn(graph), null);
  });

  it('exports what somebody imports', () => {
    const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
    const used = new Map<string, Set<string>>();
    for (const [file, source] of sources)
      for (const { from, names } of namedImportsOf(file, source))
        used.set(from, new Set([...(used.get(from) ?? []), ...names]));
    const own = [...sources].filter(([file]) => /^(?:src|test)\//.test(file) && !OPEN.includes(file));
    const exported = own.flatMap(([file, source]) => exportsOf(source).map((name) => ({ file, name })));
    assert.ok(exported.length > 1_500, `only ${exported.length} exports were found`);
    assert.deepEqual(
      exported.filter(({ file, name }) => !(used.get(file)?.has(name) || used.get(file)?.has('*'))),
      [],
    );
  });

  it('would notice an export of no use', () => {
    const source =
      "export const a = 1;\nexport type T = 1;\nexport async function f() {}\nexport { b, type U, c as d } from './b.ts';";
    assert.deepEqual(exportsOf(source), ['a', 'f', 'b', 'U', 'd']);
    const importer =
      "import x, { a, type B as C } from './b.ts';\nexport { d as e } from './d.ts';\nconst g = await import('./g.ts');";
    assert.deepEqual(namedImportsOf('s/a.ts', importer), [
      { from: 's/b.ts', names: ['a', 'B'] },
      { from: 's/d.ts', names: ['d'] },
      { from: 's/g.ts', names: ['*'] },
    ]);
  });

  it('names files that only tests need test-*', () => {
    const importers = new Map<string, string[]>();
    for (const file of files) {
      for (const target of importsOf(file)) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
    const forTestsAlone = (file: string): boolean => {
      const own = importers.get(file) ?? [];
      return own.length > 0 && own.every(isForTests);
    };
    const usesTestRunner = (file: string) => / from 'node:test';$/m.test(readFileSync(file, 'utf8'));
    const sources = files.filter((file) => file.startsWith('src/'));
    const found = sources.filter((file) => forTestsAlone(file) || usesTestRunner(file));
    assert.ok(found.filter(isForTests).length > 100, 'helpers and tests are found');
    // Every source and vendor has a simulator, whether or not it can be run by name.
    const misnamed = found.filter((file) => !isForTests(file) && !file.endsWith('/simulator.ts'));
    assert.deepEqual(misnamed, []);
  });

  it('keeps shared test code in test/kit, and only tests beside it', () => {
    const shared = files.filter((file) => file.startsWith('test/kit/'));
    assert.ok(shared.length > 10, 'the kit is found');
    assert.deepEqual(
      files.filter((file) =>
        file.startsWith('test/kit/')
          ? file.endsWith('.test.ts')
          : /^test\/[^/]+$/.test(file) && !file.endsWith('.test.ts'),
      ),
      [],
    );
  });

  it('reads the environment only in src/bin', () => {
    const readers = files.filter(
      (file) =>
        file.startsWith('src/') &&
        !file.startsWith('src/bin/') &&
        /process\.env/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(readers, []);
  });

  it('keeps SQL in stores', () => {
    const writers = files.filter(
      (file) =>
        /^src\/(?:domain|http|apps)\//.test(file) &&
        !file.endsWith('.test.ts') &&
        !/\/store[^/]*\.ts$/.test(file) &&
        /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(writers, []);
  });

  it('compares secrets only in constant time', () => {
    const compared = /\.reveal\(\)\s*[!=]==?|[!=]==?\s*[\w.?]+\.reveal\(\)/;
    assert.match('if (token === secret.reveal())', compared);
    assert.match('if (secret?.reveal() !== token)', compared);
    const comparing = files.filter(
      (file) =>
        file.startsWith('src/') && !file.endsWith('.test.ts') && compared.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(comparing, []);
    const secret = readFileSync('src/core/secret.ts', 'utf8');
    const equals = /equals\(candidate: string\): boolean \{(.*?)\n {2}\}/s.exec(secret)?.[1] ?? '';
    assert.match(equals, /^\s*return timingSafeEqual\(.*\);$/s, 'nothing is returned before or besides it');
    assert.doesNotMatch(equals, /===|!==|&&|\|\|/);
  });
});

describe('the decision records', () => {
  const records = globSync('docs/decisions/*.md').sort();

  it('have one head: number, title, status and date, then context, choice and consequences', () => {
    assert.ok(records.length > 30, `only ${records.length} records were read`);
    for (const file of records) {
      const number = basename(file).slice(0, 4);
      const text = readFileSync(file, 'utf8');
      assert.match(
        text,
        new RegExp(
          `^# ${number} [^\\n]+\\n\\n(?:Accepted|Replaced by \\S+) 20\\d\\d-\\d\\d-\\d\\d\\.\\n\\n## Context\\n`,
        ),
        file,
      );
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      assert.deepEqual([sections[1], sections.at(-1)], ['Choice', 'Consequences'], file);
    }
  });

  it('have each a number of their own', () => {
    const numbers = records.map((file) => basename(file).slice(0, 4));
    assert.equal(new Set(numbers).size, numbers.length);
  });
});
