import type { Duplex } from 'node:stream';

/** What libraries of protocols set on the sockets that they open themselves. */
interface SocketOptions {
  setKeepAlive(): this;
  setNoDelay(): this;
  setTimeout(): this;
}

/** A stream for libraries that expect a socket of their own: what they set on it does nothing, as who has opened it has set it. */
export function socketLike(stream: Duplex): Duplex & SocketOptions {
  const ignored = () => like;
  const like: Duplex & SocketOptions = Object.assign(stream, {
    setKeepAlive: ignored,
    setNoDelay: ignored,
    setTimeout: ignored,
  });
  return like;
}
