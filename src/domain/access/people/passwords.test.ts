import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import {
  type ComputeArgon2,
  computeArgon2,
  createPasswordHashes,
  faultInPassword,
  isTooLong,
  LONGEST_PASSWORD_BYTES,
} from './passwords.ts';

describe('a stored password', () => {
  const hashes = createPasswordHashes(systemRandom, computeArgon2);

  it('a stored password is Argon2id in the PHC format, with its own salt', async () => {
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

  it('a stored password matches the same characters from different keyboards', async () => {
    const stored = await hashes.hash('ﬁn Ångström blå');
    for (const same of ['fin Ångström blå', 'fin A\u030angstro\u0308m bla\u030a', 'ﬁn \u212bngström blå'])
      assert.equal(await hashes.verify(same, stored), true, same);
    assert.equal(await hashes.verify('fin angstrom bla', stored), false);
  });

  it('a stored password is verified with the parameters it was computed with', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await hashes.verify('password', stored), true);
    assert.equal(hashes.isOutdated(stored), true);
    await assert.rejects(
      async () => hashes.verify('password', '$2b$12$notargon'),
      /not an Argon2id PHC string/,
    );
  });

  it('a stored password matches nothing when there is none', async () => {
    assert.equal(await hashes.verify('', undefined), false);
  });
});

describe('a flood of sign-ins', () => {
  it('a flood of sign-ins computes two at a time, queues some, and refuses the others', async () => {
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

  it('a flood of sign-ins frees its slot when a computation fails', async () => {
    const hashes = createPasswordHashes(systemRandom, () => Promise.reject(new Error('out of memory')));
    for (let times = 0; times < 5; times += 1) await assert.rejects(hashes.hash('x'), /out of memory/);
  });
});

const OWN = ['anna.andersson@kraftbolaget.example', 'Anna Andersson'];
const kindOf = (password: string) => faultInPassword(password, OWN)?.kind;

describe('a new password', () => {
  it('a new password has at least 15 characters, whatever they are', () => {
    assert.equal(kindOf('flod gardin ny'), 'short');
    assert.equal(kindOf('flod gardin nyc'), undefined);
    assert.equal(kindOf(''), 'short');
    assert.equal(kindOf('🌞🌛⭐🌈❄🔥💧🌪🍁🌊🌋🪵🗻🏜🏝'), undefined);
    assert.equal(kindOf('🌞🌛⭐🌈❄🔥💧🌪🍁🌊🌋🪵🗻🏜'), 'short', 'characters are counted, not units');
    assert.match(faultInPassword('abc', [])?.sentence ?? '', /has 3 characters and needs at least 15/);
  });

  it('a new password has at most 1,024 bytes after normalization', () => {
    const long = (bytes: number) => 'åäö'.repeat(bytes).slice(0, bytes / 2);
    assert.equal(Buffer.byteLength(long(LONGEST_PASSWORD_BYTES)), LONGEST_PASSWORD_BYTES);
    assert.equal(isTooLong(long(LONGEST_PASSWORD_BYTES)), false);
    assert.equal(isTooLong(`${long(LONGEST_PASSWORD_BYTES)}x`), true);
    assert.equal(isTooLong('\ufdfa'.repeat(300)), true, 'it grows when it is normalised');
    assert.equal(kindOf('x'.repeat(1_000_000)), 'long');
  });

  it('a new password is refused when it is easy to guess', () => {
    for (const common of [
      'aaaaaaaaaaaaaaa',
      'abababababababab',
      '123456789012345',
      '987654321098765',
      'abcdefghijklmnop',
      'qwertyuiopasdfghjkl',
      'qwertyuiop123456',
      'asdfghjklöäasdfgh',
      '1qaz2wsx3edc4rfv',
      'correcthorsebatterystaple',
      'Correct Horse Battery Staple',
      'c0rr3cth0rs3b4tt3ryst4pl3',
      'passwordpassword',
      'P@ssw0rdP@ssw0rd!',
      'password12345678',
      'Password-2026-2026',
      'lösenordlösenord',
      'mittlösenord12345',
      'sommarsommar2026',
      'elnavelnavelnavelnav',
      'anna.andersson@kraftbolaget.example',
      'AnnaAndersson1234',
      'kraftbolagetkraft',
      'annaannaannaanna',
      'hejhejhejhej12345',
      'fotbollfotboll1',
      'göteborggöteborg',
      'djurgårdendjurgården',
      'jultomtenjultomten',
      'Fredag!Fredag!2025',
      'MittHemligaLösen1',
      'liverpoolliverpool',
      'charliecharlie123',
      'xylofonxylofonxylofon',
    ])
      assert.equal(kindOf(common), 'common', common);
  });

  it('a new password is accepted otherwise', () => {
    for (const good of [
      'flod gardin nyckel',
      'vinden viskar i vassen',
      'kX9$mQ2!vR7#pL4w',
      'tre glada grodor 1987',
      'the teapot hums at dusk',
      'корабль и облака',
      '雨の音が好きです窓を開けて眠る',
      'correct teapot meadow',
      'sju sjösjuka sjömän',
      'gröna lampor ovanför bron',
      'en röd stuga vid älven',
      'trombone velvet lantern',
    ])
      assert.equal(kindOf(good), undefined, good);
  });

  it('a new password is checked quickly for any input', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1_024, unit: 'binary' }), (password) => {
        const fault = faultInPassword(password, [password.slice(0, 20), 'a']);
        assert.ok(fault === null || fault.sentence.length > 20);
      }),
      { numRuns: 200 },
    );
  });
});
