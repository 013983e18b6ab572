import type { Tunnel } from './opener.ts';

/** Bytes over the socket of a gateway so far. */
export interface Meter {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

interface TunnelCounts {
  readonly gateways: number;
  readonly streams: number;
  readonly received: number;
  readonly sent: number;
}

/** One connection of a gateway. */
export interface Connection {
  readonly tunnel: Tunnel;
  readonly meter: Meter;
  readonly keepsWills: boolean;
}

/** The gateways that are connected to this process, by their ids. */
export interface Tunnels {
  of(gateway: string): Tunnel | undefined;
  /** The newest connection of a gateway stands for it; an older one is closed. */
  add(gateway: string, connection: Connection): void;
  /** Whether it can be told what to do when it loses us. */
  keepsWills(gateway: string): boolean;
  /** Whether it was the connection that stands for the gateway. */
  remove(gateway: string, tunnel: Tunnel): boolean;
  drop(gateway: string): void;
  counts(): TunnelCounts;
  closeAll(): void;
}

export function createTunnels(): Tunnels {
  const open = new Map<string, Connection>();
  /** What went over connections that have ended. */
  const past = { received: 0, sent: 0 };

  function drop(gateway: string): void {
    open.get(gateway)?.tunnel.close();
  }

  return {
    of: (gateway) => open.get(gateway)?.tunnel,
    keepsWills: (gateway) => open.get(gateway)?.keepsWills === true,
    add(gateway, connection) {
      const older = open.get(gateway);
      open.set(gateway, connection);
      if (older === undefined) return;
      past.received += older.meter.bytesRead;
      past.sent += older.meter.bytesWritten;
      older.tunnel.close();
    },
    remove(gateway, tunnel) {
      const known = open.get(gateway);
      if (known?.tunnel !== tunnel) return false;
      past.received += known.meter.bytesRead;
      past.sent += known.meter.bytesWritten;
      return open.delete(gateway);
    },
    drop,
    counts() {
      const all = [...open.values()];
      const sum = (of: (one: (typeof all)[number]) => number) =>
        all.reduce((total, one) => total + of(one), 0);
      return {
        gateways: open.size,
        streams: sum(({ tunnel }) => tunnel.streams),
        received: past.received + sum(({ meter }) => meter.bytesRead),
        sent: past.sent + sum(({ meter }) => meter.bytesWritten),
      };
    },
    closeAll() {
      for (const gateway of open.keys()) drop(gateway);
    },
  };
}
