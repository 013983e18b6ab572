import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { PinnedCertificate } from '../../adapter/certificate.ts';
import { isKept, otherCertificate, shownOn, unjudgedTls } from '../shown-certificate.ts';
import { ready } from './dialer.ts';

const nameOf = (host: string) => (isIP(host) === 0 ? { servername: host } : {});

/** TLS over a connection, regardless of who dialled it, with a certificate of the host that an authority has signed. */
export const secured = (socket: Duplex, host: string, signal: AbortSignal): Promise<Duplex> =>
  ready(connect({ socket, host, ...nameOf(host) }), 'secureConnect', signal);

/** What the other end of a connection has to show. */
interface Shown {
  readonly host: string;
  readonly roots: readonly string[] | undefined;
}

const unjudged = (socket: Duplex, { host, roots }: Shown, signal: AbortSignal) =>
  ready(connect({ socket, host, ...nameOf(host), ...unjudgedTls(roots) }), 'secureConnect', signal);

/** TLS with the certificate that is kept with a link, or one that the maker has signed for the same name; nothing is sent to another. */
export async function securedByKept(
  socket: Duplex,
  { pinned, name, ...of }: Shown & { readonly pinned: PinnedCertificate; readonly name: string },
  signal: AbortSignal,
): Promise<Duplex> {
  const secure = await unjudged(socket, of, signal);
  if (isKept(shownOn(secure), pinned)) return secure;
  secure.destroy();
  throw otherCertificate(name);
}

/** Asks for the certificate, and sends nothing else; the connection is closed. */
export async function certificateOver(
  socket: Duplex,
  of: Shown,
  signal: AbortSignal,
): Promise<PinnedCertificate> {
  const secure = await unjudged(socket, of, signal);
  const shown = shownOn(secure);
  secure.destroy();
  if (shown === undefined) throw new Error('no certificate');
  return shown;
}
