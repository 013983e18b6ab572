import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { systemClock } from '../src/core/clock.ts';
import { openTunnel, type Tunnel } from '../src/gateway/wire/opener.ts';
import { MOST_MESSAGE_BYTES } from '../src/gateway/wire/protocol.ts';
import { answerQuestions, ready } from './child-side.ts';

// Connect's side of gateways: their tunnels, without accounts and links.
const never = new AbortController().signal;
const tunnels: Tunnel[] = [];
const streams: Duplex[] = [];
const server = createServer();
const accepting = new WebSocketServer({ server, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false });
accepting.on('connection', (socket) => {
  tunnels.push(openTunnel(socket, { clock: systemClock, closed: () => {} }));
});
server.listen(0, '127.0.0.1', () => {
  ready({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

const REQUEST = Buffer.alloc(12, 1);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const port = () => Number(process.env.BENCH_PORT);

/** A request of Modbus and its response, ms. */
function exchange(stream: Duplex): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    stream.once('data', () => resolve(performance.now() - began));
    stream.write(REQUEST);
  });
}

/** Every stream once a second; the times of all exchanges, ms. */
async function load(): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  await Promise.all(
    streams.map(async (stream, index) => {
      await setTimeout((index / streams.length) * 1_000);
      while (performance.now() < end) {
        times.push(await exchange(stream));
        await setTimeout(1_000);
      }
    }),
  );
  return times;
}

answerQuestions(
  async () => {
    accepting.close();
    server.closeAllConnections();
    server.close();
  },
  {
    gateways: () => tunnels.length,
    async open() {
      for (const tunnel of tunnels)
        for (let stream = 0; stream < Number(process.env.BENCH_STREAMS); stream += 1)
          streams.push(await tunnel.dial({ host: '127.0.0.1', port: port() }, never));
      return streams.length;
    },
    load,
    /** In turn, directly and through a gateway: what else the machine does meets both alike. */
    async pairs() {
      const direct = connect({ host: '127.0.0.1', port: port(), noDelay: true });
      await new Promise((resolve) => direct.once('connect', resolve));
      const pairs: [number, number][] = [];
      for (let round = 0; round < 3_000; round += 1) {
        const stream = streams[round % streams.length];
        if (stream !== undefined) pairs.push([await exchange(direct), await exchange(stream)]);
      }
      direct.destroy();
      return pairs;
    },
  },
);
