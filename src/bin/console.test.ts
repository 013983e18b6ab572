import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildConsole } from './console.ts';

/** Does it as somebody who has no rights here; root is let into everything, so it plays another for as long. */
async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  const own = process.geteuid?.();
  if (own === 0) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (own === 0) process.seteuid?.(0);
  }
}

describe('the scripts of the pages', () => {
  it('are built where there are none, and not again', async (test) => {
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

  it('are missed in one sentence where their folder cannot be written', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'elnav-console-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const built = join(folder, 'built');
    mkdirSync(built);
    chmodSync(built, 0o555);
    chmodSync(folder, 0o755);
    const fault = await withoutRights(() => buildConsole(built));
    assert.equal(
      fault,
      `${built} cannot be written (EACCES): run \`npm run build\` once as a user who may write there`,
    );
  });
});
