import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { allControls, type Control, testFileOf } from './controls/marked.ts';

/*
 * `npm run controls [-- words…]` takes each marked control away, one at a time and in a copy of the tree, and runs the tests that
 * guard it. It fails when no test notices. Words choose the controls whose file or sentence has one of them.
 */

/** A test that takes longer counts as failed. */
const TIMEOUT_MS = 180_000;

/** A line for each test that ended: `pass`, or `fail` with its title. Suites and files count by their tests. */
const REPORTER = `data:text/javascript,export default async function* (source) {
  for await (const { type, data } of source) {
    const isTest = data?.details?.type !== 'suite' && !data?.file?.endsWith(data.name);
    if (type === 'test:pass' && isTest && data.skip === undefined) yield 'pass\\n';
    if (type === 'test:fail' && isTest) yield 'fail ' + data.name.replaceAll('\\n', ' ') + '\\n';
  }
}`.replaceAll('\n', ' ');

const testFiles = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']);
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = allControls().filter(({ file, guards }) => {
  const text = `${file} ${guards}`.toLowerCase();
  return words.length === 0 || words.some((word) => text.includes(word));
});
if (chosen.length === 0) throw new Error(`no control has ${words.join(' or ')} in its file or sentence`);

const folder = copyOfTree();
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
/** The outcome of each test file with all controls in place: where it fails anyway, it proves nothing. */
const baselines = new Map<string, Awaited<ReturnType<typeof run>>>();
const counts = { noticed: 0, 'NOT noticed': 0, 'cannot be judged': 0, skipped: 0 };
for (const control of chosen) {
  const [outcome, detail] = await judge(control);
  counts[outcome] += 1;
  console.log(`${outcome}: ${control.guards} (${control.file}:${control.line})\n    ${detail}`);
}
console.log(
  `\n${chosen.length} controls: ${Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')}`,
);
process.exit(counts['NOT noticed'] + counts['cannot be judged'] === 0 ? 0 : 1);

async function judge(control: Control): Promise<[keyof typeof counts, string]> {
  const missing = control.needs.filter((name) => !process.env[name]);
  if (missing.length > 0) return ['skipped', `${missing.join(', ')} is not set`];
  const tests = control.tests.map((name) => testFileOf(name, testFiles));
  for (const test of tests) {
    const before = baselines.get(test) ?? (await run([test]));
    baselines.set(test, before);
    if (before.failed !== undefined)
      return ['cannot be judged', `"${before.failed}" of ${test} fails anyway`];
    if (before.passed === 0) return ['cannot be judged', `${test} runs no test`];
  }
  const file = join(folder, control.file);
  writeFileSync(file, control.without);
  const { failed, passed } = await run(tests).finally(() => cpSync(control.file, file));
  if (failed !== undefined) return ['noticed', `by "${failed}"`];
  if (passed === 0) return ['cannot be judged', 'the source does not load without it'];
  return ['NOT noticed', `${passed} tests of ${tests.join(', ')} pass without it`];
}

/** The tracked and new files in a folder of their own, with the packages and built pages of the original. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'elnav-controls-'));
  // Some tests start a service as another user.
  chmodSync(copy, 0o755);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0');
  for (const file of files) if (file !== '') cpSync(file, join(copy, file));
  cpSync('console/built', join(copy, 'console/built'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Runs test files in the copy until the first test fails. */
async function run(tests: readonly string[]): Promise<{ failed: string | undefined; passed: number }> {
  // A nested test run must not inherit the environment of the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = ['--test', '--test-concurrency=1', '--test-force-exit', `--test-timeout=${TIMEOUT_MS}`];
  const child = spawn(
    process.execPath,
    ['-r', './src/bin/runtime.cjs', ...options, `--test-reporter=${REPORTER}`, ...tests],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  );
  const closed = once(child, 'close');
  let passed = 0;
  let failed: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'pass') passed += 1;
    if (!line.startsWith('fail ')) continue;
    failed = line.slice('fail '.length);
    break;
  }
  // A failed test may leave processes running; they are ended with their children.
  if (failed !== undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await closed;
  return { failed, passed };
}
