import { isIP } from 'node:net';
import { OperatorError } from './errors.ts';
import { MARKET_SETTINGS, type MarketSettings, readMarketSettings } from './market-settings.ts';
import { nearest } from './nearest.ts';
import { PEOPLE_SETTINGS, type PeopleSettings, readPeopleSettings } from './people-settings.ts';
import { Secret } from './secret.ts';
import { type Environment, oneOf, parseHttpUrl, readerOf, type Setting } from './setting.ts';
import { readSiteSettings, SITE_SETTINGS, type SiteSettings } from './site-settings.ts';
import {
  readVendorSettings,
  settingsOfVendors,
  type VendorNeeds,
  type VendorSettings,
} from './vendor-settings.ts';

export interface VaultKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** All settings, read once from the environment by `src/bin`. */
export interface Settings {
  readonly host: string;
  readonly connectPort: number;
  readonly gridPort: number;
  /** Public addresses without a trailing slash; by default what is listened on. */
  readonly connectUrl: string | undefined;
  readonly gridUrl: string | undefined;
  readonly dataDir: string;
  readonly adminToken: Secret | undefined;
  /** The first one encrypts; all decrypt. */
  readonly vaultKeys: readonly VaultKey[];
  readonly databaseUrl: Secret | undefined;
  readonly redisUrl: Secret | undefined;
  /** Addresses of proxies whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
  /** Addresses or networks that may read metrics and readiness, besides loopback. */
  readonly metricsFrom: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly logLevel: string;
  readonly market: MarketSettings;
  readonly people: PeopleSettings;
  readonly site: SiteSettings;
  /** How long meter readings of charging stations are kept, days. */
  readonly readingsKeepDays: number;
  /** By slug. */
  readonly vendors: ReadonlyMap<string, VendorSettings>;
  /** Vendors that are served by their built-in simulators, besides those that are by default; undefined: the default alone. */
  readonly simulate: readonly string[] | 'none' | undefined;
  /** Whether base addresses that an account chooses may lead into private networks. */
  readonly arePrivateAddressesAllowed: boolean;
}

/** `docs/config.md` is generated from this list. */
export const SETTINGS: readonly Setting[] = [
  { name: 'ELNAV_HOST', fallback: '127.0.0.1', description: 'Address that both services listen on' },
  {
    name: 'ELNAV_CONNECT_PORT',
    fallback: '8080',
    description: 'Port of the Connect service; 0 chooses a free one',
  },
  {
    name: 'ELNAV_GRID_PORT',
    fallback: '8081',
    description: 'Port of the Grid service; 0 chooses a free one',
  },
  {
    name: 'ELNAV_CONNECT_URL',
    fallback: '',
    description: 'Public URL of Connect, if it differs from host and port',
  },
  {
    name: 'ELNAV_GRID_URL',
    fallback: '',
    description: 'Public URL of Grid, if it differs from host and port',
  },
  {
    name: 'ELNAV_DATA_DIR',
    fallback: './data',
    description: 'Directory of the embedded database and of generated secrets',
  },
  {
    name: 'ELNAV_ADMIN_TOKEN',
    fallback: '',
    secret: true,
    description:
      'Token for the administration endpoints, at least 16 characters. Generated on the first start with the embedded database, required with DATABASE_URL',
  },
  {
    name: 'ELNAV_VAULT_KEYS',
    fallback: '',
    secret: true,
    description:
      'Keys that encrypt vendor credentials and hash requests: `id:base64`, 32 bytes each, comma-separated. The first encrypts, all decrypt. Generated on the first start with the embedded database, required with DATABASE_URL',
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    secret: true,
    description: 'PostgreSQL 15 or newer; without it, the embedded SQLite database is used',
  },
  {
    name: 'REDIS_URL',
    fallback: '',
    secret: true,
    description:
      'Redis or Valkey in which several instances share rate limits; without it, each instance counts in memory',
  },
  {
    name: 'ELNAV_TRUST_PROXY',
    fallback: '',
    description: 'Addresses or networks of proxies whose X-Forwarded headers are trusted, comma-separated',
  },
  {
    name: 'ELNAV_METRICS_FROM',
    fallback: '',
    description:
      'Addresses or networks that can read /metrics and /readyz without the admin token, comma-separated; the machine itself always can',
  },
  {
    name: 'ELNAV_TLS_CERT_FILE',
    fallback: '',
    description: 'PEM certificate chain, to serve HTTPS without a proxy',
  },
  { name: 'ELNAV_TLS_KEY_FILE', fallback: '', description: 'PEM private key of the certificate' },
  {
    name: 'ELNAV_READINGS_KEEP_DAYS',
    fallback: '396',
    description:
      'Days to keep meter readings of charging stations, 30 to 36500. Charging transactions are kept forever',
  },
  ...PEOPLE_SETTINGS,
  ...SITE_SETTINGS,
  ...MARKET_SETTINGS,
  {
    name: 'ELNAV_SIMULATE',
    fallback: '',
    description:
      'Vendors to replace with their built-in simulators, comma-separated, or none. Default: with the embedded database, OAuth vendors without a client id',
  },
  {
    name: 'ELNAV_ALLOW_PRIVATE_ADDRESSES',
    fallback: 'off',
    description:
      'on: vendor addresses that users enter may be in private networks, and use any port; needed for devices in a local network. Link-local addresses never are',
  },
  {
    name: 'ELNAV_LOG_LEVEL',
    fallback: 'info',
    description: 'trace, debug, info, warn, error or silent; debug logs every request',
  },
];

