import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { localBus } from '../../../db/bus.ts';
import type { CachedDevice } from '../devices/index.ts';
import { createHolders } from './ask-holder.ts';

const ROW = { account: 1, link: 'l', vendor: 'ocpp' } as unknown as CachedDevice['row'];

it('a station that no other process knows is not offline right after the processes were cut off: the others may not be back', async () => {
  const clock = turnedClock();
  const gaps: (() => void)[] = [];
  const bus = { ...localBus(), onGap: (forget: () => void) => void gaps.push(forget) };
  const holders = createHolders({ engine: 'postgres', bus }, clock);
  assert.equal(await holders.of(ROW), undefined);
  for (const forget of gaps) forget();
  clock.turn(3_999);
  await assert.rejects(holders.of(ROW), { code: 'database.unavailable', retryAfterSeconds: 2 });
  clock.turn(1);
  assert.equal(await holders.of(ROW), undefined);
});
