import { isPublicAddress } from '../../../core/addresses.ts';

/** From where an address of ours is reached: from this machine alone, from its network alone, or from everywhere. */
export type Reach = 'machine' | 'network' | 'everywhere';

/** A name of a network at home, which the resolvers of the internet do not know (RFC 6762, RFC 8375). */
const HOME_NAME = /(?:^[^.]+|\.local|\.lan|\.internal|\.home\.arpa)$/;

/** The reach of a URL, by its host. A name that is not a local one may be resolved everywhere. */
export function reachOf(url: string): Reach {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host))
    return 'machine';
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':');
  if (isAddress ? isPublicAddress(host) : !HOME_NAME.test(host)) return 'everywhere';
  return 'network';
}
