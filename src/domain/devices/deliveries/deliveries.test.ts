import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { Delivery, Webhook } from '../../../adapter/webhook.ts';
import { AppError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { news, pushing, signed } from './test-pushing.ts';

onEachEngine('webhooks', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;

  const open = async (changed: Partial<Webhook> = {}, more: readonly Adapter[] = []): Promise<void> => {
    vendor = testVendor();
    world = await makeCoreWorld(engine, [pushing(vendor.adapter, changed), ...more]);
    account = await world.newAccount();
  };
  beforeEach(() => open());
  afterEach(() => world.remove());

  /** Posts, lets the time of gathering pass, and answers whether it was new. */
  async function post(body: Json | Delivery, core: Core = world): Promise<boolean> {
    const delivery = isDelivery(body) ? body : signed(body, world.clock.now());
    const taken = core.deliveries.receive('testvendor', delivery);
    taken.catch(() => {});
    world.clock.turn(10);
    return taken;
  }
  const applied = async (core: Core = world): Promise<void> => {
    await core.deliveries.settled();
  };
  /** Lets due turns of background reading come. */
  const readHinted = async (): Promise<void> => {
    for (let round = 0; round < 4; round += 1) {
      world.clock.turn(600);
      await world.polling.settled();
    }
  };
  const rows = () =>
    world.database.queries.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();
  const stateOf = async (id: string) => {
    const cached = await world.devices.find(account, id);
    return cached.snapshot?.state;
  };
  const seenOf = async (id: string) => (await world.devices.find(account, id)).snapshot;

  async function linkedAndRead(): Promise<void> {
    await world.link(account, 'testvendor');
    await world.read(account, 'light-1');
    await world.devices.flush();
  }

  it('webhooks are applied once, however often they come', async () => {
    await linkedAndRead();
    const body = news('d1', { device: 'light-1', state: { power_w: 77.4 } });
    world.clock.turn(1_000);
    assert.equal(await post(body), true);
    assert.equal(await post(body), false);
    await applied();
    assert.equal(await post(body), false);
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 77);
    const all = await rows();
    assert.deepEqual(
      all.map(({ status, body: kept }) => [status, kept]),
      [['done', null]],
    );
  });

  it('webhooks that only ask whether the address is ours are answered with the secret, and not stored', async () => {
    await world.remove();
    await open({
      challenge: (body, secret) => {
        const { ask } = body as { ask?: string };
        return ask === undefined ? undefined : { response: `${ask} ${secret}` };
      },
    });
    const challenged = (body: string) =>
      world.deliveries.challenged('testvendor', {
        body: Buffer.from(body),
        headers: {},
        receivedAt: world.clock.now(),
      });
    assert.deepEqual(challenged('{"ask":"who"}'), { response: 'who a-secret-of-the-tests' });
    assert.equal(challenged('{"told":[]}'), undefined);
    assert.equal(challenged('not JSON'), undefined);
    assert.throws(() => world.deliveries.challenged('nobody', signed({}, 0)), { code: 'vendor.unknown' });
    assert.deepEqual(await rows(), []);
  });

  it('webhooks that come together twice are one', async () => {
    await linkedAndRead();
    const delivery = signed(news('d1', { device: 'light-1', state: { power_w: 5 } }), world.clock.now());
    const both = [1, 2].map(() => world.deliveries.receive('testvendor', delivery));
    world.clock.turn(10);
    assert.deepEqual((await Promise.all(both)).toSorted(), [false, true]);
    assert.equal((await rows()).length, 1);
  });

  it('webhooks are refused, with nothing stored, when the signature is not right', async () => {
    const good = signed(news('d1', { device: 'light-1', state: { power_w: 1 } }), world.clock.now());
    const signature = good.headers['x-signature'] ?? '';
    const flipped = Buffer.from(good.body);
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    for (const bad of [
      { ...good, headers: {} },
      { ...good, headers: { 'x-signature': '' } },
      { ...good, headers: { 'x-signature': signature.slice(2) } },
      { ...good, headers: { 'x-signature': signature.replace(/^./, (one) => (one === 'a' ? 'b' : 'a')) } },
      { ...good, headers: { 'x-signature': `${signature}00` } },
      { ...good, body: flipped },
      { ...good, body: new Uint8Array() },
    ])
      await assert.rejects(post(bad), { code: 'webhook.signature_invalid' });
    assert.deepEqual(await rows(), []);
    assert.equal(await post(good), true);
  });

  it('webhooks are refused by an unknown vendor, and by one that posts nothing', async () => {
    await world.remove();
    await open({}, [testVendor({ slug: 'silent' }).adapter]);
    const delivery = signed({}, 0);
    await assert.rejects(world.deliveries.receive('nobody', delivery), { code: 'vendor.unknown' });
    await assert.rejects(world.deliveries.receive('__proto__', delivery), { code: 'vendor.unknown' });
    await assert.rejects(world.deliveries.receive('silent', delivery), { code: 'vendor.without_webhooks' });
    assert.deepEqual(await rows(), []);
  });

  it('webhooks that are signed but no JSON are taken, and kept as failed', async () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    for (const text of ['', '{', 'null\u0000', '{"a":"\\u0000"}', '{"__proto__":{"x":1}}', deep])
      assert.equal(await post(signed(Buffer.from(text), world.clock.now())), true, text.slice(0, 20));
    assert.equal(await post(signed(Buffer.from([0xff, 0xfe]), world.clock.now())), true);
    await applied();
    const all = await rows();
    assert.deepEqual([...new Set(all.map(({ status }) => status))], ['failed']);
    assert.equal(all.length, 7);
    assert.ok(all.every(({ reason, body }) => reason !== null && body !== null));
    assert.match(all[1]?.reason ?? '', /not JSON/);
  });

  it('webhooks are named by their vendor, or by their body', async () => {
    const long = 'x'.repeat(5_000);
    for (const body of [{ told: [] }, { told: [], more: 1 }, { id: '', told: [] }, { id: long, told: [] }])
      assert.equal(await post(body), true);
    for (const body of [{ told: [] }, { id: long, told: [], other: true }])
      assert.equal(await post(body), false);
    assert.ok((await rows()).every(({ delivery_id }) => delivery_id.length <= 200));
  });

  it('webhooks keep no header that is of ours', async () => {
    const delivery = signed(Buffer.from('no JSON, and so it stays'), world.clock.now());
    const headers = { ...delivery.headers, authorization: 'Bearer canary', cookie: 'canary', other: 'kept' };
    await post({ ...delivery, headers });
    const [row] = await rows();
    assert.doesNotMatch(row?.headers_json ?? 'canary', /canary/);
    assert.match(row?.headers_json ?? '', /kept/);
  });

  it('webhooks change what they name, of what the device is capable, and leave the rest', async () => {
    await linkedAndRead();
    const before = await seenOf('light-1');
    world.clock.turn(5_000);
    const at = world.clock.now() - 1_000;
    const state = { power_w: 12, battery_soc: 50, power_on: true, production_w: null };
    await post(news('d1', { device: 'light-1', at, state }));
    await applied();
    const snapshot = await seenOf('light-1');
    assert.deepEqual(snapshot?.state, { ...before?.state, power_w: 12, power_on: true });
    assert.equal(snapshot?.observedAt, at);
    assert.equal(snapshot?.fetchedAt, before?.fetchedAt, 'nobody has asked for the whole of it');
    const [listed] = await world.list(account);
    assert.deepEqual(listed?.state, snapshot?.state, 'it is stored');
  });

  it('webhooks that are older than what is known change nothing, in whatever order they come', async () => {
    await linkedAndRead();
    world.clock.turn(60_000);
    const now = world.clock.now();
    const tell = (id: string, at: number, power_w: number) =>
      post(news(id, { device: 'light-1', at, state: { power_w } }));
    await tell('late', now - 30_000, 1);
    await tell('newest', now - 10_000, 2);
    await tell('older', now - 20_000, 3);
    await tell('before the read', now - 90_000, 4);
    await tell('in the future', now + 90_000, 5);
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 5);
    assert.ok(((await seenOf('light-1'))?.observedAt ?? 0) <= world.clock.now());
    assert.equal(vendor.count('read'), 1);
    assert.ok((await rows()).every(({ status }) => status === 'done'));
  });

  it('webhooks tell fields in any order: each has a moment of its own', async () => {
    await linkedAndRead();
    world.clock.turn(60_000);
    const now = world.clock.now();
    await post(news('d1', { device: 'light-1', state: { power_w: 80 }, at: now - 1_000 }));
    await post(news('d2', { device: 'light-1', state: { power_on: true, power_w: 7 }, at: now - 2_000 }));
    await applied();
    assert.deepEqual(await stateOf('light-1'), { online: true, power_on: true, power_w: 80 });
    assert.equal((await seenOf('light-1'))?.observedAt, now - 1_000);
  });

  it('webhooks may say that devices came or went: then the account is listed', async () => {
    await world.remove();
    vendor = testVendor();
    let lists = 0;
    const list = async () => {
      lists += 1;
      return [{ id: 'light-2', type: 'light' as const }];
    };
    world = await makeCoreWorld(engine, [{ ...pushing(vendor.adapter), list }]);
    account = await world.newAccount();
    await linkedAndRead();
    world.discovery.start();
    await world.discovery.settled();
    world.clock.turn(120_000);
    await post({ id: 'd1', told: [{ vendorAccount: 'u', isListChanged: true }] });
    await applied();
    world.clock.turn(30_000);
    await world.discovery.settled();
    assert.equal(lists, 1);
    assert.equal((await world.list(account)).length, 2);
  });

  it('webhooks are applied in the order of their arrival', async () => {
    await linkedAndRead();
    world.clock.turn(1_000);
    const delivery = (id: number) =>
      signed(news(`d${id}`, { device: 'light-1', state: { power_w: id } }), world.clock.now());
    const all = Array.from({ length: 300 }, (_, id) => world.deliveries.receive('testvendor', delivery(id)));
    world.clock.turn(10);
    await Promise.all(all);
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 299);
  });

  it('webhooks without a state have the device read, once for many', async () => {
    await linkedAndRead();
    vendor.reading = { online: true, on: true, watt: 40 };
    world.clock.turn(1_000);
    for (let id = 0; id < 20; id += 1) await post(news(`d${id}`, { device: 'light-1' }));
    await applied();
    world.polling.start();
    await readHinted();
    assert.equal(vendor.count('read'), 2);
    assert.equal((await stateOf('light-1'))?.power_w, 40);
    await readHinted();
    assert.equal(vendor.count('read'), 2, 'and not again');
  });

  it('webhooks of a device that was never read have it read', async () => {
    await world.link(account, 'testvendor');
    await post(news('d1', { device: 'light-1', state: { power_w: 12 } }));
    await applied();
    world.polling.start();
    await readHinted();
    assert.equal(vendor.count('read'), 1);
    assert.equal((await stateOf('light-1'))?.power_w, 10);
  });

  it('webhooks are only a hint from a vendor that does not sign', async () => {
    await world.remove();
    await open({ trust: 'hint', verify: () => false });
    await linkedAndRead();
    world.clock.turn(1_000);
    const { body } = signed(news('d1', { device: 'light-1', state: { power_w: 999 } }), 0);
    await post({ body, headers: {}, receivedAt: world.clock.now() });
    const lost = Buffer.from(JSON.stringify({ told: [{ vendorAccount: 'u', isLoginLost: true }] }));
    await post({ body: lost, headers: {}, receivedAt: world.clock.now() });
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 10);
    assert.equal((await world.links.list(account))[0]?.status, 'active');
    world.polling.start();
    await readHinted();
    assert.equal(vendor.count('read'), 2);
  });

  it('webhooks mean every link of the vendor account, and nobody else', async () => {
    vendor.devices = ['light-1', 'light-2'];
    const other = await world.newAccount();
    const third = await world.newAccount();
    await linkedAndRead();
    await world.link(other, 'testvendor');
    await world.link(third, 'testvendor', { user: 'somebody else', password: 'p' });
    for (const who of [account, other, third]) for (const id of vendor.devices) await world.read(who, id);
    world.clock.turn(1_000);
    const told = [{ vendorAccount: 'u', state: { power_w: 500 } }];
    await post({ id: 'd1', told } as unknown as Json);
    await applied();
    const powers = await Promise.all(
      [account, other, third].map(async (who) =>
        (await world.list(who)).map(({ state }) => (state as { power_w: number }).power_w),
      ),
    );
    assert.deepEqual(powers, [
      [500, 500],
      [500, 500],
      [10, 10],
    ]);
    await post({ id: 'd2', told: [{}, { vendorAccount: 'nobody' }, { device: 'none' }] } as unknown as Json);
    await applied();
    assert.ok((await rows()).every(({ status }) => status === 'done'));
  });

  it('webhooks of a lost login make the link need a new one, unless it has it', async () => {
    await linkedAndRead();
    world.clock.turn(60_000);
    const told = [{ vendorAccount: 'u', isLoginLost: true }];
    await post({ id: 'old', told: [{ ...told[0], at: world.clock.now() - 120_000 }] } as unknown as Json);
    await applied();
    assert.equal((await world.links.list(account))[0]?.status, 'active');
    await post({ id: 'new', told } as unknown as Json);
    await applied();
    const [link] = await world.links.list(account);
    assert.equal(link?.status, 'needs_relink');
    assert.match(link?.status_reason ?? '', /took the permission back/);
  });

  it('webhooks that fail are tried again, and at last kept as failed with the reason', async () => {
    await world.remove();
    let attempts = 0;
    await open({
      read() {
        attempts += 1;
        throw new AppError('vendor.answer_invalid', 'no such event');
      },
    });
    await post({ told: [] });
    await applied();
    world.deliveries.start();
    for (let minute = 0; minute < 120; minute += 1) {
      world.clock.turn(60_000);
      await applied();
    }
    const [row] = await rows();
    assert.deepEqual([row?.status, row?.reason, attempts], ['failed', 'no such event', 6]);
    assert.ok(row?.body !== null, 'it is kept to be looked at');
  });

  it('webhooks that fail hold up no others', async () => {
    await linkedAndRead();
    world.clock.turn(1_000);
    await post({ id: 'bad', told: 5 });
    await post({ id: 'worse', told: [{ device: 'light-1', state: { power_w: 'many' } }] } as Json);
    await post({ id: 'nan', told: [null] });
    await post(news('good', { device: 'light-1', state: { power_w: 33 } }));
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 33);
    const status = (await rows()).map(({ delivery_id, status }) => [delivery_id, status]);
    assert.deepEqual(status.at(-1), ['good', 'done']);
  });

  it('webhooks are removed when they are old', async () => {
    await post({ id: 'done', told: [] });
    await post(signed(Buffer.from('{'), world.clock.now()));
    await applied();
    const left = async () => (await rows()).map(({ status }) => status);
    world.deliveries.start();
    await applied();
    world.clock.turn(2 * 86_400_000);
    await applied();
    assert.deepEqual(await left(), ['done', 'failed']);
    let hours = 0;
    /** Hours pass until it is so: where the database is slow, several of them during one look at what is old. */
    const passUntil = async (statuses: readonly string[]) => {
      while ((await left()).join() !== statuses.join()) {
        assert.ok(hours < 90 * 24, (await left()).join());
        world.clock.turn(3_600_000);
        hours += 1;
        await applied();
      }
    };
    await passUntil(['failed']);
    await passUntil([]);
    assert.ok(hours > 27 * 24, `${hours} hours`);
  });

  it('webhooks of a process that died are applied by the next', async () => {
    await linkedAndRead();
    world.clock.turn(1_000);
    // Stored, as a process stores before it dies.
    const body = Buffer.from(JSON.stringify(news('d1', { device: 'light-1', state: { power_w: 8 } })));
    await world.database.queries
      .insertInto('webhook_deliveries')
      .values({
        vendor: 'testvendor',
        delivery_id: 'd1',
        received_at: world.clock.now(),
        status: 'pending',
        due_at: world.clock.now(),
        attempts: 0,
        reason: null,
        headers_json: '{}',
        body,
      })
      .execute();
    world.deliveries.start();
    await applied();
    assert.equal((await stateOf('light-1'))?.power_w, 8);
  });

  it('webhooks are subscribed to after linking, renewed, and taken back with the last link', async () => {
    await world.remove();
    const asked: string[] = [];
    let isDown = false;
    await open({
      async subscribe(session, url) {
        asked.push(`subscribe ${session.account} ${url}`);
        if (isDown) throw new AppError('vendor.unreachable', 'down');
      },
      async unsubscribe(session) {
        asked.push(`unsubscribe ${session.account}`);
      },
      subscribedSeconds: 86_400,
    });
    const url = 'https://elnav.example/webhooks/testvendor';
    await world.link(account, 'testvendor');
    await applied();
    assert.deepEqual(asked, [`subscribe ${account} ${url}`]);
    world.deliveries.start();
    const pass = async (hours: number) => {
      for (let step = 0; step < hours * 12; step += 1) {
        world.clock.turn(5 * 60_000);
        await applied();
      }
    };
    await pass(18);
    assert.equal(asked.length, 1);
    await pass(2);
    assert.equal(asked.length, 2);
    isDown = true;
    await pass(20);
    assert.ok(asked.length > 4 && asked.length < 12, `${asked.length} attempts`);
    isDown = false;
    const attempts = asked.length;
    await pass(6);
    assert.equal(asked.length, attempts + 1);
    const other = await world.newAccount();
    await world.link(other, 'testvendor');
    await applied();
    const links = async (who: number) => (await world.links.list(who))[0]?.id ?? '';
    asked.length = 0;
    await world.links.remove(other, await links(other));
    assert.deepEqual(asked, [], 'another link shares what is posted');
    await world.links.remove(account, await links(account));
    assert.deepEqual(asked, [`unsubscribe ${account}`]);
  });
});

const isDelivery = (body: Json | Delivery): body is Delivery =>
  typeof body === 'object' && body !== null && 'receivedAt' in body && 'headers' in body;
