import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** All addresses of a host name; `node:dns` unless a test says otherwise. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Keeps calls to addresses that an account chose away from this machine and its networks. */
export interface AddressGuard {
  /** What is wrong with a base address as it stands, or null. A host name is judged when it is resolved. */
  faultIn(url: URL): string | null;
  /** The same of a connection's target; `ports` are those of the vendor's protocol. */
  faultInTarget(
    target: { readonly host: string; readonly port: number },
    ports: readonly number[],
  ): string | null;
  /** For the socket, which connects to what this answers: a name that changes its address in between gains nothing. */
  readonly lookup: LookupFunction;
}

/** Ports besides 443 on which vendors serve their interfaces. */
const PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/** What is not the public internet: IANA's special-purpose registries (RFC 6890 and its successors). */
const NOT_PUBLIC = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/** Global unicast (2000::/3) is the only public space of IPv6; of it, these lead elsewhere or hold an IPv4 address. */
const GLOBAL_UNICAST = blockList([['2000::', 3]]);
const NOT_PUBLIC_IN_IPV6 = blockList([
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]);

function blockList(networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks)
    list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

/**
 * Whether an IP address is one of the public internet. IPv4 inside IPv6 (mapped, NAT64, 6to4) is none: what it reaches depends
 * on the network that it passes.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, 'ipv4');
    case 6:
      return GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC_IN_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/** Never a device: what this machine, its link or its cloud's metadata answers at, and what many answer at. */
const NO_DEVICES = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);
const NO_DEVICES_IN_IPV6 = blockList([
  ['::', 128],
  // IPv4 in another form: it would pass for what it is not.
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['2002::', 16],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
]);

/** Whether a device of a private network may have the address; a public one may as well. */
function isDeviceAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NO_DEVICES.check(address, 'ipv4');
    case 6:
      return !NO_DEVICES_IN_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Lets through https to public addresses. A name with a single address that is not public is refused as a whole. */
export function publicAddresses(resolve: Resolve = resolveBySystem): AddressGuard {
  const faultInHost = (host: string) =>
    isIP(host) !== 0 && !isPublicAddress(host) ? 'is not a public address' : null;
  return {
    faultIn(url) {
      if (url.protocol !== 'https:') return 'is not an https address';
      if (url.username !== '' || url.password !== '') return 'holds a user name or a password';
      if (!PORTS.has(url.port)) return `uses port ${url.port}, and only 443 and 8443 are permitted`;
      return faultInHost(hostIn(url));
    },
    faultInTarget({ host, port }, ports) {
      if (!ports.includes(port)) return `uses port ${port}, and only ${ports.join(' and ')} are permitted`;
      return faultInHost(host);
    },
    lookup: lookupOf(resolve, isPublicAddress),
  };
}

/** Where the operator permits private addresses: lets through any but those at which never a device answers. */
export function deviceAddresses(resolve: Resolve = resolveBySystem): AddressGuard {
  const faultInHost = (host: string) =>
    isIP(host) !== 0 && !isDeviceAddress(host) ? 'is none that a device has' : null;
  return {
    faultIn: (url) => faultInHost(hostIn(url)),
    faultInTarget: ({ host }) => faultInHost(host),
    lookup: lookupOf(resolve, isDeviceAddress),
  };
}

/** The parser has turned 0x7f.1, 127.1 and 2130706433 into 127.0.0.1 already. */
const hostIn = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

function lookupOf(resolve: Resolve, isPermitted: (address: string) => boolean): LookupFunction {
  const permittedAddressesOf = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw refusal('ENOTFOUND', 'the name has no address');
    if (!addresses.every(({ address }) => isPermitted(address)))
      throw refusal('ENOTPERMITTED', 'the name leads to an address that is not permitted');
    return addresses;
  };
  return (hostname, options: LookupOptions, done) => {
    permittedAddressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) done(null, [...addresses]);
        else done(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

function refusal(code: string, sentence: string): NodeJS.ErrnoException {
  return Object.assign(new Error(sentence), { code });
}
