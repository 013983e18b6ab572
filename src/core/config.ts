import { isIP } from 'node:net';
import { OperatorError } from './errors.ts';
import { nearest } from './nearest.ts';
import { Secret } from './secret.ts';
import {
  hostSettingName,
  settingsOfVendors,
  type VendorNeeds,
  type VendorSettings,
  vendorSettingNames,
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
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly logLevel: string;
  readonly market: MarketSettings;
  /** By slug. */
  readonly vendors: ReadonlyMap<string, VendorSettings>;
  /** Vendors that are served by their built-in simulators, besides those that are by default; undefined: the default alone. */
  readonly simulate: readonly string[] | 'none' | undefined;
  /** Whether base addresses that an account chooses may lead into private networks. */
  readonly arePrivateAddressesAllowed: boolean;
}

/** How a day-ahead price or production source is asked. */
export interface MarketSettings {
  /** Slugs in the order in which they are asked. */
  readonly priceSources: readonly string[];
  readonly entsoeToken: Secret | undefined;
  /** Another base address by source slug; a simulator's, say. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Whether sources are asked at all. */
  readonly isFetching: boolean;
  /** Whether the bundled sample day may stand in for prices that are not there. */
  readonly isSampleAllowed: boolean;
  /** The unit of the figures of the production source; `auto` tells it from their size. */
  readonly productionUnit: 'auto' | 'MW' | 'MWh';
  /** A Nominatim-compatible geocoder. */
  readonly geocoderUrl: string | undefined;
}

/** Sources whose base address can be set, and those of them that have prices. */
export const PRICE_SOURCE_SLUGS = ['elprisetjustnu', 'entsoe', 'energidataservice', 'nordpool'] as const;
const SOURCE_SLUGS = [...PRICE_SOURCE_SLUGS, 'ecb', 'esett'] as const;
const baseUrlName = (slug: string) => `ELNAV_${slug.toUpperCase()}_BASE_URL`;

export interface Setting {
  readonly name: string;
  readonly description: string;
  readonly fallback: string;
  readonly secret?: boolean;
}

