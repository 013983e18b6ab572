import { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { DeviceCertificates, PinnedCertificate } from '../adapter/connections.ts';
import type { AddressGuard } from './address-guard.ts';
import { guardedConnector } from './agent.ts';
import type { Dialer } from './connections/dialer.ts';
import { brokenOff } from './exchange.ts';
import { connectorThrough } from './gateway-connector.ts';
import { isKept, otherCertificate, shownOn, unjudgedTls } from './shown-certificate.ts';

interface ConnectOptions {
  /** What errors call the device. */
  readonly name: string;
  readonly roots: DeviceCertificates['roots'];
  readonly guard: AddressGuard | undefined;
  readonly timeoutMs: number;
  /** Opens the connections, where they do not lead there directly. */
  readonly dialer?: Dialer | undefined;
}

/** TLS without the public authorities: whoever uses it judges the certificate before anything is sent. */
function unjudged({ roots, guard, timeoutMs, dialer }: ConnectOptions): buildConnector.connector {
  const connect = guardedConnector(
    {
      allowH2: false,
      timeout: timeoutMs,
      // A resumed session shows no certificate.
      maxCachedSessions: 0,
      ...unjudgedTls(roots),
    },
    guard,
  );
  return dialer === undefined ? connect : connectorThrough(dialer, timeoutMs, connect);
}

/** Connects only to the device that has the certificate of the link, or a newer one that the vendor has signed for the same name. */
export function pinnedConnector(
  pinned: PinnedCertificate,
  options: ConnectOptions,
): buildConnector.connector {
  const connect = unjudged(options);
  return (target, done) =>
    connect(target, (error, socket) => {
      if (error !== null) return done(error, null);
      const shown = socket instanceof TLSSocket ? shownOn(socket) : undefined;
      // control: nothing is sent to a device that shows another certificate [journeys/device-certificates] => true
      if (isKept(shown, pinned)) return done(null, socket);
      socket.destroy();
      return done(otherCertificate(options.name), null);
    });
}

/**
 * Asks a device for its certificate, and sends nothing else. Throws an `HttpFailure` where it cannot be had.
 * @param url https
 */
export async function certificateAt(
  url: URL,
  options: ConnectOptions & { readonly signal: AbortSignal },
): Promise<PinnedCertificate> {
  const { name, guard, signal } = options;
  guard?.checkUrl(url);
  const { promise, resolve, reject } = Promise.withResolvers<PinnedCertificate>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const { hostname, host, protocol, port } = url;
  unjudged(options)({ hostname: unbracketed(hostname), host, protocol, port }, (error, socket) => {
    if (error !== null) return reject(error);
    const shown = socket instanceof TLSSocket ? shownOn(socket) : undefined;
    socket.destroy();
    if (shown === undefined) return reject(new Error('no certificate'));
    return resolve(shown);
  });
  try {
    return await promise;
  } catch (error) {
    throw brokenOff(name, error, signal);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');
