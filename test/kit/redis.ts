import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { randomId, systemRandom } from '../../src/core/ids.ts';

const url = process.env.TEST_REDIS_URL;

/** Why tests with Redis are skipped, or false. */
export const withoutRedis = url === undefined ? 'TEST_REDIS_URL is not set' : false;

/** The options of the services, but for the time after which a command is given up: a busy machine may need more. */
const OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 60_000,
  enableAutoPipelining: true,
};

export function anyPrefix(): string {
  return `${randomId(systemRandom)}:`;
}

/** A connected client; clients with the same prefix share their keys. */
export async function openRedis(
  prefix = anyPrefix(),
  address = url ?? '',
  commandTimeout = OPTIONS.commandTimeout,
): Promise<Redis> {
  const redis = new Redis(address, {
    ...OPTIONS,
    commandTimeout,
    keyPrefix: prefix,
    retryStrategy: () => 10,
  });
  redis.on('error', () => {});
  if (redis.status !== 'ready') await once(redis, 'ready');
  return redis;
}

/** A client of a Redis that does not exist, after it has given up. */
export async function openAbsentRedis(): Promise<Redis> {
  const redis = new Redis({ host: '127.0.0.1', port: 1, ...OPTIONS, retryStrategy: () => null });
  redis.on('error', () => {});
  await new Promise<void>((resolve) => {
    redis.once('end', () => resolve());
  });
  return redis;
}

/** A TCP proxy in front of Redis that can drop its connections, or keep them and forward nothing. */
export async function openRedisProxy() {
  const target = new URL(url ?? '');
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 6379), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        if (!isHanging) to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    cut,
    hang() {
      isHanging = true;
    },
    async restore() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
