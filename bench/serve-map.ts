import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions, ready } from './child-side.ts';

// The opponent: Node's own HTTP server, which looks up its responses in a Map by path and query.
const file = process.env.BENCH_ANSWERS ?? '';
const answers = new Map<string, string>(JSON.parse(readFileSync(file, 'utf8')));
rmSync(file);
const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  const body = answers.get(request.url ?? '');
  if (body === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
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
