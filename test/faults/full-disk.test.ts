import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { callWith, envOf, openAccount, startService, stopService } from './service.ts';

const dir = mkdtempSync(join(tmpdir(), 'elnav-full-'));

function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isMounted = mounted();
after(() => {
  if (isMounted) execFileSync('umount', ['-l', dir]);
  rmSync(dir, { recursive: true, force: true });
});

describe('a full disk', { skip: isMounted ? false : 'a small file system cannot be mounted here' }, () => {
  it('is told as 503 by what writes, leaves reading alone, and is over when there is space again', async () => {
    const env = envOf({ dataDir: dir, url: undefined });
    const service = await startService({ env: { ...env, ELNAV_LOG_LEVEL: 'silent' } });
    const { connect: base } = service;
    const call = callWith((await openAccount(service.grid)).key);
    const link = (userRef: string, key: string) =>
      call(base, {
        path: '/link',
        body: { vendor: 'sandbox', user_ref: userRef, credentials: {} },
        headers: { 'idempotency-key': key },
      });
    const first = await link('anna', 'anna');
    assert.equal(first.status, 200);
    const { devices } = first.body as { devices: { id: string }[] };

    // Whole pages until nothing fits, so that not even the log of the database can grow.
    const filler = join(dir, 'filler');
    const { bavail, bsize } = statfsSync(dir);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    let linked = 1;
    for (let turn = 0; turn < 500; turn += 1) {
      const answer = await link(`user-${turn}`, `user-${turn}`);
      if (answer.status !== 200) {
        assert.equal(answer.status, 503, JSON.stringify(answer.body));
        assert.equal(answer.headers.get('elnav-error'), 'database.full');
        assert.equal(answer.headers.get('retry-after'), '60');
        assert.match(JSON.stringify(answer.body), /disk is full/);
        break;
      }
      linked += 1;
    }
    assert.ok(linked < 500, 'the disk became full');
    for (const path of ['/devices', '/links', `/devices/${devices[0]?.id}`])
      assert.equal((await call(base, { path })).status, 200, path);
    assert.match(await (await fetch(`${base}/readyz`)).text(), /"degraded".*MiB are free/);

    rmSync(filler);
    const again = await link('after', 'after');
    assert.equal(again.status, 200, JSON.stringify(again.body));
    await stopService(service);
    const restarted = await startService({ env });
    const links = (await call(restarted.connect, { path: '/links' })).body as object[];
    assert.equal(links.length, linked + 1);
    await stopService(restarted);
  });
});
