import { Agent, request } from 'node:http';

export interface Question {
  readonly method: string;
  /** Sent unchanged: no client corrects its percent-encoding. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the header Host, which HTTP/1.1 requires. */
  readonly isWithoutHost?: true;
  readonly body?: string | Buffer | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let clients = 0;

/** A new client address for each request, so that no limit or ban of an address applies by accident. */
export function freshAddress(): string {
  clients += 1;
  return `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`;
}

/** Sends one request without the corrections of an HTTP client. */
export function ask(
  base: string,
  { method, path, headers = {}, body, isWithoutHost }: Question,
): Promise<Reply> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        agent,
        setHost: isWithoutHost !== true,
        headers: {
          'x-forwarded-for': freshAddress(),
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        const answered = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString('utf8'),
          });
        response.on('end', answered);
        // A stream of events has no end, so its first part is the response.
        const isEndless = response.headers['content-type']?.startsWith('text/event-stream') === true;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          if (!isEndless) return;
          answered();
          response.destroy();
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Closes connections that `ask` keeps open. */
export function hangUp(): void {
  agent.destroy();
}
