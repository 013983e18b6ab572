import type { ResponsePacket } from 'multicast-dns';
import { type Instance, MOST_INSTANCES, MOST_INSTANCES_BYTES } from '../tunnel/discovery.ts';

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

export interface Instances {
  take(record: Resource): void;
  /** What is asked for next: names of instances without a place, and of hosts without an address. */
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
  /** By their full names, in lower case: DNS does not tell cases apart. */
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
