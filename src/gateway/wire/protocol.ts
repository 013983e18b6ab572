import { isIP } from 'node:net';

/*
 * Between Connect and a gateway: streams over one WebSocket, that the gateway opens and on which Connect alone opens streams. A binary
 * message is a frame: its type (1 byte), the number of the stream (4 bytes, big-endian), and what it carries.
 */

/** Path of Connect at which gateways dial in. */
export const PATH = 'gateway';
/** Subprotocol of the WebSocket; another version of the protocol has another name. */
export const SUBPROTOCOL = 'elnav-gateway.1';

/** Headers of the handshake, besides `Authorization: Bearer <key of the gateway>`. */
export const PAIRING_CODE = 'elnav-pairing-code';
export const GATEWAY_VERSION = 'elnav-gateway-version';
/** The networks that the gateway opens streams to, comma-separated. */
export const GATEWAY_NETWORKS = 'elnav-gateway-networks';

export const TYPES = {
  /** Connect: opens a stream to `host:port`, or to a service of the gateway: `/path`. Numbers increase from 1. */
  open: 0,
  /** The gateway: the stream is open. */
  opened: 1,
  data: 2,
  /** 4 bytes: so much more may be sent on the stream. */
  credit: 3,
  /** The sender has nothing more to send. */
  end: 4,
  /** The stream is over; a code says why. */
  reset: 5,
  /** On stream 0: asks for a sign of life, and gives it. */
  ping: 6,
  pong: 7,
} as const;
export type FrameType = keyof typeof TYPES;

export const HEADER_BYTES = 5;
/** What a frame carries at most. */
export const MOST_DATA_BYTES = 16 * 1024;
export const MOST_MESSAGE_BYTES = HEADER_BYTES + MOST_DATA_BYTES;
/** What may be sent on a stream, in each direction, before its reader asks for more. */
export const WINDOW_BYTES = 64 * 1024;
/** Streams of one gateway at a time. */
export const MOST_STREAMS = 128;
/** Either end asks the other for a sign of life so often, and gives up when none has come until the next time. */
export const PING_MS = 15_000;
/** Of a question to a service of the gateway, and of its answer. */
export const MOST_JSON_BYTES = 256 * 1024;

/** Where a stream leads. */
export interface Destination {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

export const authorityOf = ({ host, port }: Destination): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Undefined for what is no host with a port. */
export function destinationIn(authority: string): Destination | undefined {
  const [, six, name, digits] =
    /^(?:\[([0-9a-f:.]{2,45})\]|([\w.-]{1,253})):(\d{1,5})$/i.exec(authority) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return six !== undefined && isIP(six) !== 6 ? undefined : { host, port };
}

/** An error of which the other end is told the code alone, as with errors of the system. */
export const failure = (code: string, sentence: string): Error =>
  Object.assign(new Error(sentence), { code });

const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

/** The code of an error, if it has one that may be told. */
export function codeIn(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && CODE.test(code) ? code : 'EUNKNOWN';
}

export const isCode = (text: string): boolean => CODE.test(text);
