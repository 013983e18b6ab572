import type { ByteScript } from '../../core/byte-script.ts';
import type { Broker, Publication } from '../connections.ts';

/*
 * MQTT 3.1.1: the three packets that publish one message. The library that is used everywhere else keeps its packets to itself, and these are
 * sent by a process that has none.
 */

const PROTOCOL = [0, 4, ...Buffer.from('MQTT'), 4];
/** Another session of the same link has another one; at a broker, one will is carried out at a time. */
const CLIENT_ID = 'elnav-gateway';
const KEEP_ALIVE_SECONDS = 30;
const CLEAN_SESSION = 0x02;
const HAS_PASSWORD = 0x40;
const HAS_USERNAME = 0x80;
const PACKET_ID = [0, 1];

const CONNECT = 0x10;
/** At least once. */
const PUBLISH = 0x32;
const DISCONNECT = 0xe0;
/** Accepted, and no session was there. */
const CONNACK = [0x20, 2, 0, 0];
const PUBACK = [0x40, 2, ...PACKET_ID];

const MOST_TEXT = 0xffff;

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > MOST_TEXT) throw new RangeError('a text of MQTT has at most 65,535 bytes');
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

function packet(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let left = body.length;
  do {
    const low = left & 0x7f;
    left >>= 7;
    length.push(left > 0 ? low | 0x80 : low);
  } while (left > 0);
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

/** Publishes one message at a broker, which confirms it; undefined for a broker with TLS. */
export function publishScript(
  { host, port, username, password, isSecure }: Broker,
  { topic, payload }: Pick<Publication, 'topic' | 'payload'>,
): ByteScript | undefined {
  if (isSecure === true) return undefined;
  const signIn = [username, password].filter((value) => value !== undefined).map(text);
  const flags =
    CLEAN_SESSION |
    (username === undefined ? 0 : HAS_USERNAME) |
    (username === undefined || password === undefined ? 0 : HAS_PASSWORD);
  const connect = packet(
    CONNECT,
    Buffer.from([...PROTOCOL, flags, 0, KEEP_ALIVE_SECONDS]),
    text(CLIENT_ID),
    ...signIn,
  );
  const publish = packet(PUBLISH, text(topic), Buffer.from(PACKET_ID), Buffer.from(payload));
  return {
    ...{ host, port },
    exchanges: [
      { send: connect, reply: Buffer.from(CONNACK) },
      { send: publish, reply: Buffer.from(PUBACK) },
      { send: packet(DISCONNECT), reply: Buffer.alloc(0) },
    ],
  };
}
