import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createExposure } from '../http/exposure.ts';
import { localNetworksOf } from './open-vendors.ts';

/** A service that is set to this machine alone, and what it has warned of. */
const ofThisMachine = () => {
  const warnings: unknown[] = [];
  return { warnings, exposure: createExposure(true, { warn: (words: unknown) => warnings.push(words) }) };
};

describe('who reaches a service that is set to its own machine', () => {
  it('a proxy that no setting names takes the networks of the machine away, and is warned of once', () => {
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
    ]) {
      const { warnings, exposure } = ofThisMachine();
      const networks = localNetworksOf({ choice: 'on', isChosen: false }, exposure);
      const chosen = localNetworksOf({ choice: 'on', isChosen: true }, exposure);
      const listed = localNetworksOf({ choice: ['127.0.0.0/8'], isChosen: true }, exposure);
      assert.ok(networks.current().includes('127.0.0.0/8'));
      assert.equal(networks.setting, 'on');
      exposure.note({ headers });
      exposure.note({ headers });
      assert.equal(exposure.isHereAlone(), false);
      assert.equal(warnings.length, 1, JSON.stringify(headers));
      assert.deepEqual(networks.current(), []);
      assert.equal(networks.setting, 'off');
      // What the operator has chosen stays, without what only this machine may ask for.
      assert.ok(!chosen.current().includes('127.0.0.0/8'));
      assert.deepEqual(listed.current(), ['127.0.0.0/8']);
    }
  });

  it('a program on the machine itself that passes requests on takes nothing away', () => {
    const { warnings, exposure } = ofThisMachine();
    for (const headers of [
      {},
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '::1, ::ffff:127.0.0.1' },
    ])
      exposure.note({ headers });
    assert.equal(exposure.isHereAlone(), true);
    assert.deepEqual(warnings, []);
  });

  it('a service of one machine is served under the names of that machine alone', () => {
    const { exposure } = ofThisMachine();
    for (const host of [
      undefined,
      'localhost',
      'LOCALHOST:8080',
      'shop.localhost:8080',
      '127.0.0.1:8080',
      '127.1.2.3',
      '[::1]:8081',
      'host.docker.internal:8080',
    ])
      exposure.note({ headers: { host } });
    for (const host of [
      'evil.example:8080',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil-localhost',
      '203.0.113.7',
      '[2001:db8::1]',
      '',
    ])
      assert.throws(() => exposure.note({ headers: { host } }), { code: 'host.unknown' }, host);
  });

  it('a service that others reach by its settings answers under any name', () => {
    const exposure = createExposure(false, { warn: assert.fail });
    exposure.note({ headers: { host: 'elnav.example', 'x-forwarded-for': '203.0.113.7' } });
    assert.equal(exposure.isHereAlone(), false);
  });
});
