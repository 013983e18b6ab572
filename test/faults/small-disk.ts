import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A file system of 6 MB for the tests of a file, where one can be mounted; `skip` says why not. */
export function smallDisk() {
  const dir = mkdtempSync(join(tmpdir(), 'elnav-full-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  function mount(): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', dir], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
  const unmount = () => execFileSync('umount', ['-l', dir]);
  const isMountable = mount();
  if (isMountable) unmount();
  return {
    dir,
    skip: isMountable ? false : 'a small file system cannot be mounted here',
    mount,
    unmount,

    /** Writes whole pages until only `leaving` bytes are free, so that not even the log of the database can grow. */
    fill(leaving = 0): void {
      const { bavail, bsize } = statfsSync(dir);
      try {
        writeFileSync(join(dir, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leaving)));
      } catch (error) {
        // A service that runs may have taken some of it since: the disk is full all the same.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },

    makeSpace: () => rmSync(join(dir, 'filler')),
  };
}
