import { readSettings } from '../core/config.ts';
import { vendors } from '../vendors/index.ts';
import { buildConsole } from './console.ts';
import { exitWith } from './exit.ts';
import { type Running, start } from './start.ts';
import { needsOf } from './vendor-needs.ts';

export { exitWith };

/** Runs services until SIGTERM or SIGINT. A fault of the operator's is printed as a sentence. */
export async function run(services: readonly ('connect' | 'grid')[]): Promise<void> {
  // What the database writes beside its file is for this user alone as well.
  process.umask(0o077);
  let running: Running;
  const unbuilt = await buildConsole();
  if (unbuilt !== null) console.error(`The pages do without their scripts. ${unbuilt}`);
  try {
    running = await start({ settings: readSettings(process.env, needsOf(vendors)), services });
  } catch (error) {
    exitWith(error);
    return;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A second signal, or a close that hangs, ends the process at once.
      process.once(signal, () => process.exit(1));
      setTimeout(() => process.exit(1), 5_000).unref();
      running.stop().then(
        () => process.exit(0),
        (error: unknown) => exitWith(error),
      );
    });
  }
  // Last: whoever reads that it is ready may stop it at once.
  greet(running);
}

function greet({ connectUrl, gridUrl, dataDir, engine, simulated, made }: Running): void {
  const lines = ['elnav is ready.', ''];
  if (connectUrl !== undefined) lines.push(`  Connect   ${connectUrl}   documents ${connectUrl}/docs`);
  if (gridUrl !== undefined) lines.push(`  Grid      ${gridUrl}   documents ${gridUrl}/docs`);
  lines.push(`  Data      ${engine === 'sqlite' ? dataDir : 'PostgreSQL (DATABASE_URL)'}`);
  if (simulated.length > 0)
    lines.push(`  Simulated ${simulated.join(', ')}: what these vendors tell is made up (ELNAV_SIMULATE)`);
  if (made.adminToken !== undefined) {
    lines.push(
      '',
      'First start. The admin token (x-admin-token on Grid), also kept in the data directory as admin-token:',
    );
    lines.push('', `  ${made.adminToken}`);
  }
  if (made.apiKey !== undefined) {
    lines.push(
      '',
      'A developer key, shown only now. For the examples in the README, paste into another terminal:',
    );
    lines.push('', `  export KEY=${made.apiKey}`);
  }
  console.log(`${lines.join('\n')}\n`);
}
