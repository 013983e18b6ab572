import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import Type from 'typebox';
import { CARD_ID } from '../../adapter/commands.ts';
import type { WordsFor } from '../../adapter/login.ts';
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
    id_tag: Type.Optional(
      Type.String({
        ...CARD_ID,
        description:
          'Card that start_charge presents where the command names none, for stations that refuse the tag of elnav: up to 20 characters in OCPP 1.6, 36 in 2.0.1',
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

/** The installation as its owner entered it, ampere per phase; null: not entered. */
export interface Installation {
  /** The maximum of the whole station: its fuse. */
  readonly max_a: number | null;
  /** The default of `then_current_a`: the limit after a command with `for_seconds`. */
  readonly fallback_a: number | null;
  /** Phases that the station is connected to. */
  readonly phases: number | null;
  /** The card of starts that name none. */
  readonly id_tag: string | null;
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export function installationOf(credentials: Readonly<Record<string, unknown>>): Installation {
  const { installation_max_a, fallback_a, phases, id_tag } = credentials;
  return {
    max_a: numberIn(installation_max_a),
    fallback_a: numberIn(fallback_a),
    phases: numberIn(phases),
    id_tag: typeof id_tag === 'string' ? id_tag : null,
  };
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

/** Labels of the fields in which owners of a charging station enter its credentials. */
export const words = {
  en: {
    identity: {
      label: 'Charger identity',
      hint: 'Often the serial number. In the charger’s settings it is called Charge point identity, ChargeBox ID or just ID.',
      fault:
        'Enter it as it is shown in the charger: 1 to 48 letters, digits and * - _ = : + | @ . without spaces.',
    },
    password: {
      label: 'Charger password',
      hint: 'At least 8 characters. In the charger’s settings it is called AuthorizationKey, BasicAuthPassword or just password. Choose one and enter the same there.',
    },
    installation_max_a: {
      label: 'Fuse of the charging station, ampere',
      hint: 'The station never takes more than this on each phase. Leave it empty if you do not know.',
    },
    phases: {
      label: 'Phases',
      hint: 'How many phases the station is connected with: 1, 2 or 3. Leave it empty if you do not know.',
    },
    id_tag: {
      label: 'Card of starts from here',
      hint: 'The number of a card that the charger knows. Only for chargers that refuse to be started from here without one. Leave it empty if you do not know.',
      fault: 'Enter it as the charger shows it: 1 to 36 characters without spaces.',
    },
    fallback_a: {
      label: 'Fallback current, ampere',
      hint: 'What the station charges with when the connection is lost and a temporary limit has ended: 0 for a pause, or 6 to 32.',
    },
  },
  sv: {
    identity: {
      label: 'Laddboxens identitet',
      hint: 'Ofta serienumret. I laddboxens inställningar heter den Charge point identity, ChargeBox ID eller bara ID.',
      fault:
        'Skriv den som den står i laddboxen: 1 till 48 bokstäver, siffror och * - _ = : + | @ . utan mellanslag.',
    },
    password: {
      label: 'Laddboxens lösenord',
      hint: 'Minst 8 tecken. I laddboxens inställningar heter det AuthorizationKey, BasicAuthPassword eller bara lösenord. Välj ett och skriv in samma där.',
    },
    installation_max_a: {
      label: 'Laddstationens säkring, ampere',
      hint: 'Stationen tar aldrig mer än så här per fas. Lämna tomt om du inte vet.',
    },
    phases: {
      label: 'Antal faser',
      hint: 'Hur många faser stationen är ansluten med: 1, 2 eller 3. Lämna tomt om du inte vet.',
    },
    id_tag: {
      label: 'Laddkort för starter härifrån',
      hint: 'Numret på ett kort som laddboxen känner. Bara för laddboxar som inte låter sig startas härifrån utan kort. Lämna tomt om du inte vet.',
      fault: 'Skriv det som laddboxen visar det: 1 till 36 tecken utan mellanslag.',
    },
    fallback_a: {
      label: 'Reservström, ampere',
      hint: 'Så mycket laddar stationen med när förbindelsen är bruten och en tillfällig gräns har gått ut: 0 för paus, annars 6 till 32.',
    },
  },
} satisfies WordsFor<'identity' | 'password' | 'installation_max_a' | 'phases' | 'fallback_a' | 'id_tag'>;
