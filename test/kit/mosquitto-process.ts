import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { connectAsync, type MqttClient } from 'mqtt';
import type { SimulatedCertificate } from './certificates.ts';
import { freePort } from './free-port.ts';
import { commandIn } from './network-namespaces.ts';
import { programAt } from './programs.ts';
import { until } from './until.ts';

const run = promisify(execFile);

const BINARY = programAt('mosquitto');
const PASSWORDS = programAt('mosquitto_passwd');

/** For tests that start a broker of their own: why they are left out, or false. */
export const withoutMosquitto: string | false =
  BINARY === undefined || PASSWORDS === undefined
    ? 'mosquitto and mosquitto_passwd are not installed (apt-get install mosquitto)'
    : false;

const running = new Set<ChildProcess>();
const folders: string[] = [];
// A failed test must not leave its processes behind.
after(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Settings {
  /** Who may connect; anybody unless it is said. */
  readonly users?: Readonly<Record<string, string>>;
  /** Without it, the broker speaks plain TCP. */
  readonly certificate?: SimulatedCertificate;
}

interface Launch extends Settings {
  /** An address of this machine, or of the namespace; loopback unless it is said. */
  readonly host?: string;
  /** One that is free unless it is said. */
  readonly port?: number;
  /** A network namespace. */
  readonly within?: string;
}

/** A Mosquitto that a test started. */
export interface Mosquitto {
  readonly host: string;
  readonly port: number;
  /** Ends it as the system does: it keeps what is retained. */
  stop(): Promise<void>;
  /** Starts it again at the same address, with other settings where they are given. */
  start(settings?: Settings): Promise<void>;
  /** Connects as a device does, with a client of its own. */
  device(signIn?: { readonly username: string; readonly password: string }): Promise<MqttClient>;
}

/** Starts a broker with a folder of its own. */
export async function startMosquitto({
  host = '127.0.0.1',
  port: given,
  within,
  ...first
}: Launch): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-mosquitto-'));
  folders.push(folder);
  const port = given ?? (await freePort(host));
  let settings: Settings = first;
  let child: ChildProcess | undefined;
  let output = '';

  async function configure(): Promise<string> {
    const { users, certificate } = settings;
    const file = (name: string) => join(folder, name);
    const lines = [
      `listener ${port} ${host}`,
      // Started by root, it would become somebody who may not read this folder.
      `user ${userInfo().username}`,
      'persistence true',
      `persistence_location ${folder}/`,
      `allow_anonymous ${users === undefined}`,
    ];
    if (users !== undefined) {
      writeFileSync(file('passwords'), '', { mode: 0o600 });
      for (const [name, password] of Object.entries(users))
        await run(PASSWORDS ?? '', ['-b', file('passwords'), name, password]);
      lines.push(`password_file ${file('passwords')}`);
    }
    if (certificate !== undefined) {
      writeFileSync(file('cert.pem'), certificate.cert);
      writeFileSync(file('key.pem'), certificate.key, { mode: 0o600 });
      lines.push(`certfile ${file('cert.pem')}`, `keyfile ${file('key.pem')}`);
    }
    writeFileSync(file('mosquitto.conf'), `${lines.join('\n')}\n`);
    return file('mosquitto.conf');
  }

  async function start(changed: Settings = {}): Promise<void> {
    settings = { ...settings, ...changed };
    const [file, args] = commandIn(within, [BINARY ?? '', '-v', '-c', await configure()]);
    output = '';
    const started = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    running.add(started);
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    await until('Mosquitto listens', () => {
      if (started.exitCode !== null) throw new Error(output);
      return / version \S+ running/.test(output);
    });
  }

  async function stop(): Promise<void> {
    const ended = child;
    child = undefined;
    if (ended === undefined) return;
    const exited = once(ended, 'close');
    ended.kill('SIGTERM');
    await exited;
    running.delete(ended);
  }

  await start();
  return {
    ...{ host, port, start, stop },
    device: (signIn = { username: '', password: '' }) =>
      connectAsync(`${settings.certificate === undefined ? 'mqtt' : 'mqtts'}://${host}:${port}`, {
        ...(signIn.username === '' ? {} : signIn),
        rejectUnauthorized: false,
        reconnectPeriod: 20,
      }),
  };
}
