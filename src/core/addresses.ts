import { BlockList, isIP } from 'node:net';

/** IP addresses of one kind: `192.168.1.0/24`. */
interface Network {
  readonly address: string;
  readonly prefix: number;
}

const familyOf = (address: string) => (isIP(address) === 4 ? ('ipv4' as const) : ('ipv6' as const));

/** The network that `192.168.1.0/24` writes; undefined where it is none. A single address needs `/32` or `/128`. */
function networkIn(text: string): Network | undefined {
  const [, address = '', digits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const prefix = Number(digits);
  const widest = { 4: 32, 6: 128 }[isIP(address)];
  return widest === undefined || prefix > widest ? undefined : { address, prefix };
}

/** One list for each version: in a `BlockList` every IPv4 address is one inside IPv6 too. */
interface Networks {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

function listOf(networks: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of networks) {
    const network = networkIn(text);
    if (network === undefined) throw new Error(`${text} is not a network`);
    const family = familyOf(network.address);
    lists[family].addSubnet(network.address, network.prefix, family);
  }
  return lists;
}

function isListed(list: Networks, address: string): boolean {
  const family = familyOf(address);
  return list[family].check(address, family);
}

/** Whether an address is in one of the networks. IPv4 inside IPv6 is in none. */
export const isIn = (address: string, networks: readonly string[]): boolean =>
  isIP(address) !== 0 && !isListed(HIDDEN_IPV4, address) && isListed(listOf(networks), address);

/** What is not the public internet: IANA's special-purpose registries (RFC 6890 and its successors). */
const NOT_PUBLIC = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The platform's own services in machines of Azure.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Global unicast (2000::/3) is the only public space of IPv6; of it, these lead elsewhere or hold an IPv4 address. */
const GLOBAL_UNICAST = listOf(['2000::/3']);
const NOT_PUBLIC_IN_IPV6 = listOf([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/**
 * Whether an IP address is one of the public internet. IPv4 inside IPv6 (mapped, NAT64, 6to4) is none: what it reaches depends
 * on the network that it passes.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !isListed(NOT_PUBLIC, address);
    case 6:
      return isListed(GLOBAL_UNICAST, address) && !isListed(NOT_PUBLIC_IN_IPV6, address);
    default:
      return false;
  }
}

/** Private networks: RFC 1918, and unique local addresses of IPv6 (RFC 4193). Those of carriers and of documents are none. */
const PRIVATE = listOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']);

/** Whether an IP address is in a private network. IPv4 inside IPv6 is in none. */
export const isPrivateAddress = (address: string): boolean =>
  isIP(address) !== 0 && isListed(PRIVATE, address);

const HIDDEN_IPV4_NETWORKS = ['::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'];
const HIDDEN_IPV4 = listOf(HIDDEN_IPV4_NETWORKS);

/** Networks in which no device of a user is, whatever the operator permits, and what they are. */
const WITHOUT_DEVICES: readonly (readonly [what: string, networks: readonly string[]])[] = [
  ['an address of no machine', ['0.0.0.0/8', '::/128']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['a multicast address', ['224.0.0.0/4', 'ff00::/8']],
  ['a reserved address', ['240.0.0.0/4']],
  ['an IPv4 address inside IPv6', HIDDEN_IPV4_NETWORKS],
];

/** Where clouds tell a machine its secrets, and control it; some are in networks that may well be somebody's own. */
const OF_CLOUDS = listOf([
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]);

const LISTS = WITHOUT_DEVICES.map(([what, networks]) => [what, listOf(networks)] as const);

/** What an address is at which never a device is reached: "a link-local address"; null for others. */
export function whyNoDevice(address: string): string | null {
  if (isListed(OF_CLOUDS, address)) return 'an address of the control of a cloud';
  return LISTS.find(([, list]) => isListed(list, address))?.[0] ?? null;
}

/** Why the operator cannot permit a network; null where that is possible. */
export function faultInNetwork(text: string): string | null {
  const network = networkIn(text);
  if (network === undefined) return 'is no network such as 192.168.1.0/24';
  const own = listOf([text]);
  const never = WITHOUT_DEVICES.flatMap(([, networks]) => networks).find(
    (one) => isListed(listOf([one]), network.address) || isListed(own, one.replace(/\/\d+$/, '')),
  );
  return never === undefined ? null : `holds addresses of ${never}, at which no device is`;
}

/** The network that a device at an address is usually in, as an operator would permit it. */
export function networkAround(address: string): string {
  if (isIn(address, ['127.0.0.0/8'])) return '127.0.0.0/8';
  if (address === '::1') return '::1/128';
  return networkOf(address, isIP(address) === 4 ? 24 : 64);
}

/** The narrower of two networks, such as `192.168.1.0/24`, where they overlap; undefined where they do not. */
export function overlapOf(one: string, other: string): string | undefined {
  const [first, second] = [networkIn(one), networkIn(other)];
  if (first === undefined || second === undefined) return undefined;
  const [narrow, wide] = first.prefix >= second.prefix ? [one, other] : [other, one];
  return isIn(narrow.split('/')[0] ?? '', [wide]) ? narrow : undefined;
}

/** `192.168.1.0/24` of an address in it. */
export function networkOf(address: string, prefix: number): string {
  if (isIP(address) === 4) {
    const bytes = address.split('.').map((byte, index) => keepBits(Number(byte), prefix - 8 * index, 8));
    return `${bytes.join('.')}/${prefix}`;
  }
  // The parser of addresses ends with groups in hexadecimal; eight, where `::` is filled up.
  const [head = [], tail = []] = shortened(address)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail].map((group, index) =>
    keepBits(Number.parseInt(group, 16), prefix - 16 * index, 16).toString(16),
  );
  return `${shortened(groups.join(':'))}/${prefix}`;
}

const shortened = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);

/** A part of so many bits of an address, with the first ones kept. */
function keepBits(part: number, kept: number, bits: number): number {
  const cleared = bits - Math.min(bits, Math.max(0, kept));
  return (part >> cleared) << cleared;
}
