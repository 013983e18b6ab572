import { createServer } from 'node:http';
import { serveAsConnect } from './child-side.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Node's own HTTP server as an opponent: processes each body with `work`, then responds; 500 on failure. */
export function serveBodies(work: (body: Buffer) => Promise<void>, { status, headers, body }: Answer): void {
  const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      work(Buffer.concat(chunks)).then(
        () => response.writeHead(status, headers).end(body),
        () => response.writeHead(500).end(),
      );
    });
  });
  serveAsConnect(server);
}
