import { readFileSync, rmSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { serveAsConnect } from './child-side.ts';

// The opponent of a page: Node's own HTTP server, which returns the same bytes with the same headers to every request.
const file = process.env.BENCH_PAGE ?? '';
const { headers, body } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly headers: OutgoingHttpHeaders;
  /** base64, as it is compressed. */
  readonly body: string;
};
rmSync(file);
const bytes = Buffer.from(body, 'base64');
const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(200, headers);
  response.end(bytes);
});
serveAsConnect(server);
