import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** The parts of `src` that may be imported by any path. */
const BELOW_BIN = [
  'src/core',
  'src/adapter',
  'src/proof',
  'src/vendors',
  'src/sources',
  'src/outbound',
  'src/gateway',
  'src/db',
  'src/pages',
  'src/http',
  'src/apps',
];

/**
 * The groups of domains, from the ground up. A group imports only groups on lower floors. `control` (smart charging) and `fleets`
 * are not built yet.
 */
const FLOORS = [
  ['access', 'plan'],
  ['vendor-calls', 'market'],
  ['records'],
  ['devices'],
  ['links'],
  ['control', 'fleets'],
];

/** Allowed imports by folder; a folder that is not in the table fails the test. `*` stands for one folder name. */
const TABLE: readonly { readonly folder: string; readonly may: readonly string[] }[] = [
  { folder: 'src/core', may: [] },
  { folder: 'src/adapter', may: ['src/core'] },
  { folder: 'src/vendors/index.ts', may: ['src/adapter', 'src/vendors/*/index.ts'] },
  { folder: 'src/proof', may: ['src/core', 'src/adapter'] },
  // What a bridge of Hue says of its lamps is the same over Hue's cloud and at home.
  {
    folder: 'src/vendors/hue_bridge',
    may: ['src/core', 'src/adapter', 'src/proof/simulation', 'src/vendors/hue/bridge', 'self'],
  },
  { folder: 'src/vendors/*', may: ['src/core', 'src/adapter', 'src/proof/simulation', 'self'] },
  { folder: 'src/sources/contract', may: ['src/core', 'src/adapter'] },
  { folder: 'src/sources/index.ts', may: ['src/sources/contract', 'src/sources/*/index.ts'] },
  { folder: 'src/sources/*', may: ['src/core', 'src/adapter', 'src/sources/contract', 'self'] },
  { folder: 'src/gateway/wire', may: ['src/core'] },
  { folder: 'src/gateway', may: ['src/core'] },
  { folder: 'src/outbound', may: ['src/core', 'src/adapter', 'src/gateway/wire'] },
  // Each field of a device that history keeps is a column.
  { folder: 'src/db', may: ['src/core', 'src/adapter/fields.ts'] },
  // Plain calculations: no database, no other domain.
  { folder: 'src/domain/plan/*', may: ['src/core', 'src/adapter'] },
  {
    folder: 'src/domain/*/*',
    may: ['src/core', 'src/db', 'src/adapter', 'src/sources/contract', 'src/domain/*/*/index.ts', 'self'],
  },
  {
    folder: 'src/registers',
    may: ['src/core', 'src/adapter', 'src/sources/contract', 'src/domain/market/areas/index.ts'],
  },
  // Values alone: the console, which runs in browsers, draws its plots with them too.
  { folder: 'src/pages/plot', may: [] },
  { folder: 'src/pages', may: ['src/core'] },
  { folder: 'src/http', may: ['src/core', 'src/pages', 'src/domain/access/accounts/index.ts'] },
  {
    folder: 'src/apps/*',
    may: [
      'src/core',
      'src/adapter',
      'src/proof/simulation',
      'src/sources/contract',
      'src/domain/*/*/index.ts',
      'src/http',
      'src/pages',
      'src/gateway/wire',
      'self',
    ],
  },
  { folder: 'src/bin', may: [...BELOW_BIN, 'src/domain/*/*/index.ts', 'src/registers/index.ts'] },
  { folder: 'test', may: ['src', 'tools', 'console/app'] },
  { folder: 'bench', may: ['src', 'test'] },
  {
    folder: 'tools',
    may: [...BELOW_BIN, 'src/bin', 'src/domain/*/*/index.ts', 'src/registers/index.ts', 'test'],
  },
  // How devices are added up is one rule for the service and the page.
  { folder: 'console', may: ['src/pages/plot', 'src/domain/plan/sums/index.ts'] },
];

/** Tests may import the test database in addition to what their folder may. */
const FOR_TESTS = ['src/core', 'src/adapter', 'src/proof', 'test'];

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
  'src/domain/plan/planner/index.ts',
  'src/domain/plan/flex/index.ts',
  'src/adapter/kit/index.ts',
  'src/proof/simulation/index.ts',
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

