import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Place } from './databases.ts';
import { CHILD_ENV } from './environment.ts';
import { commandIn } from './network-namespaces.ts';
import { FAULT, responses } from './responses.ts';
import { ADMIN_TOKEN, type Answer, type Caller, callJson, VAULT_KEYS } from './world.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service as an operator runs it: a separate process with real sockets. */
export interface Service {
  readonly connect: string;
  readonly grid: string;
  /** From the start of the process until it printed that it is ready. */
  readonly readyMs: number;
  readonly exited: Promise<Exit>;
  output(): string;
  signal(name: NodeJS.Signals): void;
}

export interface Launch {
  readonly bin?: 'all' | 'connect' | 'grid' | 'key' | 'open-console' | 'rotate-vault';
  /** Test modules that are loaded first. */
  readonly imports?: readonly string[];
  /** The user id of the process; only root may choose. */
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A network namespace. */
  readonly within?: string;
}

const root = join(import.meta.dirname, '../..');
/** What each process loads first: it holds its responses against its document. */
const RESPONSES = 'test/kit/responses.ts';
const running = new Set<ChildProcess>();
// A failed test must neither leave its processes behind nor wait for them.
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Settings of a service that stores its data at `place`. */
export function envOf(place: Pick<Place, 'dataDir' | 'url'>): Record<string, string> {
  return {
    ELNAV_DATA_DIR: place.dataDir,
    ELNAV_ADMIN_TOKEN: ADMIN_TOKEN,
    ELNAV_VAULT_KEYS: VAULT_KEYS,
    ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
  };
}

function launch({ bin = 'all', env = {}, imports = [], uid, within }: Launch) {
  const began = performance.now();
  const before = [RESPONSES, ...imports].flatMap((file) => ['--import', join(root, file)]);
  const [file, args] = commandIn(within, [process.execPath, ...before, join(root, `src/bin/${bin}.ts`)]);
  const child = spawn(file, args, {
    cwd: root,
    ...(uid === undefined ? {} : { uid }),
    env: {
      ...CHILD_ENV,
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '0',
      ELNAV_LOG_LEVEL: 'warn',
      // No test calls the network.
      ELNAV_FETCH: 'off',
      ELNAV_SIMULATE: 'none',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  const heard = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString();
    for (const notify of heard) notify();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  // 'close' is emitted after all output has been read.
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      responses.faults.push(...text.split('\n').filter((line) => line.startsWith(FAULT)));
      resolve({ code, signal });
    });
  });
  return { began, child, exited, heard, output: () => text };
}

/** Starts the service and resolves when it is ready. */
export async function startService(options: Launch): Promise<Service> {
  const { began, child, exited, heard, output } = launch(options);
  const ready = new Promise<void>((resolve) => {
    heard.add(() => {
      if (/elnav is ready[\s\S]*Data .*\n/.test(output())) resolve();
    });
  });
  const gone = exited.then(({ code }) => {
    throw new Error(`the service ended with code ${code}: ${output()}`);
  });
  await Promise.race([ready, gone]);
  return {
    connect: /^ *Connect +(\S+)/m.exec(output())?.[1] ?? '',
    grid: /^ *Grid +(\S+)/m.exec(output())?.[1] ?? '',
    readyMs: performance.now() - began,
    exited,
    output,
    signal: (name) => child.kill(name),
  };
}

/** Runs a service that is expected to exit by itself; kills one that becomes ready. */
export async function runToEnd(options: Launch): Promise<Exit & { readonly output: string }> {
  const { child, exited, heard, output } = launch(options);
  heard.add(() => {
    if (output().includes('elnav is ready')) child.kill('SIGKILL');
  });
  const exit = await exited;
  return { ...exit, output: output() };
}

/** Stops a service as an operator does; asserts a clean exit. */
export async function stopService(service: Service): Promise<void> {
  service.signal('SIGTERM');
  assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
}

export function admin(grid: string, method: string, path: string): Promise<Answer> {
  return callJson(`${grid}${path}`, { method, headers: { 'x-admin-token': ADMIN_TOKEN } });
}

/** An account with high limits, and a key of it. */
export async function openAccount(
  grid: string,
  policy = 'per_minute=100000&per_hour=1000000&per_day=10000000&burst=10000',
): Promise<Pick<Caller, 'userId' | 'keyId' | 'key'>> {
  const email = encodeURIComponent(`user-${crypto.randomUUID()}@example.com`);
  const { body: user } = await admin(grid, 'POST', `/admin/users?email=${email}&tier=pro`);
  const { id: userId } = user as { id: number };
  await admin(grid, 'POST', `/admin/users/${userId}/policy?${policy}`);
  const { body: made } = await admin(grid, 'POST', `/admin/users/${userId}/keys?label=test`);
  const { id: keyId, api_key: key } = made as { id: string; api_key: string };
  return { userId, keyId, key };
}

/** Calls a service with a key; `headers` are added. */
export function callWith(key: string) {
  return (
    base: string,
    request: {
      method?: string;
      path: string;
      body?: unknown;
      headers?: Record<string, string>;
      signal?: AbortSignal;
    },
  ): Promise<Answer> =>
    callJson(`${base}${request.path}`, {
      method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
      headers: {
        'x-api-key': key,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
}

export type Call = ReturnType<typeof callWith>;

/**
 * Polls until `look` returns something other than undefined; fails with `what` after the deadline.
 * The deadline measures nothing: it is as long as a busy machine or a slow disk may need.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
