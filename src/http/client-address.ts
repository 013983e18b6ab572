import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * The address of a request behind the proxies of `ELNAV_TRUST_PROXY`: from right to left the first one that is not trusted.
 * The same as `request.ip` of the HTTP server, for upgrade requests, which do not pass through it.
 */
export function clientAddressOf(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const entry of trustProxy) {
    const [address = '', prefix] = entry.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string): boolean => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
  return (request) => {
    const header = request.headers['x-forwarded-for'];
    const forwarded = (Array.isArray(header) ? header.join(',') : (header ?? ''))
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const path = [request.socket.remoteAddress ?? '', ...forwarded.toReversed()];
    return path.find((address) => !isTrusted(address)) ?? path.at(-1) ?? '';
  };
}
