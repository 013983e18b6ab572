import { OperatorError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import {
  httpUrl,
  type LocalNetworksChoice,
  localNetworks,
  networks,
  oneOf,
  ratio,
  secret,
  secretHeaders,
  secretUrl,
  text,
  vaultKeys,
  whole,
} from './kinds.ts';
import { MARKET, type MarketSettings, marketSettings, SOURCE_URLS } from './market.ts';
import { PEOPLE, type PeopleSettings, peopleSettings } from './people.ts';
import {
  type Declared,
  type Environment,
  type Kind,
  missingOf,
  optional,
  readAll,
  type Setting,
  setting,
  type Values,
} from './setting.ts';
import { SITE, type SiteSettings } from './site.ts';
import { readVendorSettings, settingsOfVendors, type VendorNeeds, type VendorSettings } from './vendors.ts';

export { parseVaultKeys, type VaultKey } from './kinds.ts';

/** How traces are sampled, as OpenTelemetry names it. */
const SAMPLERS = [
  'parentbased_traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'traceidratio',
  'always_on',
  'always_off',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** Settings of the process, of its addresses and its stores. */
const PROCESS = {
  host: setting('ELNAV_HOST', text('an address'), {
    fallback: '127.0.0.1',
    description: 'Address that both services listen on',
  }),
  connectPort: setting('ELNAV_CONNECT_PORT', whole('a port', 0, 65_535), {
    fallback: '8080',
    service: 'connect',
    description: 'Port of the Connect service; 0 chooses a free one',
  }),
  gridPort: setting('ELNAV_GRID_PORT', whole('a port', 0, 65_535), {
    fallback: '8081',
    service: 'grid',
    description: 'Port of the Grid service; 0 chooses a free one',
  }),
  /** Public addresses without a trailing slash; default: the listening addresses. */
  connectUrl: optional('ELNAV_CONNECT_URL', httpUrl, {
    description: 'Public URL of Connect, if it differs from host and port',
  }),
  gridUrl: optional('ELNAV_GRID_URL', httpUrl, {
    description: 'Public URL of Grid, if it differs from host and port',
  }),
  dataDir: setting('ELNAV_DATA_DIR', text('a directory'), {
    fallback: './data',
    description: 'Directory of the embedded database and of generated secrets',
  }),
  adminToken: optional('ELNAV_ADMIN_TOKEN', secret('at least 16 characters', 16), {
    requiredWith: 'DATABASE_URL',
    description:
      'Token for the administration endpoints. Generated on the first start with the embedded database',
  }),
  /** The first one encrypts, all decrypt. Undefined: those that the first start generates. */
  vaultKeys: setting('ELNAV_VAULT_KEYS', vaultKeys, {
    fallback: '',
    requiredWith: 'DATABASE_URL',
    hint: 'make one: echo "k1:$(openssl rand -base64 32)"',
    description:
      'Keys that encrypt vendor credentials and hash requests. The first encrypts, all decrypt. Generated on the first start with the embedded database',
  }),
  databaseUrl: optional('DATABASE_URL', secretUrl(['postgres', 'postgresql']), {
    description: 'PostgreSQL 15 or newer; without it, the embedded SQLite database is used',
  }),
  redisUrl: optional('REDIS_URL', secretUrl(['redis', 'rediss']), {
    description:
      'Redis or Valkey in which several instances share rate limits; without it, each instance counts in memory',
  }),
  /** Addresses of proxies whose forwarded headers are trusted. */
  trustProxy: setting('ELNAV_TRUST_PROXY', networks, {
    fallback: '',
    description: 'Proxies whose X-Forwarded headers are trusted',
  }),
  /** Addresses or networks that may read metrics and readiness, besides loopback. */
  metricsFrom: setting('ELNAV_METRICS_FROM', networks, {
    fallback: '',
    description: 'Who can read /metrics and /readyz without the admin token; the machine itself always can',
  }),
  /** Where traces are sent to; without it, none are made. */
  otlpUrl: optional('ELNAV_OTLP_URL', httpUrl, {
    description:
      'Receiver of OpenTelemetry traces (OTLP over HTTP, JSON), such as http://127.0.0.1:4318; without it, none are made',
  }),
  /** Headers of what is sent there. */
  otlpHeaders: optional('OTEL_EXPORTER_OTLP_HEADERS', secretHeaders, {
    description: 'Headers for the receiver of traces, such as Authorization=Bearer%20token',
  }),
  tracesSampler: setting('OTEL_TRACES_SAMPLER', oneOf(...SAMPLERS), {
    fallback: 'parentbased_traceidratio',
    description:
      'Which requests are traced. parentbased: those of callers that say that they record their trace, none of those that say that they do not, and of the others what the rest of the name says',
  }),
  tracesSamplerArg: setting('OTEL_TRACES_SAMPLER_ARG', ratio, {
    fallback: '0.1',
    description: 'Share of the requests that traceidratio traces; 1 is all',
  }),
  tlsCertFile: optional('ELNAV_TLS_CERT_FILE', text('path of a file'), {
    together: 'ELNAV_TLS_KEY_FILE',
    description: 'PEM certificate chain, to serve HTTPS without a proxy',
  }),
  tlsKeyFile: optional('ELNAV_TLS_KEY_FILE', text('path of a file'), {
    description: 'PEM private key of the certificate',
  }),
  /** `off`: nothing outside of the installation is called. */
  outbound: setting('ELNAV_OUTBOUND', oneOf('on', 'off'), {
    fallback: 'on',
    description:
      'off: calls nothing outside of the installation, for a copy of a database. Reads return what is stored; commands, links and whatever else needs a call return 503; emails are files in `outbox/` of the data directory',
  }),
  /** What is done with a database that was restored from a dump. */
  restored: optional('ELNAV_RESTORED', oneOf('take-over'), {
    description:
      'take-over: a database that was restored from a dump of PostgreSQL replaces the original, which does not run any more; without it, outbound calls are off there. Remove it after the start',
  }),
  /** How long meter readings of charging stations are stored, days. */
  readingsKeepDays: setting('ELNAV_READINGS_KEEP_DAYS', whole('a whole number of days', 30, 36_500), {
    fallback: '396',
    service: 'connect',
    description: 'Days to keep meter readings of charging stations. Charging transactions are kept forever',
  }),
  /** How long commands are kept, days. */
  commandsKeepDays: setting('ELNAV_COMMANDS_KEEP_DAYS', whole('a whole number of days', 1, 3_650), {
    fallback: '90',
    service: 'connect',
    description: 'Days to keep commands and what came of them: they say what somebody did at home',
  }),
  /** How long events are kept, days. */
  eventsKeepDays: setting('ELNAV_EVENTS_KEEP_DAYS', whole('a whole number of days', 1, 3_650), {
    fallback: '30',
    service: 'connect',
    description: 'Days to keep events: a reader that has been away for longer misses some',
  }),
  /** How long requests are kept to be found by their ids, days; 0: none is. */
  requestsKeepDays: setting('ELNAV_REQUESTS_KEEP_DAYS', whole('a whole number of days', 0, 365), {
    fallback: '7',
    description:
      'Days to keep requests, so that they are found by their ids: those that were refused or failed, and those that change something. 0 keeps none',
  }),
  /** How long changes of states are kept for history, days. */
  historyDays: setting('ELNAV_HISTORY_DAYS', whole('a whole number of days', 1, 3_650), {
    fallback: '90',
    service: 'connect',
    description: 'Days to keep each change of the states of devices, for `GET /devices/{id}/history`',
  }),
  /** How long quarters of an hour are kept for history, days. */
  historyQuarterDays: setting('ELNAV_HISTORY_QUARTERS_DAYS', whole('a whole number of days', 1, 36_500), {
    fallback: '1096',
    service: 'connect',
    description:
      'Days to keep the history of devices in quarters of an hour, from which hours and days are made',
  }),
} satisfies Declared;

/** Settings of the log and of simulators, whose choices depend on the vendors. */
const behaviourOf = (slugs: readonly string[]) =>
  ({
    simulate: optional('ELNAV_SIMULATE', simulated(slugs), {
      service: 'connect',
      description:
        'Vendors to replace with their built-in simulators. Default: with the embedded database, OAuth vendors without a client id. With `sandbox`, users can choose it on link pages; without https and with the embedded database they can in any case, unless this is none',
    }),
    localNetworks: optional('ELNAV_LOCAL_NETWORKS', localNetworks, {
      service: 'connect',
      description:
        'Networks whose devices are called from here, without https and at any port. on: the private networks of this machine, with loopback where only this machine reaches Connect. Default: on where only this machine reaches Connect and the database is the embedded one, otherwise off. Never link-local addresses, or those at which a cloud controls its machines',
    }),
    logLevel: setting('ELNAV_LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), {
      fallback: 'info',
      description: 'How much is logged; debug logs every request',
    }),
  }) satisfies Declared;

const simulated = (slugs: readonly string[]): Kind<readonly string[] | 'none'> => ({
  values: 'none, or vendors by their slugs, comma-separated',
  isSecret: false,
  parse(value) {
    if (value === 'none') return 'none';
    const slug = oneOf(...slugs);
    return value.split(',').map((part) => slug.parse(part.trim()));
  },
});

/** All settings, read once from the environment by `src/bin`. */
export interface Settings extends Omit<Values<typeof PROCESS>, 'tlsCertFile' | 'tlsKeyFile'> {
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly logLevel: string;
  readonly market: MarketSettings;
  readonly people: PeopleSettings;
  readonly site: SiteSettings;
  /** By slug. */
  readonly vendors: ReadonlyMap<string, VendorSettings>;
  /** Vendors replaced by their built-in simulators, in addition to the default ones; undefined: only the default ones. */
  readonly simulate: readonly string[] | 'none' | undefined;
  /** Whether nobody but this machine reaches the services: they listen on loopback, and no proxy passes anything on. */
  readonly isHereAlone: boolean;
  /** Networks of users that are called from here; those that nobody chose are called where nobody else asks for it. */
  readonly localNetworks: {
    readonly choice: LocalNetworksChoice;
    readonly isChosen: boolean;
  };
}

/** Every setting, including those of vendors, in the order of the documents. */
export function settingsOf(vendors: readonly VendorNeeds[]): readonly Setting[] {
  const slugs = vendors.map(({ slug }) => slug);
  const own: Declared = { ...PROCESS, ...PEOPLE, ...SITE, ...MARKET };
  return [
    ...Object.values(own),
    ...Object.values(SOURCE_URLS),
    ...Object.values(behaviourOf(slugs)),
    ...settingsOfVendors(vendors),
  ];
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

/** Reads every setting, including those of vendors; throws one `OperatorError` that lists all faults. */
export function readSettings(environment: Environment, vendors: readonly VendorNeeds[] = []): Settings {
  const faults: string[] = [];
  const declared = settingsOf(vendors);
  refuseUnknown(environment, declared, faults);
  const read = <D extends Declared>(declaration: D): Values<D> => readAll(declaration, environment, faults);

  const { tlsCertFile, tlsKeyFile, ...own } = read(PROCESS);
  const market = read(MARKET);
  const behaviour = read(behaviourOf(vendors.map(({ slug }) => slug)));
  const hasDatabase = own.databaseUrl !== undefined;
  const isHereAlone = isReachedFromHereAlone(own);
  const settings: Settings = {
    ...own,
    tls:
      tlsCertFile === undefined || tlsKeyFile === undefined
        ? undefined
        : { certFile: tlsCertFile, keyFile: tlsKeyFile },
    logLevel: behaviour.logLevel,
    market: marketSettings(market, read(SOURCE_URLS), !hasDatabase && LOOPBACK.test(own.host)),
    people: peopleSettings(read(PEOPLE)),
    site: read(SITE),
    vendors: readVendorSettings(vendors, environment, faults),
    simulate: behaviour.simulate,
    isHereAlone,
    localNetworks: {
      choice: behaviour.localNetworks ?? (isHereAlone && !hasDatabase ? 'on' : 'off'),
      isChosen: behaviour.localNetworks !== undefined,
    },
  };
  faults.push(...missingOf(declared, environment, faults));
  if (hasDatabase && market.samplePrices === 'on')
    faults.push('ELNAV_SAMPLE_PRICES must not be on with DATABASE_URL: production never shows a sample');
  if (faults.length > 0)
    throw new OperatorError(`The settings are invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  return settings;
}

function isReachedFromHereAlone({
  host,
  connectUrl,
  gridUrl,
  trustProxy,
}: Pick<Settings, 'host' | 'connectUrl' | 'gridUrl' | 'trustProxy'>): boolean {
  const isLoopback = (url: string | undefined) =>
    url === undefined || LOOPBACK.test(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
  // Where the settings have a fault, nothing starts.
  return (
    LOOPBACK.test(host ?? '') && isLoopback(connectUrl) && isLoopback(gridUrl) && trustProxy?.length === 0
  );
}

/** An unknown name with our prefix is a mistake; other names may belong to other programs. */
function refuseUnknown(environment: Environment, declared: readonly Setting[], faults: string[]): void {
  const known = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('ELNAV_') || known.has(name)) continue;
    const bare = name.slice('ELNAV_'.length);
    const like = known.has(bare) ? bare : nearest(name, known);
    faults.push(`${name} is not a setting${like === undefined ? '' : `; did you mean ${like}?`}`);
  }
}
