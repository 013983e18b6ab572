import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { PerMinute } from '../../core/rate.ts';
import type { GatewayKey, Gateways, Presence } from '../../domain/links/gateways/index.ts';
import { openTunnel } from '../../gateway/wire/opener.ts';
import {
  GATEWAY_NETWORKS,
  GATEWAY_VERSION,
  MOST_MESSAGE_BYTES,
  PAIRING_CODE,
  PATH,
  SUBPROTOCOL,
} from '../../gateway/wire/protocol.ts';
import type { Meter, Tunnels } from '../../gateway/wire/tunnels.ts';
import { GATEWAY_WILLS } from '../../gateway/wire/wills.ts';
import { clientAddressOf } from '../../http/client-address.ts';
import { limitAttempts } from './gateway-attempts.ts';
import { settleWills, type TakeWills } from './gateway-wills.ts';
import { refuse, type TakeUpgrade } from './upgrades.ts';

interface GatewayDoorOptions {
  readonly gateways: Pick<Gateways, 'admit'>;
  readonly presence: Pick<Presence, 'arrived' | 'heard' | 'left'>;
  readonly tunnels: Tunnels;
  readonly takeWills: TakeWills;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Addresses of proxies whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
}

const MOST_NETWORKS = 64;
/** A gateway that is cut off again and again waits longer each time, and comes less often than this. */
const CONNECTIONS_PER_MINUTE = 30;
const NETWORK = /^[0-9a-f:.]{2,45}\/\d{1,3}$/i;

/** The door for gateways: lets those in that have a key or an unused pairing code, and keeps their tunnels. */
export function gatewayDoor(options: GatewayDoorOptions): TakeUpgrade {
  const { gateways, presence, tunnels, clock, random, log } = options;
  const addressOf = clientAddressOf(options.trustProxy);
  const connections = new PerMinute(clock, CONNECTIONS_PER_MINUTE);
  const attempts = limitAttempts(clock);
  // Loaded with the first gateway.
  let loading: Promise<WebSocketServer> | undefined;
  const server = async (): Promise<WebSocketServer> => {
    loading ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          noServer: true,
          perMessageDeflate: false,
          maxPayload: MOST_MESSAGE_BYTES,
          handleProtocols: () => SUBPROTOCOL,
        }),
    );
    return loading;
  };

  function admit(request: IncomingMessage): Promise<GatewayKey & { readonly name: string }> {
    const ip = addressOf(request);
    const { authorization = '', [PAIRING_CODE]: code } = request.headers;
    const shown = {
      key: authorization.replace(/^Bearer /i, ''),
      code: typeof code === 'string' ? code : undefined,
    };
    return attempts.of(ip, shown, (tried) => gateways.admit(tried, { ip, requestId: randomId(random) }));
  }

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    checkHandshake(request);
    const gateway = await admit(request);
    if (connections.over(gateway.id))
      throw new AppError(
        'limit.exceeded',
        `this gateway has connected ${CONNECTIONS_PER_MINUTE} times within a minute; let it wait longer after each time`,
        { retryAfterSeconds: 60 },
      );
    connections.count(gateway.id);
    const websockets = await server();
    if (socket.destroyed) return;
    websockets.handleUpgrade(request, socket, head, (websocket) => {
      // Its socket is one of TCP or TLS.
      void keep(gateway, { request, websocket, meter: request.socket }).catch((error: unknown) => {
        log.warn({ err: error, gateway: gateway.id }, 'a gateway could not be taken in');
        websocket.terminate();
      });
    });
  }

  async function keep(
    gateway: GatewayKey & { readonly name: string },
    { request, websocket, meter }: { request: IncomingMessage; websocket: WebSocket; meter: Meter },
  ): Promise<void> {
    const { id } = gateway;
    const tunnel = openTunnel(websocket, {
      clock,
      heard: () => presence.heard(id),
      closed() {
        log.info({ gateway: id }, 'a gateway has disconnected');
        if (tunnels.remove(id, tunnel)) presence.left(id);
      },
    });
    const {
      [GATEWAY_VERSION]: version,
      [GATEWAY_NETWORKS]: networks = '',
      [GATEWAY_WILLS]: wills,
    } = request.headers;
    if (Number(wills) > 0)
      await settleWills(gateway, { tunnel, clock, take: options.takeWills }).catch((error: unknown) =>
        log.warn({ err: error, gateway: id }, 'a gateway did not say what it has released'),
      );
    if (!tunnel.isAlive) return;
    tunnels.add(id, { tunnel, meter, keepsWills: wills !== undefined });
    log.info({ gateway: id, version }, 'a gateway has connected');
    await presence.arrived(gateway, {
      version: typeof version === 'string' ? version.slice(0, 40) : null,
      networks: String(networks)
        .split(',')
        .map((network) => network.trim())
        .filter((network) => NETWORK.test(network))
        .slice(0, MOST_NETWORKS),
    });
  }

  return (request, socket, head) => {
    // A peer that resets the connection while it is looked up must not end the process.
    socket.on('error', () => socket.destroy());
    take(request, socket, head).catch((error: unknown) => {
      if (!(error instanceof AppError)) log.warn({ err: error }, 'a gateway could not be let in');
      refuse(
        socket,
        error instanceof AppError ? error : new AppError('server.internal', 'an unexpected error occurred'),
      );
    });
  };
}

function checkHandshake({ url, headers }: IncomingMessage): void {
  if (url?.split('?', 1)[0] !== `/${PATH}`)
    throw new AppError('route.not_found', `gateways connect at /${PATH}`);
  // No page of any site reaches the door for gateways, which are programs.
  if (headers.origin !== undefined)
    throw new AppError('origin.foreign', 'gateways send no Origin: this was sent by a page in a browser');
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (headers.upgrade?.toLowerCase() !== 'websocket' || !offered.includes(SUBPROTOCOL))
    throw new AppError('request.invalid', `offer the WebSocket subprotocol ${SUBPROTOCOL}`);
}
