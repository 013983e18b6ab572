import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEVICE_TYPES } from '../src/adapter/device.ts';
import { SITUATIONS } from '../src/adapter/simulator.ts';
import { indexFile, type NewVendor, translateFile } from '../tools/new-vendor/adapter-files.ts';
import { KINDS } from '../tools/new-vendor/kinds.ts';
import { localIndexFile, localSimulatorFile } from '../tools/new-vendor/local-files.ts';
import { simulatorFile } from '../tools/new-vendor/simulator-file.ts';

const GUIDE = readFileSync('docs/guides/add-a-vendor.md', 'utf8');
const COPIED = [
  'console',
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
  // A test that runs tests must not pass on that it is one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: copy, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
    );
  });
}

const newVendor = (...args: string[]) => run('tools/new-vendor.ts', ...args);
const conform = (slug: string) => run('tools/conform.ts', slug);
const biome = (...args: string[]) => run('node_modules/@biomejs/biome/bin/biome', 'check', ...args);
const types = () => run('node_modules/typescript/bin/tsc');

/** The checks that found a fault, with their messages. */
function faultsIn({ output }: Ended): Map<string, string> {
  const matches = [...output.matchAll(/^✖ (.*)\n {4}(.*) \(its simulator\)$/gm)];
  return new Map(matches.map(([, check = '', fault = '']) => [check, fault]));
}

