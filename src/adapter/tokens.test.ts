import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter, AnyKind } from './adapter.ts';
import { kind } from './adapter.ts';
import { capabilitiesOf } from './adapters.ts';
import type { Found } from './device.ts';
import { allMissing, claimsIn, grantedWith, missingScopes, scopesOf, tokensIn, wordsIn } from './tokens.ts';

const obey = async () => {};
const car = kind<null>({
  read: async () => null,
  status: () => ({ online: true }),
  reads: { read_battery_soc: () => 1, read_power: () => 1 },
  controls: { charge_control: { start_charge: obey, stop_charge: obey } },
  needs: { read_battery_soc: ['battery'], charge_control: ['battery', 'charge'] },
});
const lamp: AnyKind = kind<null>({
  read: async () => null,
  status: () => ({ online: true }),
  reads: {},
  controls: { on_off: { turn_on: obey, turn_off: obey } },
  needs: ({ details }) => ({ on_off: [`lamps-${details?.room}`] }),
});
const adapter = { oauth: { scopes: ['openid'] }, kinds: { vehicle: car, light: lamp } } as unknown as Adapter;
const found = (more: Partial<Found> = {}): Found => ({ id: 'c1', type: 'vehicle', ...more });

describe('permissions', () => {
  it('permissions are asked for by the kinds of devices that are meant', () => {
    assert.deepEqual(scopesOf(adapter), ['openid', 'battery', 'charge']);
    assert.deepEqual(scopesOf(adapter, ['light']), ['openid']);
    assert.deepEqual(scopesOf(adapter, ['vehicle', 'battery']), ['openid', 'battery', 'charge']);
  });

  it('permissions that are not granted withhold what needs them, and nothing else', () => {
    const all = ['read_battery_soc', 'read_power', 'charge_control'];
    assert.deepEqual(capabilitiesOf(car, found()), all, 'nobody knows what was granted');
    assert.deepEqual(capabilitiesOf(car, found({ granted: ['battery', 'charge', 'x'] })), all);
    assert.deepEqual(capabilitiesOf(car, found({ granted: ['battery'] })), [
      'read_battery_soc',
      'read_power',
    ]);
    assert.deepEqual(capabilitiesOf(car, found({ granted: [] })), ['read_power']);
    assert.deepEqual(missingScopes(car, { granted: ['battery'] }, 'charge_control'), ['charge']);
    assert.deepEqual(allMissing(car, { granted: [] }), ['battery', 'charge']);
    const kitchen = { details: { room: 'kitchen' }, granted: ['lamps-hall'] };
    assert.deepEqual(allMissing(lamp, kitchen), ['lamps-kitchen']);
  });

  it('permissions are read from the token response, as text or list, or from the token', () => {
    const at = { now: 0, before: undefined };
    const scopes = (scope: string | string[] | null) =>
      tokensIn('Vendor', { access_token: 'a', scope }, at).scopes;
    assert.deepEqual(scopes('read write'), ['read', 'write']);
    assert.deepEqual(scopes(['read', 'write']), ['read', 'write']);
    assert.equal(scopes(null), undefined);
    assert.equal(scopes(''), undefined);
    const before = { access: 'o', refresh: null, expiresAt: 0, scopes: ['kept'] };
    assert.deepEqual(tokensIn('Vendor', { access_token: 'a' }, { now: 0, before }).scopes, ['kept']);
    assert.deepEqual(wordsIn(['one', 2, 'two']), ['one', 'two']);
    const tokens = { access: 'a', refresh: null, expiresAt: 0, scopes: ['answered'] };
    assert.deepEqual(grantedWith({}, tokens), ['answered']);
    const login = { scopesIn: () => ['said'] };
    assert.deepEqual(grantedWith({ login }, tokens), ['said']);
  });
});
const encoded = (text: string) => Buffer.from(text).toString('base64url');
const tokenOf = (payload: string) => `${encoded('{"alg":"HS256"}')}.${encoded(payload)}.c2lnbmF0dXJl`;

describe('claims of a token', () => {
  it('claims of a token are what a JWT says', () => {
    assert.deepEqual(claimsIn(tokenOf('{"sub":"å-42"}')), { sub: 'å-42' });
  });

  it('claims of a token are none in a token of another form', () => {
    const others = [
      '',
      'opaque',
      'a.b',
      `${tokenOf('{}')}.more`,
      tokenOf('[1]'),
      tokenOf('null'),
      tokenOf('{'),
    ];
    assert.deepEqual(others.map(claimsIn), Array(others.length).fill(undefined));
  });
});
