import type { NetworkInterfaceInfo } from 'node:os';
import { isIn, isPrivateAddress } from '../core/addresses.ts';
import type { Clock } from '../core/clock.ts';
import type { Json } from '../core/json.ts';
import { type Answer, MOST_NETWORKS, MOST_OPEN, type Question, questionIn } from '../tunnel/discovery.ts';
import { failure } from '../tunnel/protocol.ts';
import { browse } from './mdns.ts';
import { addressesIn, networksAround, openPorts } from './scan.ts';

/** All of it; Connect waits somewhat longer. */
const DISCOVERY_MS = 6_000;

export interface DiscoverOptions {
  readonly interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  /** The networks that connections may be opened in. */
  readonly networks: () => readonly string[];
  /** Whether connections to an IP address may be opened. */
  readonly isPermitted: (address: string) => boolean;
  readonly clock: Clock;
  /** A line about what happens. */
  readonly print: (line: string) => void;
}

/**
 * The service `/discover`: what announces itself in the networks of this machine, and which ports are open there. One at a time: another is
 * refused with `EBUSY`, and a question that is none with `EINVAL`.
 */
export function createDiscover(options: DiscoverOptions) {
  const { interfaces, networks, isPermitted, clock, print } = options;
  let isBusy = false;

  /** Own addresses, each in a network of which something is permitted. */
  const ownAddresses = (scanned: readonly string[]): string[] =>
    Object.values(interfaces()).flatMap((addresses = []) =>
      addresses.flatMap(({ address, family, internal, cidr }) => {
        const isOwn = family === 'IPv4' && !internal && isPrivateAddress(address);
        return isOwn && scanned.some((one) => isIn(one.split('/')[0] ?? '', [cidr ?? ''])) ? [address] : [];
      }),
    );

  async function discover({ services, ports, except }: Question, given: AbortSignal): Promise<Answer> {
    const slow = new AbortController();
    const cancel = clock.after(DISCOVERY_MS, () => slow.abort());
    const signal = AbortSignal.any([given, slow.signal]);
    try {
      const scanned = networksAround(interfaces(), networks());
      const { addresses, areAll } = addressesIn(scanned, isPermitted);
      const browsing = { services, interfaces: ownAddresses(scanned), isPermitted, clock, signal };
      const [announced, listening] = await Promise.all([
        browse(browsing).catch((error: Error) => {
          print(`multicast DNS cannot be used: ${error.message}`);
          return { instances: [], areAll: false };
        }),
        openPorts(addresses, { ports, except, clock, signal }),
      ]);
      given.throwIfAborted();
      return {
        networks: scanned.slice(0, MOST_NETWORKS),
        instances: announced.instances,
        open: listening.open.slice(0, MOST_OPEN),
        is_complete: areAll && announced.areAll && listening.areAll && listening.open.length <= MOST_OPEN,
      };
    } finally {
      cancel();
    }
  }

  return async (json: Json, signal: AbortSignal): Promise<Json> => {
    const question = questionIn(json);
    if (question === undefined) throw failure('EINVAL', 'the question is none');
    if (isBusy) throw failure('EBUSY', 'a discovery is under way');
    isBusy = true;
    try {
      const answer = await discover(question, signal);
      print(`looked for devices in ${answer.networks.join(', ') || 'no network'}`);
      return answer as unknown as Json;
    } finally {
      isBusy = false;
    }
  };
}
