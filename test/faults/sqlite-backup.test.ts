import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { DATABASE_FILE } from '../../src/db/sqlite.ts';
import { makePlace } from '../kit/databases.ts';
import { callWith, envOf, openAccount, startService, stopService } from '../kit/service.ts';

/** Programs that copy a database, as an operator runs them beside the service. */
const COPIES = {
  'VACUUM INTO': `const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(process.argv[1], { readOnly: true }).prepare('vacuum into ?').run(process.argv[2]);`,
  'the online backup of SQLite': `const { DatabaseSync, backup } = require('node:sqlite');
    backup(new DatabaseSync(process.argv[1], { readOnly: true }), process.argv[2]);`,
};

for (const [how, program] of Object.entries(COPIES))
  it(`an embedded database is copied by ${how} while the service writes, and a service starts on the copy`, async (test) => {
    const [place, restored] = [await makePlace('sqlite'), await makePlace('sqlite')];
    test.after(() => Promise.all([place.remove(), restored.remove()]));
    const service = await startService({ env: envOf(place) });
    const { key } = await openAccount(service.grid);
    const call = callWith(key);
    const linked = async (user: string) => {
      const body = { vendor: 'sandbox', user_ref: user, credentials: { device_types: ['light'] } };
      assert.equal((await call(service.connect, { path: '/link', body })).status, 200, user);
    };
    await linked('before');
    mkdirSync(restored.dataDir, { recursive: true });
    const [from, to] = [place, restored].map(({ dataDir }) => join(dataDir, DATABASE_FILE));
    assert.ok(from !== undefined && to !== undefined);
    const copying = promisify(execFile)(process.execPath, ['-e', program, from, to]);
    for (let number = 0; number < 20; number += 1) await linked(`during-${number}`);
    await copying;
    await linked('after');
    await stopService(service);

    const copy = new DatabaseSync(to, { readOnly: true });
    assert.deepEqual({ ...copy.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    copy.close();
    const again = await startService({ env: { ...envOf(restored), ELNAV_OUTBOUND: 'off' } });
    const { body } = await call(again.connect, { method: 'GET', path: '/links' });
    const users = (body as readonly { user_ref: string }[]).map(({ user_ref }) => user_ref);
    assert.ok(users.includes('before') && !users.includes('after'), users.join());
    await stopService(again);
  });
