/*
 * Runs all tests, or those of the files that are named: `npm test -- src/core/core.test.ts`. `npm cit` hands no words on, so TEST_FILES
 * names them too, with commas between. Patterns are those of `node --test`, and so is what begins with a dash.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { groupsOf } from './test-groups.ts';

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-'));
const named = [...words.filter((word) => !word.startsWith('-')), ...(process.env.TEST_FILES ?? '').split(',')]
  .map((file) => file.trim())
  .filter((file) => file !== '');

/** A module per group, that imports its files. The runner sorts them by name, and starts them in that order. */
function writeGroups(folder: string): string[] {
  const files = globSync('{src,test}/**/*.test.ts').map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(path, 'utf8'),
  }));
  return groupsOf(files).map(({ name, paths }, index) => {
    const module = join(folder, `${String(index).padStart(3, '0')}-${name}.mjs`);
    const lines = paths.map((path) => `import ${JSON.stringify(pathToFileURL(resolve(path)).href)};\n`);
    writeFileSync(module, lines.join(''));
    return module;
  });
}

const folder = mkdtempSync(join(tmpdir(), 'elnav-test-groups-'));
try {
  const { status } = spawnSync(
    process.execPath,
    [
      ...[
        '-r',
        './src/bin/runtime.cjs',
        '--test',
        '--test-concurrency=2',
        '--test-timeout=1800000',
        '--test-force-exit',
      ],
      ...options,
      ...(named.length > 0 ? named : writeGroups(folder)),
    ],
    { stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
