import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../domain/access/accounts/index.ts';

/**
 * Returns a function that decides whether a request comes from the operator: from this machine, or an address or network in the
 * list. Behind a trusted proxy the client's address counts.
 */
export function operatorAddresses(listed: readonly string[]): (request: FastifyRequest) => boolean {
  const named = new BlockList();
  for (const one of listed) {
    const [address = '', prefix] = one.split('/', 2);
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) named.addAddress(address, family);
    else named.addSubnet(address, Number(prefix), family);
  }
  return (request) => {
    const { ip } = request;
    // control: a request through a proxy that is not trusted does not count as loopback [http/gate]
    if (cameThroughStranger(request)) return false;
    const version = isIP(ip);
    return isLoopback(ip) || (version !== 0 && named.check(ip, version === 4 ? 'ipv4' : 'ipv6'));
  };
}

/** An untrusted proxy forwarded it: the address is the proxy's, often this machine's, and anybody may be behind it. */
function cameThroughStranger({ ip, socket, headers }: FastifyRequest): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isForwarded && ip === socket.remoteAddress;
}
