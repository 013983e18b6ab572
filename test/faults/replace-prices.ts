import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';

// Replaces a day of prices by one with other slots, again and again, until it is killed.
const [dataDir = '', url] = process.argv.slice(2);
const database = await openDatabase({
  dataDir,
  url,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
});
const store = createPriceStore(database);
for (let round = 0; ; round += 1) {
  const slotMin = round % 2 === 0 ? 60 : 15;
  await store.store(
    dayPrices('SE3', '2026-10-25', { slotMin, eur: (index) => (round % 97) / 1_000 + index / 9_999 }),
    round,
  );
  process.stdout.write('.');
}
