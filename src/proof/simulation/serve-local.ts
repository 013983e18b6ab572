import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Duplex, duplexPair, pipeline } from 'node:stream';
import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalAddress,
  type LocalFault,
  type LocalSimulator,
  type LocalSimulatorModule,
} from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';

interface ServeLocalOptions {
  readonly module: LocalSimulatorModule;
  readonly clock: Clock;
  readonly random: Random;
  /** 0, or none, takes a free one. */
  readonly port?: number;
  /** Loopback unless it is said. */
  readonly host?: string;
  /** A client connects, or leaves. */
  readonly onConnections?: (open: number) => void;
  /** The simulator threw; the client's connection is cut. */
  readonly onFailure?: (error: unknown) => void;
}

/** A simulated device that listens on a port. */
export interface ServedLocal {
  readonly address: LocalAddress;
  readonly device: LocalSimulator;
  /**
   * Sets what goes wrong from now on, for connections that are open too; null mends all. On `commands`, what goes wrong with a connection
   * does so from the response to the next command on, which the device has taken by then.
   */
  fault(fault: LocalFault | null, on?: 'everything' | 'commands'): Promise<void>;
  /** Resolves once what is wrong now has met something: a request, a response, a connection. */
  met(): Promise<void>;
  /** Resolves once nothing is on its way to a client any more: what the device has sent before is not taken for what is asked next. */
  settled(): Promise<void>;
  /** Connections of clients, in all and now, and the most at a time. */
  connections(): { readonly opened: number; readonly open: number; readonly most: number };
  close(): Promise<void>;
}

/** Longer than a header of any protocol, and the beginning of a frame of none. */
const GARBAGE = Buffer.alloc(64, 0xa5);

/** Of the event loop, after the last byte has gone to the system. */
const QUIET_TURNS = 20;

/** A simulated device on a port, with what can go wrong between it and its clients. */
export async function serveLocal(options: ServeLocalOptions): Promise<ServedLocal> {
  const { module, clock, random, host = '127.0.0.1' } = options;
  const clients = new Set<Socket>();
  const counted = { opened: 0, most: 0 };
  let fault: LocalFault | null = null;
  /** How many commands are let through before the fault. */
  let spared = -1;
  let met = Promise.withResolvers<void>();

  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    counted.opened += 1;
    counted.most = Math.max(counted.most, clients.size);
    options.onConnections?.(clients.size);
    client.on('close', () => {
      clients.delete(client);
      options.onConnections?.(clients.size);
    });
    // A close follows.
    client.on('error', () => {});
    serve(client).catch((error: unknown) => {
      options.onFailure?.(error);
      client.destroy();
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });

  await listen(options.port ?? 0);
  const address: LocalAddress = { host, port: (server.address() as AddressInfo).port };
  const made = Promise.resolve(module.createLocalSimulator({ clock, random, address }));
  const device = await made;

  async function serve(client: Socket): Promise<void> {
    const [near, far] = duplexPair();
    near.on('error', () => {});
    far.on('error', () => {});
    client.on('data', (chunk: Buffer) => {
      if (active() === 'half_open') met.resolve();
      else near.write(chunk);
    });
    near.on('data', (chunk: Buffer) => pass(chunk, client));
    client.on('end', () => near.end());
    client.on('close', () => {
      near.destroy();
      far.destroy();
    });
    near.on('end', () => client.end());
    (await made).accept(far);
  }

  const active = (): LocalFault | null => (device.commands().length > spared ? fault : null);

  /** What the device sends, on its way to the client. */
  function pass(chunk: Buffer, client: Socket): void {
    if (client.destroyed || client.writableEnded) return;
    const now = active();
    switch (now) {
      case 'half_open':
        return;
      case 'hang':
        break;
      case 'reset':
        client.resetAndDestroy();
        break;
      case 'truncated':
        client.end(chunk.subarray(0, Math.floor(chunk.length / 2)));
        break;
      case 'garbage':
        client.write(GARBAGE);
        break;
      default:
        client.write(chunk);
    }
    if (now !== null) met.resolve();
  }

  const isOfDevice = (one: LocalFault | null): one is DeviceFault =>
    DEVICE_FAULTS.some((name) => name === one);

  return {
    address,
    device,
    async fault(next, on = 'everything') {
      const before = fault;
      fault = next;
      spared = on === 'commands' ? device.commands().length : -1;
      met = Promise.withResolvers();
      device.fault(isOfDevice(next) ? next : null);
      if (next === 'refused') {
        const closed = new Promise((resolve) => server.close(resolve));
        for (const client of clients) client.destroy();
        await closed;
        met.resolve();
      } else if (before === 'refused') await listen(address.port);
    },
    met: () => met.promise,
    async settled() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (clients.values().some(({ writableLength }) => writableLength > 0)) quiet = 0;
      }
    },
    connections: () => ({ ...counted, open: clients.size }),
    async close() {
      for (const client of clients) client.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await device.close?.();
    },
  };
}

/** For a simulator whose library listens by itself: leads a client's connection to the port of this machine. */
export function passOn(socket: Duplex, port: number): void {
  // Either end tells of the other by an error.
  pipeline(socket, connect(port, '127.0.0.1'), socket, () => {});
}
