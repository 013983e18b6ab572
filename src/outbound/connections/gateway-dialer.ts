import type { ReachableGateways } from '../../adapter/reach.ts';
import { AppError } from '../../core/errors.ts';
import type { Tunnel } from '../../tunnel/opener.ts';
import { codeOf } from '../exchange.ts';
import type { Dialer } from './dialer.ts';
import { addressOf, tooMany } from './failures.ts';

/** The gateways that are connected to this process, as far as connections through them go. */
export interface GatewayTunnels extends Pick<ReachableGateways, 'whyAway'> {
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
          `${name} is unreachable at ${address}: ${await gateways.whyAway(gateway)}`,
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
              `${name} is not connected to at ${address}: the gateway does not permit this address; set ELNAV_GATEWAY_NETWORKS where it runs to the network of the device; its own computer is never permitted`,
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
