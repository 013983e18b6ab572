import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { ENGINES, makePlace, type Place } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import { withoutPrograms } from '../kit/programs.ts';
import { callWith, envOf, runToEnd, startService, stopService } from '../kit/service.ts';
import { ADMIN_TOKEN, VAULT_KEYS } from '../kit/world.ts';

/** Asserts that a start is refused with sentences for the operator, exit code 1, and without a stack. */
async function refused(env: Record<string, string>): Promise<string> {
  const { code, output } = await runToEnd({ env });
  assert.equal(code, 1, output);
  assert.match(output, /^elnav: /);
  assert.doesNotMatch(output, /\n\s+at /);
  return output;
}

/** A user other than the owner of this process's files; root may read everything, so it switches to another user. */
function stranger() {
  const own = process.getuid?.();
  return own === 0
    ? { uid: { uid: 65_534 }, chown: 'sudo chown -R 65534' }
    : { uid: {}, chown: 'chmod -R u+rwX' };
}

/** The key that `npm run key` creates. */
async function keyFrom(env: Record<string, string>): Promise<string> {
  const { code, output } = await runToEnd({ bin: 'key', env });
  assert.equal(code, 0, output);
  return /^export GRID=\S+ KEY=(elnav_\S+)$/m.exec(output)?.[1] ?? '';
}

/** A start that prints the key and the token of a first start, both of which work. */
async function assertFirst(env: Record<string, string>): Promise<void> {
  const service = await startService({ env });
  const key = /export CONNECT=\S+ GRID=\S+ KEY=(\S+)/.exec(service.output())?.[1] ?? '';
  const token = /as admin-token:\s+(\S+)/.exec(service.output())?.[1] ?? '';
  const devices = await fetch(`${service.connect}/devices`, { headers: { 'x-api-key': key } });
  assert.equal(devices.status, 200, service.output());
  const users = await fetch(`${service.grid}/admin/users`, { headers: { 'x-admin-token': token } });
  assert.equal(users.status, 200, service.output());
  await stopService(service);
}

