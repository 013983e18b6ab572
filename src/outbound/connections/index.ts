import type { Broker, Target } from '../../adapter/connections.ts';
import type { ConnectionOwner, KeptConnections } from '../../adapter/reach.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';
import type { AmqpChannel } from './amqp.ts';
import { type Dialer, secured } from './dialer.ts';
import { addressOf } from './failures.ts';
import type { MqttChannel } from './mqtt.ts';
import { createPool, type Place } from './pool.ts';
import { exchangeOver, TcpChannel } from './tcp.ts';

export { type Dialer, directDialer } from './dialer.ts';

interface ConnectionsOptions {
  /** How the connections of a link are dialled. */
  readonly dialerOf: (link: LinkKey) => Dialer;
  readonly clock: Clock;
  readonly random: Random;
}

const IDLE_SECONDS = 60;

export interface OutboundConnections extends KeptConnections {
  /** How many are open. */
  count(): number;
  close(): void;
}

/** Connections of links to devices and brokers, kept over calls. */
export function createConnections({ dialerOf, clock, random }: ConnectionsOptions): OutboundConnections {
  const pool = createPool({ clock, random });

  const placeOf = (owner: ConnectionOwner, target: Target, identity: string): Place => ({
    owner: { account: owner.account, link: owner.link },
    name: owner.name,
    address: addressOf(target),
    identity: `${identity} ${target.isSecure === true}`,
    idleMs: (target.idleSeconds ?? IDLE_SECONDS) * 1_000,
  });

  async function dial(owner: ConnectionOwner, target: Target, signal: AbortSignal) {
    const { host, port, isSecure = false } = target;
    const socket = await dialerOf(owner).dial({ host, port, ports: owner.ports }, signal);
    return isSecure ? secured(socket, host, signal) : socket;
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
      const { MqttChannel } = await import('./mqtt.ts');
      const socket = await dial(owner, broker, opening);
      const clientId = `elnav-${random(8).toString('hex')}`;
      return MqttChannel.open(socket, { broker, clientId, named: place, signal: opening });
    };
    return pool.use(place, open, { signal, work: ({ channel }) => work(channel) });
  }

  return {
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
