import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../core/errors.ts';
import { systemRandom } from '../../core/ids.ts';
import { type ComputeArgon2, computeArgon2, createPasswordHashes } from './password-hash.ts';

describe('a stored password', () => {
  const hashes = createPasswordHashes(systemRandom, computeArgon2);

  it('is Argon2id in the PHC format, with its own salt', async () => {
    const [one, two] = await Promise.all([
      hashes.hash('flod gardin nyckel'),
      hashes.hash('flod gardin nyckel'),
    ]);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, two);
    assert.equal(await hashes.verify('flod gardin nyckel', one), true);
    assert.equal(await hashes.verify('flod gardin nyckeL', one), false);
    assert.equal(hashes.isOutdated(one), false);
  });

  it('matches the same characters from different keyboards', async () => {
    const stored = await hashes.hash('ﬁn Ångström blå');
    for (const same of ['fin Ångström blå', 'fin A\u030angstro\u0308m bla\u030a', 'ﬁn \u212bngström blå'])
      assert.equal(await hashes.verify(same, stored), true, same);
    assert.equal(await hashes.verify('fin angstrom bla', stored), false);
  });

  it('is verified with the parameters it was computed with', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await hashes.verify('password', stored), true);
    assert.equal(hashes.isOutdated(stored), true);
    await assert.rejects(
      async () => hashes.verify('password', '$2b$12$notargon'),
      /not an Argon2id PHC string/,
    );
  });

  it('matches nothing when there is none', async () => {
    assert.equal(await hashes.verify('', undefined), false);
  });
});

describe('a flood of sign-ins', () => {
  it('computes two at a time, queues some, and refuses the others', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const compute: ComputeArgon2 = async ({ tagLength }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      running -= 1;
      return Buffer.alloc(tagLength);
    };
    const hashes = createPasswordHashes(systemRandom, compute);
    let turnedAway = 0;
    const all = Array.from({ length: 100 }, () =>
      hashes.verify('x', undefined).catch((error: unknown) => {
        assert.ok(error instanceof AppError && error.code === 'limit.busy');
        assert.equal(error.retryAfterSeconds, 2);
        turnedAway += 1;
      }),
    );
    const done = Promise.all(all);
    let ended = 0;
    while (ended < 26) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      const end = ends.shift();
      end?.();
      ended += end === undefined ? 0 : 1;
    }
    await done;
    assert.deepEqual([most, turnedAway, running], [2, 74, 0]);
  });

  it('frees its slot when a computation fails', async () => {
    const hashes = createPasswordHashes(systemRandom, () => Promise.reject(new Error('out of memory')));
    for (let times = 0; times < 5; times += 1) await assert.rejects(hashes.hash('x'), /out of memory/);
  });
});
