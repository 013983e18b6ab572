import type { Adapter } from '../adapter/adapter.ts';
import { addConnect } from '../apps/connect/app.ts';
import { acceptStations } from '../apps/connect/stations.ts';
import { mostLinks } from '../domain/accounts/index.ts';
import { createSessionSource, createStreamSource } from '../domain/calls/index.ts';
import { createCharging } from '../domain/charging/index.ts';
import { createCommands } from '../domain/commands/index.ts';
import { createDeliveries } from '../domain/deliveries/index.ts';
import { createDevices } from '../domain/devices/index.ts';
import { createCards, createLinks } from '../domain/links/index.ts';
import { createPolling } from '../domain/polling/index.ts';
import { createStreams } from '../domain/streams/index.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { openVendors } from './open-vendors.ts';
import type { Shared } from './shared.ts';
import { needsPartner } from './vendor-needs.ts';
import { VERSION } from './version.ts';
import { wellKnownFiles } from './well-known-files.ts';

/** Puts the Connect service together; answers the names of vendors that simulators stand in for. */
export async function openConnect(
  shared: Shared,
  list: readonly Adapter[],
): Promise<{ readonly simulated: readonly string[] }> {
  const { settings, database, clock, random, log, metrics, accounts, limits, market } = shared;
  const { closers, pausers, begin } = shared;
  const vendors = await openVendors(shared, list);
  const { adapters, baseUrlOf, budgets, callVendor, calls, linkCodes, linkSessions, partnerOf } = vendors;
  const { publicUrl, sessions, signIn, simulated, store, tokens } = vendors;
  const source = createSessionSource({ sessions, callVendor, log });
  const devices = createDevices({ database, adapters, sessions: source, log });
  closers.push(() => devices.flush());
  const polling = createPolling({
    database,
    adapters,
    devices,
    budgets,
    linkState: (link) => sessions.find(link),
    isStreaming: (link) => streams.isOpen(link),
    clock,
    random,
    log,
    metrics,
  });
  const deliveries = createDeliveries({
    database,
    adapters,
    devices,
    sessions: source,
    secretOf: (vendor) => partnerOf(vendor)?.clientSecret,
    urlOf: (vendor) => {
      // Only what we serve ourselves, a simulator say, reaches us where we listen.
      const base =
        settings.connectUrl ?? (baseUrlOf(vendor, 'api') === undefined ? undefined : shared.urlOf('connect'));
      return base === undefined ? undefined : `${base}/webhooks/${vendor}`;
    },
    readSoon: (told) => polling.readSoon(told),
    loginLost: (of) => links.loginLost(of),
    clock,
    random,
    log,
    metrics,
  });
  const streams = createStreams({
    database,
    adapters,
    source: createStreamSource({ sessions, log }),
    devices,
    ended: (link) => polling.streamEnded(link),
    clock,
    random,
    log,
    metrics,
  });
  metrics.watchStreams(() => streams.counts());
  metrics.watchDeliveries(() => deliveries.backlog());
  const links = createLinks({
    database,
    store,
    sessions,
    devices,
    adapters,
    callVendor,
    calls,
    tokens,
    linkCodes,
    isSimulated: simulated.isSimulated,
    mostLinks: async (account) => mostLinks((await accounts.users.find(account))?.tier ?? ''),
    watchers: [polling, deliveries, streams],
    clock,
    random,
    log,
  });
  const commands = await createCommands({
    database,
    adapters,
    devices,
    sessions: source,
    clock,
    random,
    log,
    commanded: (device) => {
      polling
        .commanded(device)
        .catch((error: unknown) => log.warn({ err: error }, 'a commanded device is not watched'));
    },
  });
  closers.push(async () => commands.close());
  const charging = createCharging({ database, clock, log });
  const endRetention = charging.keepReadings(settings.readingsKeepDays);
  closers.push(async () => endRetention());
  const idempotency = createIdempotency(accounts);
  const server = shared.makeServer('connect', settings.connectPort);
  const stations = acceptStations({
    ...{ adapters, sessions, links, devices, charging, clock, log },
    trustProxy: settings.trustProxy,
  });
  closers.push(() => stations.close());
  stations.listen(server.app.server);
  metrics.watchStations(() => stations.counts());
  await addConnect(
    server.app,
    {
      adapters,
      accounts,
      links,
      cards: createCards({ store, sessions, adapters }),
      devices,
      commands,
      charging,
      deliveries,
      idempotency,
      limits,
      simulatedPages: simulated.pages,
      assets: shared.assets,
      clock,
      prices: market.prices,
      signIn,
      linkCodes,
      linkSessions,
      budgets,
      wellKnown: wellKnownFiles([...adapters.values()], settings),
      publicUrl,
      addressOf: shared.addressOf,
      configuredUrl: settings.connectUrl,
      random,
      isConfigured: (vendor) => !needsPartner(adapters.get(vendor) ?? {}) || partnerOf(vendor) !== undefined,
      isSimulated: simulated.isSimulated,
      offersTesting: database.engine === 'sqlite',
    },
    VERSION,
  );
  pausers.push(
    () => polling.close(),
    () => streams.close(),
  );
  closers.push(
    () => streams.close(),
    () => polling.close(),
    () => deliveries.close(),
  );
  begin.push(() => {
    polling.start();
    deliveries.start();
    streams.start();
  });
  return { simulated: simulated.names };
}
