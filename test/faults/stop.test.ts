import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
  until,
} from '../kit/service.ts';
import type { Answer } from '../kit/world.ts';

interface Linked {
  readonly service: Service;
  readonly call: Call;
  readonly key: string;
  readonly lamp: string;
  readonly pump: string;
}

async function serve(place: Place): Promise<Linked> {
  const service = await startService({ env: envOf(place) });
  const { key } = await openAccount(service.grid);
  const call = callWith(key);
  const credentials = { device_types: ['light', 'heat_pump'] };
  const body = { vendor: 'sandbox', user_ref: 'anna', credentials };
  const { devices } = (await call(service.connect, { path: '/link', body })).body as {
    devices: { id: string; device_type: string }[];
  };
  const idOf = (type: string) => devices.find(({ device_type }) => device_type === type)?.id ?? '';
  return { service, call, key, lamp: idOf('light'), pump: idOf('heat_pump') };
}

/** A kept-alive connection after one response; collects what it receives. */
async function keptAlive(base: string): Promise<{ socket: Socket; text(): string; closed: Promise<void> }> {
  const { port, hostname } = new URL(base);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await until('an answer', () => (text.includes('"ok"') ? true : undefined));
  return { socket, text: () => text, closed };
}

/** A WebSocket upgrade by hand; resolves with the status line of the response. */
function upgrade(base: string): Promise<string> {
  const { port, hostname } = new URL(base);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.on('error', () => resolve('refused'));
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n')[0] ?? ''));
    socket.write(
      'GET /ocpp/nobody HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
  });
}

const codeOf = ({ headers }: Answer) => headers.get('elnav-error');

onEachEngine('SIGTERM', (engine) => {
  it('SIGTERM loses nothing that was acknowledged, and answers or closes every connection', async (t) => {
    const place = await makePlace(engine);
    const { service, call, key, lamp, pump } = await serve(place);
    const { connect: base, grid } = service;
    const command = (id: string, body: object, idempotencyKey: string) =>
      call(base, { path: `/devices/${id}/command`, body, headers: { 'idempotency-key': idempotencyKey } });

    // A vendor call that would take 14 seconds, one of its reads, and an idle connection.
    await call(base, { path: `/sandbox/devices/${pump}`, body: { fail: 'timeout' } }).catch(() => {});
    const hanging = command(pump, { type: 'turn_off' }, 'hangs').catch(() => null);
    const read = call(base, { path: `/devices/${pump}` }).catch(() => null);
    const idle = await keptAlive(base);
    let last = -1;
    let stopped = false;
    const working = (async () => {
      for (let dim = 1; dim <= 100 && !stopped; dim += 1) {
        const answer = await command(lamp, { type: 'set_light', dim }, `dim-${dim}`).catch(() => null);
        if (answer === null || answer.status === 503) return;
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        last = dim;
      }
    })();
    await until('work is in progress', () => (last >= 5 ? true : undefined));

    const began = performance.now();
    service.signal('SIGTERM');
    const refused = await until('new work is refused', async () => {
      const answer = await call(base, { path: '/devices' }).catch(() => 'refused' as const);
      if (answer === 'refused') return answer;
      return answer.status === 503 ? answer : undefined;
    });
    if (refused !== 'refused') {
      assert.equal(codeOf(refused), 'server.stopping');
      assert.deepEqual(Object.keys(refused.body as object), ['error']);
    }
    idle.socket.write(`GET /devices HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`);
    assert.match(await upgrade(base), /refused|503|404/);
    const exit = await service.exited;
    stopped = true;
    const took = performance.now() - began;
    await Promise.all([working, idle.closed]);
    assert.deepEqual(exit, { code: 0, signal: null }, service.output());
    assert.ok(took < 5_000, `it took ${took} ms`);
    t.diagnostic(`stopped after ${Math.round(took)} ms with a hanging vendor`);
    const later = idle.text().split('HTTP/1.1 ').slice(2);
    assert.ok(
      later.every((answer) => answer.startsWith('503') && answer.includes('"error"')),
      idle.text(),
    );
    const response = await hanging;
    assert.equal(response?.status, 502, 'the hanging command was answered');
    assert.equal(response === null ? '' : codeOf(response), 'command.outcome_unknown');
    assert.equal((await read)?.status, 503, 'the hanging read was answered');
    await assert.rejects(fetch(`${grid}/healthz`));

    const again = await startService({ env: envOf(place) });
    const { body } = await call(again.connect, { path: `/devices/${lamp}` });
    assert.match(JSON.stringify(body), new RegExp(`"dim (?:${last}|${last + 1}),`));
    // The outcome of the hanging command is known at once, without waiting for a lease.
    const path = `/devices/${pump}/command`;
    const headers = { 'idempotency-key': 'hangs' };
    const replay = await call(again.connect, { path, body: { type: 'turn_off' }, headers });
    assert.equal(codeOf(replay), 'command.outcome_unknown');
    const usage = await fetch(`${again.grid}/admin/usage?limit=100`, {
      headers: { 'x-admin-token': envOf(place).ELNAV_ADMIN_TOKEN ?? '' },
    });
    const rows = (await usage.json()) as { route: string; status_class: string; count: number }[];
    const counted = rows
      .filter((row) => row.route.endsWith('/command') && row.status_class === '2xx')
      .reduce((sum, { count }) => sum + count, 0);
    assert.ok(counted >= last, `${counted} of ${last} acknowledged commands were counted`);
    await stopService(again);
    await place.remove();
  });

  it('SIGTERM is immediate when nothing is running', async (t) => {
    const place = await makePlace(engine);
    const { service } = await serve(place);
    const began = performance.now();
    await stopService(service);
    t.diagnostic(`stopped after ${Math.round(performance.now() - began)} ms`);
    await place.remove();
  });
});
