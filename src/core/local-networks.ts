import type { NetworkInterfaceInfo } from 'node:os';
import { isIn, isPrivateAddress, networkOf, whyNoDevice } from './addresses.ts';

/** The networks of users that are called from here. */
export interface LocalNetworks {
  /** The value of `ELNAV_LOCAL_NETWORKS` that they come of. */
  readonly setting: string;
  /** As `192.168.1.0/24`; a machine may change its networks while we run. */
  current(): readonly string[];
}

export const NO_LOCAL_NETWORKS: LocalNetworks = { setting: 'off', current: () => [] };

export const listedNetworks = (networks: readonly string[]): LocalNetworks => ({
  setting: networks.join(','),
  current: () => networks,
});

interface Own {
  readonly interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  /** Nobody but users of this machine can ask for what it has on loopback. */
  readonly hasLoopback: boolean;
}

/**
 * The private networks of this machine's interfaces. Public ones, and those of carriers (RFC 6598), are not its own: it shares them with
 * strangers. Others that are not public, such as those of documents (RFC 5737), hold no device.
 */
export const ownNetworks = ({ interfaces, hasLoopback }: Own): LocalNetworks => ({
  setting: 'on',
  current: () => [
    ...new Set(
      Object.values(interfaces()).flatMap((addresses = []) =>
        addresses.flatMap(({ address, cidr, internal }) => {
          const isLoopback = isIn(address, ['127.0.0.0/8', '::1/128']);
          const isOwn =
            (isLoopback || isPrivateAddress(address)) && (hasLoopback || !(isLoopback || internal));
          return cidr !== null && isOwn && whyNoDevice(address) === null
            ? [networkOf(address, Number(cidr.split('/')[1]))]
            : [];
        }),
      ),
    ),
  ],
});
