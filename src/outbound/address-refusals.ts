import { networkAround } from '../core/addresses.ts';
import { AppError } from '../core/errors.ts';
import type { LocalNetworks } from '../core/local-networks.ts';

const SETTING = 'ELNAV_LOCAL_NETWORKS';
const ANY_NETWORK = 'the network of the device, such as 192.168.1.0/24';

const refused = (sentence: string): AppError => new AppError('vendor.address_not_permitted', sentence);

/** Why an address is not called, and what would have to be done; `host` is what was entered, an address or a name that leads to one. */
export function addressRefusals(local: LocalNetworks) {
  const permitted = () => local.current();

  /** What is permitted, and the two ways to the device. */
  function ways(network: string): string {
    const { setting } = local;
    const means =
      setting === 'on' ? `on, which permits ${permitted().join(' and ') || 'none here'}` : setting;
    return `${SETTING} is ${means}; set it to ${network}, or link the device through a gateway in its network (POST /gateways)`;
  }

  return {
    withoutDevices(host: string, address: string, what: string): AppError {
      const subject = host === address ? `${address} is` : `${host} leads to ${address},`;
      return refused(
        `${subject} ${what}, at which no device is; give the address that the device has in its own network`,
      );
    },

    private(host: string, address: string): AppError {
      // Those who may go nowhere in there are not told how its names are resolved either.
      const isTold = host === address || permitted().length > 0;
      const subject =
        host === address ? `${address} is in` : `${host} leads ${isTold ? `to ${address} in` : 'into'}`;
      const network = isTold ? [...permitted(), networkAround(address)].join(',') : ANY_NETWORK;
      return refused(`${subject} a private network that is not called from here: ${ways(network)}`);
    },

    /** @param how what public addresses are called with: `over https` */
    public(host: string, how: string): AppError {
      const network = permitted().length > 0 ? `${permitted().join(',')} and ${ANY_NETWORK}` : ANY_NETWORK;
      return refused(`${host} is called ${how} only, unless it is in a local network: ${ways(network)}`);
    },

    withPassword: (host: string): AppError =>
      refused(`the address of ${host} holds a user name or a password; leave them out`),
  };
}
