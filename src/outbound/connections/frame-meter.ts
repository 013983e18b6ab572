import type { Duplex } from 'node:stream';

/** Of one frame of a broker; MQTT permits 256 MiB, AMQP 4 GiB. */
const MOST_FRAME_BYTES = 1024 * 1024;
/** Enough of a frame to tell its length. */
const MOST_HEAD_BYTES = 8;

/** The length of the frame that begins so; undefined while it cannot be told. */
export type FrameLength = (head: Uint8Array) => number | undefined;

/** Tells, so that the connection is ended, when a frame is announced that is too large: the libraries would keep all that comes of it. */
export function limitFrames(socket: Duplex, lengthOf: FrameLength, tooLarge: () => void): void {
  let head: number[] = [];
  /** Bytes of the frame that are still to come. */
  let left = 0;
  socket.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
        continue;
      }
      head.push(chunk[at] ?? 0);
      at += 1;
      const length = lengthOf(Uint8Array.from(head));
      if (length === undefined && head.length < MOST_HEAD_BYTES) continue;
      // control: a frame without end does not fill the memory [connections/amqp] => length === undefined
      if (length === undefined || length > MOST_FRAME_BYTES) {
        tooLarge();
        return;
      }
      left = Math.max(0, length - head.length);
      head = [];
    }
  });
}

/** A fixed header: type, then the length of what follows in up to four groups of seven bits. */
export const mqttLength: FrameLength = (head) => {
  let value = 0;
  for (let at = 1; at < head.length; at += 1) {
    const byte = head[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - 1));
    if (byte < 0x80) return at + 1 + value;
    if (at === 4) return Number.POSITIVE_INFINITY;
  }
  return undefined;
};

const PROTOCOL_HEADER = [0x41, 0x4d, 0x51, 0x50];

/** Either the protocol header, or a frame that begins with its length. */
export const amqpLength: FrameLength = (head) => {
  if (head.length < 4) return undefined;
  if (PROTOCOL_HEADER.every((byte, at) => head[at] === byte)) return 8;
  return Buffer.from(head).readUInt32BE();
};
