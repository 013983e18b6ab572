import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
import { describe, it } from 'node:test';

const GUARD = join(import.meta.dirname, 'runtime.cjs');

/** Loaded first, it makes a process one of Node 22, but not those that it spawns. */
const OLDER = `if (process.env.OLDER) {
  delete process.env.OLDER;
  Object.defineProperty(process, 'versions', { value: { node: '22.1.0' } });
}`;

/** A folder with packages installed, with the runtime of this platform or without. */
function folderWith({ runtime }: { readonly runtime: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-installed-'));
  const files = ['src/bin/runtime.cjs', 'package.json', 'node_modules/fastify/package.json'];
  for (const file of files) cpSync(file, join(folder, file));
  mkdirSync(join(folder, 'node_modules/.bin'));
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const own = Object.keys(optionalDependencies).filter((name) => existsSync(join('node_modules', name)));
  assert.equal(own.length, 1);
  if (runtime) symlinkSync(resolve('node_modules', own[0] ?? ''), join(folder, 'node_modules', own[0] ?? ''));
  return folder;
}

describe('what npm runs', () => {
  it('what npm runs passes the check of the runtime first, whatever it is', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const runs = Object.values(scripts).flatMap((script) => script.match(/\bnode .*?(?=&&|$)/g) ?? []);
    assert.ok(runs.length > 20, `only ${runs.length} were found`);
    assert.deepEqual(
      runs.filter((run) => !run.startsWith('node -r ./src/bin/runtime.cjs ')),
      [],
    );
  });

  it('what npm runs says what to run where nothing is installed, in a sentence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'elnav-bare-'));
    mkdirSync(join(folder, 'src/bin'), { recursive: true });
    cpSync(GUARD, join(folder, 'src/bin/runtime.cjs'));
    cpSync('package.json', join(folder, 'package.json'));
    const { status, stderr } = spawnSync(process.execPath, ['-r', './src/bin/runtime.cjs', 'none.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 1);
    assert.match(stderr, /^elnav: Nothing is installed yet\. Run `npm ci` in .* first\.\n$/);
  });

  it('what npm runs needs what package.json and its lockfile tell npm, and the pinned runtime is', () => {
    const { engines, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      engines: { node: string };
      optionalDependencies: Record<string, string>;
    };
    assert.match(engines.node, /^>=\d+$/);
    const oldest = Number(engines.node.slice(2));
    const pinned = Object.values(optionalDependencies).map((version) => Number(version.split('.')[0]));
    assert.ok(pinned.length > 0 && pinned.every((major) => major >= oldest));
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { engines?: { node: string } }>;
    };
    assert.deepEqual(lock.packages['']?.engines, engines);
    // An older npm only installs; a refusal would keep it from installing the runtime.
    assert.doesNotMatch(readFileSync('.npmrc', 'utf8'), /engine-strict/);
  });

  it('the lockfile says where a package with `directories.bin` comes from, which npm 11 before 11.17 asks of it', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { resolved?: string }>;
    };
    const found = Object.entries(packages).filter(([folder]) => {
      const file = join(folder, 'package.json');
      if (folder === '' || !existsSync(file)) return false;
      const { bin, directories } = JSON.parse(readFileSync(file, 'utf8')) as {
        bin?: unknown;
        directories?: { bin?: string };
      };
      return bin === undefined && directories?.bin !== undefined;
    });
    assert.ok(found.length > 0);
    assert.deepEqual(
      found.filter(([, { resolved }]) => resolved === undefined).map(([folder]) => folder),
      [],
    );
  });

  it('a script that an older runtime runs is handed over to the runtime of the packages, which is linked', () => {
    const folder = folderWith({ runtime: true });
    writeFileSync(join(folder, 'older.cjs'), OLDER);
    writeFileSync(join(folder, 'script.ts'), 'console.log(process.version, process.argv[2] as string);');
    const { status, stdout } = spawnSync(
      process.execPath,
      ['-r', './older.cjs', '-r', './src/bin/runtime.cjs', 'script.ts', 'åäö'],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, OLDER: '1' } },
    );
    const linked = spawnSync(join(folder, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    assert.deepEqual([status, stdout], [0, `${process.version} åäö\n`]);
    assert.equal(linked.stdout, `${process.version}\n`);
  });

  it('an older runtime says in a sentence which one is needed, where the packages brought none', () => {
    const folder = folderWith({ runtime: false });
    writeFileSync(join(folder, 'older.cjs'), OLDER);
    const { status, stderr } = spawnSync(
      process.execPath,
      ['-r', './older.cjs', '-r', './src/bin/runtime.cjs', 'none.ts'],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, OLDER: '1' } },
    );
    rmSync(folder, { recursive: true });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^elnav: This is Node\.js 22\.1\.0, and elnav needs 24 or newer\. `npm ci` installs it/,
    );
    assert.equal(stderr.trim().split('\n').length, 1);
  });
});
