import type { KeptConnections } from '../adapter/reach.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { LocalNetworks } from '../core/local-networks.ts';
import type { GatewayTunnels, OutboundConnections } from './connections/index.ts';

interface KeptConnectionsOptions {
  /** Networks of users into which connections may lead. */
  readonly localNetworks: LocalNetworks;
  /** Absent where none connect. */
  readonly gateways?: GatewayTunnels;
  readonly clock: Clock;
  readonly random: Random;
}

/** Connections to devices and brokers; a process that opens none does without what they are made with. */
export function createKeptConnections({
  localNetworks,
  gateways,
  clock,
  random,
}: KeptConnectionsOptions): KeptConnections & { close(): Promise<void> } {
  let made: Promise<OutboundConnections> | undefined;
  const all = (): Promise<OutboundConnections> => {
    made ??= import('./index.ts').then((outbound) => {
      const { createConnections, directDialer, gatewayDialer, permittedAddresses } = outbound;
      const direct = directDialer(permittedAddresses(localNetworks));
      return createConnections({
        dialerOf({ name, gateway }) {
          if (gateway === undefined) return direct;
          if (gateways === undefined) throw new Error('no gateways connect here');
          return gatewayDialer({ gateways, gateway, name });
        },
        clock,
        random,
      });
    });
    return made;
  };
  return {
    certificateAt: async (...given) => (await all()).certificateAt(...given),
    exchange: async (...given) => (await all()).exchange(...given),
    publish: async (...given) => (await all()).publish(...given),
    request: async (...given) => (await all()).request(...given),
    mqttMessages: async (...given) => (await all()).mqttMessages(...given),
    amqpMessages: async (...given) => (await all()).amqpMessages(...given),
    opcua: async (...given) => (await all()).opcua(...given),
    opcuaChanges: async (...given) => (await all()).opcuaChanges(...given),
    makeApplicationCertificate: async (...given) => (await all()).makeApplicationCertificate(...given),
    closeLink: (link) => void made?.then((connections) => connections.closeLink(link)),
    close: async () => (await made)?.close(),
  };
}
