import type { RemoteInfo } from 'node:dgram';
import type { QueryOutgoingPacket, ResponsePacket } from 'multicast-dns';
import { type Clock, sleep } from '../core/clock.ts';
import { type Instance, MOST_INSTANCES, MOST_INSTANCES_BYTES } from './wire/discovery.ts';

/* What DNS-SD (RFC 6763) says of services, put together from resource records in any order. */

/** Names of which records are kept: what a hostile network sends beyond that is left out. */
const MOST_NAMES = 4 * MOST_INSTANCES;
const MOST_ADDRESSES = 8;
const MOST_TXT = 20;
const MOST_TXT_CHARACTERS = 100;

/** A resource record. */
export type Resource = NonNullable<ResponsePacket['answers']>[number];

interface Service {
  readonly target: string;
  readonly port: number;
}

interface Instances {
  take(record: Resource): void;
  /** The next questions: names of instances without a host, and of hosts without an address. */
  readonly missing: { readonly instances: readonly string[]; readonly hosts: readonly string[] };
  /** Those with an address that is permitted. */
  list(isPermitted: (address: string) => boolean): {
    readonly instances: readonly Instance[];
    readonly areAll: boolean;
  };
}

/** @param services types such as `_shelly._tcp` */
export function createInstances(services: readonly string[]): Instances {
  const byType = new Map(services.map((service) => [`${service}.local`.toLowerCase(), service]));
  /** By their full names, in lower case: DNS ignores case. */
  const found = new Map<string, { readonly service: string; readonly name: string }>();
  const places = new Map<string, Service>();
  const texts = new Map<string, Instance['txt']>();
  const addresses = new Map<string, Set<string>>();
  let isFull = false;

  /** The newest record counts. */
  function keep<T>(map: Map<string, T>, name: string, value: T): void {
    const key = name.toLowerCase();
    if (map.has(key) || map.size < MOST_NAMES) map.set(key, value);
    else isFull = true;
  }

  function takeInstance(type: string, full: string): void {
    const service = byType.get(type.toLowerCase());
    if (service === undefined || !full.toLowerCase().endsWith(`.${type.toLowerCase()}`)) return;
    if (!found.has(full.toLowerCase()) && found.size >= MOST_INSTANCES) isFull = true;
    else found.set(full.toLowerCase(), { service, name: full.slice(0, -type.length - 1) });
  }

  function takeAddress(name: string, address: string): void {
    const known = addresses.get(name.toLowerCase()) ?? new Set();
    if (known.size < MOST_ADDRESSES) known.add(address);
    keep(addresses, name, known);
  }

  return {
    take(record) {
      switch (record.type) {
        case 'PTR':
          return takeInstance(record.name, record.data);
        case 'SRV':
          return keep(places, record.name, { target: record.data.target, port: record.data.port });
        case 'TXT':
          return keep(texts, record.name, textsIn(record.data));
        case 'A':
        case 'AAAA':
          return takeAddress(record.name, record.data);
        default:
      }
    },

    get missing() {
      const hosts = [...found.keys()].flatMap((full) => places.get(full)?.target ?? []);
      return {
        instances: [...found.keys()].filter((full) => !places.has(full)),
        hosts: [...new Set(hosts)].filter((host) => !addresses.has(host.toLowerCase())),
      };
    },

    list(isPermitted) {
      const instances: Instance[] = [];
      let bytes = 0;
      for (const [full, { service, name }] of found) {
        const { target: host, port } = places.get(full) ?? { target: '', port: 0 };
        const permitted = [...(addresses.get(host.toLowerCase()) ?? [])].filter(isPermitted);
        if (port === 0 || permitted.length === 0) continue;
        const txt = texts.get(full) ?? {};
        const instance = { service, name, host, addresses: permitted, port, txt };
        bytes += Buffer.byteLength(JSON.stringify(instance));
        if (bytes > MOST_INSTANCES_BYTES) return { instances, areAll: false };
        instances.push(instance);
      }
      return { instances, areAll: !isFull };
    },
  };
}

