import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { DAY_MS, HOUR_MS } from '../../src/core/durations.ts';
import { listedNetworks } from '../../src/core/local-networks.ts';
import { OUTBOUND_ON } from '../../src/core/outbound.ts';
import type { SubscriptionKey } from '../../src/domain/records/subscriptions/index.ts';
import { createPoster, permittedAddresses } from '../../src/outbound/index.ts';
import { EXPIRED, simulatedCertificate, simulatedRoot } from '../kit/certificates.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { attemptsOf, turnUntil, usersOf, writeEvents } from '../kit/deliveries.ts';
import { answers, type Behaviour, hangs, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { makeWorld } from '../kit/world.ts';
import { routesOf } from '../routes/route-table.ts';

/** A name of which the test says where it leads. */
const NAME = 'receiver.example';
/** Of the networks that may be called, and of those that may not. */
const PERMITTED = '127.0.0.1';
const PRIVATE = '127.0.0.2';

/** After so long an attempt is given up. */
const GIVEN_UP_MS = 15_000;
/** Whoever waits for an attempt that is given up takes longer; whoever does not is done before, however slow the machine is. */
const AT_ONCE_MS = 13_000;

const root = simulatedRoot('Root of Receivers');
const certificate = (ip = PERMITTED, more: { readonly until?: string } = {}) =>
  simulatedCertificate('receiver', root, { ip, ...more });

onEachEngine('a receiver of events', (engine) => {
  const clock = runningClock();
  const trusted = getCACertificates('default');
  let addresses: readonly string[] = [PERMITTED];
  const resolve = async (host: string) =>
    host === NAME ? addresses.map((address) => ({ address, family: 4 })) : [];
  const guard = permittedAddresses(listedNetworks([`${PERMITTED}/32`]), resolve);
  const poster = createPoster({ guard, clock, userAgent: 'elnav/test', outbound: OUTBOUND_ON });
  let core: CoreWorld;
  let account: number;
  const receivers: Receiver[] = [];
  before(async () => {
    setDefaultCACertificates([...trusted, root.cert]);
    core = await makeCoreWorld(engine, [], { clock, poster });
    core.subscriptions.start();
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await core.remove();
    await poster.close();
  });
  beforeEach(async () => {
    addresses = [PERMITTED];
    account = await core.newAccount();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
  });

  const receives = async (...shown: Parameters<typeof makeReceiver>) => {
    const receiver = await makeReceiver(...shown);
    receivers.push(receiver);
    return receiver;
  };
  const subscribe = async (url: string, of = account) => {
    const wanted = { url, types: null, device: null, userRef: null };
    return { account: of, id: (await core.subscriptions.create(of, wanted, 'hmac-sha256')).id };
  };
  const write = (count: number, of = account) => writeEvents(core, of, { count });
  /** It has everything, each event once and in order. */
  const has = async (receiver: Receiver, key: SubscriptionKey, names: readonly string[]) => {
    await attemptsOf(core, key).succeeds(receiver, names.length);
    assert.deepEqual(usersOf(receiver.handled), names);
  };
  /** What counts the connections to an address that may not be called. */
  const listener = async (port: number): Promise<{ connections: number; server: Server }> => {
    const counted = { connections: 0, server: createServer((socket) => socket.destroy()) };
    counted.server.on('connection', () => {
      counted.connections += 1;
    });
    await new Promise<void>((done) => counted.server.listen(port, PRIVATE, done));
    return counted;
  };

  it('a receiver of events may change its certificate for another valid one; with one that is not, it gets everything once it is right again', async () => {
    const receiver = await receives(0, certificate());
    const key = await subscribe(receiver.url);
    const { failsWith } = attemptsOf(core, key);
    const names = await write(2);
    await has(receiver, key, names);
    receiver.show(certificate());
    names.push(...(await write(2)));
    await has(receiver, key, names);
    const before = receiver.received.length;

    receiver.show(certificate(PERMITTED, { until: EXPIRED }));
    names.push(...(await write(2)));
    await failsWith(/^the receiver is unreachable: its certificate has expired \(CERT_HAS_EXPIRED\)$/);
    receiver.show(simulatedCertificate('receiver', undefined, { ip: PERMITTED }));
    await failsWith(/: its certificate is not signed by an authority that is known here \(DEPTH_ZERO/);
    receiver.show(certificate(PRIVATE));
    await failsWith(/: its certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/);
    assert.equal(receiver.received.length, before, 'nothing is posted to one that is not the receiver');

    receiver.show(certificate());
    names.push(...(await write(2)));
    await has(receiver, key, names);
  });

  it('a receiver of events is not called where its name leads into a network that may not be called, and gets everything when it leads out again', async (t) => {
    const receiver = await receives();
    receiver.behaviour = answers(204, '', { connection: 'close' });
    const { port } = new URL(receiver.url);
    const inside = await listener(Number(port));
    t.after(() => inside.server.close());
    const key = await subscribe(`http://${NAME}:${port}/events`);
    const names = await write(2);
    await has(receiver, key, names);

    for (const rebound of [[PRIVATE], [PERMITTED, PRIVATE], ['169.254.169.254'], ['10.0.0.1']]) {
      addresses = rebound;
      const { failures } = await core.subscriptions.find(key);
      names.push(...(await write(1)));
      if (failures > 0) await attemptsOf(core, key).next();
      else await attemptsOf(core, key).failed(1);
      const [attempt] = await core.subscriptions.attempts(key);
      assert.deepEqual(
        [attempt?.status, attempt?.error],
        [null, 'the address leads into a network that is not called'],
        `${rebound}`,
      );
    }
    assert.deepEqual([inside.connections, receiver.handled.length], [0, 2]);

    addresses = [PERMITTED];
    await has(receiver, key, names);
    assert.equal(inside.connections, 0);
  });

  it('a receiver of events is not followed where it redirects into a network that may not be called', async (t) => {
    const receiver = await receives();
    const { port } = new URL(receiver.url);
    const inside = await listener(Number(port));
    t.after(() => inside.server.close());
    const key = await subscribe(receiver.url);
    const names = await write(1);
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.behaviour = answers(status, '', { location: `http://${PRIVATE}:${port}/events` });
      await attemptsOf(core, key).failsWith(
        new RegExp(`^the receiver redirects \\(${status}\\), which is not followed`),
      );
    }
    assert.equal(inside.connections, 0);
    receiver.behaviour = answers(204);
    await has(receiver, key, names);
  });

  it('a receiver of events that hangs, drips, or answers 500 for a day keeps no other waiting, and gets all of it afterwards', async () => {
    const dripping = new Set<NodeJS.Timeout>();
    const drip = (response: ServerResponse, write: () => void) => {
      const timer = setInterval(write, 10);
      dripping.add(timer);
      response.once('close', () => {
        clearInterval(timer);
        dripping.delete(timer);
      });
    };
    const faulty: readonly Behaviour[] = [
      hangs,
      answers(500, 'out of order'),
      (_, response) => {
        response.writeHead(503);
        drip(response, () => response.write('.'));
      },
      // A head that never ends.
      (_, response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\nx-long: ');
        drip(response, () => response.socket?.write('.'));
      },
    ];
    const good = await receives();
    const goodKey = await subscribe(good.url);
    const bad = await Promise.all(
      faulty.map(async (behaviour) => {
        const receiver = Object.assign(await receives(), { behaviour });
        return { receiver, key: await subscribe(receiver.url) };
      }),
    );
    const names: string[] = [];
    const began = clock.now();
    for (let hours = 0; hours < 24; hours += 2) {
      names.push(...(await write(2)));
      const asked = clock.now();
      await has(good, goodKey, names);
      assert.ok(clock.now() - asked < AT_ONCE_MS, 'it waits for none of them');
      const end = began + (hours + 2) * HOUR_MS;
      while (clock.now() < end) {
        for (const { key } of bad) await attemptsOf(core, key).turnToNext();
        clock.turn(GIVEN_UP_MS);
        await sleep(10);
      }
    }
    assert.ok(clock.now() - began >= DAY_MS);
    for (const { receiver, key } of bad) {
      assert.ok(receiver.received.length >= 5, `${receiver.received.length} attempts`);
      assert.deepEqual([receiver.handled.length, (await core.subscriptions.find(key)).status], [0, 'active']);
    }
    // One after the other, as the clock is turned for each.
    for (const { receiver, key } of bad) {
      receiver.behaviour = answers(204);
      receiver.hangUp();
      await attemptsOf(core, key).succeeds(receiver, names.length);
      // What was answered while its connection was cut comes again.
      assert.deepEqual([...new Set(usersOf(receiver.handled))], names);
    }
    assert.equal(dripping.size, 0, 'every connection that drips is cut off');
  });

  it('a receiver of events gets its events at once, while more receivers hang than there are slots for', async () => {
    const hanging = await receives();
    hanging.behaviour = hangs;
    const crowd = await Promise.all(Array.from({ length: 7 }, () => core.newAccount()));
    for (const of of crowd) {
      for (let made = 0; made < 20; made += 1) await subscribe(hanging.url, of);
      await write(1, of);
    }
    await turnUntil(core, 'all have failed', {
      ms: 1_000,
      holds: async () => {
        const all = await Promise.all(crowd.map((of) => core.subscriptions.list(of)));
        return all.flat().every(({ failures }) => failures > 0);
      },
    });
    // They are tried again, and hang again.
    for (let round = 0; round < 4; round += 1) {
      clock.turn(5_000);
      await sleep(50);
    }
    const good = await receives();
    const key = await subscribe(good.url);
    const asked = clock.now();
    await has(good, key, await write(5));
    assert.ok(clock.now() - asked < AT_ONCE_MS, 'it waits for none of them');
    for (const of of crowd)
      for (const { id } of await core.subscriptions.list(of))
        await core.subscriptions.remove({ account: of, id });
  });

  it('a receiver of events gets its events at once, while accounts have more receivers that answer late, or that hang and are changed again and again', async () => {
    const late = await receives();
    const waiting = new Set<() => void>();
    late.behaviour = (_, response) => void waiting.add(() => response.writeHead(204).end());
    const crowd = await Promise.all(Array.from({ length: 9 }, () => core.newAccount()));
    const keys: SubscriptionKey[] = [];
    for (const of of crowd) {
      for (let made = 0; made < 20; made += 1) keys.push(await subscribe(late.url, of));
      await write(1, of);
    }
    const good = await receives();
    const key = await subscribe(good.url);
    const names: string[] = [];
    const isServed = async () => {
      const asked = clock.now();
      names.push(...(await write(2)));
      await has(good, key, names);
      assert.ok(clock.now() - asked < AT_ONCE_MS, 'it waits for none of them');
    };
    await until('each of the accounts has its share of the slots', () => waiting.size >= 8 * crowd.length);
    assert.equal(waiting.size, 8 * crowd.length);
    await isServed();

    clock.turn(3_000);
    for (const answer of waiting) answer();
    waiting.clear();
    late.behaviour = hangs;
    await until('those that answered late wait in a queue of their own', async () => {
      const rows = await core.database.queries.selectFrom('subscriptions').select(['is_slow']).execute();
      return rows.filter(({ is_slow }) => is_slow === 1).length >= 8 * crowd.length;
    });
    for (const of of crowd) await write(1, of);
    await isServed();
    await turnUntil(core, 'one of each account has failed', {
      ms: 1_000,
      holds: async () => {
        const all = await Promise.all(crowd.map((of) => core.subscriptions.list(of)));
        return all.every((own) => own.some(({ failures }) => failures > 0));
      },
    });
    for (const one of keys) await core.subscriptions.change(one, { url: `${late.url}?changed` });
    await isServed();
    for (const one of keys) await core.subscriptions.remove(one);
  });
});

describe('a subscription to elnav itself', () => {
  it('a subscription to elnav itself is refused by every route, and makes nothing happen', async () => {
    const world = await makeWorld({
      engine: 'sqlite',
      env: {
        ELNAV_LOCAL_NETWORKS: '127.0.0.0/8',
        ELNAV_NETATMO_CLIENT_ID: 'c',
        ELNAV_NETATMO_CLIENT_SECRET: 's',
      },
    });
    const { call } = await world.newAccount();
    const made = await call('POST', '/subscriptions', { url: `${world.connect}/subscriptions` });
    const { id } = made.body as { id: string };
    const anna = { vendor: 'sandbox', user_ref: 'anna', credentials: { device_types: ['light'] } };
    assert.equal((await call('POST', '/link', anna)).status, 200);
    const typesOf = async () =>
      ((await call('GET', '/events')).body as { events: { type: string }[] }).events.map(({ type }) => type);
    await until('it is called', async () => {
      const [attempt] = (await call('GET', `/subscriptions/${id}/attempts`)).body as { status: number }[];
      return attempt?.status === 401;
    });
    const before = await typesOf();

    const routes = [
      ...(await routesOf('connect', world.connect)),
      ...(await routesOf('grid', world.grid)),
    ].filter(({ method }) => method === 'POST');
    assert.ok(routes.length > 20);
    for (const { base, template } of routes)
      for (const vendor of template.includes('{vendor}') ? ['sandbox', 'netatmo', 'easee'] : ['']) {
        const path = template.replace('{vendor}', vendor).replace(/\{\w+\}/g, id);
        assert.equal((await call('PATCH', `/subscriptions/${id}`, { url: `${base}${path}` })).status, 200);
        const { status } = (await call('POST', `/subscriptions/${id}/test`)).body as { status: number };
        // Who is not signed in is signed out.
        if (path !== '/auth/logout') assert.ok(status >= 400 && status < 500, `${path} answers ${status}`);
      }
    assert.deepEqual(await typesOf(), before);
    assert.deepEqual(await (await world.admin('GET', '/admin/bans')).json(), []);
    await world.close();
  });
});
