import { writeSync } from 'node:fs';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openCore } from '../kit/core-world.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

// Sends two set-points to a battery, and is killed while the battery gets the one of that number, or after both.
const [dataDir = '', account = '', killedAt = '', url] = process.argv.slice(2);
const vendor = testVendor({ revertSeconds: null });
vendor.devices = ['battery-1'];
let asked = 0;
vendor.onCommand = async () => {
  asked += 1;
  if (asked === Number(killedAt)) process.kill(process.pid, 'SIGKILL');
};
const open = () => openDatabase({ dataDir, url, clock: systemClock, random: systemRandom, log: silentLog });
const core = await openCore({ place: { open }, clock: systemClock, adapters: [vendor.adapter] });
await core.link(Number(account), 'testvendor');
for (const power_w of [-1_000, -2_000])
  await core.send(Number(account), 'battery-1', { type: 'set_battery_power', power_w });
writeSync(1, 'both are in force\n');
process.kill(process.pid, 'SIGKILL');
