import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../console');
export const BUILT = join(FOLDER, 'built');
export const STYLES = join(import.meta.dirname, '../pages/styles');
/**
 * Builds the scripts of the pages where they are missing or older than their sources, in a process of its own, so that the
 * builder's memory is not kept. Answers in a sentence why they could not be built, or null. Pages work without them.
 */
export async function buildConsole(built = BUILT): Promise<string | null> {
  // Says of which sources the build was made.
  const stamp = join(built, 'sources.sha256');
  const sources = hashOfSources();
  try {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return null;
    mkdirSync(built, { recursive: true });
    writeFileSync(stamp, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${built} cannot be written (${code}): run \`npm run build\` once as a user who may write there`;
  }
  let vite: string;
  try {
    vite = join(createRequire(import.meta.url).resolve('vite/package.json'), '../bin/vite.js');
  } catch {
    return 'Vite is not installed: run `npm ci && npm run build` once, where development packages may be installed';
  }
  const fault = await run([vite, 'build', FOLDER, '--outDir', built, '--logLevel', 'warn']);
  if (fault !== null) return fault;
  writeFileSync(stamp, sources);
  // A service creates files that nobody else may read; these are no secrets, and another user may start the next one.
  chmodSync(built, 0o755);
  for (const name of readdirSync(built)) chmodSync(join(built, name), 0o644);
  return null;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync(['*.{ts,tsx}', '{app,parts}/**/*.{ts,tsx}', '../src/pages/plot/*.ts'], {
    cwd: FOLDER,
  }).sort();
  for (const file of [...files, '../package-lock.json'])
    hash.update(file).update(readFileSync(join(FOLDER, file)));
  return hash.digest('hex');
}

function run(command: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    const note = (text: Buffer) => {
      told = `${told}${text}`.slice(-2_000);
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? null : told.trim()));
  });
}
