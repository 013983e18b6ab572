import { createServer } from 'node:net';
import { WebSocket } from 'ws';
import { systemClock } from '../src/core/clock.ts';
import { openConnection } from '../src/gateway/open.ts';
import { MOST_MESSAGE_BYTES } from '../src/gateway/wire/protocol.ts';
import { serveTunnel } from '../src/gateway/wire/server.ts';
import { answerQuestions, ready } from './child-side.ts';

// The other side: homes with a gateway each, and one device that sends back what it gets.
const device = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});
device.listen(Number(process.env.BENCH_PORT), '127.0.0.1', () => {
  const sockets = Array.from({ length: Number(process.env.BENCH_GATEWAYS) }, () => {
    const socket = new WebSocket(process.env.BENCH_URL ?? '', {
      maxPayload: MOST_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    socket.once('open', () =>
      serveTunnel(socket, {
        clock: systemClock,
        closed: () => {},
        services: {
          open: (to, signal) => openConnection(to, { isPermitted: () => true, signal }),
          answer: () => undefined,
        },
      }),
    );
    return socket;
  });
  ready({});
  answerQuestions(async () => {
    for (const socket of sockets) socket.terminate();
    device.close();
  });
});
