import { start } from '../src/bin/start.ts';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { readSettings } from '../src/core/settings/index.ts';
import { vendors } from '../src/vendors/index.ts';
import { answerQuestions, ready } from './child-side.ts';
import { liveVendor, polledVendor } from './vendor.ts';

// Both services as in `npm start`, with two more vendors; settings come from the environment.
const running = await start({
  settings: readSettings(process.env, needsOf(vendors)),
  services: ['connect', 'grid'],
  adapters: [...vendors, polledVendor, liveVendor],
});
answerQuestions(() => running.stop(), {
  // Kilobytes on every system.
  peak: () => process.resourceUsage().maxRSS * 1_024,
});
ready({ connect: running.connectUrl ?? '', grid: running.gridUrl ?? '' });
