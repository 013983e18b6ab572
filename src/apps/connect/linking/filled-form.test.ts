import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { credentialFields } from '../../../adapter/credential-fields.ts';
import { parseForm } from '../../../http/forms.ts';
import { readForm } from './filled-form.ts';

const fields = credentialFields(
  Type.Object({
    user: Type.String({ minLength: 3, maxLength: 6, pattern: '^[a-z]+$' }),
    password: Type.String({ writeOnly: true, minLength: 2 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    factor: Type.Optional(Type.Number()),
    local: Type.Optional(Type.Boolean()),
    region: Type.Optional(Type.Enum(['eu', 'na'])),
    kinds: Type.Optional(Type.Array(Type.Enum(['car', 'lamp']))),
  }),
);

const read = (text: string) =>
  readForm(fields, parseForm(Buffer.from(text)), {
    language: 'en',
    wordsOf: () => ({ label: 'x', fault: 'Not so.' }),
  });
const faultsOf = (text: string) => Object.fromEntries(read(`password=pw&${text}`).faults);

describe('a form that was filled in', () => {
  it('a form that was filled in becomes credentials, without what is empty', () => {
    const { credentials, faults } = read(
      'user=+anna+&password=+pw+&port=8&factor=1,5&local=true&region=eu&kinds=car&kinds=lamp&kinds=car&other=1',
    );
    assert.deepEqual(credentials, {
      user: 'anna',
      password: ' pw ',
      port: 8,
      factor: 1.5,
      local: true,
      region: 'eu',
      kinds: ['car', 'lamp'],
    });
    assert.equal(faults.size, 0);
    assert.deepEqual(read('user=anna&password=pw&port=&region=&kinds=').faults.get('kinds'), 'Not so.');
    assert.deepEqual(read('user=anna&password=pw&port=+&region=').credentials, {
      user: 'anna',
      password: 'pw',
      local: false,
    });
  });

  it('a form that was filled in keeps what was filled in, but no secret', () => {
    const { values } = read('user=x&password=hunter2&port=zero');
    assert.equal(values.has('password'), false);
    assert.deepEqual([values.get('user'), values.get('port')], [['x'], ['zero']]);
  });

  it('a form that was filled in says what is wrong beside each field', () => {
    assert.deepEqual(Object.fromEntries(read('').faults), {
      user: 'Fill in this field.',
      password: 'Fill in this field.',
    });
    for (const [text, fault] of [
      ['user=a', 'Enter at least 3 characters.'],
      ['user=abcdefg', 'Enter at most 6 characters.'],
      ['user=ABCD', 'Not so.'],
    ] as const)
      assert.deepEqual(faultsOf(text), { user: fault });
    for (const [port, fault] of [
      ['x', 'Enter a whole number.'],
      ['1.5', 'Enter a whole number.'],
      ['0', 'Enter 1 or more.'],
      ['10', 'Enter 9 or less.'],
    ] as const)
      assert.deepEqual(faultsOf(`user=anna&port=${port}`), { port: fault });
    assert.deepEqual(faultsOf('user=anna&factor=x'), { factor: 'Enter a number.' });
    assert.deepEqual(faultsOf('user=anna&region=mars'), { region: 'Not so.' });
  });
});
