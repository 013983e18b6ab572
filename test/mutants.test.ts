import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { allMutants, faultOf } from '../tools/mutants/all.ts';

describe('the mutants', async () => {
  const mutants = await allMutants();

  it('exist', () => {
    assert.ok(mutants.length > 0);
  });

  for (const mutant of mutants) {
    it(`${mutant.area}: "${mutant.control}" can still be removed`, () => {
      assert.equal(faultOf(mutant), null);
      assert.ok(mutant.tests.length > 0);
      assert.deepEqual(
        mutant.tests.filter((test) => !existsSync(test)),
        [],
      );
    });
  }
});
