import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { tesla } from '../../src/vendors/tesla/index.ts';
import { CHILD_ENV } from '../kit/environment.ts';
import { serveVendor } from '../kit/served-vendor.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs the operator's command as a separate process. */
function register(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/bin/register-vendor.ts', ...args],
      { env: { ...CHILD_ENV, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr });
      },
    );
  });
}

describe('npm run vendor:register', () => {
  it("npm run vendor:register registers Connect's domain with Tesla", async (test) => {
    const served = await serveVendor(tesla, systemClock);
    test.after(() => served.close());
    const env = { ...served.env, ELNAV_CONNECT_URL: 'https://elnav.example.com' };
    const done = await register(['tesla', 'na'], env);
    assert.deepEqual(done, {
      code: 0,
      out: 'elnav.example.com is registered with Tesla in the region na.\n',
    });
    assert.deepEqual(served.asked, ['POST /oauth2/v3/token', 'POST /api/1/partner_accounts']);
    const wrong = await register(['tesla'], { ...env, ELNAV_TESLA_CLIENT_SECRET: 'another' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /^elnav: Tesla refused the client id and secret/);
  });

  it('npm run vendor:register reports what is missing', async () => {
    const faults = [
      [
        [],
        /^elnav: Usage: npm run vendor:register -- <vendor> \[region\]. Vendors that take a registration: tesla\./,
      ],
      [['sandbox'], /Vendors that take a registration: tesla/],
      [['tesla', 'mars'], /Tesla has no region "mars"; it has eu, na, cn\./],
      [['tesla'], /ELNAV_CONNECT_URL must be set/],
    ] as const;
    for (const [args, sentence] of faults) {
      const { code, out } = await register(args, {});
      assert.equal(code, 1, out);
      assert.match(out, sentence);
    }
  });
});
