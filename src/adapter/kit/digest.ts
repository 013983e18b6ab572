import { hash } from 'node:crypto';
import { BoundedMap } from '../../core/bounded-map.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { VendorRequest } from '../http.ts';
import type { LoginSession, Tokens } from '../login.ts';
import { credentialsOf, type Fields } from './credentials.ts';
import { guarded, type Linking, NEVER, type SignInOptions } from './linking.ts';
import { word } from './values.ts';

/* Digest access authentication (RFC 7616) with SHA-256 and the quality of protection "auth", which devices at home use. */

/** What a device wants its answer to be made of. */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
}

/** A user, in a realm, whose password is never sent. */
interface DigestUser {
  readonly name: string;
  readonly password: string;
}

const sha256 = (...parts: readonly string[]): string => hash('sha256', parts.join(':'));

/** How often a nonce was used, and a value of the client's own. */
export interface Use {
  /** Eight hexadecimal digits in headers; as it is counted elsewhere. */
  readonly count: string;
  readonly cnonce: string;
  /** `POST:/rpc`: the method and the address. */
  readonly of: string;
}

/** The `response` of a digest. */
export function digestOf({ name, password }: DigestUser, { realm, nonce }: Challenge, use: Use): string {
  const secret = sha256(name, realm, password);
  return sha256(secret, nonce, use.count, use.cnonce, 'auth', sha256(use.of));
}

/** Of no use to who sees it, and another one for each use of a nonce. */
export const cnonceOf = ({ password }: DigestUser, { nonce }: Challenge, count: string): string =>
  sha256('cnonce', password, nonce, count).slice(0, 16);

const MOST_PART = 200;

/** The challenge in a `WWW-Authenticate`; undefined for another scheme, algorithm or quality of protection. */
export function challengeIn(header: string | undefined): Challenge | undefined {
  const [, parameters] = /^Digest\s+(.*)$/is.exec(header ?? '') ?? [];
  if (parameters === undefined) return undefined;
  const found = parameters.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/g);
  const parts = new Map(
    Array.from(found, ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? '']),
  );
  const [realm, nonce] = [word(parts.get('realm'), MOST_PART), word(parts.get('nonce'), MOST_PART)];
  const isOurs =
    parts.get('algorithm')?.toUpperCase() === 'SHA-256' &&
    (parts.get('qop') ?? '').split(/[\s,]+/).includes('auth');
  return isOurs && realm !== null && nonce !== null ? { realm, nonce } : undefined;
}

interface DigestOptions extends SignInOptions {
  readonly user: string;
  /** Besides `password`. */
  readonly fields: Fields;
  /** How the password is asked for. */
  readonly password: Fields[string];
  /** Throws where there is another device than the vendor's; called before the password is used. */
  readonly identify?: (session: LoginSession) => Promise<void>;
  /** A call that needs the password, where one is set. */
  readonly check: VendorRequest & { readonly path: string };
}

/** Nonces of which is counted how often they were used. */
const MOST_NONCES = 5_000;

/**
 * The user gives the password of the device, or none where none is set. What is kept of a sign-in is the challenge: a device that wants another
 * one refuses a call, which is a sign-in again. Without a password calls carry nothing.
 */
export function digest(options: DigestOptions): Linking {
  const { vendor, user: name, fields, password, identify, check } = options;
  const uses = new BoundedMap<string, number>(MOST_NONCES);

  function authorization({ access, extra = {} }: Tokens, of: Asked): Readonly<Record<string, string>> {
    const [realm, nonce] = [word(extra.realm, MOST_PART), word(extra.nonce, MOST_PART)];
    if (realm === null || nonce === null) return {};
    const key = `${realm} ${nonce}`;
    const used = (uses.get(key) ?? 0) + 1;
    uses.set(key, used);
    const user = { name, password: access };
    const count = used.toString(16).padStart(8, '0');
    const cnonce = cnonceOf(user, { realm, nonce }, count);
    const response = digestOf(user, { realm, nonce }, { count, cnonce, of: `${of.method}:${of.path}` });
    return {
      authorization: `Digest username="${name}", realm="${realm}", nonce="${nonce}", uri="${of.path}", algorithm=SHA-256, qop=auth, nc=${count}, cnonce="${cnonce}", response="${response}"`,
    };
  }

  async function signIn(session: LoginSession, credentials: JsonObject): Promise<Tokens> {
    await identify?.(session);
    const asked = { use: 'login', ...check } as const;
    const first = await session.http.send({ ...asked, expect: [401] });
    const open = { access: '', refresh: null, expiresAt: NEVER };
    if (first.status !== 401) {
      // A page instead of an answer says nothing of the device.
      first.json();
      return open;
    }
    const challenge = challengeIn(first.headers['www-authenticate']);
    if (challenge === undefined)
      throw new AppError('vendor.answer_invalid', `${vendor} wants a sign-in of another kind than digest`);
    const given = word(credentials.password, MOST_PART * 2);
    if (given === null)
      throw new AppError('link.credentials_refused', `the ${vendor} has a password, and none was given`);
    const tokens = { ...open, access: given, extra: { ...challenge } };
    const headers = {
      ...check.headers,
      ...authorization(tokens, { method: check.method ?? 'GET', path: check.path }),
    };
    (await session.http.send({ ...asked, headers })).json();
    return tokens;
  }

  return {
    ...credentialsOf({ ...fields, password }),
    login: { signIn: guarded(options, 'password', signIn), headers: authorization },
  };
}

/** What a call asks for. */
interface Asked {
  readonly method: string;
  readonly path: string;
}
