import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conforms } from '../src/proof/conformance/index.ts';
import { vendors } from '../src/vendors/index.ts';
import { variantsOf } from './kit/vendor-variants.ts';

/** Checks that every vendor has; vendors that are called over HTTP have many more. */
const LEAST_CHECKS = 12;
const LEAST_CHECKS_OF_CLOUDS = 60;

for (const adapter of vendors) {
  const variants = await variantsOf(adapter);
  describe(`the vendor ${adapter.slug}`, () => {
    for (const { name, open } of variants)
      it(`the vendor ${adapter.slug} conforms to the contract: ${name}`, async () => {
        const { simulator, close } = await open();
        const findings = await conforms(adapter, simulator).finally(close);
        const least = adapter.hosts === undefined ? LEAST_CHECKS : LEAST_CHECKS_OF_CLOUDS;
        assert.ok(findings.length >= least, `only ${findings.length} checks`);
        assert.deepEqual(
          findings.filter(({ fault }) => fault !== null),
          [],
        );
      });

    it(`the vendor ${adapter.slug} is described in docs/vendors.md`, () => {
      const page = readFileSync('docs/vendors.md', 'utf8');
      assert.ok(page.includes(`(\`${adapter.slug}\`)\n`), 'run npm run generate');
    });
  });
}
