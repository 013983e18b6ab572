import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { Broker, PinnedCertificate, Target } from '../../adapter/connections.ts';
import type { ConnectionOwner, KeptConnections, ReachableGateways } from '../../adapter/reach.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Random } from '../../core/ids.ts';
import type { Tunnel } from '../../gateway/wire/opener.ts';
import { codeOf } from '../exchange.ts';
import { isKept, otherCertificate, shownOn, unjudgedTls } from '../shown-certificate.ts';
import type { AmqpChannel } from './amqp.ts';
import { type Dialer, ready } from './dialer.ts';
import { addressOf, notOpened, timedOut, tooMany } from './failures.ts';
import type { MqttChannel } from './mqtt.ts';
import type { LargeMessages } from './mqtt-frames.ts';
import { createOpcua } from './opcua-kept.ts';
import { createPool, held, OPENING_MS, type Place } from './pool.ts';
import { exchangeOver, TcpChannel } from './tcp.ts';

/** The gateways that are connected to this process, as far as connections through them go. */
export interface GatewayTunnels extends Pick<ReachableGateways, 'whereabouts'> {
  of(gateway: string): Tunnel | undefined;
}

interface ThroughGateway {
  readonly gateways: GatewayTunnels;
  readonly gateway: string;
  /** The vendor's name. */
  readonly name: string;
}

/** Connects from a gateway's network, to what the gateway's own settings permit: addresses are judged there alone. */
export function gatewayDialer({ gateways, gateway, name }: ThroughGateway): Dialer {
  return {
    async dial({ host, port }, signal) {
      const address = addressOf({ host, port });
      const away = async () =>
        new AppError(
          'vendor.unreachable',
          `${name} is unreachable at ${address}: ${(await gateways.whereabouts(gateway)).why}`,
        );
      const tunnel = gateways.of(gateway);
      if (tunnel === undefined) throw await away();
      try {
        return await tunnel.dial({ host, port }, signal);
      } catch (error) {
        switch (codeOf(error)) {
          case 'EGATEWAY':
            throw await away();
          case 'ENOTPERMITTED':
            throw new AppError(
              'vendor.address_not_permitted',
              `${name} is not connected to at ${address}: the gateway does not permit this address; set ELNAV_GATEWAY_NETWORKS where it runs to the network of the device; an address of its own computer must be listed by itself, with /32, and loopback is never permitted`,
            );
          case 'EBUSY':
            throw tooMany(`too many connections are open through the gateway to open one to ${name}`);
          default:
            throw error;
        }
      }
    },
  };
}

const nameOf = (host: string) => (isIP(host) === 0 ? { servername: host } : {});

/** TLS over a connection, regardless of who dialled it, with a certificate of the host that an authority has signed. */
const secured = (socket: Duplex, host: string, signal: AbortSignal): Promise<Duplex> =>
  ready(connect({ socket, host, ...nameOf(host) }), 'secureConnect', signal);

/** What the other end of a connection has to show. */
interface Shown {
  readonly host: string;
  readonly roots: readonly string[] | undefined;
}

const unjudged = (socket: Duplex, { host, roots }: Shown, signal: AbortSignal) =>
  ready(connect({ socket, host, ...nameOf(host), ...unjudgedTls(roots) }), 'secureConnect', signal);

/** TLS with the certificate that is kept with a link, or one that the maker has signed for the same name; nothing is sent to another. */
async function securedByKept(
  socket: Duplex,
  { pinned, name, ...of }: Shown & { readonly pinned: PinnedCertificate; readonly name: string },
  signal: AbortSignal,
): Promise<Duplex> {
  const secure = await unjudged(socket, of, signal);
  if (isKept(shownOn(secure), pinned)) return secure;
  secure.destroy();
  throw otherCertificate(name);
}

/** Asks for the certificate, and sends nothing else; the connection is closed. */
async function certificateOver(socket: Duplex, of: Shown, signal: AbortSignal): Promise<PinnedCertificate> {
  const secure = await unjudged(socket, of, signal);
  const shown = shownOn(secure);
  secure.destroy();
  if (shown === undefined) throw new Error('no certificate');
  return shown;
}

export { type Dialer, directDialer } from './dialer.ts';

interface ConnectionsOptions {
  /** How the connections of a link are dialled. */
  readonly dialerOf: (owner: ConnectionOwner) => Dialer;
  readonly clock: Clock;
  readonly random: Random;
}

const IDLE_SECONDS = 60;

