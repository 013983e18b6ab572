import type { ByteScript } from '../../core/byte-script.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { authorityOf, destinationIn, failure } from './protocol.ts';

/*
 * What a gateway does by itself when it has heard nothing of Connect for long enough: bytes that Connect made beforehand, in the words of
 * vendors that the gateway does not know. Checked by hand: the library for schemas would take more memory than the whole gateway does.
 */

/** Header of the handshake: how many wills the gateway keeps. A gateway without it has no such services. */
export const GATEWAY_WILLS = 'elnav-gateway-wills';

/** Services of the gateway. */
export const WILL_PATHS = {
  /** A `Will`; another with its key is replaced. */
  leave: '/wills/leave',
  /** `{ keys }`: they are not to be carried out any more. */
  withdraw: '/wills/withdraw',
  /** What is kept, and what became of it: `{ wills }`. */
  list: '/wills/list',
} as const;

/** That a gateway keeps at most. */
export const MOST_WILLS = 256;

export interface Will {
  /** Opaque to the gateway. */
  readonly key: string;
  /** Opaque too: which of those with the key it is. */
  readonly version: string;
  /** Silence of Connect after which it is carried out, ms. */
  readonly after_ms: number;
  /** Carried out in order; all of them again where one fails. */
  readonly steps: readonly {
    /** `host:port` */
    readonly to: string;
    /** In base64. */
    readonly exchanges: readonly { readonly send: string; readonly reply: string }[];
  }[];
}

/** `begun`: carried out at least once, and not to its end. */
const STATES = ['kept', 'begun', 'done'] as const;

export interface ListedWill {
  readonly key: string;
  readonly version: string;
  readonly state: (typeof STATES)[number];
}

const MOST_KEY = 1_000;
const MOST_VERSION = 100;
const MOST_PLACE = 300;
const LEAST_MS = 1_000;
const MOST_MS = 86_400_000;
const MOST_PARTS = 8;
const MOST_SENT = 16_384;
const MOST_REPLY = 1_024;
const BASE64 = /^[0-9A-Za-z+/]*={0,2}$/;

const invalid = (what: string) => failure('EINVAL', `${what} is not as agreed`);

function objectIn(value: Json | undefined, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(what);
  return value;
}

function textIn(value: Json | undefined, what: string, most: number): string {
  if (typeof value !== 'string' || value === '' || value.length > most) throw invalid(what);
  return value;
}

function listIn(value: Json | undefined, what: string, most: number): readonly Json[] {
  if (!Array.isArray(value) || value.length > most) throw invalid(what);
  return value;
}

function bytesIn(value: Json | undefined, what: string, most: number): string {
  if (typeof value !== 'string' || value.length > most || !BASE64.test(value)) throw invalid(what);
  return value;
}

/** At least one. */
function partsIn<T>(value: Json | undefined, what: string, read: (part: JsonObject) => T): T[] {
  const parts = listIn(value, what, MOST_PARTS);
  if (parts.length === 0) throw invalid(what);
  return parts.map((part) => read(objectIn(part, what)));
}

/** Reads a will that came as JSON. Throws for what is none. */
export function readWill(value: Json): Will {
  const { key, version, after_ms: afterMs, steps } = objectIn(value, 'a will');
  if (typeof afterMs !== 'number' || !(afterMs >= LEAST_MS && afterMs <= MOST_MS)) throw invalid('after_ms');
  const will = {
    key: textIn(key, 'key', MOST_KEY),
    version: textIn(version, 'version', MOST_VERSION),
    after_ms: afterMs,
    steps: partsIn(steps, 'steps', ({ to, exchanges }) => ({
      to: textIn(to, 'to', MOST_PLACE),
      exchanges: partsIn(exchanges, 'exchanges', ({ send, reply }) => ({
        send: bytesIn(send, 'send', MOST_SENT),
        reply: bytesIn(reply, 'reply', MOST_REPLY),
      })),
    })),
  };
  // What leads nowhere is refused now, and not when it is needed.
  scriptsOf(will);
  return will;
}

/** The keys of wills to forget. Throws for what is none. */
export const readWithdrawal = (value: Json): string[] =>
  listIn(objectIn(value, 'a withdrawal').keys, 'keys', MOST_WILLS).map((key) => textIn(key, 'key', MOST_KEY));

/** What a gateway says of its wills. Throws for what is no list. */
export const readList = (value: Json): ListedWill[] =>
  listIn(objectIn(value, 'a list').wills, 'wills', MOST_WILLS).map((one) => {
    const { key, version, state } = objectIn(one, 'a will');
    const known = STATES.find((name) => name === state);
    if (known === undefined) throw invalid('state');
    return {
      key: textIn(key, 'key', MOST_KEY),
      version: textIn(version, 'version', MOST_VERSION),
      state: known,
    };
  });

export const stepsOf = (scripts: readonly ByteScript[]): Will['steps'] =>
  scripts.map(({ exchanges, ...to }) => ({
    to: authorityOf(to),
    exchanges: exchanges.map(({ send, reply }) => ({
      send: Buffer.from(send).toString('base64'),
      reply: Buffer.from(reply).toString('base64'),
    })),
  }));

/** Throws where a step leads nowhere. */
export const scriptsOf = ({ steps }: Pick<Will, 'steps'>): ByteScript[] =>
  steps.map(({ to, exchanges }) => {
    const place = destinationIn(to);
    if (place === undefined) throw invalid('to');
    return {
      ...place,
      exchanges: exchanges.map(({ send, reply }) => ({
        send: Buffer.from(send, 'base64'),
        reply: Buffer.from(reply, 'base64'),
      })),
    };
  });
