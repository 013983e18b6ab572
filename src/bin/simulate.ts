import type { Adapter } from '../adapter/adapter.ts';
import { simulatedSettings } from '../adapter/login.ts';
import {
  DEVICE_FAULTS,
  type LocalFault,
  type LocalSimulatorModule,
  SIMULATED_FAULTS,
  type Simulated,
  type SimulatedFault,
  SOCKET_FAULTS,
} from '../adapter/simulator.ts';
import { systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { systemRandom } from '../core/ids.ts';
import { moreSettings, vendorSettingNames } from '../core/settings/vendors.ts';
import { type ServedSimulator, serveSimulated } from '../proof/simulation/serve.ts';
import { serveLocal } from '../proof/simulation/serve-local.ts';
import { postToLoopback } from '../proof/simulation/webhooks.ts';
import {
  createSimulatedMarket,
  type ExchangeRateSource,
  PRICE_FAULTS,
  type PriceFault,
  type PriceSource,
  type ProductionSource,
} from '../sources/contract/market.ts';

import { exchangeRateSource, priceSources, productionSource } from '../sources/index.ts';
import { vendors } from '../vendors/index.ts';
import { exitWith } from './exit.ts';
import { type Candidate, HELP, parseSimulateArguments } from './simulate-arguments.ts';
import { parseStationArguments, runStation, STATION_HELP } from './simulate-station.ts';

/** The same at every start, so that settings made once stay right. Nothing real hangs on it. */
const PARTNER = {
  clientId: 'elnav-simulated',
  clientSecret: 'a-simulator-has-no-secrets',
  apiKey: 'nor-has-it-keys',
};

type Source = PriceSource | ExchangeRateSource | ProductionSource;

const KEEP_ALIVE_MS = 60_000;

/** A simulator, and what to set and to type for it. */
interface Made {
  readonly simulated: Simulated;
  readonly settings: Readonly<Record<string, string>>;
  /** Once it is on its port. */
  readonly notes: () => readonly string[];
}

const adapters: readonly Adapter[] = vendors;
const sources: readonly Source[] = [...priceSources, exchangeRateSource, productionSource];
const candidates: readonly Candidate[] = [
  ...adapters.map(({ slug, name, simulator, localSimulator }) => ({
    slug,
    name,
    kind: 'vendor' as const,
    faults: localSimulator === undefined ? SIMULATED_FAULTS : [...SOCKET_FAULTS, ...DEVICE_FAULTS],
    isSimulatable: simulator !== undefined || localSimulator !== undefined,
  })),
  ...sources.map((source) => ({
    slug: source.slug,
    name: source.name,
    kind: 'source' as const,
    faults: 'fetchVolumes' in source ? undefined : PRICE_FAULTS,
    isSimulatable: source.simulator !== undefined,
  })),
];

try {
  const [name, ...others] = process.argv.slice(2);
  if (name === 'ocpp') {
    await simulateStation(others);
    process.exit(0);
  }
  const given = parseSimulateArguments(process.argv.slice(2), candidates);
  if (given.action === 'help') console.log(HELP);
  else if (given.action === 'list') console.log(listed());
  else await run(given);
} catch (error) {
  exitWith(error);
}

/** It is no vendor's cloud on a port but a station, which dials in. */
async function simulateStation(args: readonly string[]): Promise<void> {
  const given = parseStationArguments(args);
  if (given === 'help') console.log(STATION_HELP);
  else await runStation(given, { print: (line) => console.log(line), input: process.stdin });
}

interface Run {
  readonly slug: string;
  readonly port: number;
  readonly host: string;
  readonly fault: string | undefined;
}

async function run(given: Run): Promise<void> {
  const { slug, port, host, fault } = given;
  const local = adapters.find((one) => one.slug === slug)?.localSimulator;
  if (local !== undefined) return runLocal(await local(), given);
  let served: ServedSimulator | undefined;
  const url = () => (served?.url ?? '').replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const adapter = adapters.find((one) => one.slug === slug);
  const source = sources.find((one) => one.slug === slug);
  const made =
    adapter === undefined ? await makeSource(source, fault) : await makeVendor(adapter, { fault, url });
  served = await serveSimulated({
    slug,
    port,
    host,
    load: async () => made.simulated,
    onRequest: ({ method, path }, { status, broken }) => console.log(`${method} ${path} ${broken ?? status}`),
    onFailure: (error) => console.error(error),
  }).catch((error: unknown) => {
    throw refusal(error, { port, host });
  });
  const settings = { [vendorSettingNames(slug).baseUrl]: url(), ...made.settings };
  const name = nameOf(slug);
  const lines = [
    `Simulated ${name} at ${url()}${fault === undefined ? '' : `, with the fault ${fault}`}; nothing that it tells is real.`,
    '',
    'For elnav, in another terminal:',
    '',
    ...Object.entries(settings).map(([setting, value]) => `  export ${setting}=${value}`),
    '',
    ...made.notes(),
  ];
  console.log(`${lines.join('\n')}\n`);
}

function nameOf(slug: string): string {
  return candidates.find((one) => one.slug === slug)?.name ?? slug;
}

/** A device that is reached over connections; what it lacks for a fault of its own is told before it listens for long. */
async function runLocal(module: LocalSimulatorModule, { slug, port, host, fault }: Run): Promise<void> {
  const served = await serveLocal({
    module,
    clock: systemClock,
    random: systemRandom,
    port,
    host,
    onConnections: (open) => console.log(`${open} connected`),
    onFailure: (error) => console.error(error),
  }).catch((error: unknown) => {
    throw refusal(error, { port, host });
  });
  const { address, device } = served;
  const known: readonly string[] = [...SOCKET_FAULTS, ...device.faults];
  if (fault !== undefined && !known.includes(fault)) {
    await served.close();
    throw new OperatorError(`--fault must be one of ${known.join(', ')}, not ${fault}.`);
  }
  if (fault !== undefined) await served.fault(fault as LocalFault);
  // Nothing listens then, and the process would end.
  if (fault === 'refused') setInterval(() => {}, KEEP_ALIVE_MS);
  const lines = [
    `Simulated ${nameOf(slug)} at ${address.host}:${address.port}${fault === undefined ? '' : `, with the fault ${fault}`}; nothing that it tells is real.`,
    '',
    `Link with the credentials ${JSON.stringify(device.credentials)}`,
    '',
    'elnav calls it where ELNAV_LOCAL_NETWORKS permits its address, as npm start does by itself.',
  ];
  console.log(`${lines.join('\n')}\n`);
}

async function makeVendor(
  adapter: Adapter,
  { fault, url }: { readonly fault: string | undefined; readonly url: () => string },
): Promise<Made> {
  const { slug, oauth, apiKeyHeader, simulator } = adapter;
  if (simulator === undefined) throw new Error(`${slug} has no simulator`);
  const partner = { ...PARTNER, ...simulatedSettings(adapter) };
  const { createSimulator } = await simulator();
  const simulated = createSimulator({
    clock: systemClock,
    random: systemRandom,
    baseUrl: url,
    post: postToLoopback,
    ...(oauth === undefined ? {} : { partner }),
  });
  if (fault !== undefined) simulated.fault(fault as SimulatedFault);
  if (oauth === undefined)
    return {
      simulated,
      settings: {},
      notes: () => [`Link with the credentials ${JSON.stringify(simulated.user.credentials)}`],
    };
  const { name, password } = simulated.user;
  const names = vendorSettingNames(slug);
  return {
    simulated,
    settings: {
      [names.clientId]: partner.clientId,
      [names.clientSecret]: partner.clientSecret,
      ...(apiKeyHeader === undefined ? {} : { [names.apiKey]: partner.apiKey }),
      ...moreSettings(slug, partner),
    },
    notes: () => [
      `Sign in as ${name} with the password ${password}; the sign-in page names the other users.`,
    ],
  };
}

async function makeSource(source: Source | undefined, fault: string | undefined): Promise<Made> {
  if (source?.simulator === undefined) throw new Error('the source has no simulator');
  if ('fetchVolumes' in source) return makeProduction(source, fault);
  const made = await source.simulator();
  const market = createSimulatedMarket({ clock: systemClock });
  if (fault !== undefined) market.fault(fault as PriceFault);
  return {
    simulated: { handle: made.simulate(market, systemClock) },
    settings: {
      ...('fetchDay' in source ? { ELNAV_PRICE_SOURCES: source.slug } : {}),
      ...(made.token === undefined ? {} : { [`ELNAV_${source.slug.toUpperCase()}_TOKEN`]: made.token }),
    },
    notes: () => ['Prices of the next day are there from 12:45 in Stockholm, made up and always the same.'],
  };
}

async function makeProduction({ simulator }: ProductionSource, fault: string | undefined): Promise<Made> {
  if (simulator === undefined) throw new Error('the source has no simulator');
  const simulated = (await simulator()).create({ clock: systemClock });
  simulated.fault(fault ?? null);
  return {
    simulated,
    settings: {},
    notes: () => [
      'Figures of production are settled 26 hours after their quarter, and revised after five days.',
    ],
  };
}

function refusal(error: unknown, { port, host }: { readonly port: number; readonly host: string }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new OperatorError(`Port ${port} is in use. Stop what uses it, or choose another with --port.`);
    case 'EACCES':
      return new OperatorError(`Port ${port} is not for this user. Choose one from 1024 on with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`--host must be an address of this machine, not ${host}.`);
    default:
      return error;
  }
}

function listed(): string {
  const rows = candidates
    .filter((one) => one.isSimulatable)
    .map(({ slug, name, kind }) => ({ slug, name, kind }));
  const width = Math.max(...rows.map(({ slug }) => slug.length));
  return rows.map(({ slug, name, kind }) => `${slug.padEnd(width)}  ${kind}  ${name}`).join('\n');
}
