import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { serveAsConnect } from './child-side.ts';

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
serveAsConnect(server);
