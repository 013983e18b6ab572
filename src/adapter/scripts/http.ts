import type { ByteScript } from '../../core/byte-script.ts';
import type { Json } from '../../core/json.ts';

interface Request {
  /** `http://` with a host and maybe a port. */
  readonly baseUrl: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: Json;
}

const HTTP_PORT = 80;
/** Any status of success. */
const SUCCESS = 'HTTP/1.1 2';

/** One request over HTTP/1.1, on a connection of its own (RFC 9112). Headers are ours, so that they hold no line breaks. */
export function requestScript({ baseUrl, method, path, headers, json }: Request): ByteScript {
  const { hostname, port, host } = new URL(baseUrl);
  const body = json === undefined ? '' : JSON.stringify(json);
  const all = {
    host,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
  ];
  if (lines.some((line) => /[\r\n\0]/.test(line))) throw new TypeError('a header holds a line break');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? HTTP_PORT : Number(port),
    exchanges: [
      { send: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`), reply: Buffer.from(SUCCESS, 'latin1') },
    ],
  };
}
