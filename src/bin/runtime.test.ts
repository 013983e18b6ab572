import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const GUARD = join(import.meta.dirname, 'runtime.cjs');

describe('what npm runs', () => {
  it('passes the check of the runtime first, whatever it is', () => {
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

  it('says what to run where nothing is installed, in a sentence', () => {
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

  it('needs what package.json and its lockfile tell npm, and the pinned runtime is', () => {
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

  it('says which runtime it needs on an older one, in a sentence', () => {
    const older = `Object.defineProperty(process, 'versions', { value: { node: '24.1.0' } }); require(${JSON.stringify(GUARD)})`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', older], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^elnav: This is Node\.js 24\.1\.0, and elnav needs 26 or newer\. `npm ci` installs it/,
    );
    assert.equal(stderr.trim().split('\n').length, 1);
  });
});
