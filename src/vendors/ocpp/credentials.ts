import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import Type from 'typebox';
import { AppError } from '../../core/errors.ts';
import { LEAST_A } from './translate.ts';

/** OCPP 2.0.1 part 4 §3.1.1 identifier characters; URLs cannot carry `.` and `..`. */
const IDENTITY = '^(?!\\.{1,2}$)(?!.*:[0-9]+$)[A-Za-z0-9*_=:+|@.-]{1,48}$';

const identityPattern = new RegExp(IDENTITY);

export const isIdentity = (text: string): boolean => identityPattern.test(text);

/** The credentials of `POST /link`. */
export const Credentials = Type.Object(
  {
    identity: Type.String({
      maxLength: 48,
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
    installation_max_a: Type.Optional(
      Type.Integer({
        minimum: 6,
        maximum: 250,
        description:
          'Maximum current of the whole station, ampere per phase (its fuse). Sent to the station after each boot',
      }),
    ),
    fallback_a: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 32,
        description:
          'Default limit after a command with for_seconds ends, ampere per phase: 0 (pause) or from 6, at most installation_max_a',
      }),
    ),
    phases: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3,
        description:
          'Number of phases of the station, for limits of stations that support watts only; by default learned from its meter values',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Credentials = Type.Static<typeof Credentials>;

/** Checks what the schema cannot express. */
export function checkInstallation({ installation_max_a, fallback_a }: Credentials): void {
  if (fallback_a === undefined) return;
  if (fallback_a !== 0 && fallback_a < LEAST_A)
    throw new AppError(
      'link.credentials_invalid',
      `fallback_a must be 0 (pause) or from ${LEAST_A}, not ${fallback_a}; cars do not charge below that`,
    );
  if (installation_max_a !== undefined && fallback_a > installation_max_a)
    throw new AppError(
      'link.credentials_invalid',
      `fallback_a must be no more than installation_max_a (${installation_max_a}), not ${fallback_a}`,
    );
}

const derive = promisify<string, string, number, { N: number; r: number; p: number }, Buffer>(scrypt);

/** 2 ms a hash: a whole fleet reconnects within seconds of a restart, while each guess costs two thousand SHA-256. */
const COST = { N: 2048, r: 8, p: 1 };

/**
 * Salted by the identity, so that one hash is compared with every link that expects it: an account that registers a foreign
 * identity a thousand times does not make that station's sign-in a thousand times slower.
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
 * The passwords that the user may have entered for what the station sent. 1.6 stations hold the AuthorizationKey in hex
 * (security whitepaper §2.2): most send its bytes, some the hex text; the user knows either the text or the hex.
 */
export function passwordsMeant(presented: Buffer): string[] {
  const text = presented.toString('utf8');
  const hex = presented.toString('hex');
  const meant = [text, hex, hex.toUpperCase()];
  if (/^([0-9a-f]{2}){8,64}$/i.test(text)) meant.push(Buffer.from(text, 'hex').toString('utf8'));
  return meant;
}
