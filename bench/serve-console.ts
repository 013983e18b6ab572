import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { serveAsConnect } from './child-side.ts';
import { PLAIN_TABLE } from './plain-table.ts';

// A proxy before Connect, as users have one: everything comes from elnav but the stream of events, in which every device changes in turn, as
// often as the parent asked for; and but the opponent's page at /plain.
const VENDORS = (process.env.BENCH_VENDORS ?? '').split(',');
const DEVICES = Number(process.env.BENCH_DEVICES);
/** The number that the first device has in its id. */
const FIRST_NUMBER = Number(process.env.BENCH_FIRST_NUMBER);
const CHUNK_MS = 10;

const open = new Set<ServerResponse>();
let [perSecond, sent, due, beganAt] = [0, 0, 0, performance.now()];
let target: URL | undefined;

/** An event as Connect sends it. */
function eventOf(number: number): string {
  const index = number % DEVICES;
  const at = new Date().toISOString();
  const from = 1_000 + ((number * 37) % 9_000);
  const data = {
    id: `evt_${number.toString(36)}`,
    type: 'device.state_changed',
    version: 1,
    subject: {
      device: `device-${FIRST_NUMBER + index}`,
      vendor: VENDORS[index % VENDORS.length],
      link: 'link',
      user_ref: `user-${Math.floor(index / 10)}`,
    },
    ...{ occurred_at: at, recorded_at: at },
    data: { changes: { power_w: { from, to: from + 37 } }, observed_at: at, fetched_at: at },
  };
  return `id: cursor-${number}\nevent: device.state_changed\ndata: ${JSON.stringify(data)}\n\n`;
}

setInterval(() => {
  const now = performance.now();
  due += (perSecond * (now - beganAt)) / 1_000;
  beganAt = now;
  let text = '';
  for (; due >= 1; due -= 1) {
    text += eventOf(sent);
    sent += 1;
  }
  if (text !== '') for (const response of open) response.write(text);
}, CHUNK_MS);

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('id: cursor-first\n\n');
  open.add(response);
  response.on('close', () => open.delete(response));
}

function pass(asked: IncomingMessage, response: ServerResponse): void {
  if (target === undefined) {
    response.writeHead(503).end();
    return;
  }
  const { hostname, port } = target;
  const passed: ClientRequest = request(
    { hostname, port, method: asked.method, path: asked.url, headers: asked.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    },
  );
  passed.on('error', () => response.destroy());
  asked.pipe(passed);
}

const server = createServer((asked, response) => {
  if (asked.url === '/events/stream') return stream(response);
  if (asked.url !== '/plain') return pass(asked, response);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PLAIN_TABLE);
});
serveAsConnect(server, { sent: () => sent }, (order) => {
  const [what = '', value = ''] = order.split(' ');
  if (what === 'target') target = new URL(value);
  if (what === 'changes') [perSecond, due, beganAt] = [Number(value), 0, performance.now()];
});
