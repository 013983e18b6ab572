import type { Duplex } from 'node:stream';
import { Aedes } from 'aedes';

/** How a simulated device reaches its broker, whichever that is. */
export interface BrokerWire {
  publish(topic: string, payload: string, isRetained?: boolean): void;
}

interface BrokerOptions {
  /** Passwords by user name; anybody may connect where absent. */
  readonly users?: ReadonlyMap<string, string>;
  /** Whether subscriptions are refused now. */
  readonly isRefusing?: () => boolean;
  /** A client has published something. */
  readonly onPublish?: (topic: string, payload: string) => void;
  /** A client has subscribed to something. */
  readonly onSubscribe?: () => void;
}

interface SimulatedBroker extends BrokerWire {
  accept(socket: Duplex): void;
  close(): Promise<void>;
}

/** CONNACK: bad user name or password (MQTT 3.1.1, table 3.1). */
const BAD_USER = 4;

/** An MQTT 3.1.1 broker in this process, for simulated devices; every packet is of the library, as a real one is of another program. */
export async function createBroker({
  users,
  isRefusing,
  onPublish,
  onSubscribe,
}: BrokerOptions): Promise<SimulatedBroker> {
  const broker = await Aedes.createBroker({
    authenticate(_client, username, password, done) {
      const isKnown =
        users === undefined || (username !== undefined && users.get(username) === password?.toString());
      if (isKnown) done(null, true);
      else done(Object.assign(new Error('unknown user'), { returnCode: BAD_USER }), false);
    },
    authorizeSubscribe: (_client, subscription, done) =>
      done(null, isRefusing?.() === true ? null : subscription),
  });
  broker.on('publish', ({ topic, payload }, client) => {
    if (client !== null) onPublish?.(topic, payload.toString());
  });
  broker.on('subscribe', () => onSubscribe?.());
  return {
    accept: (socket) => void broker.handle(socket),
    publish(topic, payload, isRetained = false) {
      if (broker.closed) return;
      const packet = { cmd: 'publish', topic, payload, qos: 0, dup: false, retain: isRetained } as const;
      // To nobody, it is published all the same.
      broker.publish(packet, () => {});
    },
    close: () => new Promise((resolve) => broker.close(resolve)),
  };
}
