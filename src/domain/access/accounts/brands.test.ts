import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import type { Actor } from './audit.ts';
import { faultInBrand } from './brands.ts';

const USER: Actor = { name: 'user', ip: '192.0.2.7', requestId: 'test-2' };
const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('brands', (engine) => {
  const world = accountsWorld(engine);
  const none = { privacy_url: null, terms_url: null };

  it('brands are set, replaced and removed, each account its own', async () => {
    const { brands } = world.accounts;
    const [first, second] = [await world.userWithKey(), await world.userWithKey()];
    assert.equal(await brands.of(first.id), null);
    const set = await brands.set(first.id, { name: '  Sol & Vind AB ', color: '#0B5D48' }, USER);
    assert.deepEqual(set, { name: 'Sol & Vind AB', color: '#0b5d48', ...none });
    assert.deepEqual(await brands.of(first.id), set);
    assert.equal(await brands.of(second.id), null);
    await brands.set(first.id, { name: 'Sol', color: null }, USER);
    assert.deepEqual(await brands.of(first.id), { name: 'Sol', color: null, ...none });
    const addresses = { privacy_url: 'https://sol.example/privacy', terms_url: 'https://sol.example/terms' };
    const spaced = { ...addresses, terms_url: ` ${addresses.terms_url} ` };
    await brands.set(first.id, { name: 'Sol', color: null, ...spaced }, USER);
    assert.deepEqual(await brands.of(first.id), { name: 'Sol', color: null, ...addresses });
    await brands.set(first.id, { name: 'Sun', color: null }, USER);
    assert.deepEqual(
      await brands.of(first.id),
      { name: 'Sun', color: null, ...addresses },
      'not named: kept',
    );
    await brands.set(first.id, { name: 'Sol', color: null, privacy_url: '', terms_url: null }, USER);
    assert.deepEqual(await brands.of(first.id), { name: 'Sol', color: null, ...none });
    assert.equal(await brands.set(first.id, null, USER), null);
    assert.equal(await brands.of(first.id), null);
    assert.equal(await brands.of(1_000_000), null);
  });

  it('brands leave an audit entry that names the actor', async () => {
    const { id } = await world.userWithKey();
    await world.accounts.brands.set(id, { name: 'Sol', color: '#123456' }, USER);
    await world.accounts.brands.set(id, null, ADMIN);
    const [removed, set] = await world.accounts.audit({ limit: 2 });
    assert.deepEqual(
      [set?.actor, set?.action, set?.target, set?.detail],
      ['user', 'brand.set', `user/${id}`, { name: 'Sol', color: '#123456', ...none }],
    );
    assert.deepEqual([removed?.actor, removed?.action, removed?.ip], ['admin', 'brand.removed', '192.0.2.1']);
  });

  it('brands are refused when they cannot be displayed or the account does not exist', async () => {
    const { brands } = world.accounts;
    const { id } = await world.userWithKey();
    await assert.rejects(
      brands.set(id, { name: 'a\u0007b', color: null }, USER),
      withCode('request.invalid'),
    );
    await assert.rejects(
      brands.set(1_000_000, { name: 'Sol', color: null }, USER),
      withCode('user.not_found'),
    );
    assert.equal(await brands.of(id), null);
  });
});

it('the check of a brand accepts and rejects names and colours of a brand', () => {
  for (const name of ['a', 'Å'.repeat(60), '⚡️'.repeat(20), '<b>&"', ' a ', '日本'])
    assert.equal(faultInBrand({ name, color: null }), null, name);
  for (const name of [
    '',
    '   ',
    '\u200b',
    'a'.repeat(61),
    'a\nb',
    'a\u0000',
    'a\u202eb',
    'a\u2028b',
    'a\ud800',
  ])
    assert.equal(faultInBrand({ name, color: null })?.field, 'name', JSON.stringify(name));
  for (const color of ['#000000', '#ABCDEF', ' #abcdef '])
    assert.equal(faultInBrand({ name: 'a', color }), null, color);
  for (const color of ['', '#fff', '0b5d48', '#0b5d4g', 'red', '#0b5d48ff', '#0b5d48;}'])
    assert.equal(faultInBrand({ name: 'a', color })?.field, 'color', color);
  for (const url of ['https://sol.example', 'https://xn--sl-fka.example/a?b=c#d', ' https://sol.example/ '])
    assert.equal(faultInBrand({ name: 'a', color: null, terms_url: url }), null, url);
  for (const url of [
    'http://sol.example/',
    'javascript:alert(1)',
    'https://',
    'https://sol',
    'https://bank.example@sol.example/',
    'https://sol.example/\u202e',
    'https://sol.example/ a',
    `https://sol.example/${'a'.repeat(500)}`,
  ])
    assert.equal(faultInBrand({ name: 'a', color: null, privacy_url: url })?.field, 'privacy_url', url);
});
