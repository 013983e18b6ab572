import type { Adapter } from '../adapter/adapter.ts';
import { addConnect } from '../apps/connect/app.ts';
import { willsOf } from '../apps/connect/gateway-wills.ts';
import { gatewayDoor } from '../apps/connect/gateways.ts';
import { acceptStations } from '../apps/connect/stations.ts';
import { listenForUpgrades } from '../apps/connect/upgrades.ts';
import { sleep } from '../core/clock.ts';
import type { Host } from '../db/host.ts';
import { mostLinks } from '../domain/accounts/index.ts';
import { createVault } from '../domain/calls/index.ts';
import { createCharging } from '../domain/charging/index.ts';
import { createCursors } from '../domain/events/index.ts';
import {
  createCards,
  createLinkCounts,
  createLinkSessions,
  createSignInStore,
  createVendorOAuth,
} from '../domain/links/index.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { PATH as GATEWAY_PATH } from '../tunnel/protocol.ts';
import { createTunnels } from '../tunnel/tunnels.ts';
import { createConnectCore } from './connect-core.ts';
import { openVendors } from './open-vendors.ts';
import type { Shared } from './shared.ts';
import { offersTesting } from './simulators.ts';
import { needsPartner } from './vendor-needs.ts';
import { VERSION } from './version.ts';
import { wellKnownFiles } from './well-known-files.ts';

/** Renewals under way are waited for so long when the process stops: little is left of its five seconds by then. */
const RENEWALS_MS = 1_000;

