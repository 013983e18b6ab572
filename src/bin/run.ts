import { networkInterfaces } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readSettings } from '../core/settings/index.ts';
import { vendors } from '../vendors/index.ts';
import { buildConsole } from './console.ts';
import { exitWith } from './exit.ts';
import { dangersOf, warningOf } from './exposed.ts';
import { greeting } from './greet.ts';
import { type Running, start } from './start.ts';
import { needsOf } from './vendor-needs.ts';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives back what starting has left behind: tables as text, and code that ran once. V8 keeps those pages for as long as little
 * happens, which is a third of the memory of an idle process. Done once, before the first request: it takes tens of milliseconds,
 * and costs requests nothing. Bounds on the young generation would, with each of its collections.
 */
function compactHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}

export { exitWith };

/** Runs services until SIGTERM or SIGINT. A fault of the operator's is printed as a sentence. */
export async function run(services: readonly ('connect' | 'grid')[]): Promise<void> {
  // What the database writes beside its file is for this user alone as well.
  process.umask(0o077);
  // From the beginning: a signal while tables are made, or before the key was shown, ends the start in good order too.
  const stopped = stopSignal();
  let running: Running;
  let dangers: readonly string[];
  try {
    const settings = readSettings(process.env, needsOf(vendors));
    const unbuilt = await buildConsole();
    if (unbuilt !== null) console.error(`The pages do without their scripts. ${unbuilt}`);
    running = await start({ settings, services, signal: stopped });
    dangers = dangersOf({ settings, simulated: running.simulated, interfaces: networkInterfaces() });
  } catch (error) {
    if (stopped.aborted && error === stopped.reason) {
      console.error('elnav: stopped before it was ready.');
      process.exit(0);
    }
    exitWith(error);
    return;
  }
  const stop = () => {
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => exitWith(error),
    );
  };
  if (stopped.aborted) {
    stop();
    return;
  }
  stopped.addEventListener('abort', stop, { once: true });
  compactHeap();
  if (dangers.length > 0) console.error(warningOf(dangers));
  // Last: a reader of this line may stop the process at once.
  console.log(greeting(running));
}

/** Fires at the first SIGTERM or SIGINT. A second one, or a close that hangs, ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      setTimeout(() => process.exit(1), 5_000).unref();
      stop.abort();
    });
  }
  return stop.signal;
}
