import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, makePlace, type Place } from '../test/kit/databases.ts';
import { ADMIN_TOKEN, callJson, VAULT_KEYS } from '../test/kit/world.ts';
import { type Child, startChild } from './children.ts';
import type { Recorded } from './serve-opponent.ts';

export interface Elnav {
  readonly child: Child;
  readonly connect: string;
  readonly place: Place;
  /** A key of a new account without rate limits. */
  newKey(): Promise<string>;
  /** A new account with the limits of its tier. */
  newAccount(tier: 'free' | 'pro'): Promise<{ readonly id: number; readonly key: string }>;
  close(): Promise<void>;
}

/** elnav in a separate process, on an empty database unless a place is given. */
export async function startElnav(
  engine: Engine,
  given?: Place,
  env: Readonly<Record<string, string>> = {},
): Promise<Elnav> {
  const place = given ?? (await makePlace(engine));
  const child = await startChild('./serve-elnav.ts', {
    ELNAV_CONNECT_PORT: '0',
    ELNAV_GRID_PORT: '0',
    ELNAV_DATA_DIR: place.dataDir,
    ELNAV_ADMIN_TOKEN: ADMIN_TOKEN,
    ELNAV_VAULT_KEYS: VAULT_KEYS,
    // The results must not depend on the network.
    ELNAV_FETCH: 'off',
    ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
    ...env,
  });
  const { connect, grid } = child.ready;
  const newAccount = accountsAt(grid);
  return {
    child,
    connect,
    place,
    newKey: async () => (await newAccount('pro', UNLIMITED)).key,
    newAccount,
    async close() {
      await child.stop();
      if (given === undefined) await place.remove();
    },
  };
}

const UNLIMITED = 'per_minute=100000000&per_hour=1000000000&per_day=1000000000&burst=10000000';

/** Makes accounts through the administration of Grid, with another policy than that of their tier where one is given. */
function accountsAt(
  grid: string,
): (tier: string, policy?: string) => Promise<{ readonly id: number; readonly key: string }> {
  const admin = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await callJson(`${grid}${path}`, {
      method: 'POST',
      headers: { 'x-admin-token': ADMIN_TOKEN },
    });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}`);
    return answer.body as Record<string, unknown>;
  };
  let accounts = 0;
  return async (tier, policy) => {
    accounts += 1;
    const { id } = await admin(
      `/admin/users?email=bench-${process.pid}-${Date.now()}-${accounts}@example.com&tier=${tier}`,
    );
    if (policy !== undefined) await admin(`/admin/users/${id}/policy?${policy}`);
    const scopes = encodeURIComponent('link:write devices:read devices:command');
    const made = await admin(`/admin/users/${id}/keys?label=bench&scopes=${scopes}`);
    return { id: Number(id), key: String(made.api_key) };
  };
}

/** Node's own HTTP server in a separate process, with these responses by path and query; `*` is for all. */
export async function startRecorded(responses: readonly (readonly [string, Recorded])[]): Promise<Child> {
  const file = join(tmpdir(), `elnav-bench-${process.pid}-${Date.now()}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return startChild('./serve-opponent.ts', { BENCH_OPPONENT: 'recorded', BENCH_ANSWERS: file });
}

/** Node's own HTTP server in a separate process, which parses a JSON body and writes it back. */
export const startEcho = (): Promise<Child> => startChild('./serve-opponent.ts', { BENCH_OPPONENT: 'echo' });

/** Node's own HTTP server in a separate process, which stores each body in an empty database; twice where it has a response to give. */
export const startWriter = ({ dataDir, url }: Place, response?: unknown): Promise<Child> =>
  startChild('./serve-opponent.ts', {
    BENCH_OPPONENT: 'writes',
    BENCH_DATA_DIR: dataDir,
    ...(response === undefined ? {} : { BENCH_ANSWER: JSON.stringify(response) }),
    ...(url === undefined ? {} : { BENCH_DATABASE_URL: url }),
  });

/** A call that must succeed. */
export async function call<T>(url: string, key: string, body?: unknown): Promise<T> {
  const answer = await callJson(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status !== 200)
    throw new Error(`${url} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}

/** Does `work` for all items, so many at once. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
