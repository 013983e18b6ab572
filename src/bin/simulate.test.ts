import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { CHILD_ENV } from '../../test/kit/environment.ts';
import { until } from '../../test/kit/until.ts';
import type { Adapter } from '../adapter/adapter.ts';
import { fits } from '../adapter/kit/index.ts';
import { SIMULATED_FAULTS } from '../adapter/simulator.ts';
import { readSettings } from '../core/settings/index.ts';
import { Temporal } from '../core/temporal.ts';
import { PRICE_FAULTS } from '../sources/contract/market.ts';
import { vendors } from '../vendors/index.ts';
import { type Candidate, parseSimulateArguments } from './simulate-arguments.ts';
import { needsOf } from './vendor-needs.ts';

const CANDIDATES: readonly Candidate[] = [
  { slug: 'tesla', name: 'Tesla', kind: 'vendor', faults: SIMULATED_FAULTS, isSimulatable: true },
  { slug: 'ocpp', name: 'OCPP', kind: 'vendor', faults: SIMULATED_FAULTS, isSimulatable: false },
  { slug: 'entsoe', name: 'ENTSO-E', kind: 'source', faults: PRICE_FAULTS, isSimulatable: true },
];
const parse = (line: string) => parseSimulateArguments(line === '' ? [] : line.split(' '), CANDIDATES);

describe('the command line of simulate', () => {
  it('the command line of simulate says what is to be simulated, where, and what goes wrong', () => {
    const run = { action: 'run', slug: 'tesla', port: 9101, host: '127.0.0.1', fault: undefined };
    assert.deepEqual(parse('tesla'), run);
    assert.deepEqual(parse('tesla --port 0 --host 0.0.0.0 --fault hang'), {
      ...run,
      port: 0,
      host: '0.0.0.0',
      fault: 'hang',
    });
    assert.deepEqual(parse('--port=7 entsoe --fault yesterday'), {
      ...run,
      slug: 'entsoe',
      port: 7,
      fault: 'yesterday',
    });
    assert.deepEqual(parse('tesla --help'), { action: 'help' });
    assert.deepEqual(parse('--list'), { action: 'list' });
  });

  for (const [line, message] of [
    ['', 'Which one? Names: tesla, entsoe. --help tells more.'],
    ['telsa', 'There is no vendor or source telsa; did you mean tesla? Simulators: tesla, entsoe.'],
    ['quite-another', 'There is no vendor or source quite-another. Simulators: tesla, entsoe.'],
    ['ocpp', 'ocpp has no simulator to run on a port. Simulators: tesla, entsoe.'],
    ['tesla entsoe', 'One simulator at a time; entsoe is too much. Options begin with --.'],
    ['tesla --port 70000', '--port must be from 0 to 65535, not 70000.'],
    ['tesla --port', "Option '--port <value>' argument missing. --help tells more."],
    ['tesla --prot 7', "Unknown option '--prot'. --help tells more."],
  ] as const)
    it(`the command line of simulate refuses "${line}"`, () => {
      assert.throws(() => parse(line), { name: 'OperatorError', message });
    });

  it('the command line of simulate knows which faults are of a vendor and which of a source', () => {
    assert.throws(() => parse('tesla --fault yesterday'), /--fault must be one of hang, .*not yesterday/);
    assert.throws(() => parse('entsoe --fault login_lost'), /--fault must be one of hang, .*not login_lost/);
  });
});

interface Running {
  readonly child: ChildProcess;
  output(): string;
  readonly env: Record<string, string>;
}

/** What a device on a connection says that it is linked with. */
function credentialsIn(output: string): Record<string, unknown> {
  const [, json = ''] = /^Link with the credentials (.+)$/m.exec(output) ?? [];
  return JSON.parse(json) as Record<string, unknown>;
}

/** What a device answers, in hex, to a request for its two registers from 40000 on. */
async function modbusResponse({ output }: Running): Promise<string> {
  const socket = connect(Number(credentialsIn(output()).port), '127.0.0.1');
  socket.write(Buffer.from('00010000000601039c400002', 'hex'));
  const [response] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return response.toString('hex');
}

