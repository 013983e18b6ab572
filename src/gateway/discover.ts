import { connect } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { isIn, isPrivateAddress, networkOf, overlapOf } from '../core/addresses.ts';
import type { Clock } from '../core/clock.ts';
import type { Json } from '../core/json.ts';
import { browse } from './mdns.ts';
import {
  type Answer,
  MOST_NETWORKS,
  MOST_OPEN,
  type Open,
  type Question,
  questionIn,
} from './wire/discovery.ts';
import { failure } from './wire/protocol.ts';

/** A network that is larger is looked at around the machine's own address alone. */
const WIDEST_PREFIX = 24;
/** Addresses that are looked at: four networks of that size. */
const MOST_ADDRESSES = 1_024;
/** Connections that are being opened at a time. */
const AT_ONCE = 200;
/** A device in the same network answers in a few ms; one that saves power may miss the first request for its address. */
const CONNECT_MS = 400;

/** The private IPv4 networks that the machine is in, or the parts of them that are permitted. */
export function networksAround(
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
  permitted: readonly string[],
): string[] {
  const around = Object.values(interfaces).flatMap((addresses = []) =>
    addresses.flatMap(({ address, cidr, family, internal }) => {
      if (family !== 'IPv4' || internal || cidr === null || !isPrivateAddress(address)) return [];
      return [networkOf(address, Math.max(WIDEST_PREFIX, Number(cidr.split('/')[1])))];
    }),
  );
  const parts = around.flatMap((network) => permitted.flatMap((one) => overlapOf(network, one) ?? []));
  return [...new Set(parts)];
}

/** Addresses of devices in IPv4 networks, the first of each network before the second of any, so that none is left out for another. */
export function addressesIn(
  networks: readonly string[],
  isPermitted: (address: string) => boolean,
): { readonly addresses: readonly string[]; readonly areAll: boolean } {
  const all = networks.map((network) => {
    const [base = '', digits] = network.split('/');
    const size = 2 ** (32 - Number(digits));
    const first = base.split('.').reduce((value, byte) => value * 256 + Number(byte), 0);
    // The first and the last stand for the network and for everybody in it.
    const ends = size > 2 ? 1 : 0;
    return Array.from({ length: size - 2 * ends }, (_, index) => addressOf(first + index + ends));
  });
  const longest = Math.max(0, ...all.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, index) => all.flatMap((one) => one[index] ?? [])).flat();
  const distinct = [...new Set(inTurn)].filter(isPermitted);
  return { addresses: distinct.slice(0, MOST_ADDRESSES), areAll: distinct.length <= MOST_ADDRESSES };
}

const addressOf = (value: number): string => [24, 16, 8, 0].map((bits) => (value >>> bits) & 0xff).join('.');

interface ScanOptions {
  readonly ports: readonly number[];
  /** Addresses that are never connected to. */
  readonly except: readonly Open[];
  readonly clock: Clock;
  /** What has not been looked at by then is not. */
  readonly signal: AbortSignal;
}

/** Which ports are open: something takes a connection there, which is closed at once. Port by port, so that no device gets all at a time. */
export async function openPorts(
  addresses: readonly string[],
  { ports, except, clock, signal }: ScanOptions,
): Promise<{ readonly open: readonly Open[]; readonly areAll: boolean }> {
  const spared = new Set(except.map(({ address, port }) => `${address} ${port}`));
  const places = ports
    .flatMap((port) => addresses.map((address) => ({ address, port })))
    .filter(({ address, port }) => !spared.has(`${address} ${port}`));
  const open: Open[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const place = places[next];
      if (place === undefined || signal.aborted) return;
      next += 1;
      if (await isOpen(place, { clock, signal })) open.push(place);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, places.length) }, worker));
  return { open, areAll: !signal.aborted };
}

function isOpen(
  { address, port }: Open,
  { clock, signal }: Pick<ScanOptions, 'clock' | 'signal'>,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: address, port });
  const settle = (open: boolean) => {
    cancel();
    signal.removeEventListener('abort', giveUp);
    socket.destroy();
    resolve(open);
  };
  const giveUp = () => settle(false);
  const cancel = clock.after(CONNECT_MS, giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  socket.once('connect', () => settle(true));
  socket.on('error', giveUp);
  return promise;
}

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
