import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Adapter } from '../adapter/adapter.ts';
import { addConnect, type WellKnownFile } from '../apps/connect/app.ts';
import { willsOf } from '../apps/connect/gateway-wills.ts';
import { gatewayDoor } from '../apps/connect/gateways.ts';
import { acceptStations, type Stations } from '../apps/connect/stations.ts';
import { listenForUpgrades } from '../apps/connect/upgrades.ts';
import { sleep } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import type { Settings } from '../core/settings/index.ts';
import type { Host } from '../db/host.ts';
import {
  createCards,
  createLinkCounts,
  createLinkSessions,
  createSignInStore,
  createVendorOAuth,
} from '../domain/links/links/index.ts';
import { type Charging, createCharging } from '../domain/records/charging/index.ts';
import { createCursors } from '../domain/records/events/index.ts';
import { createVault, type Vault } from '../domain/vendor-calls/calls/index.ts';
import { PATH as GATEWAY_PATH } from '../gateway/wire/protocol.ts';
import { createTunnels, type Tunnels } from '../gateway/wire/tunnels.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { type ConnectCore, createConnectCore } from './connect-core.ts';
import { openVendors, type Vendors } from './open-vendors.ts';
import type { Shared } from './shared.ts';
import { offersTesting } from './simulators.ts';
import { needsPartner } from './vendor-needs.ts';
import { VERSION } from './version.ts';

/** Reads the files that vendors fetch from us, where they are set. Throws an `OperatorError` for one that cannot be read. */
function wellKnownFiles(adapters: readonly Adapter[], { vendors }: Settings): WellKnownFile[] {
  return adapters.flatMap(({ slug, wellKnown }) => {
    if (wellKnown === undefined) return [];
    const { path, setting, contentType } = wellKnown;
    const file = vendors.get(slug)?.files[setting];
    if (file === undefined) return [];
    try {
      const content = readFileSync(file, 'utf8');
      // It is public; a private key must never get there by a slip.
      if (content.includes('PRIVATE KEY')) throw new Error('it holds a private key, and would be public');
      return [{ path, contentType, content }];
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new OperatorError(`${setting} names ${file}, which cannot be served: ${why}.`, { cause });
    }
  });
}

/** Renewals under way are waited for so long when the process stops: little is left of its five seconds by then. */
const RENEWALS_MS = 1_000;

interface SigningInParts {
  readonly vendors: Vendors;
  readonly core: ConnectCore;
  readonly vault: Vault;
}

/** What users sign in by: the sessions of linking, and the OAuth of vendors. */
function createSigningIn(host: Host, { vendors, core, vault }: SigningInParts) {
  const { clock, random } = host;
  const { adapters, publicUrl, authorizeUrlOf } = vendors;
  const { partnerOf } = vendors.reach;
  const store = createSignInStore(host.database);
  const linkSessions = createLinkSessions({
    ...{ store, adapters, publicUrl, clock, random },
    requireGateway: core.gateways.find,
  });
  const vendorOAuth = createVendorOAuth({
    ...{ store, sessions: linkSessions, adapters, partnerOf, publicUrl, vault, clock, random },
    authorizeUrlOf,
    loginSession: ({ slug }, signal) =>
      core.calls.loginSession({ account: 0, link: '', vendor: slug }, {}, { signal }),
  });
  return { linkSessions, vendorOAuth };
}

/** Removes what is older than is kept, and ends what reads and writes records with the process. */
function keepRecords(
  { commands, eventLog, history, sessions, subscriptions }: ConnectCore,
  charging: Charging,
  { settings, closers }: Shared,
): void {
  const retention = charging.keepReadings(settings.readingsKeepDays);
  const eventRetention = eventLog.keep(settings.eventsKeepDays);
  const historyRetention = history.keep();
  const sessionRetention = sessions.keep();
  const commandRetention = commands.keep(settings.commandsKeepDays);
  closers.push(
    () => retention.close(),
    () => historyRetention.close(),
    () => sessionRetention.close(),
    () => commandRetention.close(),
    () => eventRetention.close(),
    () => history.close(),
    () => sessions.close(),
    () => eventLog.close(),
    () => subscriptions.close(),
  );
}

