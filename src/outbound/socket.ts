import { type Dispatcher, WebSocket } from 'undici';
import { limitedSeconds, retryAfterSeconds } from '../adapter/failures.ts';
import type { VendorSocket } from '../adapter/http.ts';
import { failureOfStatus, HttpFailure } from '../adapter/http.ts';
import type { OutboundAgent } from './agent.ts';
import { Inbox } from './inbox.ts';

export interface SocketRequest {
  /** What errors call the service. */
  readonly name: string;
  /** Absolute; http becomes ws, and https wss. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The subprotocol (RFC 6455 §1.9) that the service must agree to. */
  readonly protocol?: string | undefined;
  /** Ends the connection, at whatever point it is. */
  readonly signal: AbortSignal;
  readonly agent: OutboundAgent;
  /** ms since 1970; for a `Retry-After` that names a time. */
  readonly now: () => number;
}

/**
 * Opens a WebSocket. Throws an `HttpFailure` when the vendor does not agree, with the status that it answered instead. Frames of bytes
 * are treated as UTF-8 text.
 */
export async function openSocket(request: SocketRequest): Promise<VendorSocket> {
  const { url, headers, protocol, signal, agent } = request;
  agent.guard?.checkUrl(url);
  if (signal.aborted) throw new HttpFailure('timeout', 'the connection was given up');
  const address = new URL(url);
  address.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  let refusal: HttpFailure | undefined;
  const socket = new WebSocket(address, {
    headers: { ...headers },
    ...(protocol === undefined ? {} : { protocols: [protocol] }),
    dispatcher: agent.dispatcher.compose(
      watching((response) => {
        refusal = refusalIn(response, request);
      }),
    ),
  });
  socket.binaryType = 'arraybuffer';
  const frames = new Inbox<string>(({ length }) => length);
  void frames.ended.then(() => socket.close());
  const give = () => frames.end();
  signal.addEventListener('abort', give, { once: true });
  socket.addEventListener('message', ({ data }) => {
    frames.push(typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer).toString());
  });
  const opened = Promise.withResolvers<void>();
  signal.addEventListener(
    'abort',
    () => opened.reject(new HttpFailure('timeout', 'it did not answer in time')),
    {
      once: true,
    },
  );
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => {
    // What it says of itself may hold the address with its token.
    const broken = refusal ?? new HttpFailure('unreachable', 'the connection broke');
    opened.reject(broken);
    frames.end(broken);
  });
  socket.addEventListener('close', ({ wasClean }) => {
    signal.removeEventListener('abort', give);
    const broken = new HttpFailure('unreachable', 'the connection ended');
    opened.reject(broken);
    frames.end(wasClean ? undefined : broken);
  });
  await opened.promise;
  return {
    send: (text) => socket.send(text),
    close: () => frames.end(),
    frames,
  };
}

/** The response to a handshake that was not accepted. */
interface Refused {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

function refusalIn({ status, headers }: Refused, { name, now }: SocketRequest): HttpFailure {
  const asked =
    status === 429 ? limitedSeconds(headers, now()) : retryAfterSeconds(headers['retry-after'], now());
  const failure = failureOfStatus(name, { status, retryAfterSeconds: asked });
  return failure ?? new HttpFailure('answer_invalid', `${name} did not open a WebSocket`, { status });
}

/** Reports the response to a handshake where it is not 101: undici's WebSocket only says that it failed. */
function watching(refused: (response: Refused) => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      options,
      new Proxy(handler, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'onResponseStart') return value.bind(target);
          return (...call: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>) => {
            const [, status, headers] = call;
            const single = Object.entries(headers).map(([key, of]) => [key, String(of)]);
            refused({ status, headers: Object.fromEntries(single) });
            return target.onResponseStart?.(...call);
          };
        },
      }),
    );
}
