import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { AppError } from '../../src/core/errors.ts';
import type { Queries } from '../../src/db/database.ts';
import { type Core, type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { ENGINES } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';
/** Longer than it takes another instance to learn of a state, and shorter than a state is fresh. */
const SOON_MS = 1_000;
const FRESH_MS = 60_000;
/** Memory is not used when the log cannot be read for longer. */
const CURRENT_MS = 4_000;
/** What is remembered is read again after this. */
const OLD_MS = 30_000;

const wattOf = async (core: Core, account: number, id: string) =>
  ((await core.read(account, id)).state as { power_w: number }).power_w;

describe('instances that follow the event log', { skip }, () => {
  const vendor = testVendor({ pollSeconds: FRESH_MS / 1_000 });
  let a: CoreWorld;
  let b: Core;
  let c: Core;
  let account: number;
  let of: { account: number; link: string; vendor: string };

  before(async () => {
    a = await makeCoreWorld('postgres', [vendor.adapter]);
    [b, c] = await Promise.all([a.another(), a.another()]);
  });
  after(async () => {
    await Promise.all([b.close(), c.close()]);
    await a.remove();
  });
  beforeEach(async () => {
    account = await a.newAccount();
    vendor.devices = ['light-0', 'light-1', 'light-2'];
    vendor.reading = { online: true, on: true, watt: 10 };
    vendor.onCommand = async () => {};
    await a.link(account, 'testvendor');
    const [link] = await a.links.list(account);
    of = { account, link: link?.id ?? '', vendor: 'testvendor' };
    await settle();
    for (const core of [a, b, c])
      for (const id of vendor.devices) assert.equal(await wattOf(core, account, id), 10);
    await settle();
    for (const core of [b, c]) for (const id of vendor.devices) await core.read(account, id);
  });

  /** Lets time pass, and work be done meanwhile. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      a.clock.turn(50);
      for (const core of [a, b, c]) await sql`select 1`.execute(core.database.queries);
    }
  }
  /** Lets the instances learn of what was written before. */
  const settle = () => pass(SOON_MS);
  /** Lets time pass until something holds, but not until what is remembered is read again for its age. */
  async function soon(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let passed = 0; !(await holds()); passed += 50) {
      assert.ok(passed < OLD_MS / 2, what);
      await pass(50);
    }
  }
  /** Waits until memory is in use, unless a transaction of another program on the server prevents it: then the database is read, which is right as well. */
  async function remembers(core: Core, id: string): Promise<void> {
    const isInUse = async () => {
      const known = await core.devices.find(account, id);
      return (await core.devices.find(account, id)) === known;
    };
    for (let passed = 0; passed < SOON_MS && !(await isInUse()); passed += 50) await pass(50);
  }
  const soonIs = (core: Core, id: string, watt: number) =>
    soon(`${id} has ${watt} W`, async () => (await wattOf(core, account, id)) === watt);
  async function write(core: Core, id: string, watt: number): Promise<void> {
    await core.devices.observe(of, id, { online: true, on: true, watt });
    assert.equal(await core.devices.flush(), true);
  }
  /** A transaction of another program that has begun to write, until it is ended. */
  async function open() {
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<Queries>();
    const done = a.database.transaction(async (transaction) => {
      await sql`select pg_current_xact_id()`.execute(transaction);
      begin(transaction);
      await held;
    });
    const transaction = await begun;
    return {
      transaction,
      end: async () => {
        end();
        await done;
      },
    };
  }
  const event = (type: string, device: string) => ({
    ...{ account, type, link: of.link, device, occurredAt: a.clock.now(), data: {} },
  });

  it('instances that follow the event log answer with the states that another one has stored, without a message for each', async () => {
    const asked = vendor.count('read');
    const announced: unknown[] = [];
    c.database.bus.on('devices.announced', (message) => void announced.push(message));
    await write(a, 'light-1', 70);
    for (const core of [a, b, c]) await soonIs(core, 'light-1', 70);
    assert.equal(vendor.count('read'), asked);
    assert.deepEqual(announced, []);
  });

  it('instances that follow the event log list what another one has stored', async () => {
    const listed = async () =>
      (await b.list(account)).map(({ state }) => (state as { power_w: number }).power_w);
    assert.deepEqual(await listed(), [10, 10, 10]);
    await write(a, 'light-2', 71);
    await soon('it is listed', async () => (await listed())[2] === 71);
  });

  it('instances that follow the event log take a reading of another one that changed nothing, and was no event, before they ask the vendor', async () => {
    await pass(FRESH_MS / 2 + SOON_MS);
    await b.devices.find(account, 'light-1');
    await write(a, 'light-1', 10);
    const { fetched_at } = await a.read(account, 'light-1');
    await pass(FRESH_MS / 2 - 1.5 * SOON_MS);
    await remembers(b, 'light-1');
    const asked = vendor.count('read');
    assert.equal((await b.read(account, 'light-1')).fetched_at, fetched_at);
    assert.equal(vendor.count('read'), asked);
    await pass(FRESH_MS / 2 + 2 * SOON_MS);
    await b.read(account, 'light-1');
    assert.equal(vendor.count('read'), asked + 1, 'what is stored is old as well');
  });

  it('instances that follow the event log do not miss what is committed late', async () => {
    const late = await open();
    await sql`
      update devices set state_json = '{"online":true,"power_on":true,"power_w":30}'
      where account_id = ${account} and id = 'light-2'`.execute(late.transaction);
    await a.database.events.append(late.transaction, [event('device.state_changed', 'light-2')]);
    await write(a, 'light-1', 72);
    await settle();
    await late.end();
    await soonIs(b, 'light-2', 30);
    await soonIs(b, 'light-1', 72);
  });

  it('instances that follow the event log do not use what they remember while the log cannot be read to its end', async () => {
    const late = await open();
    await write(a, 'light-1', 73);
    await pass(CURRENT_MS + SOON_MS);
    assert.equal(await wattOf(b, account, 'light-1'), 73);
    await write(a, 'light-1', 74);
    assert.equal(await wattOf(b, account, 'light-1'), 74, 'read from the database each time');
    await late.end();
    await settle();
    assert.equal(await wattOf(b, account, 'light-1'), 74);
  });

  it('instances that follow the event log are right while they are cut off from the others, and after it', async () => {
    const listeners = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'elnav\_%' and datname = current_database()`;
    await listeners.execute(a.database.queries);
    await until('they are cut off', () => ![a, b, c].some(({ database }) => database.bus.live));
    await write(a, 'light-1', 75);
    assert.equal(await wattOf(b, account, 'light-1'), 75);
    await write(a, 'light-2', 76);
    // What leaves no event.
    await sql`update devices set name = 'another' where account_id = ${account} and id = 'light-0'`.execute(
      a.database.queries,
    );
    await until('they are back', async () => {
      await pass(50);
      return [a, b, c].every(({ database }) => database.bus.live);
    });
    assert.equal(await wattOf(b, account, 'light-2'), 76);
    await remembers(c, 'light-1');
    assert.equal(((await c.read(account, 'light-0')).device as { name: string }).name, 'another');
    await write(a, 'light-1', 77);
    await soonIs(c, 'light-1', 77);
  });

  it('instances that follow the event log have a device no more as soon as its link is removed at another one', async () => {
    await a.links.remove(account, of.link);
    await assert.rejects(b.read(account, 'light-1'), { code: 'device.not_found' });
    assert.deepEqual(await b.list(account), []);
  });

  it('instances that follow the event log have a device no more that the log says is gone', async () => {
    await a.database.transaction(async (transaction) => {
      await a.database.events.append(transaction, [event('device.removed', 'light-1')]);
      await sql`delete from devices where account_id = ${account} and id = 'light-1'`.execute(transaction);
    });
    await soon('it is gone', () =>
      b.read(account, 'light-1').then(
        () => false,
        (error) => error instanceof AppError && error.code === 'device.not_found',
      ),
    );
  });

  it('instances that follow the event log have the state after a command as soon as another one has answered it', async () => {
    vendor.onCommand = async () => {
      vendor.reading = { online: true, on: true, watt: 60 };
    };
    await a.send(account, 'light-1', { type: 'turn_on' });
    // No time passes, so that nothing is read from the log.
    await until('the other one has it', async () => (await wattOf(b, account, 'light-1')) === 60);
  });

  it('instances that follow the event log ask the vendor after a command of another one whose outcome is not known', async () => {
    vendor.onCommand = async () => {
      vendor.reading = { online: true, on: true, watt: 61 };
      throw new AppError('vendor.unreachable', 'away');
    };
    await assert.rejects(a.send(account, 'light-1', { type: 'turn_on' }));
    await until('the other one asks', async () => (await wattOf(b, account, 'light-1')) === 61);
  });

  it('instances that follow the event log write nothing over what another one has just stored', async () => {
    await write(a, 'light-1', 78);
    await b.devices.offline(of);
    await b.devices.flush();
    const [stored] = await c.devices
      .knownOfLink(of)
      .then((rows) => rows.filter(({ id }) => id === 'light-1'));
    assert.deepEqual(stored?.snapshot?.state, { online: false, power_on: true, power_w: 78 });
  });

  it('instances that follow the event log take no report that is older than what another one has', async () => {
    const now = a.clock.now();
    const report = (core: Core, watt: number, at: number) =>
      core.devices.report(of, 'light-1', { state: { power_w: watt }, at });
    assert.equal(await report(a, 10, now + 2), 'taken');
    await a.devices.flush();
    assert.equal(await report(b, 5, now + 1), 'older');
  });
});
