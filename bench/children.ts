import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Memory {
  /** Bytes. */
  readonly rss: number;
  /** Bytes of the JavaScript heap and of buffers. */
  readonly heap: number;
}

export interface Child<Ready = { readonly connect: string; readonly grid: string }> {
  readonly ready: Ready;
  /** Processor time so far. */
  cpuMs(): Promise<number>;
  memory(): Promise<Memory>;
  ask<T>(question: string): Promise<T>;
  stop(): Promise<void>;
}

/** Runtime options of `npm start`, so that benches measure what users run. */
const RUNTIME_OPTIONS: readonly string[] = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  }
).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'));

/** A profile of each process is written into the directory that BENCH_PROFILE names. */
const PROFILE_OPTIONS: readonly string[] =
  process.env.BENCH_PROFILE === undefined
    ? []
    : ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`];

/** Starts a file of this folder as a separate process and waits until it is ready. */
export async function startChild<Ready = { readonly connect: string; readonly grid: string }>(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<Ready>> {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...cleanEnvironment(), ...env },
    execArgv: [...RUNTIME_OPTIONS, '--expose-gc', ...PROFILE_OPTIONS],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = await whenReady<Ready>(child, file);
  let asked = 0;
  const ask = <T>(question: string): Promise<T> =>
    new Promise((resolve, reject) => {
      asked += 1;
      const id = asked;
      const gone = () => reject(new Error(`${file} ended while it was asked for ${question}`));
      const listen = (message: { id?: number; answer?: unknown }) => {
        if (message.id !== id) return;
        child.off('message', listen);
        child.off('exit', gone);
        resolve(message.answer as T);
      };
      child.on('message', listen);
      child.once('exit', gone);
      child.send({ id, ask: question });
    });
  return {
    ready,
    ask,
    cpuMs: () => ask<number>('cpu'),
    memory: () => ask<Memory>('memory'),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.send({ id: 0, ask: 'stop' });
        setTimeout(() => child.kill('SIGKILL'), 8_000).unref();
      }),
  };
}

function whenReady<Ready>(child: ChildProcess, file: string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
    const listen = (message: { ready?: Ready }) => {
      if (message.ready === undefined) return;
      child.off('message', listen);
      resolve(message.ready);
    };
    child.on('message', listen);
  });
}

/** The environment without elnav's settings, which must not influence the results. */
function cleanEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const isSetting = name.startsWith('ELNAV_') || name === 'DATABASE_URL' || name === 'REDIS_URL';
    if (value !== undefined && !isSetting) kept[name] = value;
  }
  return kept;
}
