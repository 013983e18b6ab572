import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makePlace, type Place } from '../test/kit/databases.ts';
import { ADMIN_TOKEN, VAULT_KEYS } from '../test/kit/world.ts';
import { cleanEnvironment, RUNTIME_OPTIONS } from './children.ts';
import { storeFleet } from './fleet.ts';
import { median } from './load.ts';
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
    const { process: child, tookMs } = await spawnElnav(place);
    started.push(tookMs);
    await end(child);
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
  const { process: child } = await spawnElnav(place);
  await wait(SETTLE_MS);
  const before = ps(child);
  await wait(WATCH_MS);
  const after = ps(child);
  await end(child);
  return { rss: after.rss, cpuShare: (after.cpuMs - before.cpuMs) / WATCH_MS };
}

async function spawnElnav(place: Place): Promise<{ process: ChildProcess; tookMs: number }> {
  const began = performance.now();
  const all = fileURLToPath(new URL('../src/bin/all.ts', import.meta.url));
  const child = spawn(process.execPath, [...RUNTIME_OPTIONS, all], {
    env: {
      ...cleanEnvironment(),
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '0',
      ELNAV_DATA_DIR: place.dataDir,
      // Created by a first start, which a prefilled database does not have.
      ELNAV_ADMIN_TOKEN: ADMIN_TOKEN,
      ELNAV_VAULT_KEYS: VAULT_KEYS,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('elnav is ready.')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`elnav ended with ${code} before it was ready`)));
  });
  return { process: child, tookMs: performance.now() - began };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Memory and processor time of another process. */
function ps({ pid }: ChildProcess): { rss: number; cpuMs: number } {
  const [rss, time = ''] = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  return { rss: Number(rss) * 1024, cpuMs: process.platform === 'linux' ? ticksOf(pid) * 10 : msOf(time) };
}

/** proc(5): utime and stime, in hundredths of a second; `ps` of Linux has whole seconds only. */
function ticksOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** `mm:ss.cc`, as BSD and macOS print it. */
function msOf(time: string): number {
  return time.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0) * 1_000;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
