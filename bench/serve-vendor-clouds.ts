import { answerQuestions, ready } from './child-side.ts';
import { openVendorCloud } from './vendor-cloud.ts';
import { vendors } from './vendors-of-clouds.ts';

// The clouds of all vendors that are called, in a process of their own so that their work is not counted as elnav's.
const clouds = new Map(
  await Promise.all(
    vendors
      .filter(({ simulator, hosts }) => simulator !== undefined && hosts !== undefined)
      .map(async (adapter) => [adapter.slug, await openVendorCloud(adapter)] as const),
  ),
);
answerQuestions(() => Promise.all([...clouds.values()].map(({ close }) => close())), {
  calls: () => Object.fromEntries([...clouds].map(([slug, { calls }]) => [slug, calls()])),
});
ready({ clouds: [...clouds.values()].map(({ cloud }) => cloud) });