/** Reads every setting, those that the vendors add too; throws one `OperatorError` that lists all faults together. */
export function readSettings(environment: Environment, vendors: readonly VendorNeeds[] = []): Settings {
  const faults: string[] = [];
  const settingsThere = [...SETTINGS, ...settingsOfVendors(vendors)];
  const known = new Set(settingsThere.map((setting) => setting.name));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('ELNAV_') && !known.has(name)) {
      const bare = name.slice('ELNAV_'.length);
      const like = known.has(bare) ? bare : nearest(name, known);
      faults.push(`${name} is not a setting${like === undefined ? '' : `; did you mean ${like}?`}`);
    }
  }
  const read = readerOf(environment, settingsThere, faults);
  const { text, optional, parsed } = read;

  const certFile = optional('ELNAV_TLS_CERT_FILE');
  const keyFile = optional('ELNAV_TLS_KEY_FILE');
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push('ELNAV_TLS_CERT_FILE and ELNAV_TLS_KEY_FILE must be set together');
  }
  const settings: Settings = {
    host: text('ELNAV_HOST'),
    connectPort: parsed('ELNAV_CONNECT_PORT', parsePort) ?? 0,
    gridPort: parsed('ELNAV_GRID_PORT', parsePort) ?? 0,
    connectUrl: parsed('ELNAV_CONNECT_URL', parseHttpUrl),
    gridUrl: parsed('ELNAV_GRID_URL', parseHttpUrl),
    dataDir: text('ELNAV_DATA_DIR'),
    adminToken: parsed('ELNAV_ADMIN_TOKEN', parseAdminToken),
    vaultKeys: parsed('ELNAV_VAULT_KEYS', parseVaultKeys) ?? [],
    databaseUrl: parsed('DATABASE_URL', (value) => parseUrl(value, ['postgres:', 'postgresql:'])),
    redisUrl: parsed('REDIS_URL', (value) => parseUrl(value, ['redis:', 'rediss:'])),
    trustProxy: parsed('ELNAV_TRUST_PROXY', parseNetworks) ?? [],
    metricsFrom: parsed('ELNAV_METRICS_FROM', parseNetworks) ?? [],
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    logLevel: parsed('ELNAV_LOG_LEVEL', parseLevel) ?? 'info',
    market: readMarketSettings(
      read,
      optional('DATABASE_URL') === undefined && LOOPBACK.test(text('ELNAV_HOST')),
    ),
    people: readPeopleSettings(read),
    site: readSiteSettings(read),
    readingsKeepDays: parsed('ELNAV_READINGS_KEEP_DAYS', parseDays) ?? 396,
    vendors: readVendorSettings(read, vendors),
    simulate: parsed('ELNAV_SIMULATE', (value) => parseSimulate(value, vendors)),
    arePrivateAddressesAllowed: parsed('ELNAV_ALLOW_PRIVATE_ADDRESSES', oneOf('on', 'off')) === 'on',
  };
  if (settings.databaseUrl !== undefined) {
    if (text('ELNAV_SAMPLE_PRICES') === 'on')
      faults.push('ELNAV_SAMPLE_PRICES must not be on with DATABASE_URL: production never shows a sample');
    if (optional('ELNAV_ADMIN_TOKEN') === undefined)
      faults.push('ELNAV_ADMIN_TOKEN is required with DATABASE_URL');
    if (optional('ELNAV_VAULT_KEYS') === undefined) {
      faults.push(
        'ELNAV_VAULT_KEYS is required with DATABASE_URL (make one: echo "k1:$(openssl rand -base64 32)")',
      );
    }
  }
  if (faults.length > 0)
    throw new OperatorError(`The settings are invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  return settings;
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535)
    throw new Error(`must be a port from 0 to 65535, not "${value}"`);
  return port;
}

function parseDays(value: string): number {
  const days = Number(value);
  if (!/^\d{1,5}$/.test(value) || days < 30 || days > 36_500)
    throw new Error(`must be a whole number of days from 30 to 36500, not "${value}"`);
  return days;
}

function parseUrl(value: string, protocols: readonly string[]): Secret {
  // The value may hold a password, so it is not repeated.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new Error(`must be an address that starts with ${protocols[0]}//`);
  }
  return new Secret(value);
}

function parseAdminToken(value: string): Secret {
  if (value.length < 16) throw new Error('must have at least 16 characters');
  return new Secret(value);
}

/** `id:base64,id:base64`; shared with the file that the first start writes. */
export function parseVaultKeys(value: string): VaultKey[] {
  const keys = value
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part, index) => {
      const [id = '', encoded = ''] = part.split(':', 2);
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
        throw new Error('needs key ids of 1 to 32 letters, digits, - and _, as in k1:base64');
      const key = Buffer.from(encoded, 'base64');
      // Its id is not repeated: where the two were exchanged, or the id left out, it is the key.
      if (key.length !== 32)
        throw new Error(`holds as key number ${index + 1} not 32 bytes in base64 but ${key.length}`);
      return { id, key };
    });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) throw new Error('has two keys of one id');
  return keys;
}

function parseNetworks(value: string): string[] {
  return value.split(',').map((part) => {
    const [address = '', prefix] = part.trim().split('/', 2);
    const version = isIP(address);
    const widest = version === 4 ? 32 : 128;
    if (version === 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= widest))) {
      throw new Error(`must list IP addresses or networks such as 10.0.0.0/8, not "${part.trim()}"`);
    }
    return part.trim();
  });
}

const parseLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent');

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

function parseSimulate(value: string, vendors: readonly VendorNeeds[]): readonly string[] | 'none' {
  if (value === 'none') return 'none';
  const slugs = value.split(',').map((part) => part.trim());
  for (const slug of slugs) oneOf(...vendors.map((vendor) => vendor.slug))(slug);
  return slugs;
}
