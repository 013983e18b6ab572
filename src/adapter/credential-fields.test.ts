import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { credentialFields, faultInWords, isForEndUsers, wordsOf } from './credential-fields.ts';

const Credentials = Type.Object({
  username: Type.String({ description: 'Who you are' }),
  password: Type.String({ writeOnly: true }),
  port: Type.Optional(Type.Integer({ minimum: 1 })),
  factor: Type.Optional(Type.Number()),
  is_local: Type.Optional(Type.Boolean()),
  region: Type.Enum(['eu', 'na']),
  kinds: Type.Optional(Type.Array(Type.Enum(['car', 'lamp']))),
  // In no form.
  topics: Type.Optional(Type.Array(Type.Object({}), { 'x-api-only': true })),
});

describe('the fields of credentials', () => {
  it('the fields of credentials are told from the schema', () => {
    assert.deepEqual(
      credentialFields(Credentials).map(({ name, kind, isRequired }) => [name, kind.is, isRequired]),
      [
        ['username', 'text', true],
        ['password', 'secret', true],
        ['port', 'whole', false],
        ['factor', 'number', false],
        ['is_local', 'yes', false],
        ['region', 'one', true],
        ['kinds', 'several', false],
      ],
    );
  });

  it('the fields of credentials are asked for on the link page unless one of them is needed that only the API takes', () => {
    assert.equal(isForEndUsers({ credentials: Credentials }), true);
    const map = Type.Array(Type.Object({}), { 'x-api-only': true });
    assert.equal(isForEndUsers({ credentials: Type.Object({ host: Type.String(), map }) }), false);
  });

  it('the fields of credentials have the words of their schema where the vendor gives none', () => {
    const [username, , , , isLocal] = credentialFields(Credentials);
    assert.ok(username !== undefined && isLocal !== undefined);
    assert.deepEqual(wordsOf({}, username, 'sv'), { label: 'Username', hint: 'Who you are' });
    assert.deepEqual(wordsOf({}, isLocal, 'en'), { label: 'Is local' });
    const words = { en: {}, sv: { username: { label: 'Användare' } } };
    assert.deepEqual(wordsOf({ words }, username, 'sv'), { label: 'Användare' });
  });

  it('the fields of credentials say what lacks before an end user can be asked', () => {
    const one = (schema: Parameters<typeof Type.Object>[0], label = 'x') => ({
      credentials: Type.Object(schema),
      words: { en: { one: { label } }, sv: { one: { label } }, password: { label } },
    });
    assert.equal(faultInWords(one({ one: Type.String() })), null);
    for (const [given, fault] of [
      [{ credentials: Type.Object({ one: Type.String() }) }, /^write words\.en\.one/],
      [one({ two: Type.String() }), /^write words\.en\.two/],
      [one({ one: Type.String() }, ''), /^write words\.en\.one/],
      [one({ api_key: Type.String() }), /api_key is a secret: set writeOnly/],
      [one({ password: Type.String() }), /password is a secret/],
      [one({ one: Type.Enum(['a']) }), /^write words\.en\.one\.choices\.a/],
      [one({ one: Type.Object({}) }), /no form can ask for one/],
      [one({ one: Type.Array(Type.Integer()) }), /must be an enumeration of texts/],
      [{ credentials: Type.String() }, /not an object/],
    ] as const)
      assert.match(faultInWords(given) ?? '', fault);
  });
});
