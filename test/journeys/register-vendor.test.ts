import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { tesla } from '../../src/vendors/tesla/index.ts';
import { volvo } from '../../src/vendors/volvo/index.ts';
import { CHILD_ENV } from '../kit/environment.ts';
import { serveVendor } from '../kit/served-vendor.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs a command of the operator as a separate process. */
function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`src/bin/${file}`, ...args],
      { env: { ...CHILD_ENV, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr });
      },
    );
  });
}

const register = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  run('register-vendor.ts', args, env);
const check = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  run('check-vendor.ts', args, env);

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

describe('npm run vendor:check', () => {
  it('npm run vendor:check tells a client that the vendor knows from another, before a user signs in', async (test) => {
    const served = await serveVendor(volvo, systemClock);
    test.after(() => served.close());
    const env = { ...served.env, ELNAV_CONNECT_URL: 'https://elnav.example.com' };
    assert.deepEqual(await check([], env), {
      code: 0,
      out: 'ok      volvo: Volvo knows the client id and secret\n',
    });
    assert.equal(served.asked.length, 1);
    const wrong = await check(['volvo'], { ...env, ELNAV_VOLVO_CLIENT_SECRET: 'canary-other' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /^REFUSED volvo: .* the operator must check ELNAV_VOLVO_CLIENT_ID/);
    assert.ok(!wrong.out.includes('canary'));
  });

  it('npm run vendor:check says so where a vendor does not tell, or is away', async () => {
    const env = {
      ELNAV_VOLVO_CLIENT_ID: 'id',
      ELNAV_VOLVO_CLIENT_SECRET: 'secret',
      ELNAV_VOLVO_API_KEY: 'key',
      ELNAV_VOLVO_BASE_URL: 'http://127.0.0.1:9',
    };
    const away = await check(['volvo'], env);
    assert.equal(away.code, 0, away.out);
    assert.match(away.out, /^unclear volvo: /m);
  });

  it('npm run vendor:check reports what can be checked', async () => {
    for (const [args, sentence] of [
      [[], /Vendors that can be checked: .*volvo.*Set their client id and secret first/],
      [['volvo'], /Set their client id and secret first/],
      [['easee'], /Usage: npm run vendor:check -- \[vendor\]\. Vendors that can be checked: [a-z_, ]+\.\n$/],
    ] as const) {
      const { code, out } = await check(args, {});
      assert.equal(code, 1);
      assert.match(out, sentence);
    }
  });
});
