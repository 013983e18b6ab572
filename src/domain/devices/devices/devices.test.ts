import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import fc from 'fast-check';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { AppError } from '../../../core/errors.ts';

const codeOf = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('devices', (engine) => {
  const asked = testVendor({ slug: 'asked' });
  const polled = testVendor({ slug: 'polled', pollSeconds: 60 });
  let core: CoreWorld;
  let account: number;
  before(async () => {
    core = await makeCoreWorld(engine, [asked.adapter, polled.adapter]);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    for (const vendor of [asked, polled]) {
      vendor.devices = ['light-1'];
      vendor.reading = { online: true, on: false, watt: 10 };
      vendor.calls.length = 0;
      vendor.onRead = async () => {};
      vendor.onCommand = async () => {};
    }
  });

  it('devices lists each device once and in order, whatever the size of a page', async () => {
    const ids = Array.from({ length: 23 }, (_, index) => `light-${index * 7}ä${index % 3}`);
    asked.devices = ids;
    polled.devices = [...ids.slice(0, 9), 'charger-Z', 'charger-a', 'charger-é'];
    await core.link(account, 'asked');
    await core.link(account, 'polled');
    const whole = (await core.list(account)).map(({ vendor, id }) => `${vendor}/${id}`);
    const bytewise = whole.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(whole, bytewise);
    assert.equal(new Set(whole).size, 35);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (limit) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await core.devices.list(account, { limit, cursor });
          const items = JSON.parse(page.body.toString()) as { vendor: string; id: string }[];
          assert.ok(items.length <= limit);
          seen.push(...items.map(({ vendor, id }) => `${vendor}/${id}`));
          cursor = page.next ?? undefined;
        } while (cursor !== undefined);
        assert.deepEqual(seen, whole);
      }),
      { numRuns: 12 },
    );
  });

  it('devices answers two that ask for the devices of a link at once with each device once', async () => {
    asked.devices = ['light-1', 'light-2'];
    await core.link(account, 'asked');
    const [link] = await core.links.list(account);
    assert.ok(link !== undefined);
    const of = { account, link: link.id };
    const both = await Promise.all([1, 2].map(() => core.devices.background.ofLink(of)));
    for (const devices of both)
      assert.deepEqual(
        devices.map(({ id }) => id),
        ['light-1', 'light-2'],
      );
  });

  it('devices takes a cursor only as a place to go on, and refuses a forged one', async () => {
    const other = await core.newAccount();
    asked.devices = ['light-1', 'light-2'];
    await core.link(account, 'asked');
    const { next } = await core.devices.list(account, { limit: 1 });
    assert.ok(next !== null);
    assert.deepEqual(await core.list(other, { cursor: next }), []);
    const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = ['', 'x', forge(null), forge({}), forge([]), forge(['a']), forge(['a', 'b', 'c'])];
    for (const cursor of [...forged, forge([1, 2]), forge(['a', 'b\0']), '\u00e5', '%00'])
      await assert.rejects(core.list(account, { cursor }), codeOf('request.invalid'), cursor);
    const odd = [forge(['asked', '\ud800']), forge(['', '']), forge(['zzz', "' or 1=1 --"])];
    for (const cursor of odd) assert.ok((await core.list(account, { cursor })).length <= 2);
  });

  it('devices filters by vendor, type and user', async () => {
    asked.devices = ['light-1', 'charger-1'];
    polled.devices = ['light-9'];
    await core.link(account, 'asked');
    await core.links.link({
      account,
      vendor: 'polled',
      userRef: 'another',
      credentials: { user: 'u', password: 'p' },
      begun: async () => {},
    });
    const ids = async (query: object) => (await core.list(account, query)).map(({ id }) => id);
    assert.deepEqual(await ids({ vendor: 'asked' }), ['charger-1', 'light-1']);
    assert.deepEqual(await ids({ deviceType: 'light' }), ['light-1', 'light-9']);
    assert.deepEqual(await ids({ userRef: 'another' }), ['light-9']);
    assert.deepEqual(await ids({ userRef: 'another', vendor: 'asked' }), []);
  });

  it('devices never lists what is no longer so', async () => {
    const list = async () =>
      (await core.list(account)).map(({ id, state }) => [id, (state as { power_w?: number })?.power_w]);
    assert.deepEqual(await list(), []);
    await core.link(account, 'asked');
    assert.deepEqual(await list(), [['light-1', undefined]]);
    await core.read(account, 'light-1');
    assert.deepEqual(await list(), [['light-1', 10]]);
    asked.onCommand = async () => {
      asked.reading = { online: true, on: true, watt: 60 };
    };
    await core.send(account, 'light-1', { type: 'turn_on' });
    assert.deepEqual(await list(), [['light-1', 60]]);
    asked.devices = ['light-2'];
    await core.link(account, 'asked');
    assert.deepEqual(await list(), [['light-2', undefined]]);
    const [link] = await core.links.list(account);
    await core.links.remove(account, link?.id ?? '');
    assert.deepEqual(await list(), []);
  });

  it('devices asks the vendor once for fifty readers at a time, and all get the answer', async () => {
    await core.link(account, 'asked');
    const gate = Promise.withResolvers<void>();
    asked.onRead = () => gate.promise;
    const readers = Array.from({ length: 50 }, () => core.read(account, 'light-1'));
    await until('the vendor is asked', () => asked.count('read') > 0);
    gate.resolve();
    const answers = await Promise.all(readers);
    assert.equal(asked.count('read'), 1);
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
  });

  it('devices remembers one state of a device, however many readers learnt it together', async () => {
    await core.link(account, 'polled');
    await Promise.all(Array.from({ length: 10 }, () => core.read(account, 'light-1')));
    const before = polled.count('read');
    assert.ok(before >= 1);
    await core.read(account, 'light-1');
    assert.equal(polled.count('read'), before, 'what was just learnt is fresh');
  });

  it('devices remembers a device that was loaded while others of the account changed, and not one that changed itself', async () => {
    asked.devices = ['light-1', 'light-2'];
    await core.link(account, 'asked');
    const raw = { online: true, on: true, watt: 7 };
    const second = await core.devices.find(account, 'light-2');
    const loading = core.devices.find(account, 'light-1');
    core.devices.take(second, raw).catch(assert.fail);
    const first = await loading;
    assert.equal(await core.devices.find(account, 'light-1'), first);
    await core.devices.changed(account, [{ id: 'light-1' }]);
    const loadingAgain = core.devices.find(account, 'light-1');
    const observed = core.devices.take(first, raw);
    const overtaken = await loadingAgain;
    await observed;
    const now = await core.devices.find(account, 'light-1');
    assert.notEqual(now, overtaken);
    assert.equal(now.snapshot?.state.power_w, 7);
  });

  it('devices has what a vendor reported of two devices at once before it is stored', async () => {
    polled.devices = ['light-1', 'light-2'];
    await core.link(account, 'polled');
    const [{ id: link = '' } = {}] = await core.links.list(account);
    const of = { account, link, vendor: 'polled' };
    const report = (watt: number) =>
      Promise.all(polled.devices.map((id) => core.devices.observe(of, id, { online: true, on: true, watt })));
    await report(10);
    await core.devices.flush();
    await core.devices.changed(account, [{ id: 'light-1' }, { id: 'light-2' }]);
    await report(70);
    const before = polled.count('read');
    for (const id of polled.devices) {
      const { state } = await core.read(account, id);
      assert.equal((state as { power_w?: number }).power_w, 70, id);
    }
    assert.equal(polled.count('read'), before, 'what was reported is fresh');
  });

  it('devices tells all readers when the vendor fails, and asks again for the next', async () => {
    await core.link(account, 'asked');
    asked.onRead = async () => {
      throw new AppError('vendor.unreachable', 'away');
    };
    const answers = await Promise.allSettled([1, 2, 3].map(() => core.read(account, 'light-1')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['rejected']));
    const becomes = (status: string) =>
      until(`the link is ${status}`, async () => (await core.links.list(account))[0]?.status === status);
    await becomes('unreachable');
    asked.onRead = async () => {};
    assert.equal((await core.read(account, 'light-1')).device !== undefined, true);
    await becomes('active');
  });

  it('devices asks again once the state is as old as the vendor may be asked', async () => {
    await core.link(account, 'polled');
    const first = await core.read(account, 'light-1');
    core.clock.turn(59_999);
    assert.deepEqual(await core.read(account, 'light-1'), first);
    assert.equal(polled.count('read'), 1);
    core.clock.turn(1);
    const second = await core.read(account, 'light-1');
    assert.equal(polled.count('read'), 2);
    assert.equal(Date.parse(String(second.fetched_at)) - Date.parse(String(first.fetched_at)), 60_000);
  });

  it('devices is fresh after a command, and asks again when the state could not be read after it', async () => {
    await core.link(account, 'polled');
    await core.read(account, 'light-1');
    polled.onCommand = async () => {
      polled.reading = { online: true, on: true, watt: 60 };
    };
    const commanded = await core.send(account, 'light-1', { type: 'turn_on' });
    assert.equal(commanded.state.power_w, 60);
    assert.equal(((await core.read(account, 'light-1')).state as { power_w: number }).power_w, 60);

    polled.onCommand = async () => {
      polled.reading = { online: true, on: false, watt: 0 };
      polled.onRead = async () => {
        throw new AppError('vendor.unreachable', 'away');
      };
    };
    const unread = await core.send(account, 'light-1', { type: 'turn_off' });
    assert.deepEqual(unread.state, { online: false, power_on: true, power_w: 60 }, 'what is known still');
    assert.equal(unread.unconfirmed?.reason, 'away');
    polled.onRead = async () => {};
    assert.equal(((await core.read(account, 'light-1')).state as { power_w: number }).power_w, 0);
  });

  it('devices answers a command with the state after it, though readers come at the same time', async () => {
    await core.link(account, 'asked');
    asked.onCommand = async (_device, { type }) => {
      asked.reading = { online: true, on: type === 'turn_on', watt: type === 'turn_on' ? 60 : 0 };
    };
    for (const type of ['turn_on', 'turn_off', 'turn_on'] as const) {
      const readers = [1, 2, 3].map(() => core.read(account, 'light-1'));
      const commanded = await core.send(account, 'light-1', { type });
      await Promise.all(readers);
      assert.equal(commanded.state.power_on, type === 'turn_on');
    }
  });

  it('devices needs the vendor for an id that exists at two', async () => {
    await core.link(account, 'asked');
    await core.link(account, 'polled');
    await assert.rejects(core.read(account, 'light-1'), (error) => {
      assert.ok(error instanceof AppError && error.code === 'device.ambiguous');
      assert.match(error.message, /asked, polled/);
      return true;
    });
    const reading = JSON.parse((await core.devices.read(account, 'light-1', 'polled')).toString());
    assert.equal(reading.device.vendor, 'polled');
    await assert.rejects(core.devices.find(account, 'light-1', 'nobody'), codeOf('device.not_found'));
  });

  it('devices is answered when it is offline, and refused a state that is no number', async () => {
    await core.link(account, 'asked');
    asked.reading = { online: false, on: false, watt: 0 };
    assert.equal(((await core.read(account, 'light-1')).state as { online: boolean }).online, false);
    asked.reading = { online: true, on: true, watt: Number.NaN };
    await assert.rejects(core.read(account, 'light-1'), codeOf('vendor.answer_invalid'));
  });

  it('devices that are linked again have nothing of the link before, stored late or still on its way', async () => {
    const watt = async () => ((await core.read(account, 'light-1')).state as { power_w?: number }).power_w;
    const relink = async () => {
      const [link] = await core.links.list(account);
      await core.links.remove(account, link?.id ?? assert.fail());
      await core.link(account, 'polled');
    };
    await core.link(account, 'polled');
    assert.equal(await watt(), 10);
    // What was read is not stored yet.
    await relink();
    polled.reading = { online: true, on: false, watt: 20 };
    assert.equal(await watt(), 20);
    core.clock.turn(61_000);
    const [arrived, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    polled.onRead = async () => {
      arrived.resolve();
      await waits.promise;
    };
    const late = watt().catch(() => undefined);
    await arrived.promise;
    await relink();
    polled.onRead = async () => {};
    polled.reading = { online: true, on: false, watt: 30 };
    assert.equal(await watt(), 30);
    polled.reading = { online: true, on: false, watt: 40 };
    waits.resolve();
    await late;
    assert.equal(await watt(), 30);
  });
});
