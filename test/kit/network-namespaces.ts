import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/core/json.ts';
import { until } from './until.ts';
import type { Answer, Caller } from './world.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** For tests that make network namespaces, which only root on Linux can: why they are left out, or false. */
export const withoutNamespaces: string | false =
  process.env.TEST_NETWORK_NAMESPACES === 'on' ? false : 'TEST_NETWORK_NAMESPACES is not on';

/** Where Connect is for a gateway, and where the device is for the gateway. */
export const CLOUD = '192.0.2.1';
export const DEVICE = '10.77.0.10';
const GATEWAY_OUTSIDE = '192.0.2.2';
const GATEWAY_INSIDE = '10.77.0.1';

/** A command line that runs in a namespace; the process that starts is the command itself. */
export function commandIn(
  namespace: string | undefined,
  command: readonly string[],
): readonly [string, readonly string[]] {
  const [file = '', ...args] =
    namespace === undefined ? command : ['ip', 'netns', 'exec', namespace, ...command];
  return [file, args];
}

/**
 * Three machines: Connect in a cloud, a gateway that is also in a home, and a device that is in the home alone. Nothing is forwarded, and the
 * network of the machine that runs the test is not touched.
 */
export interface Networks {
  readonly cloud: string;
  readonly gateway: string;
  readonly device: string;
  /** Creates them. */
  make(): Promise<void>;
  /** Ends what runs in them, and removes those that were made. */
  remove(): Promise<void>;
}

export function networksOf(name: string): Networks {
  const [cloud, gateway, device] = ['cloud', 'gateway', 'device'].map((one) => `${name}-${one}`) as [
    string,
    string,
    string,
  ];
  const made: string[] = [];
  const ip = (...args: string[]) => run('ip', args);
  async function wire(from: string, to: string, { link, addresses }: Wire): Promise<void> {
    await ip('-n', from, 'link', 'add', link, 'type', 'veth', 'peer', 'name', link, 'netns', to);
    for (const [index, end] of [from, to].entries()) {
      await ip('-n', end, 'address', 'add', `${addresses[index]}/24`, 'dev', link);
      await ip('-n', end, 'link', 'set', link, 'up');
    }
  }
  return {
    ...{ cloud, gateway, device },
    async make() {
      for (const one of [cloud, gateway, device]) {
        await ip('netns', 'add', one);
        made.push(one);
        await ip('-n', one, 'link', 'set', 'lo', 'up');
      }
      await wire(cloud, gateway, { link: 'internet', addresses: [CLOUD, GATEWAY_OUTSIDE] });
      await wire(gateway, device, { link: 'home', addresses: [GATEWAY_INSIDE, DEVICE] });
    },
    async remove() {
      for (const one of made.splice(0)) {
        const { stdout } = await ip('netns', 'pids', one);
        for (const pid of stdout.split('\n').filter((line) => line !== ''))
          process.kill(Number(pid), 'SIGKILL');
        // Its interfaces go with it.
        await ip('netns', 'delete', one);
      }
    },
  };
}

interface Wire {
  /** Of both ends. */
  readonly link: string;
  readonly addresses: readonly [string, string];
}

/**
 * Runs `home-devices.ts` in a namespace until the namespace is removed.
 * @returns the credentials of its OPC UA server, whose map of nodes it knows
 */
export async function devicesIn(namespace: string, args: readonly string[]): Promise<JsonObject> {
  const script = join(import.meta.dirname, 'home-devices.ts');
  const [file, given] = commandIn(namespace, [process.execPath, script, ...args]);
  const child = spawn(file, given, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  await until('the devices are there', () => {
    if (child.exitCode !== null) throw new Error(text);
    return text.includes('The devices are there');
  });
  return JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? '{}');
}

/** Calls an HTTP service from a namespace, as nothing outside of it can. */
export async function askIn(
  namespace: string,
  url: string,
  { method, headers = {}, body }: { method: string; headers?: Record<string, string>; body?: unknown },
): Promise<Answer> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const sent = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
  const [file, args] = commandIn(namespace, ['curl', '-sS', '-i', '-X', method, ...lines, ...sent, url]);
  const { stdout } = await run(file, args);
  const [head = '', text = ''] = stdout.split('\r\n\r\n', 2);
  const [status = '', ...fields] = head.split('\r\n');
  return {
    status: Number(status.split(' ')[1]),
    headers: new Headers(fields.map((field) => field.split(': ', 2) as [string, string])),
    body: text === '' ? null : JSON.parse(text),
  };
}

/** Calls Connect from a namespace with a key. */
export const callerIn = (namespace: string, url: string, key: string): Pick<Caller, 'call'> => ({
  call: (method, path, body, headers = {}) =>
    askIn(namespace, `${url}${path}`, { method, body, headers: { 'x-api-key': key, ...headers } }),
});
