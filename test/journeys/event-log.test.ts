import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS, MINUTE_MS } from '../../src/core/durations.ts';
import { AppError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { createDeviceStore } from '../../src/domain/devices/devices/store.ts';
import { createLinkSessions, createSignInStore } from '../../src/domain/links/links/index.ts';
import { createCharging } from '../../src/domain/records/charging/index.ts';
import { Expired, type LoggedEvent, rendered } from '../../src/domain/records/events/index.ts';
import { createEventStore, type EventStore } from '../../src/domain/records/events/store.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { type SnapshotOf, snapshotStore } from '../kit/snapshots.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

onEachEngine('the event log', (engine) => {
  const vendor = testVendor();
  let core: CoreWorld;
  let account: number;
  let store: ReturnType<typeof createDeviceStore>;
  let snapshots: ReturnType<typeof snapshotStore>;
  let log: EventStore;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter]);
    store = createDeviceStore(core.database);
    snapshots = snapshotStore(core.database);
    log = createEventStore(core.database);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    vendor.devices = ['light-1'];
    vendor.onCommand = async () => {};
    vendor.reading = { online: true, on: false, watt: 10 };
  });

  /** Transactions of other tests on the same server hold readers back while they run. */
  const settled = () => until('what is committed can be read', async () => (await log.heldSince()) === null);
  const events = async (after?: { tx: number; id: number }): Promise<LoggedEvent[]> => {
    await settled();
    const page = await core.eventLog.page({ account, after, filter: {}, limit: 1_000 });
    return page.events.map(rendered);
  };
  const typesOf = (list: readonly LoggedEvent[]) => list.map(({ type }) => type);
  const linked = async () => {
    await core.link(account, 'testvendor');
    const [link] = await core.links.list(account);
    assert.ok(link !== undefined);
    return link.id;
  };
  /** Where the log ends now, so that a test sees only what it does itself. */
  const now = async () => {
    await settled();
    return core.eventLog.end();
  };
  const snapshotWrite = (state: object, more: Partial<SnapshotOf> = {}, at = 1): SnapshotOf => ({
    account,
    vendor: 'testvendor',
    id: 'light-1',
    snapshot: {
      state: { online: true, ...state },
      limits: null,
      capacity: null,
      observedAt: at,
      fetchedAt: at,
    },
    ...more,
  });
  const stateNow = async () => (await store.byId(account, 'light-1'))[0]?.snapshot?.state ?? null;

  it('the event log has an event of a link and each of its devices, and of their ends', async () => {
    vendor.devices = ['light-1', 'charger-1'];
    const link = await linked();
    vendor.devices = ['light-1', 'light-2'];
    await core.link(account, 'testvendor');
    await core.links.remove(account, link);
    const all = await events();
    assert.deepEqual(
      all.map(({ type, subject, data }) => [type, subject.device, data]),
      [
        ['link.linked', null, { relinked: false }],
        ['device.linked', 'light-1', linkedData('light', 'light-1')],
        ['device.linked', 'charger-1', linkedData('charger', 'charger-1')],
        ['link.linked', null, { relinked: true }],
        ['device.removed', 'charger-1', { reason: 'not_listed' }],
        ['device.linked', 'light-2', linkedData('light', 'light-2')],
        ['device.removed', 'light-1', { reason: 'link_removed' }],
        ['device.removed', 'light-2', { reason: 'link_removed' }],
        ['link.removed', null, {}],
      ],
    );
    for (const { subject, version } of all) {
      assert.deepEqual(
        { ...subject, device: null },
        { device: null, vendor: 'testvendor', link, user_ref: 'someone' },
      );
      assert.equal(version, 1);
    }
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });
  const linkedData = (type: string, name: string) => ({
    device_type: type,
    name,
    capabilities:
      type === 'light'
        ? ['read_power', 'on_off', 'set_light']
        : ['read_power', 'charge_control', 'set_current', 'load_balancing'],
  });

  it('the event log has an event of other values, with what changed, and none of other times', async () => {
    await linked();
    const begun = await now();
    await snapshots.write(snapshotWrite({ power_w: 10, power_on: true }, {}, 1_000));
    await snapshots.write(snapshotWrite({ power_on: true, power_w: 10 }, {}, 2_000));
    await snapshots.write(snapshotWrite({ power_w: 20, power_on: true }, {}, 3_000));
    await snapshots.write(snapshotWrite({ power_w: 20 }, {}, 4_000));
    assert.deepEqual(
      (await events(begun)).map(({ type, data, occurred_at }) => [type, data.changes, occurred_at]),
      [
        [
          'device.state_changed',
          {
            online: { from: null, to: true },
            power_w: { from: null, to: 10 },
            power_on: { from: null, to: true },
          },
          '1970-01-01T00:00:01.000Z',
        ],
        ['device.state_changed', { power_w: { from: 10, to: 20 } }, '1970-01-01T00:00:03.000Z'],
        ['device.state_changed', { power_on: { from: true, to: null } }, '1970-01-01T00:00:04.000Z'],
      ],
    );
  });

  it('the event log has an event when a device is unreachable, and when it can be reached again', async () => {
    await linked();
    const begun = await now();
    for (const online of [true, false, false, true])
      await snapshots.write(snapshotWrite({ online, power_w: 1 }));
    await snapshots.write(snapshotWrite({ online: false, operation_state: 'says "online":false' }));
    assert.deepEqual(typesOf(await events(begun)), [
      'device.state_changed',
      ...['device.state_changed', 'device.unreachable'],
      ...['device.state_changed', 'device.reachable'],
      ...['device.state_changed', 'device.unreachable'],
    ]);
  });

  it('the event log has no event of what is not stored: an older reading, or one of a device that is gone', async () => {
    await linked();
    await snapshots.write(snapshotWrite({ power_w: 1 }, {}, 5_000));
    const begun = await now();
    await snapshots.write(snapshotWrite({ power_w: 2 }, { unlessLaterThan: 4_000 }, 6_000));
    await snapshots.write(snapshotWrite({ power_w: 2 }, { id: 'light-gone' }, 6_000));
    assert.deepEqual(await events(begun), []);
    assert.equal((await stateNow())?.power_w, 1);
  });

  it('the event log has all events of a shared commit, each of its own device', async () => {
    vendor.devices = Array.from({ length: 120 }, (_, index) => `light-${index}`);
    await linked();
    const begun = await now();
    await Promise.all(
      vendor.devices.map((id, index) =>
        snapshots.writeInBackground(snapshotWrite({ power_w: index }, { id })),
      ),
    );
    const found = await events(begun);
    assert.deepEqual(
      new Map(found.map(({ subject, data }) => [subject.device, (data.changes as Changes).power_w?.to])),
      new Map(vendor.devices.map((id, index) => [id, index])),
    );
    assert.equal(found.length, 120);
  });
  type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

  for (const [what, table] of [
    ['no change without its event', 'events'],
    ['no event without its change', 'devices'],
  ] as const)
    it(`the event log makes ${what}, where the database refuses it`, async (t) => {
      await linked();
      await snapshots.write(snapshotWrite({ power_w: 1 }));
      const begun = await now();
      t.after(await refuse(table));
      await assert.rejects(snapshots.write(snapshotWrite({ power_w: 2 })), /refused by the test/);
      assert.equal((await stateNow())?.power_w, 1);
      assert.deepEqual(await events(begun), []);
    });
  /** The database takes nothing into the table any more, until the result is called. */
  async function refuse(table: 'events' | 'devices'): Promise<() => Promise<void>> {
    const { queries } = core.database;
    const on = sql.raw(table === 'events' ? 'insert on events' : 'update on devices');
    if (engine === 'sqlite')
      await sql`create trigger refused before ${on} begin select raise(abort, 'refused by the test'); end`.execute(
        queries,
      );
    else {
      await sql`create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'refused by the test'; end $$`.execute(queries);
      await sql`create trigger refused before ${on} for each row execute function refuse()`.execute(queries);
    }
    return async () => {
      await sql`drop trigger refused ${sql.raw(engine === 'sqlite' ? '' : `on ${table}`)}`.execute(queries);
      if (engine === 'postgres') await sql`drop function refuse`.execute(queries);
    };
  }

  it('the event log has the end of each command, once', async () => {
    await linked();
    const begun = await now();
    core.clock.turn(60_000);
    const at = core.clock.now();
    await core.send(account, 'light-1', { type: 'turn_on' });
    vendor.onCommand = async () => {
      throw new AppError('vendor.refused', 'it says "no"');
    };
    await assert.rejects(core.send(account, 'light-1', { type: 'turn_off' }));
    vendor.onCommand = async () => {
      throw new AppError('vendor.timeout', 'it is silent');
    };
    await assert.rejects(core.send(account, 'light-1', { type: 'set_light', dim: 3 }));
    const ends = (await events(begun)).filter(({ type }) => type.startsWith('command.'));
    assert.deepEqual(
      ends.map(({ type, subject, data }) => [type, subject.device, data.command, data.error]),
      [
        ['command.succeeded', 'light-1', { type: 'turn_on' }, null],
        ['command.failed', 'light-1', { type: 'turn_off' }, 'vendor.refused: it says "no"'],
        ['command.outcome_unknown', 'light-1', { type: 'set_light', dim: 3 }, 'vendor.timeout: it is silent'],
      ],
    );
    assert.ok(ends.every(({ subject }) => subject.user_ref === 'someone' && subject.link !== null));
    assert.ok(
      ends.every(({ recorded_at }) => Date.parse(recorded_at) >= at),
      'recorded when it was, not when the process started',
    );
  });

  it('the event log has that a link is unreachable, that it must be linked again, and that this is over, once each', async () => {
    const link = await linked();
    const begun = await now();
    for (const [status, reason] of [
      ['unreachable', 'it is silent'],
      ['needs_relink', 'the sign-in is gone'],
      ['needs_relink', 'it is still gone'],
      ['active', null],
    ] as const) {
      const row = await core.calls.find({ account, link });
      assert.ok(row !== undefined);
      await core.calls.note(row, status, reason);
    }
    assert.deepEqual(
      (await events(begun))
        .filter(({ type }) => type.startsWith('link.'))
        .map(({ type, data, subject }) => [type, data, subject.link]),
      [
        ['link.unreachable', { reason: 'it is silent' }, link],
        ['link.needs_relink', { reason: 'the sign-in is gone' }, link],
        ['link.recovered', {}, link],
      ],
    );
  });

  it('the event log has how sessions of end users end', async () => {
    const { database, clock } = core;
    const sessions = createLinkSessions({
      store: createSignInStore(database),
      adapters: new Map([['testvendor', vendor.adapter]]),
      publicUrl: () => 'https://elnav.example',
      requireGateway: async () => {},
      clock,
      random: (bytes) => Buffer.alloc(bytes, 7 + account),
    });
    const asked = { account, userRef: 'anna', vendor: undefined, redirectUri: undefined };
    const { session } = await sessions.begin(asked);
    const row = await sessions.open(session);
    await sessions.fail(row, 'cancelled');
    const linking = { link: 'link-1', devices: [] };
    await sessions.use(row, { browser: undefined, vendor: 'testvendor', work: async () => linking });
    await sessions.fail(row, 'late');
    assert.deepEqual(
      (await events()).map(({ type, subject, data }) => [type, subject, data]),
      [
        [
          'link_session.failed',
          { device: null, vendor: null, link: null, user_ref: 'anna' },
          { session_sha256: row.sha256, reason: 'cancelled' },
        ],
        [
          'link_session.completed',
          { device: null, vendor: 'testvendor', link: 'link-1', user_ref: 'anna' },
          { session_sha256: row.sha256 },
        ],
      ],
    );
  });

  it('the event log has the beginning, the changes and the end of charging transactions, and none of what is repeated', async () => {
    const link = await linked();
    const { database, clock } = core;
    const begun = await now();
    const records = createCharging({ database, clock, log: silentLog }).records({ account, link });
    const start = { deviceId: 'light-1', startedAt: 1_000, meterStartWh: 5, idTag: null };
    const transactionId = await records.begin(start);
    await records.begin(start);
    await records.identify(transactionId, 'tag');
    await records.identify(transactionId, 'another');
    const end = { transactionId, endedAt: 9_000, meterStopWh: 25, reason: 'Local' };
    await records.end(end, 'light-1');
    await records.end(end, 'light-1');
    assert.deepEqual(
      (await events(begun)).map(({ type, subject, data }) => [
        type,
        subject.user_ref,
        data.id_tag,
        data.ended_at,
        data.meter_stop_wh,
      ]),
      [
        ['charging.started', 'someone', null, null, null],
        ['charging.updated', 'someone', 'tag', null, null],
        ['charging.ended', 'someone', 'tag', '1970-01-01T00:00:09.000Z', 25],
      ],
    );
  });

  it('the event log shows an account its own events, by page, and those that a filter wants', async () => {
    vendor.devices = ['light-1', 'light-2'];
    const link = await linked();
    for (const id of vendor.devices)
      for (const power_w of [1, 2, 3]) await snapshots.write(snapshotWrite({ power_w }, { id }));
    const whole = await events();
    assert.equal(whole.length, 9);
    const read = async (filter: object, limit: number) => {
      const found: LoggedEvent[] = [];
      for (let page = await core.eventLog.page({ account, after: undefined, filter, limit }); ; ) {
        found.push(...page.events.map(rendered));
        if (!page.hasMore) return found;
        page = await core.eventLog.page({ account, after: page.end, filter, limit });
      }
    };
    for (const limit of [1, 2, 4, 9, 10]) assert.deepEqual(await read({}, limit), whole);
    const wanted = [
      [{ types: ['link.linked', 'device.linked'] }, 3],
      [{ device: 'light-2' }, 4],
      [{ link }, 9],
      [{ link: 'other' }, 0],
      [{ userRef: 'someone', types: ['device.state_changed'] }, 6],
      [{ userRef: 'nobody' }, 0],
    ] as const;
    for (const [filter, count] of wanted) assert.equal((await read(filter, 2)).length, count);
    account = await core.newAccount();
    assert.deepEqual(await events(), []);
  });

  it('the event log goes on after what is recorded, without reading anything twice', async () => {
    await linked();
    let after = await now();
    for (const power_w of [1, 2, 3]) {
      await snapshots.write(snapshotWrite({ power_w }));
      await settled();
      const page = await core.eventLog.page({ account, after, filter: {}, limit: 10 });
      assert.deepEqual(
        page.events.map((row) => (rendered(row).data.changes as Changes).power_w?.to),
        [power_w],
      );
      after = page.end;
    }
  });

  it('the event log removes what is older than is kept, a batch at a time, and says to readers that they have missed some', async () => {
    await linked();
    const begun = await now();
    for (const power_w of [1, 2]) await snapshots.write(snapshotWrite({ power_w }));
    const kept = await now();
    core.clock.turn(29 * DAY_MS);
    await snapshots.write(snapshotWrite({ power_w: 3 }));
    core.clock.turn(2 * DAY_MS);
    const retention = core.eventLog.keep(30);
    await until('old events are removed', async () => {
      core.clock.turn(MINUTE_MS);
      return (await events()).length === 1;
    });
    await retention.close();
    const left = await events();
    assert.deepEqual(
      left.map(({ data }) => data.changes),
      [{ power_w: { from: 2, to: 3 } }],
    );
    const gone = await core.eventLog.page({ account, after: begun, filter: {}, limit: 10 }).catch((e) => e);
    assert.ok(gone instanceof Expired);
    assert.deepEqual(await events(gone.oldest), left);
    assert.deepEqual(await events(kept), left);
  });

  it('the event log forgets what is of a user, wherever it is in the log, with what it was about', async () => {
    const most = 5_200;
    const rows = Array.from({ length: most }, (_, index) => ({
      ...{
        account,
        type: 'device.reachable',
        link: null,
        device: `light-${index % 3}`,
        vendor: 'testvendor',
      },
      ...{ userRef: index % 2 === 0 ? 'leaving' : 'staying', occurredAt: index, data: {} },
    }));
    for (let from = 0; from < most; from += 200)
      await core.database.transaction((inside) =>
        core.database.events.append(inside, rows.slice(from, from + 200)),
      );
    const about = new Set<string>();
    await core.eventLog.forget({ account, userRef: 'leaving' }, async (_, { devices }) => {
      for (const { id } of devices) about.add(id);
    });
    assert.deepEqual([...about].toSorted(), ['light-0', 'light-1', 'light-2']);
    const left = await core.database.queries
      .selectFrom('events')
      .select('user_ref')
      .where('account_id', '=', account)
      .where('type', '=', 'device.reachable')
      .execute();
    assert.deepEqual(new Set(left.map(({ user_ref }) => user_ref)), new Set(['staying']));
    assert.equal(left.length, most / 2);
  });
});
