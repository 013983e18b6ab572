import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { OperatorError } from '../errors.ts';
import { parseVaultKeys, readSettings, settingsOf } from './index.ts';
import { settingsOfVendors } from './vendors.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

/** The faults of an environment, one per line. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    assert.ok(error instanceof OperatorError);
    return error.message.split('\n').slice(1);
  }
  return [];
}

describe('the settings', () => {
  it('the settings need no configuration for the embedded database', () => {
    const settings = readSettings({ PATH: '/bin', HOME: '/' });
    assert.deepEqual(
      [settings.host, settings.connectPort, settings.gridPort, settings.dataDir, settings.logLevel],
      ['127.0.0.1', 8080, 8081, './data', 'info'],
    );
    assert.deepEqual(
      [settings.databaseUrl, settings.adminToken, settings.vaultKeys],
      [undefined, undefined, []],
    );
  });

  it('the settings are read as written', () => {
    const settings = readSettings({
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '65535',
      ELNAV_CONNECT_URL: 'https://connect.example.com/',
      ELNAV_ADMIN_TOKEN: 'sixteen-and-more',
      ELNAV_VAULT_KEYS: `new:${KEY}, old:${KEY}`,
      ELNAV_TRUST_PROXY: '10.0.0.0/8, ::1',
      ELNAV_READINGS_KEEP_DAYS: '60',
      DATABASE_URL: 'postgres://u:p@db/elnav',
      REDIS_URL: ' redis://r ',
      ELNAV_LOG_LEVEL: 'debug',
    });
    assert.equal(settings.connectUrl, 'https://connect.example.com');
    assert.deepEqual([settings.connectPort, settings.gridPort], [0, 65_535]);
    assert.deepEqual(
      settings.vaultKeys.map(({ id }) => id),
      ['new', 'old'],
    );
    assert.deepEqual(settings.trustProxy, ['10.0.0.0/8', '::1']);
    assert.equal(settings.readingsKeepDays, 60);
    assert.equal(readSettings({}).readingsKeepDays, 396);
    assert.throws(() => readSettings({ ELNAV_READINGS_KEEP_DAYS: '29' }), /from 30 to 36500, not "29"/);
    assert.equal(settings.databaseUrl?.reveal(), 'postgres://u:p@db/elnav');
    assert.ok(!inspect(settings.adminToken).includes('sixteen'));
  });

  it('the settings without our prefix are suggested to an operator who adds it', () => {
    assert.match(
      faultsOf({ ELNAV_DATABASE_URL: 'postgres://db/elnav' }).join(),
      /ELNAV_DATABASE_URL is not a setting; did you mean DATABASE_URL\?/,
    );
  });

  it('the settings name the operator of the service and a contact', () => {
    const { site } = readSettings({
      ELNAV_CONTACT: 'help@example.com',
      ELNAV_PRIVACY_URL: 'https://example.com/privacy?lang=sv#top',
    });
    assert.deepEqual(site, {
      contact: 'mailto:help@example.com',
      privacyUrl: 'https://example.com/privacy?lang=sv#top',
      termsUrl: undefined,
      sourceUrl: undefined,
    });
    assert.equal(
      readSettings({ ELNAV_CONTACT: 'https://example.com/report' }).site.contact,
      'https://example.com/report',
    );
    for (const contact of ['Anna', 'http://example.com', 'a@b.se?cc=c@d.se', 'mailto:', 'a b@c.se'])
      assert.match(
        faultsOf({ ELNAV_CONTACT: contact }).join(),
        /must be an email address or an https address/,
      );
    assert.match(
      faultsOf({ ELNAV_TERMS_URL: 'javascript:alert(1)' }).join(),
      /must be an http or https address/,
    );
  });

  it('the settings report all faults together', () => {
    const faults = faultsOf({
      ELNAV_CONECT_PORT: '1',
      ELNAV_NO_SUCH_THING_AT_ALL: '1',
      ELNAV_CONNECT_PORT: '65536',
      ELNAV_GRID_PORT: '1e3',
      ELNAV_CONNECT_URL: 'ftp://x',
      ELNAV_ADMIN_TOKEN: 'short',
      ELNAV_TRUST_PROXY: '10.0.0.0/33',
      ELNAV_TLS_CERT_FILE: 'cert.pem',
      ELNAV_LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
    });
    const expected = [
      /ELNAV_CONECT_PORT is not a setting; did you mean ELNAV_CONNECT_PORT\?/,
      /ELNAV_NO_SUCH_THING_AT_ALL is not a setting$/,
      /ELNAV_CONNECT_PORT must be a port/,
      /ELNAV_GRID_PORT must be a port/,
      /ELNAV_CONNECT_URL must be an http/,
      /ELNAV_ADMIN_TOKEN must have/,
      /ELNAV_TRUST_PROXY must list/,
      /ELNAV_TLS_CERT_FILE and ELNAV_TLS_KEY_FILE/,
      /ELNAV_LOG_LEVEL must be one of/,
      /DATABASE_URL must be an address that starts with postgres/,
    ];
    for (const fault of expected)
      assert.ok(
        faults.some((line) => fault.test(line)),
        String(fault),
      );
    assert.equal(faults.length, expected.length, faults.join('\n'));
  });

  it('the settings require the secrets with PostgreSQL, where none are generated', () => {
    const faults = faultsOf({ DATABASE_URL: 'postgres://db/elnav' });
    assert.equal(faults.length, 2);
    assert.match(faults.join(), /ELNAV_ADMIN_TOKEN is required.*ELNAV_VAULT_KEYS is required/);
  });

  it('the settings never repeat a secret in a fault', () => {
    const secret = 'canary0canary0canary0canary0cana';
    const environments = [
      { ELNAV_ADMIN_TOKEN: 'canary0' },
      { ELNAV_VAULT_KEYS: secret },
      { ELNAV_VAULT_KEYS: `k1:${secret}` },
      { ELNAV_VAULT_KEYS: `${secret}:k1` },
      { ELNAV_VAULT_KEYS: `${KEY},canary0` },
      { DATABASE_URL: `http://u:${secret}@db/x` },
      { REDIS_URL: `redis//:${secret}@r` },
    ];
    for (const environment of environments) {
      const faults = faultsOf(environment);
      assert.ok(faults.length > 0, JSON.stringify(environment));
      assert.ok(!faults.join('\n').includes('canary0'), faults.join('\n'));
    }
  });

  it('the settings accept vault keys of 32 bytes with distinct ids', () => {
    assert.deepEqual(
      parseVaultKeys(`a:${KEY}\nb:${KEY}`).map(({ key }) => key.length),
      [32, 32],
    );
    for (const wrong of [`a:${KEY},a:${KEY}`, `a b:${KEY}`, 'a:', 'a:AAAA', `:${KEY}`, KEY])
      assert.throws(() => parseVaultKeys(wrong), wrong);
  });

  it('the settings replace all addresses of a vendor, or one', () => {
    const needs = { name: 'V', hasPartner: false, hasApiKey: false, files: [], amounts: [], plans: [] };
    const vendors = [
      { ...needs, slug: 'many', hosts: ['api', 'commands'] },
      { ...needs, slug: 'one', hosts: ['api'] },
      { ...needs, slug: 'none', hosts: [] },
    ];
    const names = settingsOfVendors(vendors).map(({ name }) => name);
    assert.deepEqual(names, [
      'ELNAV_MANY_BASE_URL',
      'ELNAV_MANY_API_BASE_URL',
      'ELNAV_MANY_COMMANDS_BASE_URL',
      'ELNAV_ONE_BASE_URL',
    ]);
    const environment = {
      ELNAV_MANY_BASE_URL: 'http://127.0.0.1:1',
      ELNAV_MANY_COMMANDS_BASE_URL: 'https://proxy.example:4443/',
    };
    const settings = readSettings(environment, vendors).vendors.get('many');
    assert.equal(settings?.baseUrl, 'http://127.0.0.1:1');
    assert.deepEqual(settings?.baseUrls, { commands: 'https://proxy.example:4443' });
    assert.throws(
      () => readSettings({ ELNAV_MANY_COMMANDS_BASE_URL: 'proxy' }, vendors),
      /ELNAV_MANY_COMMANDS_BASE_URL/,
    );
  });

  it('the settings take the API key of an app together with its client id and secret', () => {
    const vendor = { slug: 'v', name: 'V', hosts: [], hasPartner: true, files: [], amounts: [], plans: [] };
    const set = {
      ELNAV_V_CLIENT_ID: 'id',
      ELNAV_V_CLIENT_SECRET: 'secret',
      ELNAV_V_API_KEY: 'canary-key-3391',
    };
    const keyed = [{ ...vendor, hasApiKey: true }];
    assert.equal(readSettings(set, keyed).vendors.get('v')?.apiKey?.reveal(), 'canary-key-3391');
    assert.equal(readSettings({}, keyed).vendors.get('v')?.apiKey, undefined);
    for (const name of ['ELNAV_V_API_KEY', 'ELNAV_V_CLIENT_ID', 'ELNAV_V_CLIENT_SECRET'])
      assert.throws(
        () => readSettings({ ...set, [name]: '' }, keyed),
        /must be set together/,
        `without ${name}`,
      );
    const unkeyed = [{ ...vendor, hasApiKey: false }];
    assert.throws(() => readSettings(set, unkeyed), /ELNAV_V_API_KEY is not a setting/);
  });

  it('the settings have what a partner gets besides a client id and secret', () => {
    const more = { description: 'What it is', isSecret: false, isRequired: true };
    const partnerSettings = [
      { ...more, name: 'application_id' },
      { ...more, name: 'management_token', isSecret: true, isRequired: false },
    ];
    const vendors = [
      {
        ...{ slug: 'v', name: 'V', hosts: [], hasPartner: true, hasApiKey: false },
        ...{ partnerSettings, files: [], amounts: [], plans: [] },
      },
    ];
    const client = { ELNAV_V_CLIENT_ID: 'id', ELNAV_V_CLIENT_SECRET: 'secret' };
    const read = (environment: Record<string, string>) =>
      Object.entries(readSettings(environment, vendors).vendors.get('v')?.partnerSettings ?? {}).map(
        ([name, value]) => [name, value.reveal()],
      );
    assert.deepEqual(read({ ...client, ELNAV_V_APPLICATION_ID: 'app', ELNAV_V_MANAGEMENT_TOKEN: 't' }), [
      ['application_id', 'app'],
      ['management_token', 't'],
    ]);
    assert.deepEqual(read({ ...client, ELNAV_V_APPLICATION_ID: 'app' }), [['application_id', 'app']]);
    assert.deepEqual(read({}), []);
    assert.throws(() => read(client), /ELNAV_V_APPLICATION_ID is required with ELNAV_V_CLIENT_ID/);
    const secrets = settingsOfVendors(vendors).filter(({ kind }) => kind.isSecret);
    assert.deepEqual(
      secrets.map(({ name }) => name),
      ['ELNAV_V_CLIENT_SECRET', 'ELNAV_V_MANAGEMENT_TOKEN'],
    );
  });

  it("the settings change the amount of a vendor's limit", () => {
    const amount = { setting: 'ELNAV_V_MONTHLY_USD', description: 'What it may cost', fallback: 10 };
    const vendors = [
      {
        slug: 'v',
        name: 'V',
        hosts: [],
        hasPartner: false,
        hasApiKey: false,
        files: [],
        amounts: [amount],
        plans: [],
      },
    ];
    const read = (value: string) =>
      readSettings({ ELNAV_V_MONTHLY_USD: value }, vendors).vendors.get('v')?.amounts.ELNAV_V_MONTHLY_USD;
    assert.deepEqual(['', '0', '250', '12.50'].map(read), [10, 0, 250, 12.5]);
    for (const wrong of ['-1', 'ten', '1e3', '12.345', '9999999', '10 USD'])
      assert.throws(() => read(wrong), /ELNAV_V_MONTHLY_USD must be a number from 0 to 1000000/, wrong);
  });

  it('the settings are described, each once', () => {
    const settings = settingsOf([]);
    assert.equal(new Set(settings.map(({ name }) => name)).size, settings.length);
    for (const { description, kind } of settings) {
      assert.match(description, /^[A-Za-z].*[^.]$/);
      assert.match(kind.values, /\w/);
    }
  });

  it('the settings name another setting only where there is one', () => {
    const settings = settingsOf([]);
    const names = new Set(settings.map(({ name }) => name));
    const others = settings.flatMap(({ requiredWith, together }) => [requiredWith, together]);
    const named = others.filter((name) => name !== undefined);
    assert.ok(named.length > 3);
    assert.deepEqual(
      named.filter((name) => !names.has(name)),
      [],
    );
  });

  it('the settings have defaults of their own kind', () => {
    for (const { name, kind, fallback } of settingsOf([]))
      if (fallback !== undefined) assert.doesNotThrow(() => kind.parse(fallback), name);
  });

  it('the settings name a source of prices once', () => {
    assert.deepEqual(faultsOf({ ELNAV_PRICE_SOURCES: 'nordpool, entsoe,nordpool' }), [
      '  - ELNAV_PRICE_SOURCES names nordpool twice',
    ]);
    assert.match(faultsOf({ ELNAV_PRICE_SOURCES: 'nordpol' }).join(), /must be one of elprisetjustnu/);
    assert.deepEqual(readSettings({ ELNAV_PRICE_SOURCES: 'nordpool, entsoe' }).market.priceSources, [
      'nordpool',
      'entsoe',
    ]);
  });

  it('the settings permit the networks of the machine only where nobody else reaches the services', () => {
    const chosen = (environment: Record<string, string>) => {
      const { isHereAlone, localNetworks } = readSettings(environment);
      return { isHereAlone, ...localNetworks };
    };
    const database = {
      DATABASE_URL: 'postgres://db/elnav',
      ELNAV_ADMIN_TOKEN: 'sixteen-and-more',
      ELNAV_VAULT_KEYS: `k1:${KEY}`,
    };
    const own = { isHereAlone: true, choice: 'on', isChosen: false };
    assert.deepEqual(chosen({}), own);
    assert.deepEqual(chosen({ ELNAV_CONNECT_URL: 'http://localhost:8080' }), own);
    assert.deepEqual(chosen(database), { ...own, choice: 'off' });
    for (const reached of [
      { ELNAV_HOST: '0.0.0.0' },
      { ELNAV_TRUST_PROXY: '127.0.0.1' },
      { ELNAV_CONNECT_URL: 'https://connect.example.com' },
      { ELNAV_GRID_URL: 'https://grid.example.com' },
    ]) {
      assert.deepEqual(chosen(reached), { isHereAlone: false, choice: 'off', isChosen: false });
      assert.deepEqual(chosen({ ...reached, ELNAV_LOCAL_NETWORKS: 'on' }), {
        ...{ isHereAlone: false, choice: 'on', isChosen: true },
      });
    }
    assert.deepEqual(chosen({ ...database, ELNAV_LOCAL_NETWORKS: '192.168.1.0/24, fd00::/8' }).choice, [
      '192.168.1.0/24',
      'fd00::/8',
    ]);
    assert.match(
      faultsOf({ ELNAV_LOCAL_NETWORKS: '192.168.1.0/24,::/0' }).join(),
      /ELNAV_LOCAL_NETWORKS must be on, off, or networks such as .*; "::\/0" holds addresses of /,
    );
  });
});
