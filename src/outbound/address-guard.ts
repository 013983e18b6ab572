import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isIn, isPublicAddress, networkAround, whyNoDevice } from '../core/addresses.ts';
import { AppError } from '../core/errors.ts';
import { type LocalNetworks, NO_LOCAL_NETWORKS } from '../core/local-networks.ts';

const SETTING = 'ELNAV_LOCAL_NETWORKS';
const ANY_NETWORK = 'the network of the device, such as 192.168.1.0/24';

const refused = (sentence: string): AppError => new AppError('vendor.address_not_permitted', sentence);

/** The reason why an address is not called, and how to permit it; `host` is the entered address or name. */
function addressRefusals(local: LocalNetworks) {
  const permitted = () => local.current();

  /** The current setting, and the two ways to the device. */
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
      // A caller who may connect to no address in there does not learn how its names resolve either.
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

/** All addresses of a host name; `node:dns` unless a test says otherwise. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What a connection is made for, as far as public addresses are particular about it. */
type UrlPlace = Pick<URL, 'protocol' | 'port'>;

interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Keeps calls to addresses that an account chose away from this machine and its networks, but for those that the operator permits. Public
 * addresses are called over https, or at the ports of the vendor's protocol.
 */
export interface AddressGuard {
  /** Throws `vendor.address_not_permitted` for a base address as it stands. A host name is judged when it is resolved. */
  checkUrl(url: URL): void;
  /** The same of a connection's target; `ports` are those of the vendor's protocol. */
  checkTarget(target: Target, ports: readonly number[]): void;
  /** For the socket, which connects to what this answers: a name that changes its address in between gains nothing. */
  lookupForUrl(place: UrlPlace): LookupFunction;
  lookupForTarget(target: Target, ports: readonly number[]): LookupFunction;
}

/** Ports besides 443 on which vendors serve their interfaces. */
const PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/** How public addresses are called, where a call is made otherwise: `over https`. */
function howOfUrl({ protocol, port }: UrlPlace): string | null {
  if (protocol !== 'https:') return 'over https';
  return PORTS.has(port) ? null : 'at the ports 443 and 8443';
}

const howOfTarget = ({ port }: Pick<Target, 'port'>, ports: readonly number[]): string | null =>
  ports.includes(port) ? null : `at port ${ports.join(' or ')}`;

/** Lets through calls to public addresses alone. */
export const publicAddresses = (resolve?: Resolve): AddressGuard =>
  permittedAddresses(NO_LOCAL_NETWORKS, resolve);

/** Lets through calls to local networks, at any port, and to public addresses. A name with one address elsewhere is refused whole. */
export function permittedAddresses(local: LocalNetworks, resolve: Resolve = resolveBySystem): AddressGuard {
  const refusals = addressRefusals(local);

  /** @param how what is wrong with the call where the address is public */
  function checkAddress(host: string, address: string, how: string | null): void {
    const what = whyNoDevice(address);
    // control: the metadata service of a cloud is no device, though its network is permitted
    if (what !== null) throw refusals.withoutDevices(host, address, what);
    if (isIn(address, local.current())) return;
    if (!isPublicAddress(address)) throw refusals.private(host, address);
    // control: a permitted network opens no other way to public addresses
    if (how !== null) throw refusals.public(host, how);
  }

  function checkHost(host: string, how: string | null): void {
    if (isIP(host) !== 0) checkAddress(host, host, how);
    else if (how !== null && local.current().length === 0) throw refusals.public(host, how);
  }

  async function permittedAddressesOf(host: string, how: string | null): Promise<readonly LookupAddress[]> {
    const addresses = await resolve(host);
    if (addresses.length === 0)
      throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    // control: a name that leads elsewhere later is judged again [receivers]
    for (const { address } of addresses) checkAddress(host, address, how);
    return addresses;
  }

  const lookup =
    (how: string | null): LookupFunction =>
    (hostname, options: LookupOptions, done) => {
      permittedAddressesOf(hostname, how).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all === true) done(null, [...addresses]);
          else done(null, first?.address ?? '', first?.family ?? 0);
        },
        (error: NodeJS.ErrnoException) => done(error, ''),
      );
    };

  return {
    checkUrl(url) {
      if (url.username !== '' || url.password !== '') throw refusals.withPassword(url.hostname);
      checkHost(hostIn(url), howOfUrl(url));
    },
    checkTarget: (target, ports) => checkHost(target.host, howOfTarget(target, ports)),
    lookupForUrl: (place) => lookup(howOfUrl(place)),
    lookupForTarget: (target, ports) => lookup(howOfTarget(target, ports)),
  };
}

/** The parser has turned 0x7f.1, 127.1 and 2130706433 into 127.0.0.1 already. */
const hostIn = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');