/** Puts the Connect service together; answers the names of vendors that simulators stand in for. */
export async function openConnect(
  shared: Shared,
  list: readonly Adapter[],
): Promise<{ readonly simulated: readonly string[] }> {
  const { settings, clock, random, log, metrics, accounts, limits, market, closers, pausers, begin } = shared;
  // Nothing else of what services share: domains spread it into their options.
  const traces = shared.traces === undefined ? {} : { traces: shared.traces };
  const host: Host = { database: shared.database, clock, random, log, metrics, ...traces };
  const tunnels = createTunnels();
  const vendors = await openVendors(shared, list, tunnels);
  const { adapters, publicUrl, reach, simulated } = vendors;
  const { partnerOf } = reach;
  const vault = createVault(shared.vaultKeys, random);
  const core = await createConnectCore({
    ...{ host, adapters, vault, reach },
    poster: vendors.poster,
    prices: market.prices,
    hasOwnAddress: vendors.hasOwnAddress,
    historyKept: { rawDays: settings.historyDays, quarterDays: settings.historyQuarterDays },
    webhookUrlOf: (vendor) => {
      // Only what we serve ourselves, a simulator say, reaches us where we listen.
      const ours = vendors.baseUrlOf(vendor, 'api') === undefined ? undefined : shared.urlOf('connect');
      const base = settings.connectUrl ?? ours;
      return base === undefined ? undefined : `${base}/webhooks/${vendor}`;
    },
    isSimulated: simulated.isSimulated,
    standsIn: (vendor) => vendors.baseUrlOf(vendor, 'api') !== undefined,
    mostLinks: async (account) => mostLinks((await accounts.users.find(account))?.tier ?? ''),
    stopping: shared.stopVendors,
    accounts,
    dropGateway: tunnels.drop,
    willsOfGateways: willsOf(tunnels, clock),
  });
  const { gateways, presence, discover, eventLog, history, sessions, subscriptions, endUsers } = core;
  const { budgets, calls, devices, streams, polling, deliveries, discovery } = core;
  const { linkCodes, links, commands, interventions, setPoints } = core;
  closers.push(
    () => budgets.close(),
    // A renewal that is cut off costs the user the link: the vendor may have revoked the old sign-in already.
    () => Promise.race([calls.tokens.settled(), sleep(clock, RENEWALS_MS)]),
    () => devices.flush(),
    async () => commands.close(),
  );
  metrics.watchStreams(() => streams.counts());
  metrics.watchDeliveries(() => deliveries.backlog());
  metrics.watchLinks(createLinkCounts(host));
  const signInStore = createSignInStore(host.database);
  const linkSessions = createLinkSessions({
    ...{ store: signInStore, adapters, publicUrl, clock, random },
    requireGateway: gateways.find,
  });
  const vendorOAuth = createVendorOAuth({
    ...{ store: signInStore, sessions: linkSessions, adapters, partnerOf, publicUrl, vault, clock, random },
    authorizeUrlOf: vendors.authorizeUrlOf,
    loginSession: ({ slug }, signal) =>
      calls.loginSession({ account: 0, link: '', vendor: slug }, {}, { signal }),
  });
  const charging = createCharging(host);
  const retention = charging.keepReadings(settings.readingsKeepDays);
  const eventRetention = eventLog.keep(settings.eventsKeepDays);
  const historyRetention = history.keep();
  const sessionRetention = sessions.keep();
  closers.push(
    () => retention.close(),
    () => historyRetention.close(),
    () => sessionRetention.close(),
    () => eventRetention.close(),
    () => history.close(),
    () => sessions.close(),
    () => eventLog.close(),
    () => subscriptions.close(),
  );
  const idempotency = createIdempotency(accounts);
  const server = shared.makeServer('connect', settings.connectPort);
  const stations = acceptStations({
    ...{ adapters, calls, links, devices, charging, clock, log },
    trustProxy: settings.trustProxy,
  });
  const door = gatewayDoor({
    ...{ accounts, gateways, presence, tunnels, clock, random, log },
    takeWills: setPoints.takeGatewayReport,
    trustProxy: settings.trustProxy,
  });
  const upgrades = listenForUpgrades(server.app.server, new Map([...stations.takers, [GATEWAY_PATH, door]]));
  closers.push(
    () => presence.close(),
    async () => tunnels.closeAll(),
    () => stations.close(),
    async () => upgrades.close(),
  );
  metrics.watchStations(() => stations.counts());
  metrics.watchGateways(() => tunnels.counts());
  let eventStreams = () => 0;
  shared.reports.push(() => ({
    log_lag_ms: eventLog.lagMs(),
    streams: sumOf(streams.counts()),
    event_streams: eventStreams(),
    stations: sumOf(stations.counts()),
    gateways: tunnels.counts().gateways,
    paused_vendors: [...vendors.pausedVendors()],
    vendors_succeeded: Object.fromEntries(calls.succeededAt()),
  }));
  await addConnect(
    server.app,
    {
      adapters,
      accounts,
      requests: shared.requests,
      links,
      cards: createCards({ calls, adapters }),
      devices,
      commands,
      interventions,
      endUsers,
      setPoints,
      charging,
      eventLog,
      history,
      sessions,
      eventCursors: createCursors(shared.vaultKeys),
      subscriptions,
      log,
      metrics: {
        watchEventStreams(count) {
          metrics.watchEventStreams(count);
          eventStreams = count;
        },
      },
      stopping: server.stopping,
      deliveries,
      discovery,
      gateways,
      discover,
      idempotency,
      limits,
      simulatedPages: simulated.pages,
      assets: shared.assets,
      clock,
      prices: market.prices,
      vendorOAuth,
      linkCodes,
      linkSessions,
      budgets,
      wellKnown: wellKnownFiles([...adapters.values()], settings),
      publicUrl,
      addressOf: shared.addressOf,
      consoleOf: shared.people.consoleOf,
      consoleSessions: shared.people.people,
      configuredUrl: settings.connectUrl,
      random,
      isConfigured: (vendor) => !needsPartner(adapters.get(vendor) ?? {}) || partnerOf(vendor) !== undefined,
      isSimulated: simulated.isSimulated,
      offersTesting: offersTesting(settings, [...adapters.values()]),
    },
    VERSION,
  );
  pausers.push(
    () => setPoints.stop(),
    () => polling.close(),
    () => streams.close(),
    () => discovery.close(),
    () => subscriptions.stop(),
  );
  closers.push(
    () => setPoints.close(),
    () => streams.close(),
    () => polling.close(),
    () => discovery.close(),
    () => deliveries.close(),
  );
  begin.push(() => {
    polling.start();
    deliveries.start();
    streams.start();
    discovery.start();
    presence.start();
    setPoints.start();
    subscriptions.start();
  });
  return { simulated: simulated.names };
}

const sumOf = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);
