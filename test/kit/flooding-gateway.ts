import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { decode, encode } from '../../src/gateway/wire/frame.ts';
import { PAIRING_CODE, PATH, SUBPROTOCOL } from '../../src/gateway/wire/protocol.ts';

/*
 * A gateway that floods Connect, in a process of its own: `node flooding-gateway.ts <url of Connect> <key> <pairing code> <flood>`.
 * It prints a line when it is connected, and how it ended: a close code of the WebSocket, or the status of a refused handshake.
 */

const [, , url = '', key = '', code = '', flood = ''] = process.argv;

const dial = () =>
  new WebSocket(`${url.replace('http', 'ws')}/${PATH}`, SUBPROTOCOL, {
    headers: { authorization: `Bearer ${key}`, [PAIRING_CODE]: code },
    perMessageDeflate: false,
  });

/** Sends without end, in portions, so that what the other end says is seen. */
function forEver(socket: WebSocket, send: () => void): void {
  const portion = () => {
    for (let sent = 0; sent < 500 && socket.readyState === WebSocket.OPEN; sent += 1) send();
    if (socket.readyState === WebSocket.OPEN) setTimeout(portion, socket.bufferedAmount > 1e6 ? 10 : 0);
  };
  portion();
}

/** By what it sends; those of answers wait for a stream of Connect. */
const FLOODS: Readonly<Record<string, (socket: WebSocket) => void>> = {
  pings: (socket) => forEver(socket, () => socket.send(encode('ping', 0))),
  'pings of the WebSocket': (socket) => forEver(socket, () => socket.ping()),
  text: (socket) => forEver(socket, () => socket.send('{}')),
  'messages that are too large': (socket) => forEver(socket, () => socket.send(Buffer.alloc(1_000_000))),
  'data of streams that are not there': (socket) =>
    forEver(socket, () => socket.send(encode('data', 1, Buffer.from('x')))),
  'answers without end, in small pieces': (socket) => answered(socket, Buffer.from('['.repeat(64))),
  'confirmations without end': (socket) =>
    onOpen(socket, (stream) => forEver(socket, () => socket.send(encode('opened', stream)))),
};

function onOpen(socket: WebSocket, act: (stream: number) => void): void {
  socket.on('message', (message: Buffer) => {
    const frame = decode(message);
    if (frame?.type === 'open') act(frame.stream);
  });
}

/** Keeps to the window of the stream until Connect has had enough, and then sends on. */
function answered(socket: WebSocket, piece: Buffer): void {
  onOpen(socket, (stream) => {
    let credit = 64 * 1024;
    socket.send(encode('opened', stream));
    socket.on('message', (message: Buffer) => {
      const frame = decode(message);
      if (frame?.type === 'credit') credit += frame.payload.readUInt32BE();
      if (frame?.type === 'reset') credit = Number.POSITIVE_INFINITY;
    });
    forEver(socket, () => {
      if (credit < piece.length) return;
      credit -= piece.length;
      socket.send(encode('data', stream, piece));
    });
  });
}

/** Resolves with the close code, or with the status of the refusal. */
async function connectOnce(act: (socket: WebSocket) => void): Promise<number> {
  const socket = dial();
  socket.on('error', () => {});
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, { statusCode = 0 }: IncomingMessage) => {
      socket.terminate();
      resolve(statusCode);
    });
  });
  const closed = once(socket, 'close').then(([closeCode]) => Number(closeCode));
  socket.once('open', () => {
    console.log('connected');
    act(socket);
  });
  return Promise.race([refused, closed]);
}

if (flood === 'connections') {
  let ended: number;
  do ended = await connectOnce((socket) => socket.close(1000));
  while (ended === 1000 || ended === 1005);
  console.log(`ended ${ended}`);
} else {
  const act = FLOODS[flood];
  if (act === undefined) throw new Error(`there is no flood "${flood}"`);
  console.log(`ended ${await connectOnce(act)}`);
}
process.exit(0);
