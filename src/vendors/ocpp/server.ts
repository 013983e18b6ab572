import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RPCServer } from 'ocpp-rpc';
import type { StationHost, StationServer } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { PerMinute } from '../../core/rate.ts';
import { installationOf, isIdentity } from './credentials.ts';
import type { StationOptions } from './options.ts';
import { recall } from './station/memory.ts';
import { loadStation } from './station/roster.ts';
import { Station, type StationParts } from './station/station.ts';
import { ocpp16 } from './v16/ocpp16.ts';
import { ocpp201 } from './v201/ocpp201.ts';
import { receive } from './wire/calls.ts';
import { Frames } from './wire/frames.ts';
import { Gate, type Refusal } from './wire/gate.ts';
import { BytePaces } from './wire/pace.ts';
import type { Rpc } from './wire/rpc.ts';
import { loadSchemas, type Protocol, type Schemas, Tolerances } from './wire/schemas.ts';

export const PATH = 'ocpp';

/** The newest protocol first: it is chosen when a station offers several. */
const SPEAK = { 'ocpp2.0.1': ocpp201, 'ocpp1.6': ocpp16 } as const;
const PROTOCOLS = Object.keys(SPEAK) as Protocol[];

/** What the handshake passes to the connection; empty when no common protocol was found. */
interface Passport {
  readonly parts?: Omit<StationParts, 'host' | 'options'>;
}

interface Connected extends Rpc {
  readonly session: Passport;
  readonly handshake: { readonly request: IncomingMessage };
}

interface Connection {
  readonly station: Station;
  /** Sends the close code and reason, and destroys the socket of a peer that does not close its side. */
  end(code: number, reason: string): void;
}

const keyOf = ({ account, link }: LinkKey): string => `${account}/${link}`;

