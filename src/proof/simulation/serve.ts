import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type {
  Simulated,
  SimulatedAnswer,
  SimulatedEvents,
  SimulatedRequest,
  SimulatedSocket,
} from '../../adapter/simulator.ts';

/** Tells every answer of a simulator from one of whom it stands for. */
export const SIMULATED_HEADER = 'elnav-simulated';

const MOST_BYTES = 1024 * 1024;
/** What a truncated answer promises beyond what it holds. */
const MISSING_BYTES = 1_024;

export interface ServedSimulator {
  /** Base address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

interface ServeOptions {
  /** Named in the header `Elnav-Simulated` of every answer. */
  readonly slug: string;
  /** Called when something is first asked. */
  readonly load: () => Promise<Simulated>;
  /** 0, or none, takes a free one. */
  readonly port?: number;
  /** Loopback unless it is said. */
  readonly host?: string;
  readonly onRequest?: (request: SimulatedRequest, answer: SimulatedAnswer) => void;
  /** The simulator threw; the caller gets status 500. */
  readonly onFailure?: (error: unknown) => void;
}

/** A simulator on a port: every method, bodies of up to 1 MiB, broken connections as they are, and WebSockets. */
export async function serveSimulated(options: ServeOptions): Promise<ServedSimulator> {
  const { slug, port = 0, host = '127.0.0.1' } = options;
  let loading: Promise<Simulated> | undefined;
  const load = (): Promise<Simulated> => {
    loading ??= options.load();
    return loading;
  };
  let sockets: WebSocketServer | undefined;

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(SIMULATED_HEADER, slug);
    const body = await bodyOf(message);
    if (body === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const request = requestOf(message, body);
    const answered = await failing(async () => (await load()).handle(request));
    options.onRequest?.(request, answered);
    if (answered.events === undefined) send(answered, response);
    else answered.events(eventsOf(answered, response));
  }

  /** A question that a simulator was not made for must not end the process that it runs in. */
  async function failing(work: () => Promise<SimulatedAnswer>): Promise<SimulatedAnswer> {
    try {
      return await work();
    } catch (error) {
      options.onFailure?.(error);
      return { status: 500, text: `the simulator of ${slug} failed` };
    }
  }

  async function upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const simulated = await load();
    if (simulated.upgrade === undefined) {
      socket.end(responseOf(slug, { status: 404 }));
      return;
    }
    const refusal = simulated.refusal?.(requestOf(message, Buffer.alloc(0)));
    if (refusal !== undefined) {
      socket.end(responseOf(slug, refusal));
      return;
    }
    sockets ??= await openSockets(slug);
    sockets.handleUpgrade(message, socket, head, (webSocket) => {
      try {
        simulated.upgrade?.(requestOf(message, Buffer.alloc(0)), socketOf(webSocket, options.onFailure));
      } catch (error) {
        options.onFailure?.(error);
        webSocket.close(1011);
      }
    });
  }

  const server = createServer((message, response) => {
    // Whoever asked went away, or what the simulator answered is no HTTP.
    answer(message, response).catch((error: unknown) => {
      if (!message.destroyed) options.onFailure?.(error);
      message.socket.destroy();
    });
  });
  server.on('upgrade', (message, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(message, socket, head).catch((error: unknown) => {
      options.onFailure?.(error);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const webSocket of sockets?.clients ?? []) webSocket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The response to a handshake that is not accepted, as bytes: there is no response object for those. */
function responseOf(slug: string, answer: SimulatedAnswer): Buffer {
  const { body, headers } = bodyAndHeaders(answer);
  const all = {
    connection: 'close',
    'content-length': String(body.length),
    [SIMULATED_HEADER]: slug,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`, ...lines, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}

/** Loaded with the first WebSocket: most simulators have none. */
async function openSockets(slug: string): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });
  sockets.on('headers', (headers) => headers.push(`${SIMULATED_HEADER}: ${slug}`));
  return sockets;
}

function socketOf(webSocket: WebSocket, onFailure: ServeOptions['onFailure']): SimulatedSocket {
  // A close follows, and reports it.
  webSocket.on('error', () => {});
  const guarded =
    <A extends unknown[]>(take: (...args: A) => void) =>
    (...args: A) => {
      try {
        take(...args);
      } catch (error) {
        onFailure?.(error);
        webSocket.close(1011);
      }
    };
  return {
    send: (text) => webSocket.send(text),
    close: (code) => webSocket.close(code),
    onFrame: (take) => void webSocket.on('message', (data) => guarded(take)(String(data))),
    onClose: (take) => void webSocket.on('close', () => guarded(take)()),
  };
}

/** Undefined when it is larger than what is taken. */
async function bodyOf(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed when it is left early: the refusal goes out on the same connection.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requestOf(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Uint8Array,
): SimulatedRequest {
  // Not parsed as a URL: that would change what the vendor is asked.
  const [path = '/', ...query] = url.split('?');
  return {
    method,
    path,
    query: new URLSearchParams(query.join('?')),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
  };
}

/** The body as it is sent, and the headers that go with it; used where a simulator's answer is passed on. */
export function bodyAndHeaders(answer: SimulatedAnswer): {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
} {
  const isJson = answer.json !== undefined;
  const text = isJson ? JSON.stringify(answer.json) : (answer.text ?? '');
  return {
    body: answer.bytes ?? Buffer.from(text),
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...answer.headers },
  };
}

function eventsOf({ status, headers }: SimulatedAnswer, response: ServerResponse): SimulatedEvents {
  response.writeHead(status, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...headers,
  });
  response.flushHeaders();
  return {
    write: (text) => void response.write(text),
    end: () => void response.end(),
    onClose: (take) => void response.on('close', take),
  };
}

function send(answer: SimulatedAnswer, response: ServerResponse): void {
  if (answer.broken === 'hang') return;
  if (answer.broken === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { body, headers } = bodyAndHeaders(answer);
  if (answer.broken === 'truncate') {
    response.writeHead(answer.status, { ...headers, 'content-length': body.length + MISSING_BYTES });
    response.write(body, () => response.destroy());
    return;
  }
  response.writeHead(answer.status, headers).end(body);
}
