import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { describe, it } from 'node:test';
import { readSettings } from '../core/settings/index.ts';
import { dangersOf, warningOf } from './exposed.ts';

const interfaces = {
  lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }],
  eth0: [{ address: '192.168.1.5', family: 'IPv4', internal: false }],
} as unknown as NodeJS.Dict<NetworkInterfaceInfo[]>;

const dangersWith = (environment: Readonly<Record<string, string>>, simulated: readonly string[] = []) =>
  dangersOf({ settings: readSettings(environment), simulated, interfaces });

describe('a start that other machines reach', () => {
  it('a start that other machines reach over http says what that means, and what to set', () => {
    const warning = warningOf(dangersWith({ ELNAV_HOST: '0.0.0.0' }, ['Tesla']));
    for (const said of [
      /passwords, API keys and cookies can be read/,
      /ELNAV_SIGN_UP=closed/,
      /ELNAV_SIMULATE=none/,
      /here perhaps to http:\/\/192\.168\.1\.5:8080\./,
    ])
      assert.match(warning, said);
  });

  it('a start that other machines reach says nothing of what is set right', () => {
    const environment = {
      ELNAV_HOST: '0.0.0.0',
      ELNAV_SIGN_UP: 'closed',
      ELNAV_CONNECT_URL: 'http://192.168.1.5:8080',
      ELNAV_GRID_URL: 'http://192.168.1.5:8081',
    };
    assert.equal(dangersWith(environment).length, 1);
  });

  it('a start on loopback, behind a proxy or with https has no warning', () => {
    for (const environment of [
      {},
      { ELNAV_HOST: '::1' },
      { ELNAV_HOST: '0.0.0.0', ELNAV_TRUST_PROXY: '10.0.0.2' },
      { ELNAV_HOST: '0.0.0.0', ELNAV_CONNECT_URL: 'https://connect.example' },
      { ELNAV_HOST: '0.0.0.0', ELNAV_TLS_CERT_FILE: 'cert.pem', ELNAV_TLS_KEY_FILE: 'key.pem' },
    ])
      assert.deepEqual(dangersWith(environment as Record<string, string>, ['Tesla']), []);
  });
});
