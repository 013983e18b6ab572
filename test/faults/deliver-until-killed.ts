import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { openCore } from '../kit/core-world.ts';
import { placeAt } from '../kit/databases.ts';
import { fasterClock } from './faster-clock.ts';

// Delivers the events of an account, and writes more of them, each printed once it is committed, until the process is killed. `first`
// is the first of their numbers, which no other process has. `faster` has its time pass so many times faster.
const [dataDir = '', account = '', first = '', url, faster] = process.argv.slice(2);

const { database, subscriptions } = await openCore({
  place: placeAt(dataDir, url),
  clock: faster === undefined ? systemClock : fasterClock(Number(faster)),
  adapters: [],
});
subscriptions.start();
for (let number = Number(first); ; number += 1) {
  const event = {
    ...{ account: Number(account), type: 'device.reachable', link: null, device: `light-${number % 3}` },
    ...{ userRef: String(number), occurredAt: Date.now(), data: {} },
  };
  await database.transaction((inside) => database.events.append(inside, [event]));
  process.stdout.write(`${number}\n`);
  // Another process must be able to keep up.
  for (let turns = 0; turns < 20; turns += 1) await setImmediate();
}
