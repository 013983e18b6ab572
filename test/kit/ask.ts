import { Agent, request } from 'node:http';

export interface Question {
  readonly method: string;
  /** Sent as it is: no client mends its percent-encoding. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let clients = 0;

/** A client address of its own for each request, so that no limit or ban of one address is met by accident. */
export function freshAddress(): string {
  clients += 1;
  return `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`;
}

/** Sends one request without any client's good manners. */
export function ask(base: string, { method, path, headers = {}, body }: Question): Promise<Reply> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        agent,
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
        // A stream of events has no end: its first part is the answer.
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

/** Closes what `ask` keeps open. */
export function hangUp(): void {
  agent.destroy();
}
