import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import Type from 'typebox';

/** OCPP 2.0.1 part 4 §3.1.1 identifier characters; `.` and `..` would not survive a URL. */
const IDENTITY = '^(?!\\.{1,2}$)(?!.*:[0-9]+$)[A-Za-z0-9*_=:+|@.-]{1,48}$';

const identityPattern = new RegExp(IDENTITY);

export const isIdentity = (text: string): boolean => identityPattern.test(text);

/** What `POST /link` takes. */
export const Credentials = Type.Object(
  {
    identity: Type.String({
      pattern: IDENTITY,
      description:
        'Charge point identity, as the station appends it to the URL: 1–48 letters, digits and * - _ = : + | @ . ' +
        'It cannot end in a colon and digits, which name the connectors of a station.',
    }),
    password: Type.String({
      minLength: 8,
      maxLength: 64,
      writeOnly: true,
      description: 'Password of HTTP Basic (AuthorizationKey in OCPP 1.6, BasicAuthPassword in 2.0.1)',
    }),
  },
  { additionalProperties: false },
);
export type Credentials = Type.Static<typeof Credentials>;

/** What is kept of them. */
export interface Kept {
  readonly identity: string;
  readonly password_hash: string;
}

const derive = promisify<string, string, number, { N: number; r: number; p: number }, Buffer>(scrypt);

/** 2 ms a hash: the whole fleet is let in again seconds after a restart, and a guess still costs two thousand SHA-256. */
const COST = { N: 2048, r: 8, p: 1 };

/**
 * Salted by the identity, so that one hash answers for every link that expects it: an account that registers a foreign
 * identity a thousand times does not make that station's sign-in a thousand times dearer.
 */
export async function hashPassword(identity: string, password: string): Promise<string> {
  const salt = hash('sha256', `elnav ocpp ${identity}`, 'hex').slice(0, 32);
  const derived = await derive(password, salt, 32, COST);
  return `scrypt-${COST.N}$${derived.toString('base64url')}`;
}

export function samePassword(first: string, second: string): boolean {
  return timingSafeEqual(hash('sha256', first, 'buffer'), hash('sha256', second, 'buffer'));
}

/**
 * What the user may have entered, given what the station presented. 1.6 stations hold the AuthorizationKey in hex (security
 * whitepaper §2.2): most present its bytes, some present the hex text itself; the user knows either the text or the hex.
 */
export function passwordsMeant(presented: Buffer): string[] {
  const text = presented.toString('utf8');
  const hex = presented.toString('hex');
  const meant = [text, hex, hex.toUpperCase()];
  if (/^([0-9a-f]{2}){8,64}$/i.test(text)) meant.push(Buffer.from(text, 'hex').toString('utf8'));
  return meant;
}
