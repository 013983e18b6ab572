import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { serveAsConnect } from './child-side.ts';

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
serveAsConnect(server);
