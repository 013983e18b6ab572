import { type LookupAddress, lookup } from 'node:dns';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Destination, failure } from './wire/protocol.ts';

/** So long a device may take to be there; Connect gives up before. */
const CONNECT_MS = 10_000;
/** Once nothing was heard for so long, the system asks the other end whether it is still there. */
const PROBE_AFTER_MS = 30_000;

/** All addresses of a name, which must all be permitted: one that changes its address gains nothing. */
async function addressesOf(
  host: string,
  isPermitted: (address: string) => boolean,
): Promise<LookupAddress[]> {
  const addresses = await new Promise<LookupAddress[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
  if (
    addresses.length === 0 ||
    // control: a gateway judges an address before it connects
    !addresses.every(({ address }) => isPermitted(address))
  )
    throw failure('ENOTPERMITTED', `${host} is in no network that the gateway may open connections in`);
  return addresses;
}

/** Connects to a device, if its address is permitted. */
export async function openConnection(
  { host, port }: Destination,
  {
    isPermitted,
    signal,
  }: { readonly isPermitted: (address: string) => boolean; readonly signal: AbortSignal },
): Promise<Duplex> {
  const addresses = await addressesOf(host, isPermitted);
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
    allowHalfOpen: true,
    // What was judged is what is connected to.
    lookup: (_host, { all }, done) => {
      const [first] = addresses;
      if (all === true) done(null, addresses);
      else done(null, first?.address ?? '', first?.family);
    },
  });
  const giveUp = () => socket.destroy(failure('ECANCELED', 'it was given up'));
  signal.addEventListener('abort', giveUp, { once: true });
  socket.setTimeout(CONNECT_MS, () => socket.destroy(failure('ETIMEDOUT', 'no answer in time')));
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.setTimeout(0);
    socket.off('error', reject);
    // What breaks from now on ends the stream.
    socket.on('error', () => {});
    resolve(socket);
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