describe('npm run simulate', () => {
  const running: ChildProcess[] = [];
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const spawned = (args: readonly string[]) => {
    const child = spawn(process.execPath, ['src/bin/simulate.ts', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: CHILD_ENV,
    });
    running.push(child);
    return child;
  };
  async function start(...args: string[]): Promise<Running> {
    const child = spawned([...args, '--port', '0']);
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
    });
    const ended = once(child, 'exit');
    await Promise.race([
      until('it runs', () => /^Prices|^Figures|^Link with|^Sign in as/m.test(told)),
      ended.then(() => assert.fail(`${args} ended: ${told}`)),
    ]);
    const exports = [...told.matchAll(/^ {2}export (\w+)=(.+)$/gm)];
    return {
      child,
      output: () => told,
      env: Object.fromEntries(exports.map(([, name = '', value = '']) => [name, value])),
    };
  }

  for (const { slug } of vendors.filter(({ simulator }) => simulator !== undefined))
    it(`npm run simulate runs ${slug} with settings that elnav takes`, async () => {
      const { env, output } = await start(slug);
      const set = readSettings(env, needsOf(vendors)).vendors.get(slug);
      assert.match(set?.baseUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(
        set?.clientId === undefined,
        vendors.find((one) => one.slug === slug)?.oauth === undefined,
      );
      assert.match(output(), /nothing that it tells is real/);
      assert.match(output(), /"password"|with the password|"api_key"|"client_secret"|"host"/);
      const answer = await fetch(`${set?.baseUrl}/no/such/path`);
      assert.equal(answer.headers.get('elnav-simulated'), slug);
      await until('it tells what it was asked', () => output().includes('GET /no/such/path'));
    });

  const adapters: readonly Adapter[] = vendors;
  const devices = adapters.filter(({ localSimulator }) => localSimulator !== undefined);
  assert.ok(devices.length > 0, 'no device has a simulator on a connection');
  for (const { slug, name, credentials } of devices)
    it(`npm run simulate runs a device of ${slug} at an address, with the credentials that link it`, async () => {
      const { output } = await start(slug);
      const [, host = '', port = ''] =
        /^Simulated .+ at ([\d.]+):(\d+); nothing that it tells is real\.$/m.exec(output()) ?? [];
      assert.ok(output().startsWith(`Simulated ${name} at `), output());
      const told = credentialsIn(output());
      assert.deepEqual({ host: told.host, port: told.port }, { host: '127.0.0.1', port: Number(port) });
      assert.ok(
        credentials !== undefined && fits(credentials, told),
        `${slug} takes ${JSON.stringify(told)}`,
      );
      const socket = connect(Number(port), host);
      await until('it tells that somebody is connected', () => output().includes('1 connected'));
      socket.destroy();
      await until('it tells that nobody is any more', () => output().includes('0 connected'));
    });

  it('npm run simulate runs a device with what it does wrong', async () => {
    const sound = await start('sunspec');
    const broken = await start('sunspec', '--fault', 'exception');
    assert.match(broken.output(), /^Simulated SunSpec at 127\.0\.0\.1:\d+, with the fault exception;/);
    assert.match(await modbusResponse(sound), /^000100000007010304/);
    assert.match(await modbusResponse(broken), /^0001000000030183/);
  });

  it('npm run simulate runs on where a device refuses connections, and nothing listens', async () => {
    const { child, output } = await start('sunspec', '--fault', 'refused');
    // By the time that another one has started, a process with nothing to do would have ended.
    await start('sunspec');
    assert.equal(child.exitCode, null);
    const { port } = credentialsIn(output());
    const [error] = (await once(connect(Number(port), '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');
  });

  it('npm run simulate says in a sentence that it does not know a name, with the devices among those it knows', async () => {
    const child = spawned(['feroamp']);
    const ended = once(child, 'exit');
    assert.match(
      await text(child.stderr),
      /^elnav: There is no vendor or source feroamp; did you mean ferroamp\? Simulators: .*\bferroamp\b.*\bsunspec\b.*\.\n$/,
    );
    assert.deepEqual(await ended, [1, null]);
  });

  it('npm run simulate runs a source with its prices of today', async () => {
    const { env } = await start('elprisetjustnu');
    const { market } = readSettings(env, needsOf(vendors));
    assert.deepEqual(market.priceSources, ['elprisetjustnu']);
    const today = Temporal.Now.zonedDateTimeISO('Europe/Stockholm').toPlainDate().toString();
    const path = `/api/v1/prices/${today.slice(0, 4)}/${today.slice(5)}_SE3.json`;
    const answer = await fetch(`${market.baseUrls.elprisetjustnu}${path}`);
    assert.ok(((await answer.json()) as unknown[]).length >= 92);
  });

  it('npm run simulate runs the source of production, and knows its faults', async () => {
    const { env } = await start('esett', '--fault', 'page');
    const answer = await fetch(`${env.ELNAV_ESETT_BASE_URL}/EXP16/Volumes`);
    assert.equal(answer.headers.get('content-type'), 'text/html');
    const refused = spawned(['esett', '--fault', 'hang']);
    assert.match(await text(refused.stderr), /^elnav: The faults of esett are down, .*, not hang\.\n$/);
  });

  it('npm run simulate does wrong what it is told to', async () => {
    const { env } = await start('netatmo', '--fault', 'server_error');
    assert.equal((await fetch(`${env.ELNAV_NETATMO_BASE_URL}/api/homesdata`)).status, 500);
  });

  it('npm run simulate says in a sentence that its port is in use', async () => {
    const { env } = await start('netatmo');
    const port = new URL(env.ELNAV_NETATMO_BASE_URL ?? '').port;
    const child = spawned(['tesla', '--port', port]);
    const ended = once(child, 'exit');
    assert.equal(
      await text(child.stderr),
      `elnav: Port ${port} is in use. Stop what uses it, or choose another with --port.\n`,
    );
    assert.deepEqual(await ended, [1, null]);
  });
});
