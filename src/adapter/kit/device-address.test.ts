import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { credentialsOf } from './credentials.ts';
import { deviceAddress, httpAddressOf } from './device-address.ts';

const { credentials } = credentialsOf({ host: deviceAddress({ en: 'here', sv: 'här' }) });
const isTaken = (host: string) => Compile(credentials).Check({ host });

describe('the address of a device at home', () => {
  it('the address of a device at home is a name or an IP address, as people type and copy it', () => {
    for (const [typed, called] of [
      ['192.168.1.20', 'http://192.168.1.20'],
      [' 192.168.1.20:8080 ', 'http://192.168.1.20:8080'],
      ['http://Fronius.local/', 'http://fronius.local'],
      ['https://192.168.1.20', 'http://192.168.1.20'],
      ['[fd00::1]:80', 'http://[fd00::1]:80'],
    ] as const) {
      assert.ok(isTaken(typed), typed);
      assert.equal(httpAddressOf({ host: typed }), called);
    }
  });

  it('the address of a device at home has no path, query, user or second host in it', () => {
    for (const typed of [
      '',
      'http://',
      '192.168.1.20/solar_api',
      '192.168.1.20?x=1',
      'anna@192.168.1.20',
      '192.168.1.20 10.0.0.1',
      '192.168.1.20#a',
      '192.168.1.20:port',
      'a\\b',
      'fd00::1',
    ])
      assert.equal(isTaken(typed), false, typed);
  });
});
