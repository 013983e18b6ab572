import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { faultInPassword, isTooLong, LONGEST_PASSWORD_BYTES } from './password-rules.ts';

const OWN = ['anna.andersson@kraftbolaget.example', 'Anna Andersson'];
const kindOf = (password: string) => faultInPassword(password, OWN)?.kind;

describe('a new password', () => {
  it('has at least 15 characters, whatever they are', () => {
    assert.equal(kindOf('flod gardin ny'), 'short');
    assert.equal(kindOf('flod gardin nyc'), undefined);
    assert.equal(kindOf(''), 'short');
    assert.equal(kindOf('🌞🌛⭐🌈❄🔥💧🌪🍁🌊🌋🪵🗻🏜🏝'), undefined);
    assert.equal(kindOf('🌞🌛⭐🌈❄🔥💧🌪🍁🌊🌋🪵🗻🏜'), 'short', 'characters are counted, not units');
    assert.match(faultInPassword('abc', [])?.sentence ?? '', /has 3 characters and needs at least 15/);
  });

  it('has at most 1,024 bytes after normalization', () => {
    const long = (bytes: number) => 'åäö'.repeat(bytes).slice(0, bytes / 2);
    assert.equal(Buffer.byteLength(long(LONGEST_PASSWORD_BYTES)), LONGEST_PASSWORD_BYTES);
    assert.equal(isTooLong(long(LONGEST_PASSWORD_BYTES)), false);
    assert.equal(isTooLong(`${long(LONGEST_PASSWORD_BYTES)}x`), true);
    assert.equal(isTooLong('\ufdfa'.repeat(300)), true, 'it grows when it is normalised');
    assert.equal(kindOf('x'.repeat(1_000_000)), 'long');
  });

  it('is refused when it is easy to guess', () => {
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

  it('is accepted otherwise', () => {
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

  it('is checked quickly for any input', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1_024, unit: 'binary' }), (password) => {
        const fault = faultInPassword(password, [password.slice(0, 20), 'a']);
        assert.ok(fault === null || fault.sentence.length > 20);
      }),
      { numRuns: 200 },
    );
  });
});
