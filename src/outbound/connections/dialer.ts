import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from '../address-guard.ts';

/** Where to, and which ports the protocol uses. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly ports: readonly number[];
}

/** Opens TCP connections. Ours leads there directly; another may lead through a gateway at the user's home. */
export interface Dialer {
  /** Rejects with an error whose `code` tells why, or with the signal's reason; the signal means nothing once it has resolved. */
  dial(to: Destination, signal: AbortSignal): Promise<Duplex>;
}

/** Once nothing was heard for so long, the system asks the other end whether it is still there. */
const PROBE_AFTER_MS = 30_000;

/** Connects to the addresses that the guard has judged: a name that changes its address in between gains nothing. */
export function directDialer(guard: AddressGuard): Dialer {
  return {
    async dial({ host, port, ports }, signal) {
      // control: a connection leads to no address or port that is not permitted [connections/tcp]
      guard.checkTarget({ host, port }, ports);
      const socket = connect({
        host,
        port,
        // control: a connection is made to the address that was judged, whatever the name leads to by then [connections/tcp]
        lookup: guard.lookupForTarget({ host, port }, ports),
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: PROBE_AFTER_MS,
      });
      return ready(socket, 'connect', signal);
    },
  };
}

/** The connection once it has that event; closed, with the reason thrown, where it fails or the signal comes before. */
export function ready<S extends Duplex>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (work: () => void) => {
      signal.removeEventListener('abort', giveUp);
      socket.off('error', failed).off('close', closed).off(event, open);
      work();
    };
    const fail = (error: unknown) =>
      settle(() => {
        // What breaks afterwards is nobody's any more.
        socket.on('error', () => {});
        socket.destroy();
        reject(error);
      });
    const failed = (error: Error) => fail(error);
    const closed = () => fail(Object.assign(new Error('it was closed'), { code: 'ECONNRESET' }));
    const giveUp = () => fail(signal.reason);
    const open = () => settle(() => resolve(socket));
    socket.on('error', failed).on('close', closed).on(event, open);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}
