import { listedNetworks } from '../../src/core/local-networks.ts';

/** What tests call: servers on this machine. */
export const LOOPBACK = listedNetworks(['127.0.0.0/8', '::1/128']);
