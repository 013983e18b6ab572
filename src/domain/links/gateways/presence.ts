import type { Whereabouts } from '../../../adapter/reach.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { topic } from '../../../db/topic.ts';
import type { Devices } from '../../devices/devices/index.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import { createGatewayStore, type GatewayKey } from './store.ts';

/** A gateway that is cut off dials in again: what it is needed for waits so long before anybody is told. */
const GRACE_MS = 10_000;
/** How often is stored when gateways were last heard. */
const STORE_MS = 20_000;
/** A process that has stored nothing of its gateways for so long has ended. */
const SILENT_MS = 90_000;

/** A gateway has connected to a process: the others end their connections to it. */
const ARRIVED = topic<GatewayKey & { readonly instance: string }>('gateways.arrived');

/** What a gateway says of itself in its handshake. */
export interface Introduction {
  readonly version: string | null;
  readonly networks: readonly string[];
}

interface PresenceOptions {
  readonly host: Host;
  readonly calls: Pick<Calls, 'find' | 'note' | 'closeConnections'>;
  readonly devices: Pick<Devices, 'offline'>;
  readonly events: Pick<LinkEvents, 'emit'>;
  /** Names this process to the others. */
  readonly instance: string;
  /** Ends the connection of a gateway here: it is connected to another process. */
  readonly drop: (gateway: GatewayKey) => void;
}

interface Here extends GatewayKey {
  readonly name: string;
  /** ms since 1970. */
  heardAt: number;
}

/** Which gateways are connected, and what follows for their links. */
export function createPresence({ host, calls, devices, events, instance, drop }: PresenceOptions) {
  const { database, clock, log } = host;
  const { bus } = database;
  const store = createGatewayStore(database);
  /** Gateways that are connected to this process. */
  const here = new Map<string, Here>();
  /** Gateways that have been lost here a moment ago. */
  const missing = new Map<string, () => void>();

  ARRIVED.on(bus, ({ account, id, instance: other }) => {
    if (other === instance) return;
    forget(id);
    drop({ account, id });
  });

  function forget(id: string): void {
    missing.get(id)?.();
    missing.delete(id);
    here.delete(id);
  }

  const everyLink = async (gateway: GatewayKey, act: (link: LinkOf) => Promise<void>): Promise<void> => {
    for (const link of await store.links(gateway)) await act(link);
  };

  /** Its devices cannot be reached: that is said of them at once, not when each is asked next. */
  async function lost(
    gateway: GatewayKey & { readonly name: string },
    heardAt: number | null,
  ): Promise<void> {
    const reason = lostSince(gateway.name, heardAt);
    log.warn({ gateway: gateway.id }, 'a gateway is not connected any more');
    await everyLink(gateway, async (link) => {
      const row = await calls.find(link);
      if (row !== undefined) await calls.note(row, 'unreachable', reason);
      await devices.offline(link);
    });
  }

  async function missed(gateway: Here): Promise<void> {
    forget(gateway.id);
    // One that is there still, and not here any more, is connected to another process.
    const isElsewhere =
      !(await store.disconnected(gateway, instance)) && (await store.find(gateway)) !== undefined;
    if (!isElsewhere) await lost(gateway, gateway.heardAt);
  }

  const failed = (error: unknown) => log.warn({ err: error }, 'what follows for a gateway was not stored');

  const keeping = createLoop({
    clock,
    everyMs: STORE_MS,
    async run() {
      const now = clock.now();
      await store.heard([...here.keys()], { instance, at: now });
      for (const row of await store.silentSince(now - SILENT_MS))
        await lost({ account: row.account_id, id: row.id, name: row.name }, row.last_heard_at);
    },
    failed,
  });

  return {
    start: (): void => keeping.wake(),

    /** A gateway has connected to this process: its links are read again at once. */
    async arrived(
      gateway: GatewayKey & { readonly name: string },
      introduction: Introduction,
    ): Promise<void> {
      forget(gateway.id);
      here.set(gateway.id, { ...gateway, heardAt: clock.now() });
      await store.connected(gateway, { instance, ...introduction, at: clock.now() });
      await ARRIVED.publish(bus, { account: gateway.account, id: gateway.id, instance });
      await everyLink(gateway, async (link) => {
        // What was waited for because of failures need not be.
        calls.closeConnections(link);
        await events.emit('reachable', link);
      });
    },

    heard(id: string): void {
      const known = here.get(id);
      if (known !== undefined) known.heardAt = clock.now();
    },

    /** The connection of a gateway has ended; it may be back in a moment. */
    left(id: string): void {
      const known = here.get(id);
      if (known === undefined || missing.has(id)) return;
      missing.set(
        id,
        clock.after(GRACE_MS, () => void missed(known).catch(failed)),
      );
    },

    /** The process stops: gateways connect to another one, or are missed there. */
    async close(): Promise<void> {
      await keeping.close();
      for (const cancel of missing.values()) cancel();
      missing.clear();
    },
  };
}

export type Presence = ReturnType<typeof createPresence>;

const lostSince = (name: string, heardAt: number | null): string =>
  heardAt === null
    ? `the gateway ${name} has never been connected`
    : `the gateway ${name} is not connected; it was last heard at ${rfc3339(heardAt)}`;

/** A process that has a gateway says so more often than this. */
const HEARD_MS = 2 * STORE_MS + 5_000;

/** What is known of a gateway that is not connected to this process. */
export async function whereabouts(database: Database, id: string): Promise<Whereabouts> {
  const row = await createGatewayStore(database).byId(id);
  if (row === undefined)
    return {
      ...{ isElsewhere: false, heardAt: null },
      why: 'the gateway that it was linked with was removed; link it again with another one, or without',
    };
  const { name, instance, last_heard_at: heardAt } = row;
  const isElsewhere =
    database.engine === 'postgres' &&
    instance !== null &&
    instance !== database.instance &&
    (heardAt ?? 0) > database.moments.clock.now() - HEARD_MS;
  if (isElsewhere)
    return {
      ...{ isElsewhere, heardAt },
      why: `the gateway ${name} is connected to another instance of this service; retry`,
    };
  // It is missed only after a while, since it dials in again.
  const why = instance === null ? lostSince(name, heardAt) : justLost(name, heardAt);
  return { isElsewhere, heardAt, why };
}

const justLost = (name: string, heardAt: number | null): string =>
  `the gateway ${name} has lost its connection, and connects again by itself${heardAt === null ? '' : `; it was last heard at ${rfc3339(heardAt)}`}`;
