import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withoutNamespaces } from '../kit/network-namespaces.ts';
import { programAt } from '../kit/programs.ts';

/*
 * The two commands of the README on machines that have little: a user who is not root, a path with spaces and letters beyond ASCII, no
 * git, no curl, no libatomic.so.1, and one of four versions of Node with its npm. What a machine lacks is hidden by an overlay over /usr in
 * a mount namespace. The packages come from npm's own cache where it has them, else from its registry.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const NOBODY = 65_534;

/**
 * Versions that npm has for both kinds of Linux, the npm that came with each, and the command. An install takes half a minute: Node 24 starts
 * what Node 22 installed, since Node 26 installs with the same npm.
 */
const MACHINES = [
  { node: '20.20.2', npm: '10.8.2', command: 'npm ci --ignore-scripts && npm start' },
  { node: '22.23.3', npm: '10.9.4', command: 'npm cit && npm start' },
  { node: '24.21.0', npm: '11.6.2', command: 'npm start' },
  // It needs the library itself.
  { node: '26.10.0', npm: '11.6.2', command: 'npm ci && npm start', hides: false },
];

const HIDE = `set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay -o "lowerdir=/usr,upperdir=$1/upper,workdir=$1/work" overlay /usr
rm -f /usr/bin/git /usr/bin/curl /usr/local/bin/git /usr/local/bin/curl
[ "$2" = keep ] || find /usr/lib /usr/lib64 -maxdepth 2 -name 'libatomic.so*' -delete
shift 2
exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"`;

/** What may stand between this machine and the registry. */
const REACHING = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

let place: string;
let tree: string;
let registry: string;
const running = new Set<{ readonly child: ChildProcess; readonly exited: Promise<number | null> }>();

const toolsOf = (node: string) => join(place, `tools of ${node}`);

/** Node's versions and their npm as programs, from the registry or npm's cache, and a cache of the user `nobody`. */
async function prepareMachines(): Promise<void> {
  const npm = (...words: string[]) => run(programAt('npm') ?? 'npm', words, { cwd: place, maxBuffer: 1e8 });
  const packages = join(place, 'packages');
  mkdirSync(packages);
  writeFileSync(join(packages, 'package.json'), '{}');
  const wanted = new Set(
    MACHINES.flatMap(({ node, npm: its }) => [
      `node-${node}@npm:node-linux-${process.arch}@${node}`,
      `npm-${its}@npm:npm@${its}`,
    ]),
  );
  await npm(
    'install',
    '--prefix',
    packages,
    '--prefer-offline',
    '--ignore-scripts',
    '--no-bin-links',
    ...wanted,
  ).catch((error: Error) => {
    throw new Error(`the npm registry has to be reached, for other versions of Node: ${error.message}`);
  });
  registry = (await npm('config', 'get', 'registry')).stdout.trim();
  for (const { node, npm: its } of MACHINES) {
    mkdirSync(toolsOf(node));
    symlinkSync(join(packages, `node_modules/node-${node}/bin/node`), join(toolsOf(node), 'node'));
    symlinkSync(join(packages, `node_modules/npm-${its}/bin/npm-cli.js`), join(toolsOf(node), 'npm'));
  }
  const cache = join((await npm('config', 'get', 'cache')).stdout.trim(), '_cacache');
  cpSync(cache, join(place, 'cache/_cacache'), { recursive: true });
}

/** The files of this tree as in a fresh clone; what `npm ci` and a start make stays behind. */
function copyTree(): void {
  const made = new Set(['.git', 'node_modules', 'data', 'console/built', 'console/node_modules', '.env']);
  cpSync(root, tree, { recursive: true, filter: (file) => !made.has(relative(root, file)) });
}