/** `docs/config.md` is generated from this list. */
export const SETTINGS: readonly Setting[] = [
  { name: 'ELNAV_HOST', fallback: '127.0.0.1', description: 'Address that both services listen on' },
  {
    name: 'ELNAV_CONNECT_PORT',
    fallback: '8080',
    description: 'Port of the Connect service; 0 takes a free one',
  },
  { name: 'ELNAV_GRID_PORT', fallback: '8081', description: 'Port of the Grid service; 0 takes a free one' },
  {
    name: 'ELNAV_CONNECT_URL',
    fallback: '',
    description: 'Public address of Connect, where it differs from what is listened on',
  },
  {
    name: 'ELNAV_GRID_URL',
    fallback: '',
    description: 'Public address of Grid, where it differs from what is listened on',
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
      'Token of the administration endpoints, at least 16 characters; made on the first start with the embedded database, required with DATABASE_URL',
  },
  {
    name: 'ELNAV_VAULT_KEYS',
    fallback: '',
    secret: true,
    description:
      'Keys that encrypt vendor credentials: `id:base64` of 32 bytes each, comma-separated; the first encrypts, all decrypt. Made and required as the admin token is',
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    secret: true,
    description: 'PostgreSQL 15 or newer; without it the embedded SQLite database',
  },
  {
    name: 'REDIS_URL',
    fallback: '',
    secret: true,
    description:
      'Redis or Valkey that several instances share for rate limits; without it limits are counted in memory',
  },
  {
    name: 'ELNAV_TRUST_PROXY',
    fallback: '',
    description: 'Addresses or networks of proxies, comma-separated, whose X-Forwarded headers are believed',
  },
  {
    name: 'ELNAV_TLS_CERT_FILE',
    fallback: '',
    description: 'PEM certificate chain, to serve https without a proxy',
  },
  { name: 'ELNAV_TLS_KEY_FILE', fallback: '', description: 'PEM private key of the certificate' },
  {
    name: 'ELNAV_PRICE_SOURCES',
    fallback: 'elprisetjustnu,entsoe,energidataservice',
    description:
      'Day-ahead price sources in the order in which they are asked, comma-separated: elprisetjustnu, entsoe (needs a token, else it is passed over), energidataservice (SE3 and SE4), nordpool (its terms restrict what its data may be used for)',
  },
  {
    name: 'ELNAV_ENTSOE_TOKEN',
    fallback: '',
    secret: true,
    description: "Security token of ENTSO-E's transparency platform, free after registration",
  },
  {
    name: 'ELNAV_FETCH',
    fallback: 'on',
    description:
      'off: no price, production or exchange rate is fetched; what is stored is served, and what is imported',
  },
  {
    name: 'ELNAV_SAMPLE_PRICES',
    fallback: 'auto',
    description:
      'Whether the bundled sample day stands in, marked as a sample, while no price is known: on, off, or auto (on with the embedded database where only this machine is listened to, else off)',
  },
  {
    name: 'ELNAV_PRODUCTION_UNIT',
    fallback: 'auto',
    description:
      "Unit of eSett's production figures: MW, MWh (energy in a slot), or auto, which tells it from their size",
  },
  {
    name: 'ELNAV_GEOCODER_URL',
    fallback: '',
    description:
      'Address of a Nominatim-compatible geocoder for street addresses; without it they are told by postal code or place',
  },
  ...SOURCE_SLUGS.map((slug) => ({
    name: baseUrlName(slug),
    fallback: '',
    description: `Another address for the source ${slug}`,
  })),
  {
    name: 'ELNAV_SIMULATE',
    fallback: '',
    description:
      'Vendors that their built-in simulators stand in for, comma-separated, or none; by default, with the embedded database, those OAuth vendors that have no client id',
  },
  {
    name: 'ELNAV_ALLOW_PRIVATE_ADDRESSES',
    fallback: 'off',
    description:
      'on: addresses that an account gives for a vendor of its own may lead into private networks; needed for devices in a local network',
  },
  {
    name: 'ELNAV_LOG_LEVEL',
    fallback: 'info',
    description: 'trace, debug, info, warn, error or silent; debug has a line for every request',
  },
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every setting, those that the vendors add too; throws one `OperatorError` that lists all faults together. */
export function readSettings(environment: Environment, vendors: readonly VendorNeeds[] = []): Settings {
  const faults: string[] = [];
  const settingsThere = [...SETTINGS, ...settingsOfVendors(vendors)];
  const known = new Set(settingsThere.map((setting) => setting.name));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('ELNAV_') && !known.has(name)) {
      const like = nearest(name, known);
      faults.push(`${name} is not a setting${like === undefined ? '' : `; did you mean ${like}?`}`);
    }
  }
  const text = (name: string): string => {
    const value = environment[name]?.trim();
    return value === undefined || value === ''
      ? (settingsThere.find((setting) => setting.name === name)?.fallback ?? '')
      : value;
  };
  const optional = (name: string) => (text(name) === '' ? undefined : text(name));
  const parsed = <T>(name: string, parse: (value: string) => T): T | undefined => {
    const value = optional(name);
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };

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
    trustProxy: parsed('ELNAV_TRUST_PROXY', parseProxies) ?? [],
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    logLevel: parsed('ELNAV_LOG_LEVEL', parseLevel) ?? 'info',
    market: {
      priceSources: parsed('ELNAV_PRICE_SOURCES', parsePriceSources) ?? [],
      entsoeToken: parsed('ELNAV_ENTSOE_TOKEN', (value) => new Secret(value)),
      baseUrls: Object.fromEntries(
        SOURCE_SLUGS.map((slug) => [slug, parsed(baseUrlName(slug), parseHttpUrl)]).filter(
          ([, url]) => url !== undefined,
        ),
      ),
      isFetching: parsed('ELNAV_FETCH', oneOf('on', 'off')) !== 'off',
      isSampleAllowed: isSampleAllowed(
        parsed('ELNAV_SAMPLE_PRICES', oneOf('auto', 'on', 'off')) ?? 'auto',
        optional('DATABASE_URL') === undefined && LOOPBACK.test(text('ELNAV_HOST')),
      ),
      productionUnit: parsed('ELNAV_PRODUCTION_UNIT', oneOf('auto', 'MW', 'MWh')) ?? 'auto',
      geocoderUrl: parsed('ELNAV_GEOCODER_URL', parseHttpUrl),
    },
    vendors: new Map(
      vendors.map(({ slug, hosts, files }) => {
        const names = vendorSettingNames(slug);
        const clientId = optional(names.clientId);
        const clientSecret = parsed(names.clientSecret, (value) => new Secret(value));
        if ((clientId === undefined) !== (clientSecret === undefined))
          faults.push(`${names.clientId} and ${names.clientSecret} must be set together`);
        return [
          slug,
          {
            baseUrl: parsed(names.baseUrl, parseHttpUrl),
            baseUrls: Object.fromEntries(
              hosts.flatMap((host) => {
                const address = parsed(hostSettingName(slug, host), parseHttpUrl);
                return address === undefined ? [] : [[host, address]];
              }),
            ),
            clientId,
            clientSecret,
            files: Object.fromEntries(
              files.flatMap(({ setting }) => {
                const path = optional(setting);
                return path === undefined ? [] : [[setting, path]];
              }),
            ),
          },
        ];
      }),
    ),
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
    throw new OperatorError(
      `The settings are not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
  return settings;
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535)
    throw new Error(`must be a port from 0 to 65535, not "${value}"`);
  return port;
}

function parseHttpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Error(`must be an http or https address such as https://connect.example.com, not "${value}"`);
  }
  return url.href.replace(/\/$/, '');
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

function parseProxies(value: string): string[] {
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

function oneOf<const T extends string>(...choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${value}"`);
    return choice;
  };
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

function isSampleAllowed(setting: 'auto' | 'on' | 'off', isDevelopment: boolean): boolean {
  return setting === 'auto' ? isDevelopment : setting === 'on';
}

function parseSimulate(value: string, vendors: readonly VendorNeeds[]): readonly string[] | 'none' {
  if (value === 'none') return 'none';
  const slugs = value.split(',').map((part) => part.trim());
  for (const slug of slugs) oneOf(...vendors.map((vendor) => vendor.slug))(slug);
  return slugs;
}

function parsePriceSources(value: string): string[] {
  const slugs = value.split(',').map((part) => part.trim());
  for (const slug of slugs) oneOf(...PRICE_SOURCE_SLUGS)(slug);
  if (new Set(slugs).size !== slugs.length) throw new Error('names a source twice');
  return slugs;
}
