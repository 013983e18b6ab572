import { turnedClock } from '../../src/core/clock.ts';
import { openCore } from '../kit/core-world.ts';
import { type Place, placeAt } from '../kit/databases.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

// Sends a command to a device of an account, whose vendor never responds, until it is killed.
const [dataDir = '', url, account = ''] = process.argv.slice(2);
const place: Place = placeAt(dataDir, url);
const vendor = testVendor();
const core = await openCore({ place, clock: turnedClock(), adapters: [vendor.adapter] });
// Keeps the process alive, which the test clock does not.
setInterval(() => {}, 60_000);
vendor.onCommand = async () => {
  process.stdout.write('at work');
  await new Promise(() => {});
};
await core.send(Number(account), 'light-1', { type: 'turn_on' });
