import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { AppError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import { makePlace } from '../kit/databases.ts';
import { type OtlpReceiver, type ReportedSpan, receiveOtlp } from '../kit/otlp.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { ADMIN_TOKEN, type Caller, makeWorld, VAULT_KEYS, type World } from '../kit/world.ts';

const PASSWORD = 'canary-password-of-the-user';
const TOKEN = 'canary-token-of-the-receiver';
const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const SERVER = 2;
const CLIENT = 3;

describe('traces', () => {
  const vendor = testVendor();
  /** The headers of what the vendor's cloud was asked. */
  const asked: IncomingHttpHeaders[] = [];
  const cloud = createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const lines: string[] = [];
  let receiver: OtlpReceiver;
  let world: World;
  let caller: Caller;
  before(async () => {
    receiver = await receiveOtlp();
    await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`;
    const ask = async (_device: unknown, session: Parameters<typeof vendor.onRead>[1]) => {
      await session.http.send({ path: '/state', query: { secret: 'canary-query' } });
    };
    vendor.onRead = ask;
    vendor.onCommand = (device, _command, session) => ask(device, session);
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [{ ...vendor.adapter, hosts: { api: 'https://vendor.example' } }],
      log: createLog('warn', { write: (line) => lines.push(line) }),
      env: {
        ELNAV_OTLP_URL: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${TOKEN},x-tenant=elnav`,
        OTEL_TRACES_SAMPLER_ARG: '1',
        ELNAV_TESTVENDOR_BASE_URL: url,
      },
    });
    caller = await world.newAccount();
    const credentials = { user: 'anna-the-user', password: PASSWORD };
    await caller.call('POST', '/link', { vendor: 'testvendor', user_ref: 'anna-ref', credentials });
  });
  after(async () => {
    await world?.close();
    await receiver?.close();
    cloud.closeAllConnections();
    await new Promise((resolve) => cloud.close(resolve));
  });

  /** The span of a route, once it was reported, of the trace of a caller. */
  async function reported(name: string, traceId: string): Promise<ReportedSpan> {
    const find = () => receiver.spans.find((span) => span.name === name && span.traceId === traceId);
    await until(`${name} was reported`, () => find() !== undefined);
    return find() as ReportedSpan;
  }
  const childrenOf = ({ spanId }: ReportedSpan) =>
    receiver.spans.filter((span) => span.parentSpanId === spanId);
  const under = (trace: string, flags = '01') => ({ traceparent: `00-${trace}-${CALLER.span}-${flags}` });

  it("a read is a request of the caller's trace, with the call to the vendor below it", async () => {
    const headers = { ...under(CALLER.trace), 'x-request-id': 'request-1' };
    assert.equal((await caller.call('GET', '/devices/light-1', undefined, headers)).status, 200);
    const request = await reported('GET /devices/:id', CALLER.trace);
    assert.equal(request.kind, SERVER);
    assert.equal(request.parentSpanId, CALLER.span);
    assert.deepEqual(request.attributes, {
      'elnav.service': 'connect',
      'elnav.request_id': 'request-1',
      'http.request.method': 'GET',
      'http.route': '/devices/:id',
      'http.response.status_code': 200,
    });
    const [call, ...more] = childrenOf(request);
    assert.deepEqual(more, []);
    assert.equal(call?.kind, CLIENT);
    assert.equal(call.traceId, CALLER.trace);
    assert.equal(call.name, 'testvendor read');
    assert.deepEqual(call.attributes, {
      'elnav.vendor': 'testvendor',
      'elnav.call': 'read',
      'elnav.outcome': 'ok',
    });
  });

  it('traces commands that wait for each other are each below their own request', async () => {
    const traces = ['1', '2', '3'].map((digit) => digit.repeat(32));
    const command = { type: 'turn_on' };
    await Promise.all(
      traces.map((trace) => caller.call('POST', '/devices/light-1/command', command, under(trace))),
    );
    for (const trace of traces) {
      const request = await reported('POST /devices/:id/command', trace);
      const calls = childrenOf(request).filter(({ name }) => name === 'testvendor command');
      assert.deepEqual([calls.length, calls[0]?.traceId], [1, trace]);
    }
  });

  it('a caller that does not record its trace is not recorded here, and broken headers begin a trace', async () => {
    await caller.call('GET', '/links', undefined, under('a'.repeat(32), '00'));
    await caller.call('GET', '/links', undefined, { traceparent: '00-nonsense', 'x-request-id': 'broken' });
    const isBroken = ({ attributes }: ReportedSpan) => attributes['elnav.request_id'] === 'broken';
    await until('the second was reported', () => receiver.spans.some(isBroken));
    assert.equal(receiver.spans.find(isBroken)?.parentSpanId || undefined, undefined);
    assert.ok(receiver.spans.every(({ traceId }) => traceId !== 'a'.repeat(32)));
  });

  it('nothing of it reaches the vendor, and nothing private the receiver', async () => {
    assert.ok(asked.length > 3);
    for (const headers of asked)
      assert.deepEqual(
        Object.keys(headers).filter((name) => /^trace|baggage/.test(name)),
        [],
      );
    const all = receiver.bodies.join('\n');
    const secrets = [
      caller.key,
      caller.keyId,
      PASSWORD,
      'anna',
      'light-1',
      'canary-query',
      ADMIN_TOKEN,
      VAULT_KEYS,
      TOKEN,
    ];
    for (const secret of [...secrets, '127.0.0.1', 'vendor.example', world.place.dataDir])
      assert.ok(!all.includes(secret), secret);
  });

  it('the receiver gets the headers that the operator has set, and the log has none of them', () => {
    assert.ok(receiver.headers.length > 0);
    for (const headers of receiver.headers)
      assert.deepEqual([headers.authorization, headers['x-tenant']], [`Bearer ${TOKEN}`, 'elnav']);
    assert.ok(!lines.join('').includes(TOKEN));
  });

  it('the line of a request that failed has its trace', async () => {
    const { onRead } = vendor;
    vendor.onRead = async () => {
      throw new AppError('vendor.unreachable', 'the cloud is away');
    };
    const [sampled, unsampled] = ['c'.repeat(32), 'd'.repeat(32)];
    for (const [trace, flags] of [
      [sampled, '01'],
      [unsampled, '00'],
    ] as const)
      assert.equal(
        (await caller.call('GET', '/devices/light-1', undefined, under(trace, flags))).status,
        502,
      );
    vendor.onRead = onRead;
    const failed = lines.filter((line) => line.includes('"request failed"'));
    const traces = failed.map((line) => (JSON.parse(line) as { trace_id?: string }).trace_id);
    assert.deepEqual(traces, [sampled, undefined], 'what is not recorded leads nowhere');
  });

  it('traces routes that are asked all the time are left out', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(`${world.connect}${path}`);
    await fetch(`${world.connect}/nowhere`, { headers: under('b'.repeat(32)) });
    await reported('GET unknown', 'b'.repeat(32));
    assert.ok(receiver.spans.every(({ name }) => !/healthz|readyz|metrics/.test(name)));
  });

  it('a receiver that is away disturbs nobody', async () => {
    const place = await makePlace('sqlite');
    const gone = await makeWorld({ engine: 'sqlite', place, env: { ELNAV_OTLP_URL: 'http://127.0.0.1:9' } });
    assert.equal((await fetch(`${gone.grid}/status`)).status, 200);
    const began = performance.now();
    await gone.close();
    assert.ok(performance.now() - began < 4_000, 'it stops in time');
    await place.remove();
  });
});

