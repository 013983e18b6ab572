import { createServer } from 'node:http';
import { serveAsConnect } from './child-side.ts';

// The opponent: Node's own HTTP server, which parses a JSON body and writes it back.
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('{"status":"ok"}');
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(parts).toString('utf8')));
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    });
    response.end(text);
  });
});
serveAsConnect(server, { peak: () => process.resourceUsage().maxRSS * 1_024 });
