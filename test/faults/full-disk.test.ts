import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  admin,
  callWith,
  envOf,
  openAccount,
  runToEnd,
  type Service,
  startService,
  stopService,
} from '../kit/service.ts';
import type { Answer } from '../kit/world.ts';
import { smallDisk } from './small-disk.ts';

const SECRET = 'the client secret of the tests';

const { dir, skip, mount, unmount, fill, makeSpace } = smallDisk();

/** Writes until the disk refuses, which the last pages of a log may delay; returns the refusal and the number of writes before it. */
async function untilRefused(
  write: (turn: number) => Promise<Answer>,
): Promise<{ refusal: Answer; before: number }> {
  for (let turn = 0; turn < 500; turn += 1) {
    const refusal = await write(turn);
    if (refusal.status >= 300) return { refusal, before: turn };
  }
  throw new Error('the disk never became full');
}

function assertFull({ status, headers, body }: Answer, what: string): void {
  assert.equal(status, 503, `${what}: ${JSON.stringify(body)}`);
  assert.equal(headers.get('elnav-error'), 'database.full');
  assert.equal(headers.get('retry-after'), '60');
  assert.match(JSON.stringify(body), /disk is full/);
}

describe('a full disk', { skip }, () => {
  const env = {
    ...envOf({ dataDir: dir, url: undefined }),
    ELNAV_LOG_LEVEL: 'silent',
    ELNAV_NETATMO_CLIENT_ID: 'client',
    ELNAV_NETATMO_CLIENT_SECRET: SECRET,
  };
  let service: Service;
  beforeEach(async () => {
    mount();
    service = await startService({ env });
  });
  afterEach(async () => {
    await stopService(service);
    unmount();
  });

  it('a full disk returns 503 for writes, does not affect reads, and ends when there is space again', async () => {
    const { connect: base } = service;
    const call = callWith((await openAccount(service.grid)).key);
    const link = (userRef: string) =>
      call(base, {
        path: '/link',
        body: { vendor: 'sandbox', user_ref: userRef, credentials: {} },
        headers: { 'idempotency-key': userRef },
      });
    const first = await link('anna');
    assert.equal(first.status, 200);
    const { devices } = first.body as { devices: { id: string }[] };

    fill();
    const { refusal, before } = await untilRefused((turn) => link(`user-${turn}`));
    assertFull(refusal, 'a link with a key');
    for (const path of ['/devices', '/links', `/devices/${devices[0]?.id}`])
      assert.equal((await call(base, { path })).status, 200, path);
    assert.match(await (await fetch(`${base}/readyz`)).text(), /"degraded".*MiB are free/);

    makeSpace();
    const again = await link('after');
    assert.equal(again.status, 200, JSON.stringify(again.body));
    await stopService(service);
    service = await startService({ env });
    const links = (await call(service.connect, { path: '/links' })).body as object[];
    assert.equal(links.length, before + 2);
  });

  it('a full disk returns 503 for every kind of write, and each succeeds when there is space again', async () => {
    const { connect: base, grid } = service;
    const account = await openAccount(grid);
    const call = callWith(account.key);
    const anna = { vendor: 'sandbox', user_ref: 'anna', credentials: {} };
    const { body: linked } = await call(base, { path: '/link', body: anna });
    const [device] = (linked as { devices: { id: string; device_type: string }[] }).devices.filter(
      ({ device_type: type }) => type === 'charger',
    );
    const { key } = await openAccount(grid);
    const doomed = key.split('_')[1] ?? '';
    const post = (path: string) => admin(grid, 'POST', path);
    const writes: Record<string, (turn: number) => Promise<Answer>> = {
      'a link': (turn) => call(base, { path: '/link', body: { ...anna, user_ref: `user-${turn}` } }),
      'a command': (turn) =>
        call(base, {
          path: `/devices/${device?.id}/command`,
          body: { type: 'set_current', current_a: 6 + (turn % 10) },
        }),
      'a delivery of a vendor': (turn) => deliver(base, `home-${turn}`),
      'a new key': () => post(`/admin/users/${account.userId}/keys?label=more`),
      'a user': (turn) => post(`/admin/users?email=${turn}%40example.com`),
      'a policy': (turn) =>
        post(
          `/admin/users/${account.userId}/policy?per_minute=${100_000 + turn}&per_hour=1000000&per_day=10000000&burst=10000`,
        ),
      'a sign-up': (turn) =>
        callWith(account.key)(grid, {
          path: '/auth/signup',
          body: { email: `new-${turn}@example.com`, password: 'quiet otter paints nineteen doors' },
        }),
      'a revocation': () => admin(grid, 'DELETE', `/admin/keys/${doomed}`),
    };
    fill();
    for (const [name, write] of Object.entries(writes)) {
      const { refusal } = await untilRefused(write);
      assertFull(refusal, name);
    }
    assert.equal((await callWith(key)(base, { path: '/devices' })).status, 200, 'nothing was revoked');
    assert.equal((await call(base, { path: '/devices' })).status, 200);

    makeSpace();
    for (const [name, write] of Object.entries(writes)) {
      const answer = await write(1_000);
      assert.ok(answer.status < 300, `${name}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal((await callWith(key)(base, { path: '/devices' })).status, 401, 'now it is revoked');
  });
});

describe('a start on a disk that is nearly full', { skip }, () => {
  const env = envOf({ dataDir: dir, url: undefined });
  beforeEach(() => {
    mount();
  });
  afterEach(unmount);

  it('the first start is refused with a message and continues when there is space', async () => {
    for (const leaving of [0, 40, 150, 250]) {
      fill(leaving * 1_024);
      const { code, output } = await runToEnd({ env });
      assert.equal(code, 1, output);
      assert.match(output, /^elnav: .*disk .*full.*start again\.\n$/);
      makeSpace();
    }
    const service = await startService({ env });
    const { body } = await admin(service.grid, 'GET', '/admin/users');
    assert.equal((body as object[]).length, 1);
    await stopService(service);
  });
});

async function deliver(base: string, home: string): Promise<Answer> {
  const body = JSON.stringify({ event_type: 'set_point', home_id: home, room_id: '1' });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const answer = await fetch(`${base}/webhooks/netatmo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-netatmo-secret': signature },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
}
