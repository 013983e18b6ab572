import type { Duplex } from 'node:stream';

/** Bytes to send, and the bytes that the reply to them begins with; an empty reply is not waited for. */
interface ScriptedExchange {
  readonly send: Uint8Array;
  readonly reply: Uint8Array;
}

/** What is said over one connection, made beforehand: it can be sent by a process that knows nothing of the protocol. */
export interface ByteScript {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
  readonly exchanges: readonly ScriptedExchange[];
}

/**
 * Says a script over a connection, and ends the connection. Throws where a reply does not begin as it must, the connection ends before, or the
 * signal fires; the connection is destroyed then.
 */
export async function sayScript(
  { exchanges }: Pick<ByteScript, 'exchanges'>,
  connection: Duplex,
  signal: AbortSignal,
): Promise<void> {
  const giveUp = () => connection.destroy(new Error('it took too long'));
  // What breaks is seen by who reads or writes.
  connection.on('error', () => {});
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const replies = connection.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (const { send, reply } of exchanges) {
      connection.write(send);
      await replyBeginsWith(reply, replies);
    }
    await ended(connection);
  } finally {
    signal.removeEventListener('abort', giveUp);
    connection.destroy();
  }
}

async function replyBeginsWith(expected: Uint8Array, replies: AsyncIterator<Buffer>): Promise<void> {
  let received = Buffer.alloc(0);
  while (received.length < expected.length) {
    const { value, done } = await replies.next();
    if (done === true) throw new Error('the connection ended before the reply');
    received = Buffer.concat([received, value]);
    const length = Math.min(received.length, expected.length);
    if (!received.subarray(0, length).equals(expected.subarray(0, length)))
      throw new Error('the reply is another');
  }
}

/** Resolves when everything has gone to the system. */
async function ended(connection: Duplex): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.once('close', () => reject(new Error('the connection ended before everything was sent')));
  connection.end(resolve);
  await promise;
}
