import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';
import { silentLog } from '../src/core/log.ts';
import { createAccounts } from '../src/domain/access/accounts/index.ts';
import { easee } from '../src/vendors/easee/index.ts';
import { netatmo } from '../src/vendors/netatmo/index.ts';
import { tesla } from '../src/vendors/tesla/index.ts';
import { TEST_KEYS } from '../test/kit/accounts.ts';
import { type Core, openCore } from '../test/kit/core-world.ts';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import { quantile } from './load.ts';
import { benchVendor, cheapCloud, type Share, storeLinks } from './polled-fleet.ts';
import { count, mebibytes, ms, type Section, sized } from './report.ts';

const SHARES: readonly Share[] = [
  {
    adapter: benchVendor('bench_easee', 'charger', easee, false),
    type: 'charger',
    links: sized(60_000, 6_000),
    devicesEach: 1,
  },
  {
    adapter: benchVendor('bench_netatmo', 'thermostat', netatmo, true),
    type: 'thermostat',
    links: sized(30_000, 300),
    devicesEach: 3,
  },
  {
    adapter: benchVendor('bench_tesla', 'vehicle', tesla, false),
    type: 'vehicle',
    links: sized(10_000, 100),
    devicesEach: 1,
  },
];
const LINKS = SHARES.reduce((sum, { links }) => sum + links, 0);
const DEVICES = SHARES.reduce((sum, { links, devicesEach }) => sum + links * devicesEach, 0);
const SETTLE_MS = sized(30_000, 3_000);
const WATCH_MS = sized(60_000, 5_000);
const COMMANDS = sized(200, 20);
const MOST_BYTES = 500 * 1024 ** 2;
const MOST_ADDED_MS = 50;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Commands to devices of the fleet, twenty a second; the whole time of each. */
async function commandTimes(core: Core, account: number, from: number): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  for (let index = 0; index < COMMANDS; index += 1) {
    const link = from + index;
    const began = performance.now();
    running.push(
      core.send(account, `bench_easee-l${link}-0${link % 10}`, { type: 'turn_on' }).then(() => {
        times.push(performance.now() - began);
      }),
    );
    await wait(50);
  }
  await Promise.all(running);
  return times;
}

/** What background reads cost, and what they add to commands. */
export async function pollingBench(engine: Engine): Promise<Section[]> {
  const place = await makePlace(engine);
  const cloud = cheapCloud();
  const core = await openCore({
    place,
    clock: systemClock,
    adapters: SHARES.map(({ adapter }) => adapter),
    hostOf: () => cloud.http,
  });
  const accounts = await createAccounts({
    database: core.database,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    vaultKeys: TEST_KEYS,
  });
  const user = { email: 'bench@example.com', name: '', tier: 'pro' };
  const { id } = await accounts.users.create(user, { name: 'admin', ip: '192.0.2.1', requestId: 'r' });
  await storeLinks(core, id, SHARES);
  const calm = await commandTimes(core, id, 1_000);
  globalThis.gc?.();
  core.polling.start();
  await wait(SETTLE_MS);
  const callsBefore = cloud.calls();
  const cpuBefore = process.cpuUsage();
  const watched = performance.now();
  await wait(WATCH_MS);
  const cpu = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - watched) / 1_000;
  const share = (cpu.user + cpu.system) / 1e6 / seconds;
  const perSecond = (cloud.calls() - callsBefore) / seconds;
  const { rss } = process.memoryUsage();
  const busy = await commandTimes(core, id, 5_000);
  const late = await core.metrics.pollLateness.get();
  const within = late.values
    .filter(
      ({ metricName, labels }) =>
        metricName?.endsWith('_bucket') && (labels as { le?: number | string }).le === 5,
    )
    .reduce((sum, { value }) => sum + value, 0);
  const all = late.values
    .filter(({ metricName }) => metricName?.endsWith('_count'))
    .reduce((sum, { value }) => sum + value, 0);
  await core.close();
  await accounts.close();
  await place.remove();
  const added = quantile(busy, 0.99) - quantile(calm, 0.99);
  return [
    {
      title: `${count(LINKS)} linked accounts with ${count(DEVICES)} devices, read in the background by one process, ${engine}`,
      note: `limits and pace of Easee (60,000 links), Netatmo (30,000, three rooms each) and Tesla (10,000); the vendor is in the process and answers after 40 ms; one charger in ten charges; ${seconds.toFixed(0)} s watched`,
      rows: [
        { what: 'Calls to vendors a second', figure: perSecond.toFixed(0) },
        {
          what: 'Processor time, of one core, the vendor included',
          figure: `${Math.round(share * 100)} %`,
          target: 'under 100 %',
          met: share < 1,
        },
        {
          what: 'Resident memory, the vendor included',
          figure: mebibytes(rss),
          target: 'at most 500 MB',
          met: rss <= MOST_BYTES,
        },
        {
          what: 'Turns that came within 5 s of their plan',
          figure: `${((within / all) * 100).toFixed(1)} % of ${count(all)}`,
        },
        {
          what: 'A command and the read after it, 99th percentile',
          figure: ms(quantile(busy, 0.99)),
          against: `without background reading ${ms(quantile(calm, 0.99))}`,
          target: `under ${MOST_ADDED_MS} ms more`,
          met: added < MOST_ADDED_MS,
        },
      ],
    },
  ];
}
