import type { TLSSocket } from 'node:tls';
import type { PinnedCertificate } from '../adapter/connections.ts';
import { AppError } from '../core/errors.ts';

/**
 * Options of TLS without the public authorities: whoever uses it judges the certificate before anything is sent.
 * @param roots of the maker, PEM: what they have signed is authorized
 */
export const unjudgedTls = (roots: readonly string[] = []) => ({
  rejectUnauthorized: false,
  ca: [...roots],
  // Addresses are not what such a certificate is for; its name is judged here.
  checkServerIdentity: () => undefined,
});

/** The certificate that the other end has shown. */
export function shownOn(socket: TLSSocket): PinnedCertificate | undefined {
  // Not `getPeerX509Certificate`: in Node 24 the socket has no certificate any more for the next caller.
  const { fingerprint256, subject } = socket.getPeerCertificate();
  if (fingerprint256 === undefined) return undefined;
  const name = typeof subject.CN === 'string' && subject.CN !== '' ? subject.CN : null;
  return {
    sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
    // Only what is in `ca` makes it authorized.
    name: socket.authorized ? name : null,
  };
}

/** Whether it is the certificate that is kept with the link, or one that the maker has signed for the same name. */
export const isKept = (shown: PinnedCertificate | undefined, pinned: PinnedCertificate): boolean =>
  shown !== undefined &&
  (shown.sha256 === pinned.sha256 || (shown.name !== null && shown.name === pinned.name));

/** @param name of the vendor */
export const otherCertificate = (name: string): AppError =>
  new AppError(
    'vendor.unreachable',
    `${name} shows another certificate than when it was linked, so nothing is sent to it; if the device was replaced or reset, link it again`,
  );
