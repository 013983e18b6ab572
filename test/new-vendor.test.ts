import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

const GUIDE = readFileSync('docs/guides/add-a-vendor.md', 'utf8');
const COPIED = [
  'src',
  'test',
  'tools',
  'docs',
  'bench',
  'seed',
  'package.json',
  'tsconfig.json',
  'biome.json',
  '.gitignore',
];

let copy: string;
before(() => {
  copy = mkdtempSync(join(tmpdir(), 'elnav-new-vendor-'));
  for (const part of COPIED) cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
});
after(() => rmSync(copy, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly output: string;
}

function run(...args: string[]): Promise<Ended> {
  // A test that runs tests must not hand on that it is one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: copy, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
    );
  });
}

const newVendor = (...args: string[]) => run('tools/new-vendor.ts', ...args);
const test = (file: string) => run('--test', file);
const biome = (slug: string) => run('node_modules/@biomejs/biome/bin/biome', 'check', `src/vendors/${slug}`);

/** The checks that the vendor's test says have failed, with what they said. */
function findingsIn({ output }: Ended): [string, string][] {
  const [shown = ''] = /actual: (\[.*\]),\n\s+expected: \[\]/.exec(output)?.slice(1) ?? [];
  return [...shown.matchAll(/check: '(.*?)', fault: '(.*?)' \}/g)].map(([, check = '', fault = '']) => [
    check,
    fault,
  ]);
}

/** What the guide says that the first run says. */
const EXPECTED = [...GUIDE.matchAll(/^\| (l(?:amp-1|ight): .*?) \| (.*?) \|$/gm)].map(
  ([, check = '', fault = '']): [string, string] => [check, fault],
);

function edit(file: string, ...changes: readonly (readonly [string | RegExp, string])[]): void {
  const path = join(copy, 'src/vendors', file);
  let text = readFileSync(path, 'utf8');
  for (const [from, to] of changes) {
    const changed = text.replace(from, () => to);
    assert.notEqual(changed, text, `${file} has no ${from}`);
    text = changed;
  }
  writeFileSync(path, text);
}

/** Puts a function of the guide in the place of the one of its name. */
function functionOf(name: string): readonly [RegExp, string] {
  const block = [...GUIDE.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
  const written = block.find((text) => new RegExp(`function ${name}\\b`).test(text));
  assert.ok(written !== undefined, `the guide has no ${name}`);
  return [
    new RegExp(`/\\*\\*[^\\n]*\\*/\\n(?:export )?(?:async )?function ${name}\\b.*?\\n}\\n`, 's'),
    written,
  ];
}

describe('a new vendor', () => {
  it('type-checks, passes lint, and fails its test by what is to be written next', async () => {
    assert.equal(EXPECTED.length, 4);
    for (const [slug, ...options] of [['lumen'], ['beam', '--oauth']] as const) {
      const made = await newVendor(slug, ...options);
      assert.equal(made.code, 0, made.output);
      assert.match(made.output, /docs\/guides\/add-a-vendor\.md/);
      const { code, output } = await biome(slug);
      assert.equal(code, 0, output);
      const ended = await test(`src/vendors/${slug}/${slug}.test.ts`);
      assert.equal(ended.code, 1);
      const named = EXPECTED.map(([check, fault]) => [
        check,
        fault.replace('Lumen', slug === 'lumen' ? 'Lumen' : 'Beam'),
      ]);
      assert.deepEqual(findingsIn(ended), named, ended.output);
    }
    const types = await run('node_modules/typescript/bin/tsc');
    assert.equal(types.code, 0, types.output);
    const houses = await test('test/architecture.test.ts');
    assert.equal(houses.code, 0, houses.output);
  });

  it('is registered, with its settings', () => {
    assert.match(readFileSync(join(copy, 'src/vendors/index.ts'), 'utf8'), /\[beam, .*lumen, /);
    const settings = readFileSync(join(copy, 'docs/config.md'), 'utf8');
    assert.match(settings, /ELNAV_LUMEN_BASE_URL/);
    assert.match(settings, /ELNAV_BEAM_CLIENT_ID/);
    assert.doesNotMatch(settings, /ELNAV_LUMEN_CLIENT_ID/);
  });

  for (const slug of ['lumen', 'beam'])
    it(`conforms once the guide has been followed: ${slug}`, async () => {
      edit(
        `${slug}/simulator.ts`,
        functionOf('answerFor'),
        functionOf('arrange'),
        ['arrange(known, situation, device)', 'arrange(known, situation)'],
        ["import type { DeviceRef } from '../../adapter/session.ts';\n", ''],
        ['import { SITUATIONS, type Situation }', 'import type { Situation }'],
      );
      const [, above = ''] = /with `(const lamp = .*?;)` above/.exec(GUIDE) ?? [];
      assert.notEqual(above, '');
      edit(`${slug}/client.ts`, functionOf('readDevice'), functionOf('order'), [
        '/** One call for everything',
        `${above}\n\n/** One call for everything`,
      ]);
      const fixed = await run(
        'node_modules/@biomejs/biome/bin/biome',
        'check',
        '--write',
        `src/vendors/${slug}`,
      );
      assert.equal(fixed.code, 0, fixed.output);
      const ended = await test(`src/vendors/${slug}/${slug}.test.ts`);
      assert.equal(ended.code, 0, ended.output);
    });

  it('still type-checks then', async () => {
    const types = await run('node_modules/typescript/bin/tsc');
    assert.equal(types.code, 0, types.output);
  });

  for (const [slug, sentence] of [
    ['Lumen', /"Lumen" is not a slug/],
    ['9lives', /"9lives" is not a slug/],
    ['with-dash', /"with-dash" is not a slug/],
    ['../escape', /"\.\.\/escape" is not a slug/],
    ['class', /"class" is a word of the language/],
    ['sandbox', /src\/vendors\/sandbox is there already/],
    ['entsoe', /"entsoe" would share the setting ELNAV_ENTSOE_BASE_URL/],
  ] as const)
    it(`is refused as ${slug}`, async () => {
      const { code, output } = await newVendor(slug);
      assert.equal(code, 1);
      assert.match(output, sentence);
      assert.equal(slug !== 'sandbox' && existsSync(join(copy, 'src/vendors', slug)), false);
    });

  it('needs a slug, and knows one option', async () => {
    for (const args of [[], ['a', 'b'], ['a', '--oaut']]) {
      const { code, output } = await newVendor(...args);
      assert.equal(code, 1);
      assert.match(output, /npm run new-vendor <slug>/);
    }
  });
});
