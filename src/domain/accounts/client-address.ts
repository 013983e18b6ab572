import { BlockList, isIP, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * The address that attempts and bans are counted by: an IPv4 address, or the /64 network of an IPv6 address, since one
 * household or server controls a whole /64. An IPv4-mapped IPv6 address is the IPv4 address.
 */
export function clientAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  const ipv4 = ipv4Within(ip);
  if (ipv4 !== undefined) return ipv4;
  const bare = ip.split('%', 1)[0] ?? ip;
  if (!isIPv6(bare)) return ip;
  return `${groups(bare).slice(0, 4).join(':')}::/64`;
}

/** Loopback is this machine and is never banned. */
export function isLoopback(ip: string): boolean {
  const address = ipv4Within(ip) ?? ip;
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** The IPv4 address that a dual-stack socket reports as ::ffff:192.0.2.1. */
function ipv4Within(ip: string): string | undefined {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groups(ip: string): string[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const hex =
    dotted === null
      ? ip
      : ip.slice(0, dotted.index) +
        [dotted.slice(1, 3), dotted.slice(3, 5)]
          .map(([high, low]) => (Number(high) * 256 + Number(low)).toString(16))
          .join(':');
  const [head = '', tail] = hex.split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const zeros: string[] = new Array(missing).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}
