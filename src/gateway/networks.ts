import { networkInterfaces } from 'node:os';
import { isIn, whyNoDevice } from '../core/addresses.ts';
import { ownNetworks } from '../core/local-networks.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The private networks that this machine is in; it may be moved to others while the gateway runs. */
export const networksOfMachine = ownNetworks({ interfaces: networkInterfaces, hasLoopback: false }).current;

/** Whether an IP address is one of a device in these networks; this machine is none. */
export const isPermitted = (address: string, networks: readonly string[]): boolean =>
  whyNoDevice(address) === null && !isIn(address, LOOPBACK) && isIn(address, networks);
