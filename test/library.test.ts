import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

/* Runs the `ts` blocks of the guides unchanged, from this folder; each must print the `text` block that follows. */

const run = promisify(execFile);

const EXAMPLES = globSync('docs/guides/*.md').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^```ts\n(.*?)^```\n+```text\n(.*?)^```$/gms)].map(
    ([, code = '', printed = '']) => ({ file, code, printed }),
  ),
);

describe('the examples of the library', () => {
  it('the examples of the library print what the guides show', async () => {
    assert.ok(EXAMPLES.length >= 2, `only ${EXAMPLES.length} were found`);
    for (const { file, code, printed } of EXAMPLES) {
      const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', code]);
      assert.equal(stdout, printed, `${file}\n${code}`);
    }
  });
});
