import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { commandIn } from './network-namespaces.ts';
import { until } from './until.ts';
import type { Caller } from './world.ts';

const running = new Set<ChildProcess>();
// A failed test must not leave its processes behind.
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A gateway as its owner runs it: a process of its own, over real sockets. */
export interface GatewayProcess {
  readonly dataDir: string;
  output(): string;
  /** `SIGUSR2` turns its clock three minutes ahead. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void;
  readonly exited: Promise<unknown>;
}

interface Launch {
  readonly url: string;
  readonly code?: string;
  /** Of another start, with the key that was made then. */
  readonly dataDir?: string;
  /** `npm run gateway`, which opens nothing on this machine. */
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A network namespace. */
  readonly within?: string;
}

const DIRS: string[] = [];
after(() => {
  for (const dir of DIRS) rmSync(dir, { recursive: true, force: true });
});

export function startGatewayProcess({
  url,
  code,
  dataDir = mkdtempSync(join(tmpdir(), 'elnav-gateway-')),
  main = 'test/kit/gateway-on-loopback.ts',
  env = {},
  within,
}: Launch): GatewayProcess {
  DIRS.push(dataDir);
  const [file, args] = commandIn(within, [process.execPath, join(import.meta.dirname, '../..', main)]);
  const child = spawn(file, args, {
    env: {
      PATH: process.env.PATH,
      ELNAV_GATEWAY_URL: url,
      ELNAV_GATEWAY_DATA_DIR: dataDir,
      ...(code === undefined ? {} : { ELNAV_GATEWAY_CODE: code }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const exited = once(child, 'close').then((how) => {
    running.delete(child);
    return how[0] as unknown;
  });
  return { dataDir, output: () => text, kill: (signal) => child.kill(signal), exited };
}

export interface SeenGateway {
  readonly id: string;
  readonly connected: boolean;
  readonly last_heard_at: string | null;
  readonly networks: readonly string[];
}

export const gatewayOf = async (caller: Pick<Caller, 'call'>, id: string): Promise<SeenGateway> =>
  (await caller.call('GET', `/gateways/${id}`)).body as SeenGateway;

/** A gateway of an account, connected. */
export async function pairedGateway(
  caller: Pick<Caller, 'call'>,
  url: string,
  launch: Pick<Launch, 'main' | 'within'> = {},
): Promise<GatewayProcess & { readonly id: string }> {
  const made = await caller.call('POST', '/gateways', { name: 'Home' });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, pairing_code: code } = made.body as { id: string; pairing_code: string };
  const process = startGatewayProcess({ url, code, ...launch });
  await until('the gateway is connected', async () => (await gatewayOf(caller, id)).connected);
  return { ...process, id };
}
