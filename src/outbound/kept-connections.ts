import type { KeptConnections } from '../adapter/reach.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { OutboundConnections } from './connections/index.ts';

interface KeptConnectionsOptions {
  /** Whether connections may lead into private networks. */
  readonly arePrivateAddressesAllowed: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

/** Connections to devices and brokers; a process that opens none does without what they are made with. */
export function createKeptConnections({
  arePrivateAddressesAllowed,
  clock,
  random,
}: KeptConnectionsOptions): KeptConnections & { close(): Promise<void> } {
  let made: Promise<OutboundConnections> | undefined;
  const all = (): Promise<OutboundConnections> => {
    made ??= import('./index.ts').then((outbound) => {
      const { createConnections, directDialer, deviceAddresses, publicAddresses } = outbound;
      const dialer = directDialer(arePrivateAddressesAllowed ? deviceAddresses() : publicAddresses());
      return createConnections({ dialerOf: () => dialer, clock, random });
    });
    return made;
  };
  return {
    exchange: async (...given) => (await all()).exchange(...given),
    publish: async (...given) => (await all()).publish(...given),
    request: async (...given) => (await all()).request(...given),
    mqttMessages: async (...given) => (await all()).mqttMessages(...given),
    amqpMessages: async (...given) => (await all()).amqpMessages(...given),
    closeLink: (link) => void made?.then((connections) => connections.closeLink(link)),
    close: async () => (await made)?.close(),
  };
}
