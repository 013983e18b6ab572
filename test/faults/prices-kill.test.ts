import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { fingerprintOf } from '../../src/domain/market/prices/money.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { makePlace, onEachEngine } from '../kit/databases.ts';

const KILLS = 12;

onEachEngine('a process that is killed while it replaces a day of prices', (engine) => {
  it('a process that is killed while it replaces a day of prices leaves the old day or the new one, never a mixture', async () => {
    const place = await makePlace(engine);
    await (await place.open()).close();
    const fingerprints = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const args = [join(import.meta.dirname, 'replace-prices.ts'), place.dataDir];
      const child = spawn(process.execPath, [...args, ...(place.url === undefined ? [] : [place.url])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // One more round each time, so that both days occur however slow the machine is.
      for (let rounds = 0; rounds < kill + 2; ) rounds += String(await once(child.stdout, 'data')).length;
      child.kill('SIGKILL');
      await once(child, 'close');

      const database = await place.open();
      const store = createPriceStore(database);
      const [day] = await store.facts('2026-10-25', '2026-10-25');
      assert.ok(day !== undefined);
      const slots = await store.slots(day);
      assert.equal(slots.length, 25 * (60 / day.slotMin));
      assert.equal(fingerprintOf({ slots }), day.fingerprint);
      assert.equal(slots[0]?.start, day.start);
      for (const [index, slot] of slots.entries()) assert.equal(slot.end, slots[index + 1]?.start ?? day.end);
      fingerprints.add(day.fingerprint);
      await database.close();
    }
    assert.ok(fingerprints.size > 1, 'it was killed at different points');
    await place.remove();
  });
});