/** The expected messages of the first run, from the guide. */
const EXPECTED = [...GUIDE.matchAll(/^\| ((?:charger|its cloud)[^|]*?) \| (.*?) \|$/gm)].map(
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

/** The code block of the guide that begins with this line. */
function block(start: string): string {
  const found = [...GUIDE.matchAll(/^```ts\n(.*?)^```$/gms)].find(([, text = '']) => text.startsWith(start));
  assert.ok(found !== undefined, `the guide has no block that begins with ${start}`);
  return found[1] ?? '';
}

/** Writes the folder of a vendor. */
function write(
  vendor: NewVendor,
  { index, simulator }: { readonly index: string; readonly simulator: string },
): void {
  const folder = join(copy, 'src/vendors', vendor.slug);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.ts'), index);
  writeFileSync(join(folder, 'translate.ts'), translateFile(vendor));
  writeFileSync(join(folder, 'simulator.ts'), simulator);
}

/** Replaces the function that begins with the same comment by a block of the guide. */
const replaced = (start: string, name: string): readonly [RegExp, string] => [
  new RegExp(`/\\*\\*[^\\n]*\\*/\\n(?:async )?function ${name}\\b.*?\\n}\\n`, 's'),
  block(start),
];

/** Follows the guide in a new folder. */
function follow(slug: string): void {
  edit(
    `${slug}/simulator.ts`,
    replaced('/** The response about one device.', 'answerFor'),
    replaced('/** The response to a command.', 'obey'),
    replaced('/** Brings a device into a situation', 'arrange'),
    [/\bSITUATIONS,\s*/, ''],
  );
  edit(`${slug}/translate.ts`, [/\/\*\* Chargers in the words.*$/s, block('/** A charger in the words')]);
  edit(
    `${slug}/index.ts`,
    replaced('/** One call for everything', 'readDevice'),
    replaced('/** Sends a command', 'order'),
    ['type Charger', 'Charger'],
  );
}

/** Possible mistakes of an adapter, each as an edit of the guide's vendor, with the check that must find it. */
const MISTAKES: readonly {
  readonly is: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly found: RegExp;
}[] = [
  {
    is: 'power is in kilowatts',
    file: 'translate.ts',
    from: 'Math.round(kw * 1_000)',
    to: 'Math.round(kw)',
    found: /figures are of the right size/,
  },
  {
    is: 'energy is in kilowatt-hours',
    file: 'translate.ts',
    from: 'Math.round(kwh * 1_000)',
    to: 'Math.round(kwh)',
    found: /figures are of the right size/,
  },
  {
    is: 'only the first page is read',
    file: 'index.ts',
    from: 'next: page.next',
    to: 'next: undefined',
    found: /500 devices/,
  },
  {
    is: 'every failed sign-in is reported as a wrong password',
    file: 'index.ts',
    from: "user: 'email',",
    to: "user: 'email',\n    isRefused: () => true,",
    found: /^(?:server_error|rate_limited): sign-in/,
  },
  {
    is: 'an unreachable charger is online',
    file: 'translate.ts',
    from: 'online: reachable',
    to: 'online: true || reachable',
    found: /is offline while the vendor cannot reach it/,
  },
  {
    is: 'the lifetime of a token is read as milliseconds',
    file: 'index.ts',
    from: "return tokensIn('Zapline', response.json(), { now: clock.now(), before: undefined });",
    to: "const tokens = tokensIn('Zapline', response.json(), { now: clock.now(), before: undefined });\n      return { ...tokens, expiresAt: clock.now() + (tokens.expiresAt - clock.now()) / 1_000 };",
    found: /token lives as long/,
  },
  {
    is: 'starting sends a stop',
    file: 'index.ts',
    from: "'start' : 'stop'",
    to: "'stop' : 'stop'",
    found: /start_charge does what it says/,
  },
  {
    is: 'it never charges',
    file: 'translate.ts',
    from: "charging: state === '3'",
    to: 'charging: false',
    found: /start_charge does what it says/,
  },
  {
    is: 'one invalid device fails all',
    file: 'translate.ts',
    from: 'Type.Array(Type.Unknown())',
    to: 'Type.Array(Type.Object({ id: PlainId, name: Type.String() }))',
    found: /one member of a list|members of lists/,
  },
];

describe('a new vendor', () => {
  it('a new vendor lists what is to be written next', async () => {
    assert.equal(EXPECTED.length, 4);
    assert.ok(
      EXPECTED.some(([, fault]) => fault.endsWith(SITUATIONS.plugged_in)),
      'the guide has the situation',
    );
    const made = await newVendor('zapline', '--kind', 'charger', '--sign-in', 'password');
    assert.equal(made.code, 0, made.output);
    assert.match(made.output, /npm run conform -- zapline/);
    assert.match(made.output, /docs\/guides\/add-a-vendor\.md/);
    const ended = await conform('zapline');
    assert.equal(ended.code, 1);
    const faults = faultsIn(ended);
    for (const [check, fault] of EXPECTED) assert.equal(faults.get(check), fault, ended.output);
  });

  it('a new vendor has no fault once the guide has been followed, in as many lines as it says', async () => {
    follow('zapline');
    const fixed = await biome('--write', 'src/vendors/zapline');
    assert.equal(fixed.code, 0, fixed.output);
    const ended = await conform('zapline');
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /^Zapline: \d{2,} checks, no fault$/m);
    const lines = ['index.ts', 'translate.ts', 'simulator.ts'].map(
      (file) => readFileSync(join(copy, 'src/vendors/zapline', file), 'utf8').split('\n').length - 1,
    );
    assert.ok(lines.reduce((sum, count) => sum + count, 0) < 350, `${lines.join(' + ')} lines`);
  });

  for (const { is, file, from, to, found } of MISTAKES)
    it(`a new vendor fails a check when ${is}`, async () => {
      edit(`zapline/${file}`, [from, to]);
      const ended = await conform('zapline');
      edit(`zapline/${file}`, [to, from]);
      assert.equal(ended.code, 1, ended.output);
      const checks = [...faultsIn(ended).keys()];
      assert.ok(
        checks.some((check) => found.test(check)),
        ended.output,
      );
    });

  it('a new vendor can be of every type, with OAuth, a key or an address', async () => {
    for (const type of DEVICE_TYPES) {
      const vendor = { name: 'Made', type, kind: KINDS[type] };
      const cloud = { ...vendor, slug: `made_${type}`, signIn: 'password' } as const;
      write(cloud, { index: indexFile(cloud), simulator: simulatorFile(cloud) });
      const local = { ...vendor, slug: `home_${type}`, signIn: 'address' } as const;
      write(local, { index: localIndexFile(local), simulator: localSimulatorFile(local) });
    }
    const formatted = await biome('--write', 'src/vendors');
    assert.equal(formatted.code, 0, formatted.output);
    for (const [slug, type, signIn] of [
      ['beam', 'light', 'oauth'],
      ['volta', 'battery', 'key'],
    ] as const) {
      const made = await newVendor(slug, '--kind', type, '--sign-in', signIn);
      assert.equal(made.code, 0, made.output);
      assert.match((await conform(slug)).output, /can be read\n {4}write readDevice/);
    }
    const linted = await biome('src/vendors');
    assert.equal(linted.code, 0, linted.output);
    const checked = await types();
    assert.equal(checked.code, 0, checked.output);
    const architecture = await run('--test', 'test/architecture.test.ts');
    assert.equal(architecture.code, 0, architecture.output);
  });

  it('a new vendor at an address conforms at once, with devices of every type', async () => {
    const made = await newVendor('hearth', '--kind', 'charger', '--sign-in', 'address');
    assert.equal(made.code, 0, made.output);
    for (const slug of ['hearth', ...DEVICE_TYPES.map((type) => `home_${type}`)]) {
      const ended = await conform(slug);
      assert.equal(ended.code, 0, `${slug}: ${ended.output}`);
      assert.match(ended.output, /: \d{2,} checks, no fault$/m);
    }
  });

  it('a new vendor at an address has its example in the guide, word for word', () => {
    const [, section = ''] = /^## A device with HTTP at home$(.*?)^## /ms.exec(GUIDE) ?? [];
    const blocks = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
    assert.ok(blocks.length >= 5, 'the section has its blocks');
    const source = ['index.ts', 'client.ts', 'translate.ts', 'simulator.ts']
      .map((file) => readFileSync(join('src/vendors/goe', file), 'utf8'))
      .join('\n');
    for (const text of blocks) assert.ok(source.includes(text), `src/vendors/goe lacks\n${text}`);
  });

  it('a new vendor is registered, with its settings', () => {
    assert.match(readFileSync(join(copy, 'src/vendors/index.ts'), 'utf8'), /^ {2}beam,$.*^ {2}zapline,$/ms);
    const settings = readFileSync(join(copy, 'docs/config.md'), 'utf8');
    assert.match(settings, /ELNAV_ZAPLINE_BASE_URL/);
    assert.match(settings, /ELNAV_BEAM_CLIENT_ID/);
    assert.doesNotMatch(settings, /ELNAV_ZAPLINE_CLIENT_ID/);
  });

  for (const [slug, sentence] of [
    ['Lumen', /"Lumen" is not a slug/],
    ['9lives', /"9lives" is not a slug/],
    ['with-dash', /"with-dash" is not a slug/],
    ['../escape', /"\.\.\/escape" is not a slug/],
    ['class', /"class" is a word of the language/],
    ['sandbox', /src\/vendors\/sandbox already exists/],
    ['entsoe', /"entsoe" would share the setting ELNAV_ENTSOE_BASE_URL/],
  ] as const)
    it(`a new vendor is refused as ${slug}`, async () => {
      const { code, output } = await newVendor(slug);
      assert.equal(code, 1);
      assert.match(output, sentence);
      assert.equal(slug !== 'sandbox' && existsSync(join(copy, 'src/vendors', slug)), false);
    });

  it('a new vendor needs an existing slug, type and sign-in', async () => {
    for (const args of [
      [],
      ['a', 'b'],
      ['a', '--knd'],
      ['a', '--kind', 'toaster'],
      ['a', '--sign-in', 'smile'],
    ]) {
      const { code, output } = await newVendor(...args);
      assert.equal(code, 1);
      assert.match(output, /npm run new-vendor <slug>/);
    }
  });
});
