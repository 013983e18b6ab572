import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Random } from '../../../core/ids.ts';

/** How deliveries are signed, by the words of the API: Standard Webhooks `v1` and `v1a`. */
export const SIGNATURES = ['hmac-sha256', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** HMAC: the key. Ed25519: the seed of the private key (RFC 8032). */
const KEY_BYTES = 32;
/** PKCS #8 of an Ed25519 key (RFC 8410) up to its seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The keys of a subscription as the vault has them, base64. */
export interface Secrets {
  readonly current: string;
  /** What signs besides until a moment, ms since 1970, after a rotation. */
  readonly before?: { readonly key: string; readonly until: number };
}

/** A message as the signature covers it. */
export interface Message {
  readonly id: string;
  /** s since 1970 */
  readonly timestamp: number;
  readonly body: string;
}

export const newKey = (random: Random): string => random(KEY_BYTES).toString('base64');

/** What the receiver of HMAC verifies with. */
export const secretOf = (key: string): string => `whsec_${key}`;

const privateKeyOf = (key: string) =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(key, 'base64')]),
    format: 'der',
    type: 'pkcs8',
  });

/** What the receiver of Ed25519 verifies with: the 32 bytes of the public key. */
export function publicKeyOf(key: string): string {
  const spki = createPublicKey(privateKeyOf(key)).export({ format: 'der', type: 'spki' });
  return `whpk_${spki.subarray(-KEY_BYTES).toString('base64')}`;
}

/** The header `webhook-signature`: a signature of each key, the newest first (Standard Webhooks, "Signature scheme"). */
export function signaturesOf(
  { id, timestamp, body }: Message,
  {
    signature,
    secrets,
    now,
  }: { readonly signature: Signature; readonly secrets: Secrets; readonly now: number },
): string {
  const { current, before } = secrets;
  const keys = before !== undefined && now < before.until ? [current, before.key] : [current];
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const one = (key: string): string =>
    signature === 'ed25519'
      ? `v1a,${sign(null, signed, privateKeyOf(key)).toString('base64')}`
      : `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest('base64')}`;
  return keys.map(one).join(' ');
}

/** The id of a batch: the same for its repetitions. Its owner may have it delivered anew, which is another generation. */
export function messageIdOf(parts: readonly (string | number)[]): string {
  return `msg_${createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 27)}`;
}
