import type { Broker, Target } from '../../adapter/connections.ts';
import type { ConnectionOwner, KeptConnections, OpcuaPlace, OpcuaTasks } from '../../adapter/reach.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Random } from '../../core/ids.ts';
import type { AmqpChannel } from './amqp.ts';
import type { Dialer } from './dialer.ts';
import { addressOf, notOpened, timedOut } from './failures.ts';
import type { MqttChannel } from './mqtt.ts';
import type { LargeMessages } from './mqtt-frames.ts';
import type { OpcuaChannel } from './opcua.ts';
import { createPool, type Lease, OPENING_MS, type Place } from './pool.ts';
import { exchangeOver, TcpChannel } from './tcp.ts';
import { certificateOver, secured, securedByKept } from './tls.ts';

export { type Dialer, directDialer } from './dialer.ts';
export { type GatewayTunnels, gatewayDialer } from './gateway-dialer.ts';

interface ConnectionsOptions {
  /** How the connections of a link are dialled. */
  readonly dialerOf: (owner: ConnectionOwner) => Dialer;
  readonly clock: Clock;
  readonly random: Random;
}

const IDLE_SECONDS = 60;
/** Keys of RSA take small controllers seconds. */
const OPCUA_OPENING_MS = 10_000;

export interface OutboundConnections extends KeptConnections {
  /** How many are open. */
  count(): number;
  close(): void;
}

/** Connections of links to devices and brokers, kept over calls. */
export function createConnections({ dialerOf, clock, random }: ConnectionsOptions): OutboundConnections {
  const pool = createPool({ clock, random });
  let large: LargeMessages | undefined;

  const placeOf = (owner: ConnectionOwner, target: Target, identity: string): Place => ({
    owner: { account: owner.account, link: owner.link },
    name: owner.name,
    address: addressOf(target),
    identity: `${identity} ${target.isSecure === true} ${owner.pinned?.sha256} ${owner.gateway}`,
    idleMs: (target.idleSeconds ?? IDLE_SECONDS) * 1_000,
  });

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

  function overOpcua<T>(
    owner: ConnectionOwner,
    { server, application }: OpcuaPlace,
    signal: AbortSignal,
    work: (lease: Lease<OpcuaChannel>) => Promise<T>,
  ): Promise<T> {
    const { path = '', mode, policy = '', username = '', fingerprint = '' } = server;
    const place = {
      ...placeOf(owner, server, JSON.stringify(['opcua', path, mode, policy, username, fingerprint])),
      openingMs: OPCUA_OPENING_MS,
    };
    const open = async (opening: AbortSignal) => {
      const { OpcuaChannel } = await import('./opcua.ts');
      const at = { server, application, named: place, clock, signal: opening };
      return OpcuaChannel.open(() => dial(owner, server, opening), at);
    };
    return pool.use(place, open, { signal, work });
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

    async opcua(owner, { task, isCommand, ...place }, { signal, sent }) {
      const sending = { signal, sent, isCommand };
      const attempt = () =>
        overOpcua(owner, place, signal, async ({ channel, isReused }) => {
          const tasks: OpcuaTasks = {
            identity: () => channel.identity(sending),
            read: (nodes) => channel.read(nodes, sending),
            describe: (nodes) => channel.describe(nodes, sending),
            browse: (nodes, most) => channel.browse(nodes, most, sending),
            write: (writes) => channel.write(writes, sending),
          };
          try {
            return { answer: await task(tasks) };
          } catch (error) {
            // The other end may have gone while nobody used it. A command is not sent twice.
            const isLost = error instanceof AppError && error.code === 'vendor.unreachable';
            if (isReused && isLost && !channel.isAlive && !isCommand && !signal.aborted) return undefined;
            throw error;
          }
        });
      const { answer } = (await attempt()) ?? (await attempt()) ?? {};
      return answer as Awaited<ReturnType<typeof task>>;
    },

    opcuaChanges: (owner, { subscription, ...place }, { signal, heard }) =>
      held((hold) =>
        overOpcua(owner, place, signal, async ({ channel }) => {
          const inbox = await channel.listen(subscription, { signal, heard });
          await hold(inbox, inbox.ended);
        }),
      ),

    async makeApplicationCertificate(applicationUri) {
      const { makeApplicationCertificate } = await import('./opcua-security.ts');
      return makeApplicationCertificate(applicationUri, clock);
    },

    closeLink: pool.closeLink,
    count: () => pool.count,
    close: pool.close,
  };
}

/** Answers the messages as soon as they may come, and keeps the connection in use until they end. */
function held<T>(
  work: (hold: (messages: AsyncIterable<T>, ended: Promise<void>) => Promise<void>) => Promise<void>,
): Promise<AsyncIterable<T>> {
  const begun = Promise.withResolvers<AsyncIterable<T>>();
  const hold = (messages: AsyncIterable<T>, ended: Promise<void>) => {
    begun.resolve(messages);
    return ended;
  };
  work(hold).catch((error: unknown) => begun.reject(error));
  return begun.promise;
}
