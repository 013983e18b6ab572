import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conforms } from '../../adapter/conformance/index.ts';
import { easee } from './index.ts';
import { asSimulator, makeWorld } from './test-world.ts';

describe('easee', () => {
  it('conforms to the adapter contract', async () => {
    const findings = await conforms(easee, asSimulator(await makeWorld()));
    assert.ok(findings.length > 25, `only ${findings.length} findings`);
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== null),
      [],
    );
  });
});
