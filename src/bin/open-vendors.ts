import type { Adapter } from '../adapter/adapter.ts';
import { sleep } from '../core/clock.ts';
import { createBudgets } from '../domain/budgets/index.ts';
import {
  createCalls,
  createLinkStore,
  createSessions,
  createSignals,
  createTokenStore,
  createTokens,
  createVault,
  createVendorCaller,
} from '../domain/calls/index.ts';
import {
  createLinkCodes,
  createLinkSessions,
  createSignIn,
  createSignInStore,
} from '../domain/links/index.ts';
import { partnerIn } from './partner.ts';
import type { Shared } from './shared.ts';
import { startSimulators } from './simulators.ts';
import { authorizeUrlOf, createVendorHosts } from './vendor-hosts.ts';
import { withAmounts } from './vendor-needs.ts';
import { VERSION } from './version.ts';

/** Renewals under way are waited for so long when the process stops: little is left of its five seconds by then. */
const RENEWALS_MS = 1_000;

/** What linked accounts and their vendors' clouds are reached with. */
export async function openVendors(shared: Shared, list: readonly Adapter[]) {
  const { settings, database, clock, random, log, metrics, closers, addressOf } = shared;
  const adapters = new Map(
    list.map((adapter) => [adapter.slug, withAmounts(adapter, settings.vendors.get(adapter.slug))]),
  );
  const callVendor = createVendorCaller({ clock, log, metrics, stopping: shared.stopVendors });
  const store = createLinkStore(database);
  const { bus } = database;
  const vault = createVault(shared.vaultKeys, random);
  const tokens = createTokens({ bus, store: createTokenStore(database), vault, clock, log });
  const linkCodes = createLinkCodes({ database, vault, clock, random });
  const budgets = createBudgets({ database, clock, log });
  closers.push(() => budgets.flush());
  const publicUrl = () => addressOf('connect') ?? '';
  const simulated = await startSimulators({
    settings,
    adapters: [...adapters.values()],
    clock,
    random,
    log,
    publicUrl,
    async postToConnect(path, { body, headers }) {
      const server = shared.serverOf('connect');
      return (
        (await server?.app.inject({ method: 'POST', url: path, headers, payload: body }))?.statusCode ?? 503
      );
    },
  });
  closers.push(() => simulated.close());
  const baseUrlOf = (vendor: string, host: string) => {
    const set = settings.vendors.get(vendor);
    return simulated.baseUrlOf(vendor, host) ?? set?.baseUrls[host] ?? set?.baseUrl;
  };
  const partnerOf = (vendor: string) => simulated.partnerOf(vendor) ?? partnerIn(settings, vendor);
  const hosts = createVendorHosts({
    baseUrlOf,
    arePrivateAddressesAllowed: settings.arePrivateAddressesAllowed,
    clock,
    random,
    log,
    userAgent: `elnav/${VERSION}`,
  });
  closers.push(
    () => hosts.close(),
    // A renewal that is cut off costs the user the link: the vendor may have taken the old sign-in back.
    () => Promise.race([tokens.settled(), sleep(clock, RENEWALS_MS)]),
  );
  const calls = createCalls({
    adapters,
    hostOf: hosts.hostOf,
    openSocket: hosts.openSocket,
    openEvents: hosts.openEvents,
    partnerOf,
    tokens,
    budgets,
    signals: createSignals(clock),
    clock,
  });
  const signInStore = createSignInStore(database);
  const linkSessions = createLinkSessions({ store: signInStore, adapters, publicUrl, clock, random });
  const signIn = createSignIn({
    store: signInStore,
    sessions: linkSessions,
    adapters,
    partnerOf,
    authorizeUrlOf: (adapter) => authorizeUrlOf(adapter, baseUrlOf(adapter.slug, 'authorize')),
    loginSession: (adapter, signal) =>
      calls.loginSession(
        adapter,
        { account: 0, link: '', vendor: adapter.slug, credentials: {} },
        { signal },
      ),
    publicUrl,
    vault,
    clock,
    random,
  });
  const sessions = createSessions({
    bus,
    store,
    vault,
    calls,
    hasOwnAddress: (vendor, host) => settings.vendors.get(vendor)?.baseUrls[host] !== undefined,
    clock,
    log,
  });
  return {
    adapters,
    baseUrlOf,
    budgets,
    callVendor,
    calls,
    linkCodes,
    linkSessions,
    partnerOf,
    publicUrl,
    sessions,
    signIn,
    simulated,
    store,
    tokens,
  };
}

export type Vendors = Awaited<ReturnType<typeof openVendors>>;
