import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Place } from '../test/kit/databases.ts';
import { ADMIN_TOKEN, VAULT_KEYS } from '../test/kit/world.ts';
import { cleanEnvironment, PROFILE_OPTIONS, RUNTIME_OPTIONS } from './children.ts';

export interface NpmStart {
  /** Address of Connect. */
  readonly connect: string;
  /** Address of Grid. */
  readonly grid: string;
  /** From the spawn until it was ready. */
  readonly tookMs: number;
  /** Resident memory in bytes and processor time so far, as the system counts them. */
  usage(): Usage;
  end(): Promise<void>;
}

export interface Usage {
  readonly rss: number;
  readonly cpuMs: number;
}

/** The process of `npm start` on free ports, with nothing of the bench in it. */
export async function npmStart(place: Place, env: Readonly<Record<string, string>> = {}): Promise<NpmStart> {
  const began = performance.now();
  const all = fileURLToPath(new URL('../src/bin/all.ts', import.meta.url));
  const child = spawn(process.execPath, [...RUNTIME_OPTIONS, ...PROFILE_OPTIONS, all], {
    env: {
      ...cleanEnvironment(),
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '0',
      ELNAV_DATA_DIR: place.dataDir,
      // Created by a first start, which a prefilled database does not have.
      ELNAV_ADMIN_TOKEN: ADMIN_TOKEN,
      ELNAV_VAULT_KEYS: VAULT_KEYS,
      ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await untilReady(child);
  const addressOf = (service: string) => new RegExp(`^  ${service} +(\\S+)`, 'm').exec(output)?.[1] ?? '';
  return {
    connect: addressOf('Connect'),
    grid: addressOf('Grid'),
    tookMs: performance.now() - began,
    usage: () => ps(child),
    end: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** What it printed until it was ready. What it logs goes into the file that BENCH_LOG names, else it is read and dropped. */
function untilReady(child: ChildProcess): Promise<string> {
  const { BENCH_LOG: logFile } = process.env;
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      if (logFile !== undefined) appendFileSync(logFile, chunk);
      if (output.includes('  Data ')) return;
      output += chunk;
      if (output.includes('  Data ')) resolve(output);
    });
    child.once('exit', (code) => reject(new Error(`elnav ended with ${code} before it was ready`)));
  });
}

function ps({ pid }: ChildProcess): Usage {
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
