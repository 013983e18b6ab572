import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TEST_KEYS } from '../../../../test/kit/accounts.ts';
import { turnedClock } from '../../../core/clock.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import { knownBrowsers } from './known-browser.ts';

const NEW: VaultKey = { id: 'k2', key: Buffer.alloc(32, 2) };
const clock = turnedClock();
const openWith = (vaultKeys: readonly VaultKey[], isSecure = false) =>
  knownBrowsers({ vaultKeys, clock, isSecure: () => isSecure });

/** The cookie that a browser keeps after a sign-in. */
function kept(email: string, isSecure = false): string {
  const set: string[] = [];
  const reply = { header: (_name: string, value: string) => set.push(value) } as unknown as FastifyReply;
  openWith(TEST_KEYS, isSecure).remember(reply, email);
  return set[0] ?? '';
}

const sending = (cookie: string) => ({ headers: { cookie: cookie.split(';', 1)[0] } }) as FastifyRequest;

it('a browser is known to whom it signed in, and to nobody else, for half a year', () => {
  const cookie = kept('Anna@example.com');
  assert.match(
    cookie,
    /^elnav_known=k1\.\d+\.[0-9a-f]{64}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.match(kept('a@example.com', true), /^__Host-elnav_known=.*; Secure/);
  const browsers = openWith(TEST_KEYS);
  assert.equal(browsers.isKnown(sending(cookie), 'anna@example.com'), true);
  assert.equal(browsers.isKnown(sending(cookie), 'bo@example.com'), false);
  assert.equal(browsers.isKnown(sending(''), 'anna@example.com'), false);
  const [name = '', day = '', hash = ''] = (cookie.split(';', 1)[0] ?? '').split('.');
  for (const forged of [
    `${name}.${Number(day) + 1}.${hash}`,
    `${name}.${day}.${'0'.repeat(64)}`,
    `${name.replace('k1', 'k9')}.${day}.${hash}`,
    `${name}.${day}.`,
  ])
    assert.equal(browsers.isKnown(sending(forged), 'anna@example.com'), false, forged);
  clock.turn(179 * 86_400_000);
  assert.equal(browsers.isKnown(sending(cookie), 'anna@example.com'), true);
  clock.turn(86_400_000);
  assert.equal(browsers.isKnown(sending(cookie), 'anna@example.com'), false);
});

it('a browser stays known while the vault key of then is configured', () => {
  const cookie = kept('anna@example.com');
  assert.equal(openWith([NEW, ...TEST_KEYS]).isKnown(sending(cookie), 'anna@example.com'), true);
  assert.equal(openWith([NEW]).isKnown(sending(cookie), 'anna@example.com'), false);
});
