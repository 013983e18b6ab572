import type { Adapter } from '../adapter/adapter.ts';
import { addGrid } from '../apps/grid/app.ts';
import { createAreas, readTables } from '../domain/areas/index.ts';
import { createLinkedVendors, createVendorStates, type NamedVendor } from '../domain/vendor-states/index.ts';
import type { Probe } from '../http/health.ts';
import { openGeocoder } from './geocoder.ts';
import { healthParts } from './health-parts.ts';
import { outboxIn } from './open-people.ts';
import { freeBytes } from './probes.ts';
import type { Shared } from './shared.ts';
import { tableFolders } from './table-folders.ts';
import { VERSION } from './version.ts';

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
