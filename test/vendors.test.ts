import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { vendors } from '../src/vendors/index.ts';

/** Generated from the code, and current: the checks before a change hold that. */
const PAGE = readFileSync('docs/vendors.md', 'utf8');

describe('docs/vendors.md', () => {
  it('has every vendor, each proven by a test against its simulator', () => {
    assert.ok(vendors.length > 2);
    for (const { slug } of vendors) {
      const part = PAGE.split(/^## /m).find((one) => one.includes(`(\`${slug}\`)\n`)) ?? '';
      const [, file = ''] =
        /^\*\*Proven against the simulator\*\*: every capability above, by .*\(\.\.\/(.+)\)\.$/m.exec(part) ??
        [];
      assert.ok(file.startsWith(`src/vendors/${slug}/`), `${slug} is not proven`);
      assert.match(readFileSync(file, 'utf8'), new RegExp(`conforms\\(${slug},`));
    }
  });
});
