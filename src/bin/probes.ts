import { statfs } from 'node:fs/promises';
import type { Redis } from 'ioredis';
import type { Database } from '../db/database.ts';
import type { Probe } from '../http/health.ts';

const GIB = 1024 ** 3;

interface ProbeOptions {
  readonly database: Database;
  readonly redis: Redis | undefined;
  readonly dataDir: string;
}

/** What `/readyz` asks. Without Redis each process counts limits by itself, so it is not vital. */
export function probesOf({ database, redis, dataDir }: ProbeOptions): Probe[] {
  const probes: Probe[] = [
    {
      name: 'database',
      vital: true,
      async check() {
        await database.check();
        return 'ok';
      },
    },
  ];
  if (redis !== undefined) {
    probes.push({
      name: 'redis',
      vital: false,
      async check() {
        // A connection can stand and be silent, so its status alone does not tell.
        await redis.ping().catch((cause: unknown) => {
          throw new Error('lost; each process counts limits by itself', { cause });
        });
        return 'ok';
      },
    });
  }
  if (database.engine === 'sqlite') {
    probes.push({
      name: 'disk',
      vital: false,
      async check() {
        const free = await freeBytes(dataDir);
        if (free < GIB) throw new Error(`only ${Math.floor(free / 1024 ** 2)} MiB are free`);
        return 'ok';
      },
    });
  }
  return probes;
}

/** What is free of the disk that a directory is on. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
