import type { Redis } from 'ioredis';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';

/** The Redis that instances share for their limits; undefined where none is set. */
export async function openRedis(settings: Settings, log: Log): Promise<Redis | undefined> {
  if (settings.redisUrl === undefined) return undefined;
  // Loaded only where it is used: it costs memory and start-up.
  const { Redis } = await import('ioredis');
  // A limit that cannot be counted in Redis at once is counted in memory: a request never waits for a lost Redis.
  const redis = new Redis(settings.redisUrl.reveal(), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2_000,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 3_000),
  });
  let lost = false;
  redis.on('error', (error) => {
    if (!lost)
      log.warn(
        { err: error },
        'Redis cannot be reached; limits are counted by this process alone until it is back',
      );
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) log.info('Redis is back');
    lost = false;
  });
  return redis;
}
