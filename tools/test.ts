/*
 * Runs all tests, or those of the files that are named: `npm test -- src/core/core.test.ts`. `npm cit` hands no words on, so TEST_FILES
 * names them too, with commas between. Patterns are those of `node --test`, and so is what begins with a dash.
 */
import { spawnSync } from 'node:child_process';

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-'));
const named = [...words.filter((word) => !word.startsWith('-')), ...(process.env.TEST_FILES ?? '').split(',')]
  .map((file) => file.trim())
  .filter((file) => file !== '');

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
    ...(named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts']),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
