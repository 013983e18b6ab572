import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject } from '../core/json.ts';
import type { Target } from './connections.ts';

/*
 * Certificates of devices in local networks. No public authority signs them, so the certificate that a device shows while it is linked is
 * kept with its link, and no other is accepted afterwards.
 */

/**
 * For a vendor whose `chosenAddress` is an https address of a device, or that names where its connections with TLS lead; the platform keeps
 * the certificate of each link.
 */
export interface DeviceCertificates {
  /** For a vendor with `ports`: where the certificate is asked for; undefined for a link that does without TLS, or with a public certificate. */
  at?(credentials: JsonObject): Pick<Target, 'host' | 'port'> | undefined;
  /**
   * Root certificates of the vendor, PEM. What they have signed for the same name (CN) is accepted too: it was renewed. Absent where
   * devices sign for themselves.
   */
  readonly roots?: readonly string[];
}

/** The certificate that a device showed while it was linked. */
const PinnedCertificate = Type.Object({
  /** SHA-256 of the certificate (DER), in lower-case hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** The name (CN) for which a root of the vendor has signed it; null where none has. */
  name: Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()]),
});
export type PinnedCertificate = Static<typeof PinnedCertificate>;

/** Where the platform keeps it in the credentials of a link; no schema of credentials has a field of this name. */
export const PINNED = 'pinned_certificate';

const check = Compile(PinnedCertificate);

/** The certificate that the credentials of a link hold; undefined where they hold none. */
export function pinnedIn({ [PINNED]: pinned }: JsonObject): PinnedCertificate | undefined {
  return check.Check(pinned) ? pinned : undefined;
}
