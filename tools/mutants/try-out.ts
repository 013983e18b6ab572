import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Mutant } from './mutant.ts';

/** A test that takes longer counts as failed. */
const TIMEOUT_MS = 180_000;

/** Files that tests ask git for. */
const TRACKED = ['seed', 'package.json'];

export interface Copy {
  readonly folder: string;
  remove(): void;
}

/** A copy of the tracked and new files, to be modified; packages are shared with the original. */
export function copyOfTree(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-mutants-'));
  // Some tests start a service as another user.
  chmodSync(folder, 0o755);
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const files = list.split('\0').filter((file) => file !== '' && !file.startsWith('node_modules'));
  for (const file of files) cpSync(file, join(folder, file));
  cpSync('console/built', join(folder, 'console/built'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  // Some tests ask which files are tracked.
  for (const what of [
    ['init', '--quiet'],
    ['add', '--all', '--', ...TRACKED],
  ])
    execFileSync('git', what, { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Applies a mutant to the copy while `work` runs, and restores the file afterwards. */
export async function whileBroken<T>(copy: Copy, mutant: Mutant, work: () => Promise<T>): Promise<T> {
  const file = join(copy.folder, mutant.file);
  const source = readFileSync(file, 'utf8');
  // A function, since `$` in a replacement string is special.
  writeFileSync(
    file,
    source.replace(mutant.from, () => mutant.to),
  );
  try {
    return await work();
  } finally {
    writeFileSync(file, source);
  }
}

export interface Ran {
  /** The titles of the first test that failed, from the outermost suite inwards; null when none did. */
  readonly failed: string | null;
  readonly passed: number;
}

/** Runs test files in the copy until the first test fails. */
export async function runTests(copy: Copy, tests: readonly string[]): Promise<Ran> {
  const reporter = resolve('tools/mutants/reporter.mjs');
  // A nested test run must not inherit the environment of the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-concurrency=1',
      `--test-timeout=${TIMEOUT_MS}`,
      `--test-reporter=${reporter}`,
      ...tests,
    ],
    { cwd: copy.folder, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  );
  const closed = once(child, 'close');
  let passed = 0;
  let failed: string | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'pass') passed += 1;
    if (!line.startsWith('fail ')) continue;
    failed = line.slice('fail '.length);
    break;
  }
  // A failed test may leave processes running; they are ended with their children.
  if (failed !== null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await closed;
  return { failed, passed };
}
