import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { accessFault } from './data-directory.ts';

it('a data directory on a read-only file system is said to be that, and nothing of users', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'elnav-test-'));
  const said = (code: string) =>
    accessFault(dataDir, { dataDir, cause: Object.assign(new Error(), { code }) });
  assert.equal(
    said('EROFS'),
    `The data directory ${dataDir} cannot be written. Its file system is mounted read-only: mount it writable, or set ELNAV_DATA_DIR to another directory.`,
  );
  assert.match(said('EACCES'), /it belongs to user id \d+, and elnav runs as user id \d+\. Run `chmod/);
  rmSync(dataDir, { recursive: true });
});