interface ConnectionsParts {
  readonly server: Server;
  readonly core: ConnectCore;
  readonly charging: Charging;
  readonly tunnels: Tunnels;
  readonly adapters: Vendors['adapters'];
}

/** Accepts the connections of charging stations and gateways. */
function acceptConnections(
  { settings, exposure, clock, random, log, metrics, closers }: Shared,
  { server, core, charging, tunnels, adapters }: ConnectionsParts,
): Stations {
  const { calls, links, devices, gateways, presence, setPoints } = core;
  const stations = acceptStations({
    ...{ adapters, calls, links, devices, charging, clock, log },
    trustProxy: settings.trustProxy,
  });
  const door = gatewayDoor({
    ...{ gateways, presence, tunnels, clock, random, log },
    takeWills: setPoints.takeGatewayReport,
    trustProxy: settings.trustProxy,
  });
  const upgrades = listenForUpgrades(server, {
    takers: new Map([...stations.takers, [GATEWAY_PATH, door]]),
    publicUrl: settings.connectUrl,
    exposure,
  });
  closers.push(
    () => presence.close(),
    async () => tunnels.closeAll(),
    () => stations.close(),
    async () => upgrades.close(),
  );
  metrics.watchStations(() => stations.counts());
  metrics.watchGateways(() => tunnels.counts());
  return stations;
}

/** Lets what the core does by itself begin, pause and end with the process. */
function goOnWith(core: ConnectCore, { outbound, begin, pausers, closers }: Shared): void {
  const { setPoints, streams, polling, discovery, deliveries, presence, subscriptions, closing } = core;
  pausers.push(
    () => closing.close(),
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
    presence.start();
    // Also where nobody is called: what is to be erased here does not wait for vendors.
    closing.start();
  });
  if (!outbound.isOn) return;
  begin.push(() => {
    polling.start();
    deliveries.start();
    streams.start();
    discovery.start();
    setPoints.start();
    subscriptions.start();
  });
}

/** Puts the Connect service together; answers the names of vendors that simulators stand in for. */
export async function openConnect(
  shared: Shared,
  list: readonly Adapter[],
): Promise<{ readonly simulated: readonly string[] }> {
  const { settings, clock, random, log, metrics, accounts, limits, market, closers } = shared;
  // Nothing else of what services share: domains spread it into their options.
  const traces = shared.traces === undefined ? {} : { traces: shared.traces };
  const host: Host = { database: shared.database, clock, random, log, metrics, ...traces };
  const tunnels = createTunnels();
  const vendors = await openVendors(shared, list, tunnels);
  const { adapters, publicUrl, reach, simulated } = vendors;
  const { partnerOf } = reach;
  const vault = createVault(shared.vaultKeys, random);
  const core = await createConnectCore({
    ...{ host, adapters, vault, reach, outbound: shared.outbound },
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
    mostLinks: (account) => accounts.users.mostLinks(account),
    stopping: shared.stopVendors,
    accounts,
    dropGateway: tunnels.drop,
    willsOfGateways: willsOf(tunnels, clock),
  });
  const { gateways, discover, eventLog, history, sessions, subscriptions, endUsers } = core;
  const { budgets, calls, devices, streams, deliveries, discovery } = core;
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
  const signingIn = createSigningIn(host, { vendors, core, vault });
  const charging = createCharging(host);
  keepRecords(core, charging, shared);
  const idempotency = createIdempotency(accounts, shared.outbound);
  const server = shared.makeServer('connect', settings.connectPort);
  const stations = acceptConnections(shared, {
    server: server.app.server,
    core,
    charging,
    tunnels,
    adapters,
  });
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
      eventCursors: createCursors(shared.vaultKeys, eventLog.givenAt),
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
      ...signingIn,
      linkCodes,
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
  goOnWith(core, shared);
  return { simulated: simulated.names };
}

const sumOf = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);
