import { addGrid } from '../apps/grid/app.ts';
import { createAreas, readTables } from '../domain/areas/index.ts';
import { createVendorStates, type NamedVendor } from '../domain/vendor-states/index.ts';
import type { Probe } from '../http/health.ts';
import { openGeocoder } from './geocoder.ts';
import type { Shared } from './shared.ts';
import { tableFolders } from './table-folders.ts';
import { VERSION } from './version.ts';

interface GridOptions {
  readonly probes: readonly Probe[];
  /** Vendors whose clouds the status page tells of. */
  readonly vendors: readonly NamedVendor[];
  readonly servesConnect: boolean;
}

/** Puts the Grid service together. */
export async function openGrid(
  shared: Shared,
  { probes, vendors, servesConnect }: GridOptions,
): Promise<void> {
  const { settings, clock, random, log, dataDir, accounts, limits, market, assets, closers } = shared;
  const server = shared.makeServer('grid', settings.gridPort);
  const geocoder = await openGeocoder(settings, { clock, random, log });
  if (geocoder !== undefined) closers.push(() => geocoder.close());
  const tables = readTables(tableFolders(dataDir));
  const areas = createAreas({ tables, clock, geocode: geocoder?.geocode });
  const { prices, production } = market;
  await addGrid(
    server.app,
    {
      accounts,
      areas,
      prices,
      production,
      assets,
      clock,
      status: {
        probes,
        vendors,
        vendorStates: createVendorStates({ database: shared.database, clock, vendors }),
        servesConnect,
      },
      signIn: {
        people: shared.people.people,
        limits,
        random,
        vaultKeys: shared.vaultKeys,
        publicUrl: () => shared.addressOf('grid') ?? '',
        configuredUrl: settings.gridUrl,
        isSignUpOpen: settings.people.isSignUpOpen,
        hasOutbox: settings.people.mail === undefined,
        send: shared.people.send,
      },
      addressOf: shared.addressOf,
      stopping: server.stopping,
    },
    VERSION,
  );
}
