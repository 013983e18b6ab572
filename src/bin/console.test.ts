import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildConsole } from './console.ts';

describe('the scripts of the pages', () => {
  it('the scripts of the pages are built where there are none, and not again', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'elnav-console-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const built = join(folder, 'built');
    assert.equal(await buildConsole(built), null);
    assert.ok(existsSync(join(built, 'manifest.json')));
    const names = readdirSync(built);
    rmSync(join(built, 'manifest.json'));
    assert.equal(await buildConsole(built), null);
    assert.deepEqual(
      readdirSync(built),
      names.filter((name) => name !== 'manifest.json'),
    );
  });

  it('the scripts of the pages can be read by another user who starts the service next', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'elnav-console-'));
    const umask = process.umask(0o077);
    test.after(() => {
      process.umask(umask);
      rmSync(folder, { recursive: true });
    });
    const built = join(folder, 'built');
    assert.equal(await buildConsole(built), null);
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    assert.equal(modeOf(built), 0o755);
    for (const name of readdirSync(built)) assert.equal(modeOf(join(built, name)), 0o644, name);
  });

  it('the scripts of the pages are missed in one sentence where their folder cannot be written', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'elnav-console-'));
    test.after(() => rmSync(folder, { recursive: true }));
    // What lies below a file can be written by nobody, root included.
    writeFileSync(join(folder, 'file'), '');
    const built = join(folder, 'file/built');
    assert.equal(
      await buildConsole(built),
      `${built} cannot be written (ENOTDIR): run \`npm run build\` once as a user who may write there`,
    );
  });

  it('the scripts of the pages are missed in one sentence where their old stamp cannot be replaced', async (test) => {
    const built = mkdtempSync(join(tmpdir(), 'elnav-console-'));
    test.after(() => rmSync(built, { recursive: true }));
    mkdirSync(join(built, 'taken'));
    symlinkSync(join(built, 'taken/none/stamp'), join(built, 'sources.sha256'));
    assert.match(
      (await buildConsole(built)) ?? '',
      /^\S+ cannot be written \(ENOENT\): run `npm run build` once/,
    );
  });
});
