import { connect, createServer, type Server, type Socket } from 'node:net';

/** A connection between the service and a server that a test can cut. */
export interface TcpProxy {
  readonly port: number;
  /** The address of the server through the proxy. */
  through(url: string): string;
  /** Ends all connections and refuses new ones, as a stopped server does. */
  cut(): Promise<void>;
  /** Silently forwards nothing more, as a lost network does. */
  freeze(): void;
  /** Forwards everything that was held, as a server does after a pause. */
  thaw(): void;
  /** Accepts new connections again; frozen ones end. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const wires: { client: Socket; server: Socket }[] = [];
  let frozen = false;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    // A failed test must not wait for its connections.
    socket.unref();
    socket.on('close', () => sockets.delete(socket));
    // Cutting is what is tested; errors of the sockets are expected.
    socket.on('error', () => {});
  };
  const takeIn = (client: Socket) => {
    keep(client);
    if (frozen) return client.pause();
    const server = connect(Number(targetPort), hostname);
    keep(server);
    client.pipe(server).pipe(client);
    wires.push({ client, server });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  };
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const listen = (at: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer(takeIn);
      server.once('error', reject);
      server.listen(at, '127.0.0.1', () => resolve(server)).unref();
    });
  const stop = (server: Server) =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      endAll();
    });

  let listening: Server | undefined = await listen(0);
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const cut = async () => {
    const server = listening;
    listening = undefined;
    if (server !== undefined) await stop(server);
  };
  return {
    port,
    through(url) {
      const through = new URL(url);
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
    cut,
    freeze() {
      frozen = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    thaw() {
      frozen = false;
      for (const { client, server } of wires) client.pipe(server).pipe(client);
      // Connections that arrived meanwhile have no peer.
      for (const socket of sockets)
        if (!wires.some(({ client, server }) => client === socket || server === socket)) socket.destroy();
    },
    async resume() {
      if (frozen) endAll();
      frozen = false;
      listening ??= await listen(port);
    },
    close: cut,
  };
}
