import type { Duplex } from 'node:stream';
import type { ErrorCallback } from 'node-opcua-client';
import { ClientTransportBase, type IClientTransportFactory, type ISocketLike } from 'node-opcua-transport';
import { socketLike } from '../../core/socket-like.ts';
import type { FrameLength } from './frame-meter.ts';

/** Of what the server sends in one piece, and of all the pieces of a response. */
const MOST_MESSAGE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 65_536;

/** Hello and Acknowledge (OPC UA Part 6, 7.1) over a connection that we have dialled. */
class GivenTransport extends ClientTransportBase {
  readonly #take: () => Duplex | undefined;

  constructor(take: () => Duplex | undefined) {
    super({
      maxMessageSize: MOST_MESSAGE_BYTES,
      maxChunkCount: 0,
      receiveBufferSize: CHUNK_BYTES,
      sendBufferSize: CHUNK_BYTES,
    });
    this.#take = take;
  }

  override connect(endpointUrl: string, done: ErrorCallback): void {
    const stream = this.#take();
    if (stream === undefined) {
      done(new Error('the connection is used up'));
      return;
    }
    this.endpointUrl = endpointUrl;
    // Their type of sockets has overloads that ours fits only in effect.
    this._install_socket(socketLike(stream) as ISocketLike);
    this._perform_HEL_ACK_transaction((error) => {
      if (!error) {
        this._install_post_connect_error_handler(endpointUrl);
        this.emit('connect');
      }
      done(error);
    });
  }
}

/** Gives the library the connection once. It opens none of its own, so what it would do to get one back fails. */
export function transportOver(stream: Duplex): IClientTransportFactory {
  let left: Duplex | undefined = stream;
  const take = () => {
    const taken = left;
    left = undefined;
    return taken;
  };
  return { create: () => new GivenTransport(take) };
}

/**
 * The length of what comes, for `limitFrames`: of a chunk, and of all chunks of a message together. A header is the type, whether more follows, and
 * the length (OPC UA Part 6, 7.1.2.2).
 */
export function messageLength(): FrameLength {
  let before = 0;
  return (head) => {
    if (head.length < 8) return undefined;
    const length = Buffer.from(head).readUInt32LE(4);
    before += length;
    if (before > MOST_MESSAGE_BYTES || length < 8) return Number.POSITIVE_INFINITY;
    if (head[3] !== INTERMEDIATE) before = 0;
    return length;
  };
}

/** `C`: another chunk of the message follows. */
const INTERMEDIATE = 0x43;