describe('the first start', () => {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace('sqlite');
  });
  afterEach(() => place.remove());

  it('the first start creates secrets that only its user can read, prints them once, and starts again with them', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    const first = await startService({ env });
    const [, connect, grid, key = ''] =
      /export CONNECT=(\S+) GRID=(\S+) KEY=(\S+)/.exec(first.output()) ?? [];
    assert.deepEqual([connect, grid], [first.connect, first.grid]);
    const token = /as admin-token:\s+(\S+)/.exec(first.output())?.[1] ?? '';
    for (const name of ['admin-token', 'vault-keys', 'elnav.sqlite'])
      assert.equal(statSync(join(place.dataDir, name)).mode & 0o777, 0o600, name);
    await stopService(first);

    const again = await startService({ env });
    assert.doesNotMatch(again.output(), /KEY=|admin-token/);
    const devices = await fetch(`${again.connect}/devices`, { headers: { 'x-api-key': key } });
    assert.equal(devices.status, 200);
    const users = await fetch(`${again.grid}/admin/users`, { headers: { 'x-admin-token': token } });
    assert.equal(users.status, 200);
    await stopService(again);
  });

  const withoutClone = existsSync('.git') ? withoutPrograms('git') : 'this folder is no clone';

  it('the first start needs nothing from the data directory, so that deleting it starts over', {
    skip: withoutClone,
  }, () => {
    const tracked = execFileSync('git', ['ls-files', 'data', 'seed'], { encoding: 'utf8' }).split('\n');
    assert.ok(tracked.includes('seed/postal_codes.tsv'));
    assert.deepEqual(
      tracked.filter((file) => file.startsWith('data/')),
      [],
    );
  });

  it('the first start does not create new vault keys while credentials are stored', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    await stopService(await startService({ env }));
    rmSync(join(place.dataDir, 'vault-keys'));
    assert.match(await refused(env), /vault keys are missing: .*vault-keys is gone.*Restore the file/);
  });

  it('the first start reports vault keys that cannot be parsed', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    await stopService(await startService({ env }));
    for (const text of ['', 'k1:c2hvcnQ=\n']) {
      writeFileSync(join(place.dataDir, 'vault-keys'), text);
      assert.match(await refused(env), /vault-keys/);
    }
  });

  it('the first start refuses a data directory that another process uses, until that has ended', async () => {
    const env = envOf(place);
    const first = await startService({ env });
    assert.match(
      await refused(env),
      /Another elnav process is using the data directory .*Stop it first, or set ELNAV_DATA_DIR/,
    );
    assert.equal((await fetch(`${first.connect}/healthz`)).status, 200);
    first.signal('SIGKILL');
    await first.exited;
    await stopService(await startService({ env }));
  });

  it('the first start reports the port that is in use and the remedy, and prints the key at the next start', async () => {
    const squatter = createServer().unref();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as { port: number };
    const env = { ELNAV_DATA_DIR: place.dataDir };
    for (const name of ['ELNAV_CONNECT_PORT', 'ELNAV_GRID_PORT']) {
      const refusal = await refused({ ...env, [name]: String(port) });
      assert.match(
        refusal,
        new RegExp(`Port ${port} is in use\\. Stop what uses it, or set ELNAV_CONNECT_PORT`),
      );
    }
    squatter.close();
    assert.deepEqual(
      readdirSync(place.dataDir).filter((name) => /admin-token|vault-keys/.test(name)),
      [],
    );
    await assertFirst(env);
  });

  it('the first start reports a host that this machine does not have, and prints the key at the next start', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    for (const host of ['nope.invalid', '203.0.113.1'])
      assert.match(
        await refused({ ...env, ELNAV_HOST: host }),
        new RegExp(`ELNAV_HOST is ${host}, which is no address of this machine .*127\\.0\\.0\\.1 is reached`),
      );
    await assertFirst(env);
  });

  it('the first start prints a key, or how to create one, after it was killed or stopped at any point', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    const imports = ['test/faults/at-statement.ts'];
    const counted = await startService({ env, imports });
    await stopService(counted);
    const last = Number(/statements until ready: (\d+)/.exec(counted.output())?.[1]);
    assert.ok(last > 100, counted.output());
    for (const { signal, exit, shares } of [
      { signal: 'SIGKILL', exit: { code: null, signal: 'SIGKILL' }, shares: [0.4, 0.85, 0.95] },
      // Nothing is awaited in the last part: there the service becomes ready, prints its key and stops.
      { signal: 'SIGTERM', exit: { code: 0, signal: null }, shares: [0.2, 0.4] },
    ]) {
      for (const share of shares) {
        rmSync(place.dataDir, { recursive: true });
        const at = Math.round(last * share);
        const fault = { FAULT_SIGNAL: signal, FAULT_AT: String(at) };
        const { output, ...ended } = await runToEnd({ env: { ...env, ...fault }, imports });
        assert.deepEqual(ended, exit, `${signal} at ${at} of ${last}: ${output}`);
        assert.doesNotMatch(output, /elnav is ready|KEY=/);
        const service = await startService({ env });
        // A start that was stopped in good order has not used up what is shown once.
        const shown = signal === 'SIGTERM' ? / KEY=elnav_/ : / KEY=elnav_|`npm run key` makes one/;
        assert.match(service.output(), shown);
        await stopService(service);
      }
    }
  });

  it('the first start creates another key on demand, with the service running or not', async () => {
    const port = String(await freePort());
    const env = { ELNAV_DATA_DIR: place.dataDir, ELNAV_GRID_PORT: port };
    const none = await runToEnd({ bin: 'key', env });
    assert.match(none.output, /^elnav: There is no database in .* yet: the first npm start makes it/);
    assert.deepEqual(readdirSync(place.dataDir), []);

    await stopService(await startService({ env }));
    const stopped = await keyFrom(env);
    const service = await startService({ env });
    assert.match(service.output(), /No API key at hand\? In another terminal, `npm run key` makes one/);
    const running = await keyFrom(env);
    for (const key of [stopped, running]) {
      const devices = await fetch(`${service.connect}/devices`, { headers: { 'x-api-key': key } });
      assert.equal(devices.status, 200);
    }
    const elsewhere = await runToEnd({ bin: 'key', env: { ...env, ELNAV_GRID_PORT: '1' } });
    assert.match(
      elsewhere.output,
      /^elnav: elnav is running on .*, but Grid does not answer at http:\/\/127\.0\.0\.1:1\. Set ELNAV_HOST and ELNAV_GRID_PORT/,
    );
    await stopService(service);
    const again = await startService({ env });
    assert.doesNotMatch(again.output(), /npm run key/);
    await stopService(again);
  });

  it('the first start signs a browser in to the console of the account whose key it has printed', async () => {
    const port = String(await freePort());
    const env = { ELNAV_DATA_DIR: place.dataDir, ELNAV_GRID_PORT: port };
    const none = await runToEnd({ bin: 'open-console', env });
    assert.match(none.output, /^elnav: There is no database in .* yet: run npm start, and this beside it/);
    const service = await startService({ env });
    const key = / KEY=(elnav_\S+)/.exec(service.output())?.[1] ?? '';
    assert.match(
      service.output(),
      /Console {3}http:\S+\/console {3}`npm run console` in another terminal signs you in/,
    );
    const linked = await callWith(key)(service.connect, {
      method: 'POST',
      path: '/link',
      body: { vendor: 'sandbox', user_ref: 'anna', credentials: {} },
    });
    assert.equal(linked.status, 200);
    const { code, output } = await runToEnd({ bin: 'open-console', env });
    assert.equal(code, 0, output);
    const url = /^ {2}(http:\S+)$/m.exec(output)?.[1] ?? assert.fail(output);
    const browser = CookieBrowser.inLanguage('en');
    const offered = await browser.get(url);
    assert.match(await offered.text(), /developer@localhost/);
    let answer = await browser.post(url, { next: new URL(url).searchParams.get('next') ?? '' });
    for (let hops = 0; hops < 5 && answer.status === 303; hops += 1)
      answer = await browser.get(new URL(answer.headers.get('location') ?? '', answer.url).href);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /data-email="developer@localhost"/);
    const devices = await browser.get(`${service.connect}/devices`, { accept: 'application/json' });
    assert.equal(((await devices.json()) as unknown[]).length, 10);
    await stopService(service);
    const stopped = await runToEnd({ bin: 'open-console', env });
    assert.match(
      stopped.output,
      /start elnav with npm start if it has stopped, and run npm run console again/,
    );
  });

  it('the first start refuses to create a new database while the secrets of a lost one exist', async () => {
    const env = { ELNAV_DATA_DIR: place.dataDir };
    await stopService(await startService({ env }));
    for (const name of readdirSync(place.dataDir)) {
      if (name.startsWith('elnav.sqlite')) rmSync(join(place.dataDir, name));
    }
    const left = readdirSync(place.dataDir);
    assert.match(
      await refused(env),
      /The database .*elnav\.sqlite is gone, but vault-keys and admin-token of an earlier start are there\. Restore elnav\.sqlite from the same backup, or delete the whole directory/,
    );
    assert.deepEqual(readdirSync(place.dataDir), left);
  });

  it('the first start reports the owner of a data directory that it cannot write, and the command that fixes it', async () => {
    const { uid, chown } = stranger();
    chmodSync(place.dataDir, 0o755);
    const inside = join(place.dataDir, 'data');
    mkdirSync(inside, { mode: 0o555 });
    const { code, output } = await runToEnd({ env: { ELNAV_DATA_DIR: inside }, ...uid });
    assert.equal(code, 1, output);
    assert.doesNotMatch(output, /\n\s+at /);
    assert.match(
      output,
      /The data directory .*data cannot be written: it belongs to user id \d+, and elnav runs/,
    );
    assert.ok(output.includes(`Run \`${chown} ${inside}\`, or set ELNAV_DATA_DIR`), output);
  });

  it('the first start reports the missing TLS file, or a certificate and key that do not match', async () => {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(place.dataDir, name));
    const env = { ...envOf(place), ELNAV_TLS_CERT_FILE: cert ?? '', ELNAV_TLS_KEY_FILE: key ?? '' };
    assert.match(await refused(env), /ELNAV_TLS_CERT_FILE: .*cert\.pem cannot be read/);
    writeFileSync(cert ?? '', 'no certificate');
    assert.match(await refused(env), /ELNAV_TLS_KEY_FILE: .*key\.pem cannot be read/);
    writeFileSync(key ?? '', 'no key');
    assert.match(await refused(env), /are not a PEM certificate and its key/);
  });

  it('the first start leaves a database that it cannot open unchanged', async () => {
    const env = envOf(place);
    await stopService(await startService({ env }));
    const file = join(place.dataDir, 'elnav.sqlite');
    for (const garble of [
      () => writeFileSync(file, 'this is not a database\n'.repeat(1_000)),
      () => truncateSync(file, 5_000),
      () => truncateSync(file, 0),
    ]) {
      garble();
      const { size } = statSync(file);
      assert.match(await refused(env), /database .*elnav\.sqlite.* left as it is: restore a backup/);
      assert.equal(statSync(file).size, size);
    }
  });

  it('the first start reports that the data directory cannot be created', async () => {
    const file = join(place.dataDir, 'file');
    writeFileSync(file, '');
    assert.match(
      await refused({ ...envOf(place), ELNAV_DATA_DIR: join(file, 'data') }),
      /data directory .* cannot be created/,
    );
    // A parent that allows no directories, and reports that it does not exist.
    assert.match(
      await refused({ ...envOf(place), ELNAV_DATA_DIR: '/proc/nope' }),
      /data directory \/proc\/nope cannot be created \(ENOENT.*Set ELNAV_DATA_DIR/,
    );
  });
});

