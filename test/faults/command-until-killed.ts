import { writeSync } from 'node:fs';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openCore } from '../kit/core-world.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

// Commands all devices at once. The vendor prints which of them is commanded, and kills the process at the command of that number.
const [dataDir = '', account = '', devices = '', killedAt = '', url] = process.argv.slice(2);
const vendor = testVendor();
vendor.devices = Array.from({ length: Number(devices) }, (_, index) => `light-${index}`);
let asked = 0;
vendor.onCommand = async ({ id }) => {
  writeSync(1, `${id}\n`);
  asked += 1;
  if (asked === Number(killedAt)) process.kill(process.pid, 'SIGKILL');
};
const open = () => openDatabase({ dataDir, url, clock: systemClock, random: systemRandom, log: silentLog });
const core = await openCore({ place: { open }, clock: systemClock, adapters: [vendor.adapter] });
await core.link(Number(account), 'testvendor');
await Promise.allSettled(vendor.devices.map((id) => core.send(Number(account), id, { type: 'turn_on' })));
