import { start } from '../src/bin/start.ts';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { readSettings } from '../src/core/settings/index.ts';
import { vendors } from '../src/vendors/index.ts';
import { answerQuestions, ready } from './child-side.ts';
import { liveVendor, polledVendor } from './vendor.ts';

// Both services as `npm start` runs them, with two vendors more; settings come from the environment.
const running = await start({
  settings: readSettings(process.env, needsOf(vendors)),
  services: ['connect', 'grid'],
  adapters: [...vendors, polledVendor, liveVendor],
});
answerQuestions(() => running.stop(), {
  // Kilobytes, whatever the system.
  peak: () => process.resourceUsage().maxRSS * 1_024,
});
ready({ connect: running.connectUrl ?? '', grid: running.gridUrl ?? '' });
