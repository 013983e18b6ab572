import type { Adapter } from '../adapter/adapter.ts';
import { addGrid } from '../apps/grid/app.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';
import {
  createLinkedVendors,
  createVendorStates,
  type NamedVendor,
} from '../domain/links/vendor-states/index.ts';
import { createAreas, readTables } from '../domain/market/areas/index.ts';
import type { Probe } from '../http/health.ts';
import type { Geocode } from '../sources/contract/geocoder.ts';
import { nominatim } from '../sources/nominatim/index.ts';
import { healthParts } from './health-parts.ts';
import { outboxIn } from './open-people.ts';
import { freeBytes } from './probes.ts';
import type { Shared } from './shared.ts';
import { tableFolders } from './table-folders.ts';
import { VERSION } from './version.ts';

/** Time limit of a geocoder: a caller waits for it, and without it the place is found by its name. */
const DEADLINE_MS = 4_000;
const AT_ONCE = 4;

interface Opened {
  readonly geocode: Geocode;
  close(): Promise<void>;
}

/** The geocoder of the settings; undefined where none is set. */
async function openGeocoder(
  { market }: Pick<Settings, 'market'>,
  parts: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Promise<Opened | undefined> {
  if (market.geocoderUrl === undefined) return undefined;
  const { createHttp } = await import('../outbound/index.ts');
  const http = createHttp({
    ...parts,
    name: 'the geocoder',
    baseUrl: market.geocoderUrl,
    userAgent: 'elnav (self-hosted)',
    timeoutMs: DEADLINE_MS / 2,
    deadlineMs: DEADLINE_MS,
    attempts: 2,
    mostAtOnce: AT_ONCE,
  });
  return { geocode: nominatim(http), close: () => http.close() };
}

interface GridOptions {
  readonly probes: readonly Probe[];
  /** Vendors whose clouds the status page tells of. */
  readonly vendors: readonly NamedVendor[];
  readonly servesConnect: boolean;
  /** All vendors, with the limits that the operator has set. */
  readonly adapters: readonly Adapter[];
}

/** Puts the Grid service together. */
export async function openGrid(
  shared: Shared,
  { probes, vendors, servesConnect, adapters }: GridOptions,
): Promise<void> {
  const { settings, clock, random, log, dataDir, accounts, limits, market, assets, closers } = shared;
  const server = shared.makeServer('grid', settings.gridPort);
  const geocoder = await openGeocoder(settings, { clock, random, log });
  if (geocoder !== undefined) closers.push(() => geocoder.close());
  const tables = readTables(tableFolders(dataDir));
  const areas = createAreas({ tables, clock, geocode: geocoder?.geocode });
  const { prices, production } = market;
  const { database } = shared;
  await addGrid(
    server.app,
    {
      accounts,
      requests: shared.requests,
      areas,
      prices,
      production,
      assets,
      clock,
      status: {
        probes,
        vendors,
        vendorStates: createVendorStates({ database, clock, vendors }),
        servesConnect,
      },
      health: {
        ...healthParts({
          ...{ database, clock, adapters },
          freeDisk: database.engine === 'sqlite' ? () => freeBytes(dataDir) : undefined,
        }),
        probes,
        registers: tables.sources,
      },
      signIn: {
        people: shared.people.people,
        limits,
        random,
        vaultKeys: shared.vaultKeys,
        publicUrl: () => shared.addressOf('grid') ?? '',
        configuredUrl: settings.gridUrl,
        isSignUpOpen: settings.people.isSignUpOpen,
        outbox: settings.people.mail === undefined ? outboxIn(dataDir) : undefined,
        send: shared.people.send,
      },
      operators: shared.people.operators,
      linkedVendors: createLinkedVendors({ database, vendors: adapters }),
      admitToken: server.admitToken,
      addressOf: shared.addressOf,
      stopping: server.stopping,
    },
    VERSION,
  );
}