describe('invalid settings', () => {
  it('invalid settings are listed together, with the name that was probably meant', async () => {
    const output = await refused({
      ELNAV_CONECT_PORT: '1',
      ELNAV_GRID_PORT: '70000',
      ELNAV_ADMIN_TOKEN: 'short',
      ELNAV_LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://root:the-password@127.0.0.1/x',
      REDIS_URL: 'ftp://127.0.0.1',
    });
    assert.match(output, /ELNAV_CONECT_PORT is not a setting; did you mean ELNAV_CONNECT_PORT\?/);
    assert.match(output, /ELNAV_GRID_PORT must be a port from 0 to 65535, not "70000"/);
    assert.match(output, /ELNAV_ADMIN_TOKEN must have at least 16 characters/);
    assert.match(output, /ELNAV_LOG_LEVEL must be one of/);
    assert.match(output, /DATABASE_URL must be an address that starts with postgres:/);
    assert.match(output, /REDIS_URL must be an address that starts with redis:/);
    assert.doesNotMatch(output, /the-password|short/);
  });

  it('invalid settings include a DATABASE_URL without the required secrets', async () => {
    const output = await refused({ DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    assert.match(output, /ELNAV_ADMIN_TOKEN is required with DATABASE_URL/);
    assert.match(output, /ELNAV_VAULT_KEYS is required with DATABASE_URL .*openssl rand/);
  });

  it('invalid settings include a database that is unreachable or refuses the connection', async () => {
    const secrets = { ELNAV_ADMIN_TOKEN: ADMIN_TOKEN, ELNAV_VAULT_KEYS: VAULT_KEYS };
    const away = await refused({ ...secrets, DATABASE_URL: 'postgres://root:the-password@127.0.0.1:1/x' });
    assert.match(away, /The database of DATABASE_URL cannot be reached \(.*ECONNREFUSED/);
    assert.doesNotMatch(away, /the-password/);
  });

  it('invalid settings include a database that does not exist on its server', {
    skip: ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set',
  }, async () => {
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = '/no_such_database';
    const env = { ELNAV_ADMIN_TOKEN: ADMIN_TOKEN, ELNAV_VAULT_KEYS: VAULT_KEYS, DATABASE_URL: url.href };
    assert.match(await refused(env), /refuses the connection \(.*no_such_database.*does not exist/);
  });
});

describe('an unreachable Redis', () => {
  it('an unreachable Redis does not prevent the service from starting, but degrades its readiness', async () => {
    const place = await makePlace('sqlite');
    const service = await startService({ env: { ...envOf(place), REDIS_URL: 'redis://127.0.0.1:1' } });
    const ready = await fetch(`${service.connect}/readyz`);
    assert.equal(ready.status, 200);
    assert.match(await ready.text(), /"degraded".*"redis":"lost/);
    await stopService(service);
    await place.remove();
  });
});