/** The identity in a request's URL, or null. The RPC layer's URL parser reads every accepted one in the same way. */
function identityIn(url: string | undefined): string | null {
  const [path] = (url ?? '').split('?');
  const [, identity] = /^\/ocpp\/([^/]+)$/.exec(path ?? '') ?? [];
  if (identity === undefined) return null;
  try {
    const decoded = decodeURIComponent(identity);
    return isIdentity(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

/** Whether a header names each protocol once; the RPC layer would treat anything else as its own failure. */
function isOffer(header: string | undefined): boolean {
  if (header === undefined) return true;
  const names = header.split(',').map((name) => name.trim());
  return names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)) && new Set(names).size === names.length;
}

function answerSocket(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** The stations connected to this process (OCPP-J part 4, §3 connection). */
export function openStations(host: StationHost, options: StationOptions): StationServer {
  const connections = new Map<string, Connection>();
  const gate = new Gate(host, options);
  const takeovers = new PerMinute(host.clock, options.takeoversPerMinute);
  const frames = new Frames(host.clock);
  const paces = new BytePaces(host.clock, options);
  const tolerances = new Tolerances(host.log);
  let closing = false;

  // Loaded at the first connection: the schemas of both protocols cost memory and time.
  let loading: Promise<RPCServer> | undefined;
  async function load(): Promise<RPCServer> {
    const { RPCServer } = await import('ocpp-rpc');
    const schemas = await loadSchemas();
    const server = new RPCServer({
      protocols: PROTOCOLS,
      // Strict mode would refuse messages that can be repaired; the inbox and our calls check the schemas instead.
      strictMode: false,
      callConcurrency: 1,
      callTimeoutMs: options.callTimeoutMs,
      pingIntervalMs: options.pingMs,
      wssOptions: { maxPayload: options.frameBytes, perMessageDeflate: false },
    });
    server.auth((accept, reject, visitor) => {
      signIn(visitor, schemas).then(
        (answer) => {
          if ('refusal' in answer) reject(answer.refusal.status, answer.refusal.words);
          else accept(answer.passport, answer.protocol);
        },
        (error: unknown) => {
          host.log.error({ err: error, identity: visitor.identity }, 'the sign-in of a station failed');
          reject(503, 'try again');
        },
      );
    });
    server.on('client', acceptClient);
    server.on('error', (error: Error) => host.log.error({ err: error }, 'the station server failed'));
    return server;
  }

  interface SignInRequest {
    readonly identity: string;
    readonly password: Buffer | undefined;
    readonly protocols: Set<string>;
    readonly request: IncomingMessage;
  }
  type SignedIn = { readonly passport: Passport; readonly protocol: string | false };

  async function signIn(
    visitor: SignInRequest,
    schemas: Readonly<Record<Protocol, Schemas>>,
  ): Promise<SignedIn | { readonly refusal: Refusal }> {
    const { identity, password, protocols, request } = visitor;
    const admission = await gate.admit({ identity, password, address: host.addressOf(request) });
    if ('refusal' in admission) return admission;
    const protocol = PROTOCOLS.find((name) => protocols.has(name));
    // OCPP-J: complete the handshake without a protocol, then close the connection at once.
    if (protocol === undefined) return { passport: {}, protocol: false };
    const key = { account: admission.link.account, link: admission.link.link };
    if (takeovers.over(keyOf(key))) {
      return { refusal: { status: 429, words: 'several stations use this identity' } };
    }
    const stored = await loadStation(host.documents(key), identity);
    const recalled = await recall(host, key, { identity, stored });
    await host.connected(key);
    const parts = {
      ...{ key, identity, stored, recalled },
      installation: installationOf(admission.link.credentials),
      speak: SPEAK[protocol],
      schemas: schemas[protocol],
      tolerance: tolerances.of(keyOf(key), identity),
    };
    return { passport: { parts }, protocol };
  }

  function acceptClient(rpc: Connected): void {
    const { close } = rpc;
    // The RPC layer also closes by itself and drops the promise; a rejection would end the process.
    rpc.close = (how) => close.call(rpc, how).catch(() => undefined);
    const connection = { end: (code: number, reason: string) => end(rpc, code, reason) };
    const { parts } = rpc.session;
    if (parts === undefined) {
      connection.end(1002, 'offer the subprotocol ocpp2.0.1 or ocpp1.6');
      return;
    }
    arrive(rpc, { ...parts, host, options }, connection.end);
  }

  function end(rpc: Connected, code: number, reason: string): void {
    void rpc.close({ code, reason, awaitPending: code === 1001 });
    const { socket } = rpc.handshake.request;
    const cancel = host.clock.after(options.lingerMs, () => socket.destroy());
    socket.once('close', cancel);
  }

  function arrive(rpc: Connected, parts: StationParts, endWith: Connection['end']): void {
    const station = new Station(parts, rpc);
    const { key, identity } = station;
    rpc.on('message', ({ message, outbound }: { message: unknown; outbound: boolean }) =>
      frames.add(keyOf(key), message, outbound),
    );
    paces.watch(rpc, key.account);
    const connection = { station, end: endWith };
    if (connections.has(keyOf(key))) leave(key, { code: 1000, reason: 'taken over', publish: false });
    connections.set(keyOf(key), connection);
    receive(rpc, {
      answers: station.dialect.answers,
      clock: host.clock,
      log: host.log,
      options,
      schemas: parts.schemas,
      tolerance: parts.tolerance,
      expel: (reason) => endWith(1008, reason),
    });
    rpc.once('close', ({ code }: { code: number }) => {
      host.log.info({ identity, code }, 'a station has disconnected');
      if (connections.get(keyOf(key)) !== connection) return;
      connections.delete(keyOf(key));
      station.left(true);
    });
    host.log.info({ identity, protocol: rpc.protocol }, 'a station has connected');
    station.details.update({ protocol: rpc.protocol ?? null });
    station.arrived();
  }

  interface Leaving {
    readonly code: number;
    readonly reason: string;
    readonly publish: boolean;
  }

  function leave(key: LinkKey, { code, reason, publish }: Leaving): void {
    const connection = connections.get(keyOf(key));
    if (connection === undefined) return;
    if (reason === 'taken over') takeovers.count(keyOf(key));
    connections.delete(keyOf(key));
    connection.station.left(publish);
    connection.end(code, reason);
  }

  return {
    upgrade(request, socket, head) {
      if (closing) return answerSocket(socket, '503 Service Unavailable');
      const { upgrade, 'sec-websocket-protocol': offer } = request.headers;
      if (upgrade?.toLowerCase() !== 'websocket' || !isOffer(offer)) {
        return answerSocket(socket, '400 Bad Request');
      }
      if (identityIn(request.url) === null) return answerSocket(socket, '404 Not Found');
      // A peer that resets the connection while the schemas load must not end the process.
      socket.on('error', () => socket.destroy());
      loading ??= load();
      loading
        .then((server) => server.handleUpgrade(request, socket as Socket, head))
        .catch((error: unknown) => {
          host.log.warn({ err: error }, 'a handshake failed');
          socket.destroy();
        });
    },
    station: (link) => connections.get(keyOf(link))?.station,
    frames: (link) => frames.of(keyOf(link)),
    drop(link, reason) {
      switch (reason) {
        case 'deleted':
          frames.forget(keyOf(link));
          return leave(link, { code: 1008, reason: 'the link was deleted', publish: false });
        case 'credentials_changed':
          return leave(link, { code: 1008, reason: 'the password has changed', publish: true });
        case 'taken_over':
          return leave(link, { code: 1000, reason: 'taken over', publish: false });
      }
    },
    count: () => connections.size,
    async close() {
      closing = true;
      for (const { station, end } of connections.values()) {
        station.setup.stop();
        end(1001, 'the server is stopping');
      }
      const server = await loading;
      await server?.close({ code: 1001, reason: 'the server is stopping', awaitPending: true });
    },
  };
}