export interface OutboundConnections extends KeptConnections {
  /** How many are open. */
  count(): number;
  close(): void;
}

const placeOf = (owner: ConnectionOwner, target: Target, identity: string): Place => ({
  owner: { account: owner.account, link: owner.link },
  name: owner.name,
  address: addressOf(target),
  identity: `${identity} ${target.isSecure === true} ${owner.pinned?.sha256} ${owner.gateway}`,
  idleMs: (target.idleSeconds ?? IDLE_SECONDS) * 1_000,
});

/** Connections of links to devices and brokers, kept over calls. */
export function createConnections({ dialerOf, clock, random }: ConnectionsOptions): OutboundConnections {
  const pool = createPool({ clock, random });
  let large: LargeMessages | undefined;

  async function dial(owner: ConnectionOwner, target: Target, signal: AbortSignal) {
    const { host, port, isSecure = false } = target;
    const { ports, pinned, roots, name } = owner;
    const socket = await dialerOf(owner).dial({ host, port, ports }, signal);
    if (!isSecure) return socket;
    return pinned === undefined
      ? secured(socket, host, signal)
      : securedByKept(socket, { host, pinned, roots, name }, signal);
  }

  /** The library is loaded with the first connection: most processes have none. */
  function overMqtt<T>(
    owner: ConnectionOwner,
    broker: Broker,
    signal: AbortSignal,
    work: (channel: MqttChannel) => Promise<T>,
  ): Promise<T> {
    const place = placeOf(owner, broker, `mqtt ${broker.username ?? ''}`);
    const open = async (opening: AbortSignal) => {
      const [{ MqttChannel }, { LargeMessages }] = await Promise.all([
        import('./mqtt.ts'),
        import('./mqtt-frames.ts'),
      ]);
      large ??= new LargeMessages();
      const socket = await dial(owner, broker, opening);
      const clientId = `elnav-${random(8).toString('hex')}`;
      return MqttChannel.open(socket, { broker, clientId, named: place, large, signal: opening });
    };
    return pool.use(place, open, { signal, work: ({ channel }) => work(channel) });
  }

  return {
    async certificateAt(owner, { host, port }, signal) {
      const named = { name: owner.name, address: addressOf({ host, port }) };
      const late = new AbortController();
      const cancel = clock.after(OPENING_MS, () => late.abort(timedOut(named)));
      const opening = AbortSignal.any([signal, late.signal]);
      try {
        const socket = await dialerOf(owner).dial({ host, port, ports: owner.ports }, opening);
        return await certificateOver(socket, { host, roots: owner.roots }, opening);
      } catch (error) {
        throw signal.aborted ? timedOut(named) : notOpened(named, error);
      } finally {
        cancel();
      }
    },

    async exchange(owner, { target, ...asked }, { signal, sent }) {
      const place = placeOf(owner, target, 'tcp');
      return exchangeOver(asked, {
        pool,
        place,
        open: async (opening) => new TcpChannel(await dial(owner, target, opening), place),
        signal,
        clock,
        sent,
        isCommand: asked.use === 'command',
      });
    },

    publish: (owner, { broker, ...publication }, { signal, sent }) =>
      overMqtt(owner, broker, signal, (channel) => channel.publish(publication, { signal, clock, sent })),

    request: (owner, { broker, ...request }, { signal, sent }) =>
      overMqtt(owner, broker, signal, (channel) => channel.request(request, { signal, clock, sent })),

    mqttMessages: (owner, { broker, topics }, { signal, heard }) =>
      held(async (hold) =>
        overMqtt(owner, broker, signal, async (channel) => {
          const inbox = await channel.listen(topics, { signal, clock, heard });
          await hold(inbox, inbox.ended);
        }),
      ),

    amqpMessages(owner, { broker, address }, { signal, heard }) {
      const place = placeOf(owner, broker, `amqp ${broker.username ?? ''}`);
      const open = async (opening: AbortSignal) => {
        const { AmqpChannel } = await import('./amqp.ts');
        return AmqpChannel.open(await dial(owner, broker, opening), {
          broker,
          named: place,
          signal: opening,
        });
      };
      return held((hold) =>
        pool.use(place, open, {
          signal,
          work: async ({ channel }: { readonly channel: AmqpChannel }) => {
            const { messages, ended } = await channel.listen(address, { signal, heard });
            await hold(messages, ended);
          },
        }),
      );
    },

    ...createOpcua({ pool, placeOf, dial, clock }),

    closeLink: pool.closeLink,
    count: () => pool.count,
    close: pool.close,
  };
}
