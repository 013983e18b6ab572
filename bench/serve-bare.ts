import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions, ready } from './child-side.ts';

// The opponent: Node's own HTTP server, which returns the same bytes to every request.
const file = process.env.BENCH_BODY ?? '';
const body = readFileSync(file);
rmSync(file);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(body.length),
};
const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  ready({ connect: `http://127.0.0.1:${port}`, grid: '' });
});
answerQuestions(async () => {
  server.closeAllConnections();
  server.close();
});