describe('without the setting', () => {
  /** How many modules of OpenTelemetry a process loads that serves both services, besides its interface, which prom-client loads. */
  async function loaded(env: Readonly<Record<string, string>>): Promise<number> {
    const place = await makePlace('sqlite');
    const program = `
      import { registerHooks } from 'node:module';
      let loaded = 0;
      registerHooks({ load(url, context, next) {
        if (/@opentelemetry\\/(?!api\\/)|outbound\\/traces/.test(url)) loaded += 1;
        return next(url, context);
      } });
      const { makeWorld } = await import('./test/kit/world.ts');
      const world = await makeWorld({ engine: 'sqlite', env: ${JSON.stringify(env)} });
      await fetch(world.grid + '/status');
      await world.close();
      console.log('loaded', loaded);`;
    const args = ['-r', './src/bin/runtime.cjs', '--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    await place.remove();
    // The runner of tests, which the world is made with, reports there too.
    return Number(/^loaded (\d+)$/m.exec(stdout)?.[1]);
  }

  it('no module of OpenTelemetry is loaded that makes or sends anything', async () => {
    assert.equal(await loaded({}), 0);
    assert.ok((await loaded({ ELNAV_OTLP_URL: 'http://127.0.0.1:9' })) > 5, 'the count sees them');
  });

  it('without the setting only one file of ours imports them, and only one imports that', () => {
    const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
    const withText = (text: string) => files.filter((file) => readFileSync(file, 'utf8').includes(text));
    assert.deepEqual(withText("'@opentelemetry/"), ['src/outbound/traces.ts']);
    assert.deepEqual(withText('outbound/traces.ts'), ['src/bin/start.ts']);
  });
});
