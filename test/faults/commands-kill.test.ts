import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';

const DEVICES = 40;

async function newAccount(place: Place): Promise<number> {
  const database = await place.open();
  const { id } = await database.queries
    .insertInto('accounts')
    .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  await database.close();
  return id;
}

/** Returns the devices whose vendor was called before the process was killed. */
async function commandedUntilKilled(place: Place, account: number, killedAt: number): Promise<string[]> {
  const script = join(import.meta.dirname, 'command-until-killed.ts');
  const values = [place.dataDir, account, DEVICES, killedAt, place.url ?? ''].map(String);
  const child = spawn(process.execPath, [script, ...values.filter((value) => value !== '')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(signal, 'SIGKILL');
  return printed.trim().split('\n');
}

onEachEngine('a process that is killed while it calls a vendor', (engine) => {
  for (const killedAt of [1, DEVICES / 2]) {
    it(`a process that is killed while it calls a vendor has stored every command that a vendor has received, ${killedAt} of ${DEVICES} sent at once`, async () => {
      const place = await makePlace(engine);
      const account = await newAccount(place);
      const asked = await commandedUntilKilled(place, account, killedAt);
      assert.equal(asked.length, killedAt);
      const database = await place.open();
      const rows = await database.queries.selectFrom('commands').select(['device_id', 'status']).execute();
      const stored = new Map(rows.map((row) => [row.device_id, row.status]));
      for (const device of asked)
        assert.ok(stored.has(device), `${device} was commanded, and nothing is stored about it`);
      await database.close();
      await place.remove();
    });
  }
});
