import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { Gate } from './gate.ts';
import { DEFAULTS } from './options.ts';
import { basic, HERE, knock, statusOf, worldOf } from './test-knock.ts';
import { IDENTITY, KEY, PASSWORD, until, World } from './test-world.ts';

test('an unknown identity gets 404, a missing or wrong password 401', async (t) => {
  const world = await worldOf(t);
  assert.equal(await statusOf(world, '/ocpp/NOBODY', basic(PASSWORD, 'NOBODY')), 404);
  assert.equal(await statusOf(world, HERE, {}), 401);
  assert.equal(await statusOf(world, HERE, basic('wrong password')), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD, 'CP:B2')), 401);
  assert.equal(await statusOf(world, HERE, { authorization: 'Basic !!!' }), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('no request path crashes the server', async (t) => {
  const world = await worldOf(t);
  const paths = [
    '/ocpp',
    '/ocpp/',
    '/ocpp/%',
    '/ocpp/%zz',
    '/ocpp/%C0%80',
    '/ocpp/..',
    '/ocpp/%2e%2e',
    '//',
    '/ocpp//x',
  ];
  for (const path of [
    ...paths,
    `${HERE}/more`,
    `/ocpp/a/${IDENTITY}`,
    `/ocpp/${'x'.repeat(49)}`,
    '/ocpp/CP%2FA1',
  ]) {
    assert.equal(await statusOf(world, path, basic(PASSWORD)), 404, path);
  }
  assert.equal(await statusOf(world, `${HERE}?token=1`, basic(PASSWORD)), 101);
  assert.equal(await statusOf(world, HERE, { ...basic(PASSWORD), upgrade: 'h2c' }), 400);
  assert.equal(await statusOf(world, HERE, { ...basic(PASSWORD), 'sec-websocket-protocol': ',,' }), 400);
  const twice = { ...basic(PASSWORD), 'sec-websocket-protocol': 'ocpp1.6,ocpp1.6' };
  assert.equal(await statusOf(world, HERE, twice), 400);
});

const HEX_FORMS: readonly [string, string, Buffer][] = [
  ['bytes of the hex entered', '00ff10203040506070a0b0c0', Buffer.from('00ff10203040506070a0b0c0', 'hex')],
  ['bytes of the upper-case hex entered', '00FF1020304050AA', Buffer.from('00ff1020304050aa', 'hex')],
  ['hex of the text entered', 'plain password', Buffer.from(Buffer.from('plain password').toString('hex'))],
];

for (const [name, entered, sent] of HEX_FORMS) {
  test(`accepts a 1.6 AuthorizationKey: ${name}`, async (t) => {
    const world = await worldOf(t);
    await world.host.link(KEY, { identity: IDENTITY, password: entered });
    assert.equal(await statusOf(world, HERE, basic(sent)), 101);
    assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 401);
  });
}

test('among accounts with the same identity the password decides', async (t) => {
  const world = await worldOf(t);
  const other = { account: 2, link: 'two' };
  await world.host.link(other, { identity: IDENTITY, password: 'another secret' });
  const station = world.station({ password: 'another secret' });
  await station.connect();
  assert.ok(world.server.station(other) !== undefined);
  assert.equal(world.server.station(KEY), undefined);
  assert.deepEqual([world.link.connections, world.link.observed.length], [0, 0]);
  const first = world.station();
  await first.connect();
  assert.equal(world.server.count(), 2);
});

test('guessing is blocked, while a station that has signed in before still gets in', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2 });
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
  for (const status of [401, 401, 429]) {
    assert.equal(await statusOf(world, HERE, basic('wrong password')), status);
  }
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('the right password is accepted the first time, after any number of wrong ones', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2, failedSignInsPerMinute: 3 });
  for (const status of [401, 401, 429, 429]) {
    assert.equal(await statusOf(world, HERE, basic('wrong password')), status);
  }
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('after too many wrong passwords, one password at a time is compared', async (t) => {
  const clock = turnedClock();
  const world = await new World({ wrongPasswordsPerMinute: 1, suspectMs: 1_000 }, clock).open();
  t.after(() => world.close());
  const gate = new Gate(world.host, { ...DEFAULTS, wrongPasswordsPerMinute: 1 });
  const guess = (password: string) =>
    gate.admit({ identity: IDENTITY, address: '203.0.113.9', password: Buffer.from(password) });
  const statusOfGuess = async (password: string) => {
    const admission = await guess(password);
    return 'refusal' in admission ? admission.refusal.status : 101;
  };
  assert.equal(await statusOfGuess('guess number 1'), 401);
  const waiting = statusOfGuess(PASSWORD);
  await until('it waits', async () => (await statusOfGuess('guess number 2')) === 429);
  clock.turn(1_000);
  assert.equal(await waiting, 101);
});

test('wrong passwords from one address do not delay another', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2, failedSignInsPerMinute: 3 });
  world.host.addressOf = ({ headers }) => String(headers['x-forwarded-for']);
  const from = (address: string) => ({ ...basic('wrong password'), 'x-forwarded-for': address });
  for (const status of [401, 401, 429]) {
    assert.equal(await statusOf(world, HERE, from('203.0.113.66')), status);
  }
  assert.equal(await statusOf(world, HERE, from('198.51.100.20')), 401);
});

test('after too many unknown identities the responses no longer reveal which identities exist', async (t) => {
  const world = await worldOf(t, { failedSignInsPerMinute: 3 });
  for (const status of [404, 404, 404, 429]) {
    assert.equal(await statusOf(world, '/ocpp/NOBODY', {}), status);
  }
  assert.equal(await statusOf(world, HERE, {}), 429);
  assert.equal(await statusOf(world, '/ocpp/NOBODY', basic(PASSWORD, 'NOBODY')), 429);
  assert.equal(await statusOf(world, HERE, basic('wrong password')), 429);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('an unknown identity costs as much hashing as a wrong password', async (t) => {
  const world = await worldOf(t);
  const hashed: string[] = [];
  const gate = new Gate(world.host, DEFAULTS, async (identity) => {
    hashed.push(identity);
    return '';
  });
  const password = Buffer.from('wrong password');
  for (const identity of [IDENTITY, 'NOBODY']) await gate.admit({ identity, address: '', password });
  assert.deepEqual(hashed, [IDENTITY, IDENTITY, IDENTITY, 'NOBODY', 'NOBODY', 'NOBODY']);
});

test('2.0.1 is preferred; without a common protocol the handshake succeeds and the connection is closed', async (t) => {
  const world = await worldOf(t);
  const offer = (protocols: string) =>
    knock(world, HERE, { ...basic(PASSWORD), 'sec-websocket-protocol': protocols });
  const both = await offer('ocpp1.6, ocpp2.0.1');
  assert.equal(both.headers['sec-websocket-protocol'], 'ocpp2.0.1');
  both.socket?.destroy();
  await until('it left', () => world.server.count() === 0);
  const none = await offer('ocpp1.5');
  assert.deepEqual([none.status, none.headers['sec-websocket-protocol']], [101, undefined]);
  await new Promise((resolve) => none.socket?.resume().once('close', resolve));
  assert.equal(world.server.count(), 0);
});

test('every sign-in is refused while storage fails', async (t) => {
  const world = await worldOf(t);
  world.host.storageFault = new Error('disk full');
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 503);
});
