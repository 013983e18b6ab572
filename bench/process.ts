import { makePlace, type Place } from '../test/kit/databases.ts';
import { storeFleet } from './fleet.ts';
import { median } from './load.ts';
import { npmStart } from './npm-start.ts';
import { mebibytes, ms, type Row, type Section } from './report.ts';

const STARTS = 5;
const READY_MS = 2_000;
const IDLE_BYTES = 180 * 1024 ** 2;
const SETTLE_MS = 10_000;
const WATCH_MS = 10_000;
const FLEET = { first: 1_001, accounts: 1_000, devicesEach: 100 };
/** An idle process still runs its timers. */
const IDLE_CPU_SHARE = 0.01;
const MORE_BYTES = 5 * 1024 ** 2;

/** The process of `npm start` on the embedded database: start-up, and cost while idle. */
export async function processBench(): Promise<Section[]> {
  const place = await makePlace('sqlite');
  const started: number[] = [];
  // The first start also creates the database and the secrets; it counts too.
  for (let start = 0; start < STARTS; start += 1) {
    const elnav = await npmStart(place);
    started.push(elnav.tookMs);
    await elnav.end();
  }
  const full = await makePlace('sqlite');
  await storeFleet(full, [FLEET]);
  const idle = await watch(place);
  const loaded = await watch(full);
  await place.remove();
  await full.remove();
  const startUp = median(started);
  const more = loaded.rss - idle.rss;
  const rows: Row[] = [
    {
      what: `From spawn to ready, median of ${STARTS}`,
      figure: ms(startUp),
      target: 'under 2 s',
      met: startUp < READY_MS,
    },
    {
      what: `Resident memory ${SETTLE_MS / 1_000} s after the start`,
      figure: mebibytes(idle.rss),
      target: 'at most 180 MB',
      met: idle.rss <= IDLE_BYTES,
    },
    {
      what: 'Resident memory with 100,000 linked sandbox devices',
      figure: mebibytes(loaded.rss),
      against: `without ${mebibytes(idle.rss)}`,
      target: 'at most 5 MB more',
      met: more <= MORE_BYTES,
    },
    {
      what: 'Processor time with 100,000 linked sandbox devices, of one core',
      figure: `${(loaded.cpuShare * 100).toFixed(2)} %`,
      against: `without ${(idle.cpuShare * 100).toFixed(2)} %`,
      target: 'under 1 %',
      met: loaded.cpuShare < IDLE_CPU_SHARE,
    },
  ];
  return [{ title: 'The process of npm start, both services, embedded database, nobody calls', rows }];
}

async function watch(place: Place): Promise<{ rss: number; cpuShare: number }> {
  const elnav = await npmStart(place);
  await wait(SETTLE_MS);
  const before = elnav.usage();
  await wait(WATCH_MS);
  const after = elnav.usage();
  await elnav.end();
  return { rss: after.rss, cpuShare: (after.cpuMs - before.cpuMs) / WATCH_MS };
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