/** A shell command in the tree, on a machine with a version of Node and nothing of what is hidden. */
function launch(command: string, { node, hides = true }: { node: string; hides?: boolean | undefined }) {
  const scratch = mkdtempSync(join(place, 'scratch-'));
  const reaching = Object.entries(process.env).filter(([name]) => REACHING.test(name));
  const hidden = ['sh', '-c', HIDE, 'sh', scratch, hides ? 'hide' : 'keep'];
  const child = spawn('unshare', ['--mount', '--propagation=private', ...hidden, 'sh', '-c', command], {
    cwd: tree,
    // A group of its own, so that it can be ended whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(reaching),
      PATH: `${toolsOf(node)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: join(place, 'home'),
      TMPDIR: join(place, 'temporary files'),
      npm_config_cache: join(place, 'cache'),
      npm_config_prefer_offline: 'true',
      npm_config_registry: registry,
      npm_config_update_notifier: 'false',
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '0',
      ELNAV_FETCH: 'off',
      TEST_FILES: 'src/core/core.test.ts,test/documents.test.ts',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  const launched = { child, exited, output: () => output };
  running.add(launched);
  void exited.then(() => running.delete(launched));
  return launched;
}

const killGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals) => {
  if (pid !== undefined) process.kill(-pid, signal);
};

/** Runs a command that starts the service until it answers over HTTP, and stops it; returns what it printed. */
async function startsAndAnswers(command: string, machine: Parameters<typeof launch>[1]): Promise<string> {
  const { child, exited, output } = launch(command, machine);
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', () => {
      if (/elnav is ready[\s\S]*Data .*\n/.test(output())) resolve();
    });
  });
  const gone = exited.then(() => {
    throw new Error(`${command} ended: ${output()}`);
  });
  await Promise.race([ready, gone]);
  const connect = /^ *Connect +(\S+)/m.exec(output())?.[1];
  const answer = await fetch(`${connect}/docs`);
  assert.equal(answer.status, 200, output());
  assert.match(await answer.text(), /<html/);
  killGroup(child, 'SIGTERM');
  await gone.catch(() => undefined);
  assert.doesNotMatch(output(), /warning/i);
  return output();
}

describe('the commands of the README on a bare machine', { skip: withoutNamespaces }, () => {
  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'elnav-bare-'));
    tree = join(place, 'Ännu en mapp', 'åäö');
    for (const folder of ['home', 'temporary files']) mkdirSync(join(place, folder));
    await prepareMachines();
    copyTree();
    await run('chown', ['-R', `${NOBODY}:${NOBODY}`, place]);
    chmodSync(place, 0o755);
  });
  const endAll = async () => {
    for (const { child, exited } of running) {
      killGroup(child, 'SIGKILL');
      await exited;
    }
  };
  afterEach(endAll);
  after(async () => {
    await endAll();
    rmSync(place, { recursive: true, force: true });
  });

  it('a bare machine has neither git nor curl, and Node 26 finds no libatomic.so.1 on it', async () => {
    const node = '20.20.2';
    const bare = launch('id -u; git; curl; node --version', { node });
    await bare.exited;
    const output = bare.output();
    assert.match(output, new RegExp(`^${NOBODY}$`, 'm'));
    assert.match(output, /git: .*not found[\s\S]*curl: .*not found/);
    assert.match(output, new RegExp(`^v${node}$`, 'm'));
    const on26 = launch('node --version', { node: '26.10.0' });
    await on26.exited;
    assert.match(on26.output(), /libatomic\.so\.1: cannot open shared object file/);
  });

  for (const { command, ...machine } of MACHINES)
    it(`the commands of the README on a bare machine \`${command}\` answers over HTTP where Node ${machine.node} is the machine's own`, async () => {
      const output = await startsAndAnswers(command, machine);
      const tested = /^ℹ pass [1-9]/m.test(output) && /of README\.md.* # curl is not installed/.test(output);
      assert.equal(tested, command.includes('npm cit'), output);
      // macOS runs this version.
      if (machine.hides === false)
        await startsAndAnswers('node -r ./src/bin/runtime.cjs src/bin/all.ts', machine);
    });
});
