import { type FrameType, HEADER_BYTES, isCode, MOST_DATA_BYTES, TYPES } from './protocol.ts';

export interface Frame {
  readonly type: FrameType;
  /** Number of the stream; 0 for the tunnel itself. */
  readonly stream: number;
  readonly payload: Buffer;
}

const NAMES = Object.keys(TYPES) as FrameType[];
const MOST_NUMBER = 0xffff_ffff;
const MOST_PLACE_BYTES = 300;

const bytesWithin = (least: number, most: number) => (payload: Buffer) =>
  payload.length >= least && payload.length <= most;

/** What each type of frame may carry. */
const FITS: { readonly [T in FrameType]: (payload: Buffer) => boolean } = {
  open: bytesWithin(1, MOST_PLACE_BYTES),
  opened: bytesWithin(0, 0),
  // One without data would cost nothing, and could be sent for ever.
  data: bytesWithin(1, MOST_DATA_BYTES),
  credit: (payload) => payload.length === 4 && payload.readUInt32BE() > 0,
  end: bytesWithin(0, 0),
  reset: (payload) => isCode(payload.toString('latin1')),
  ping: bytesWithin(0, 0),
  pong: bytesWithin(0, 0),
};

/** A frame as the message of a WebSocket. */
export function encode(type: FrameType, stream: number, payload?: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(HEADER_BYTES + (payload?.length ?? 0));
  message.writeUInt8(TYPES[type], 0);
  message.writeUInt32BE(stream, 1);
  if (payload !== undefined) message.set(payload, HEADER_BYTES);
  return message;
}

export function creditOf(bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(Math.min(bytes, MOST_NUMBER));
  return payload;
}

/** Undefined for what is no frame. */
export function decode(message: Buffer): Frame | undefined {
  const type = message.length < HEADER_BYTES ? undefined : NAMES[message.readUInt8(0)];
  if (type === undefined) return undefined;
  const stream = message.readUInt32BE(1);
  const payload = message.subarray(HEADER_BYTES);
  const isOfTunnel = type === 'ping' || type === 'pong';
  return isOfTunnel === (stream === 0) && FITS[type](payload) ? { type, stream, payload } : undefined;
}
