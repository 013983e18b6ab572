import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedReads } from './shared-reads.ts';

describe('reads that share a statement', () => {
  const noted = () => {
    const statements: (readonly number[])[] = [];
    const read = sharedReads(async (keys: readonly number[]) => {
      statements.push(keys);
      if (keys.includes(-1)) throw new RangeError('below zero');
      return keys.map((key) => `row ${key}`);
    });
    return { statements, read };
  };

  it('reads that share a statement get each its own row', async () => {
    const { statements, read } = noted();
    assert.deepEqual(await Promise.all([3, 1, 3].map(read)), ['row 3', 'row 1', 'row 3']);
    assert.deepEqual(statements, [[3, 1, 3]]);
    assert.equal(await read(7), 'row 7');
    assert.equal(statements.length, 2);
  });

  it('reads that share a statement fail together, and later ones are read again', async () => {
    const { read } = noted();
    const outcomes = await Promise.allSettled([1, -1].map(read));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await read(2), 'row 2');
  });

  it('reads that share a statement are at most as many per statement as allowed', async () => {
    const { statements, read } = noted();
    await Promise.all(Array.from({ length: 250 }, (_, key) => read(key)));
    assert.deepEqual(
      statements.map(({ length }) => length),
      [100, 100, 50],
    );
  });
});