/** `key=value` each (RFC 6763 §6); of a key that comes twice the first one counts. */
function textsIn(data: unknown): Instance['txt'] {
  const txt = new Map<string, string>();
  for (const one of [data].flat()) {
    const [key = '', ...rest] = String(one).split('=');
    if (key !== '' && !txt.has(key) && txt.size < MOST_TXT)
      txt.set(key.slice(0, MOST_TXT_CHARACTERS), rest.join('=').slice(0, MOST_TXT_CHARACTERS));
  }
  return Object.fromEntries(txt);
}

/** A device may wait up to half a second before it answers (RFC 6762 §6), and one question in some gets lost. */
const ROUND_MS = 1_000;
const ROUNDS = 3;
/** Names in one question: what fits into a packet of Ethernet. */
const MOST_QUESTIONS = 20;
/** Packets that are read; a network that sends more in this time is not asked any longer. */
const MOST_PACKETS = 5_000;

interface BrowseOptions {
  /** Types such as `_shelly._tcp`. */
  readonly services: readonly string[];
  /** Own addresses, one in each network that is asked. */
  readonly interfaces: readonly string[];
  readonly isPermitted: (address: string) => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Another than that of mDNS, in tests. */
  readonly port?: number;
}

/** Asks what announces itself by multicast DNS (RFC 6762), for some seconds. Throws where the port of mDNS cannot be used. */
export async function browse(
  options: BrowseOptions,
): Promise<{ readonly instances: readonly Instance[]; readonly areAll: boolean }> {
  const { services, interfaces, isPermitted, clock, signal, port } = options;
  if (interfaces.length === 0 || services.length === 0) return { instances: [], areAll: true };
  // Loaded when it is first needed: most gateways are asked seldom.
  const { default: multicastDns } = await import('multicast-dns');
  const known = createInstances(services);
  let packets = 0;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const ends = interfaces.map((address) => {
    const end = multicastDns({
      interface: address,
      // Multicast does not reach a socket that is bound to one address.
      bind: '0.0.0.0',
      ...(port === undefined ? {} : { port }),
    });
    end.on('error', (error: Error) => failed.reject(error));
    // A packet that is not understood, or a network that is down.
    end.on('warning', () => {});
    end.on(
      'response',
      ({ answers = [], additionals = [] }: ResponsePacket, { address: from }: RemoteInfo) => {
        packets += 1;
        if (packets > MOST_PACKETS || !isPermitted(from)) return;
        for (const record of [...answers, ...additionals]) known.take(record);
      },
    );
    return end;
  });
  const ask = (questions: QueryOutgoingPacket['questions']) => {
    for (let at = 0; at < questions.length; at += MOST_QUESTIONS)
      for (const end of ends) end.query(questions.slice(at, at + MOST_QUESTIONS));
  };
  const of = (names: readonly string[], ...types: ('PTR' | 'SRV' | 'TXT' | 'A')[]) =>
    names.flatMap((name) => types.map((type) => ({ name, type })));
  try {
    for (let round = 0; round < ROUNDS && packets <= MOST_PACKETS && !signal.aborted; round += 1) {
      const { instances, hosts } = known.missing;
      // Twice, as a question may be lost; what the answers lack is asked for in the rounds after them.
      const types = services.map((service) => `${service}.local`);
      ask([...of(round < 2 ? types : [], 'PTR'), ...of(instances, 'SRV', 'TXT'), ...of(hosts, 'A')]);
      await Promise.race([sleep(clock, ROUND_MS, signal).catch(() => {}), failed.promise]);
    }
  } finally {
    await Promise.all(ends.map((end) => new Promise<void>((resolve) => end.destroy(() => resolve()))));
  }
  const { instances, areAll } = known.list(isPermitted);
  return { instances, areAll: areAll && packets <= MOST_PACKETS };
}
