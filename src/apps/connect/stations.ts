import type { Adapter } from '../../adapter/adapter.ts';
import type { StationHost, StationServer } from '../../adapter/dial-in.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Devices } from '../../domain/devices/devices/index.ts';
import type { Links } from '../../domain/links/links/index.ts';
import type { Charging } from '../../domain/records/charging/index.ts';
import type { Calls } from '../../domain/vendor-calls/calls/index.ts';
import { clientAddressOf } from '../../http/client-address.ts';
import type { TakeUpgrade } from './upgrades.ts';

interface StationsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'attach' | 'documents'>;
  readonly links: Links;
  readonly devices: Devices;
  readonly charging: Charging;
  readonly clock: Clock;
  readonly log: Log;
  /** Addresses of proxies whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
}

export interface Stations {
  /** Who takes WebSocket upgrades, by the path of each dial-in vendor. */
  readonly takers: ReadonlyMap<string, TakeUpgrade>;
  counts(): { vendor: string; count: number }[];
  close(): Promise<void>;
}

/** Opens the vendors whose devices dial in. */
export function acceptStations(options: StationsOptions): Stations {
  const servers = new Map<string, { vendor: string; server: StationServer }>();
  for (const { slug, dialIn } of options.adapters.values()) {
    if (dialIn === undefined) continue;
    const server = dialIn.open(hostOf(slug, options));
    options.calls.attach(slug, server);
    servers.set(dialIn.path, { vendor: slug, server });
  }
  return {
    takers: new Map(
      [...servers].map(([path, { server }]): [string, TakeUpgrade] => [
        path,
        (request, socket, head) => server.upgrade(request, socket, head),
      ]),
    ),
    counts: () => [...servers.values()].map(({ vendor, server }) => ({ vendor, count: server.count() })),
    async close() {
      await Promise.all([...servers.values()].map(({ server }) => server.close()));
    },
  };
}

function hostOf(vendor: string, options: StationsOptions): StationHost {
  const { links, devices, calls, charging, clock } = options;
  const log = options.log.child({ vendor });
  return {
    clock,
    log,
    addressOf: clientAddressOf(options.trustProxy),
    expected: (identity) => links.expecting(vendor, identity),
    documents: (link) => calls.documents(link),
    records: (link) => charging.records(link),
    discovered: (link, found) => links.discovered(vendor, link, found),
    observed(link, deviceId, raw) {
      devices
        .observe({ ...link, vendor }, deviceId, raw)
        .catch((error: unknown) =>
          log.warn({ err: error, device: deviceId }, 'what a station told could not be taken'),
        );
    },
    connected: (link) => links.takenOver(vendor, link),
  };
}