/** The modules that reach each other by imports, with those of types: every circle of at least two. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    lowest.set(file, own);
    open.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      const reached = index.has(target)
        ? open.includes(target)
          ? (index.get(target) ?? own)
          : own
        : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached));
    }
    const low = lowest.get(file) ?? own;
    if (low !== own) return low;
    const circle = open.splice(open.lastIndexOf(file));
    if (circle.length > 1) circles.push(circle.toSorted());
    return low;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return circles;
}

function patternOf(folder: string): RegExp {
  return new RegExp(`^${folder.split('*').map(RegExp.escape).join('[^/]+')}(?:/|$)`);
}

/** A title that begins with its verb reads only under its `describe`, and says nothing in a list of failures. */
const NO_SUBJECT =
  /: (?:is|are|was|were|has|have|had|may|can|cannot|must|does|do|did|will|would|says?|shows|keeps|finds|takes|gives|refuses|accepts|reports|returns|lists|sends|asks|tells|names|leaves|stays|that|with|never) /;

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
  it('the architecture allows only the imports in the table', () => {
    assert.ok(files.length > 50, `only ${files.length} files were read`);
    assert.deepEqual(files.flatMap(faultsOf), []);
  });

  it('the architecture would notice a forbidden import', () => {
    const reads = files.filter((file) => importsOf(file).length > 0);
    assert.ok(reads.length > 40, 'imports are found in most files');
    assert.equal(patternOf('src/vendors/*').test('src/vendors/ocpp/server.ts'), true);
    assert.equal(patternOf('src/vendors/*/index.ts').test('src/vendors/ocpp/server.ts'), false);
  });

  it('the architecture has no cycles of imports other than of types', () => {
    const graph = new Map(files.map((file) => [file, valueImportsOf(file, readFileSync(file, 'utf8'))]));
    const found = [...graph.values()].flat();
    assert.ok(found.length > 2_000, `only ${found.length} imports were found`);
    assert.deepEqual(
      found.filter((target) => target.endsWith('.ts') && !graph.has(target)),
      [],
    );
    assert.equal(cycleIn(graph), null);
  });

  it('the architecture has at most eight circles of imports with types, of five files at most', () => {
    const own = files.filter((file) => /^(?:src|console)\//.test(file) && !isForTests(file));
    const circles = circlesIn(new Map(own.map((file) => [file, importsOf(file)])));
    assert.ok(own.length > 500, `only ${own.length} files were read`);
    assert.ok(circles.length <= 8, `there are ${circles.length} circles:\n${circles.join('\n')}`);
    assert.deepEqual(
      circles.filter((circle) => circle.length > 5),
      [],
    );
  });

  it('the architecture has no cycles between domains, not even of types', () => {
    const domainOf = (file: string) => /^src\/domain\/([^/]+\/[^/]+)\//.exec(file)?.[1];
    const graph = new Map<string, string[]>();
    for (const file of files.filter((one) => !isForTests(one))) {
      const domain = domainOf(file);
      if (domain === undefined) continue;
      const others = importsOf(file).flatMap((target) => domainOf(target) ?? []);
      const existing = graph.get(domain) ?? [];
      graph.set(domain, [...existing, ...others.filter((other) => other !== domain)]);
    }
    assert.ok(graph.size > 12, `only ${graph.size} domains were read`);
    assert.ok(
      graph.get('devices/devices')?.includes('vendor-calls/calls'),
      'imports of other domains are found',
    );
    assert.equal(cycleIn(graph), null);
  });

  it('the architecture has no import from a group of domains to one on its floor or above', () => {
    const groupOf = (file: string) => /^src\/domain\/([^/]+)\/[^/]+\//.exec(file)?.[1];
    const floorOf = (group: string) => FLOORS.findIndex((floor) => floor.includes(group));
    const crossing = files
      .filter((file) => !isForTests(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .flatMap(({ file, target }) => {
        const [from, to] = [groupOf(file), groupOf(target)];
        return from === undefined || to === undefined || from === to ? [] : [{ file, target, from, to }];
      });
    assert.ok(crossing.length > 50, `only ${crossing.length} imports between groups were found`);
    assert.deepEqual(
      crossing.filter(({ from, to }) => floorOf(to) < 0 || floorOf(from) <= floorOf(to)),
      [],
    );
  });

  it('the architecture would notice a cycle', () => {
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
    assert.deepEqual(circlesIn(graph), [['b.ts', 'c.ts']]);
    graph.set('c.ts', []);
    assert.equal(cycleIn(graph), null);
    assert.deepEqual(circlesIn(graph), []);
  });

  it('the architecture exports what somebody imports', () => {
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

  it('the architecture would notice an export of no use', () => {
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

  it('the architecture names files that only tests need test-*', () => {
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

  it('the architecture has titles of tests that stand alone, with a subject', () => {
    const TITLE = /^ *(?:it|test)\(\s*(['"`])(.*)\1/gm;
    const titles = files
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(TITLE)].map(([, , title = '']) => `${file}: ${title}`),
      );
    assert.ok(titles.length > 2_000, `only ${titles.length} titles were found`);
    assert.deepEqual(
      titles.filter((title) => NO_SUBJECT.test(title)),
      [],
    );
  });

  it('the architecture keeps shared test code in test/kit, and only tests beside it', () => {
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

  it('the architecture reads the environment only in src/bin', () => {
    const readers = files.filter(
      (file) =>
        file.startsWith('src/') &&
        !file.startsWith('src/bin/') &&
        /process\.env/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(readers, []);
  });

  it('the architecture keeps SQL in stores', () => {
    const writers = files.filter(
      (file) =>
        /^src\/(?:domain|http|apps)\//.test(file) &&
        !file.endsWith('.test.ts') &&
        !/\/store[^/]*\.ts$/.test(file) &&
        /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(writers, []);
  });

  it('the architecture compares secrets only in constant time', () => {
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

  it('the decision records have one head: number, title, status and date, then context, choice and consequences', () => {
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

  it('the decision records have each a number of their own', () => {
    const numbers = records.map((file) => basename(file).slice(0, 4));
    assert.equal(new Set(numbers).size, numbers.length);
  });
});
