import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../src/core/durations.ts';
import { silentLog } from '../../src/core/log.ts';
import { createCharging } from '../../src/domain/records/charging/index.ts';
import {
  type ListedSession,
  SESSIONS_READER,
  type SessionFilter,
} from '../../src/domain/records/charging-sessions/index.ts';
import { ocpp } from '../../src/vendors/ocpp/index.ts';
import { sandbox } from '../../src/vendors/sandbox/index.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { snapshotStore } from '../kit/snapshots.ts';
import { until } from '../kit/until.ts';

const OUT = { connected: false, charging: false, power_w: 0 };
const ON = { connected: true, charging: true, power_w: 6_000 };

onEachEngine('charging sessions', (engine) => {
  let core: CoreWorld;
  let account: number;
  let store: ReturnType<typeof snapshotStore>;
  /** When the test began, a whole hour. */
  let began: number;
  let charger: string;
  let car: string;
  before(async () => {
    core = await makeCoreWorld(engine, [sandbox, ocpp]);
    store = snapshotStore(core.database);
  });
  after(() => core.remove());
  beforeEach(async () => {
    core.clock.turn(HOUR_MS - (core.clock.now() % HOUR_MS));
    began = core.clock.now();
    account = await core.newAccount();
    const devices = await core.link(account, 'sandbox', { device_types: ['vehicle', 'charger', 'battery'] });
    const idOf = (type: string) => devices.find(({ device_type }) => device_type === type)?.id ?? '';
    [car, charger] = [idOf('vehicle'), idOf('charger')];
  });

  const minute = (minutes: number) => began + Math.round(minutes * MINUTE_MS);
  const see = (id: string, state: object, at: number, vendor = 'sandbox') =>
    store.write({
      ...{ account, vendor, id },
      snapshot: {
        ...{ state: { online: true, ...state }, limits: null, capacity: null },
        ...{ observedAt: minute(at), fetchedAt: minute(at) },
      },
    });
  /** Lets time pass until all that is in the log is applied. */
  const settled = () =>
    until('all events are applied', async () => {
      core.clock.turn(100);
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from events left join event_readers on event_readers.name = 'charging_sessions'
        where events.type in (${sql.join(SESSIONS_READER.types)}) and (event_readers.tx is null
          or events.tx > event_readers.tx or (events.tx = event_readers.tx and events.id > event_readers.id))`.execute(
        core.database.queries,
      );
      return Number(rows[0]?.n) === 0;
    });
  const list = async (query: Partial<SessionFilter> = {}, upTo = 0) => {
    await settled();
    core.clock.turn(Math.max(0, minute(upTo) - core.clock.now()));
    return core.sessions.list({ account, limit: 100, ...query });
  };
  const minutesOf = (at: number | null) => (at === null ? null : Math.round((at - began) / MINUTE_MS));
  const shown = (sessions: readonly ListedSession[]) =>
    sessions.map(({ device, startedAt, endedAt, energyWh, energyBy, isComplete }) => [
      ...[device, minutesOf(startedAt), minutesOf(endedAt), energyWh, energyBy, isComplete],
    ]);

  it('charging sessions has one of the car and one of its charger, each by what it tells, and none of a battery', async () => {
    const [battery] = await core.list(account, { deviceType: 'battery' });
    await see(String(battery?.id), { charging: true, power_w: 5_000 }, 1);
    for (const [at, state] of [
      [0, OUT],
      [10, ON],
      [40, ON],
      [50, OUT],
    ] as const) {
      await see(car, state, at);
      await see(charger, { ...state, energy_wh: 70_000 + 100 * at }, at);
    }
    const { sessions, next } = await list();
    assert.equal(next, null);
    assert.deepEqual(
      shown(sessions).toSorted(),
      [
        // By its meter: what it counted from minute 0, when no car was plugged in, to minute 50.
        [charger, 10, 50, 5_000, 'meter', true],
        // Nothing is known from minute 10 to 40: a longer silence than one that a value stays in.
        [car, 10, 50, 1_000, 'power', false],
      ].toSorted(),
    );
  });

  it('charging sessions counts a session that runs until its device was last confirmed', async () => {
    await see(car, OUT, 0);
    await see(car, ON, 10);
    await settled();
    assert.deepEqual(shown((await list()).sessions), [[car, 10, null, 0, 'power', true]]);
    for (const at of [20, 30, 40]) await see(car, ON, at);
    assert.deepEqual(shown((await list({}, 45)).sessions), [[car, 10, null, 3_000, 'power', true]]);
    // Nobody has heard of it for a day: it is not said to run.
    assert.deepEqual(shown((await list({}, 42 + 24 * 60)).sessions), [[car, 10, 40, 3_000, 'power', false]]);
  });

  it('charging sessions is the same however the events are divided, also where it begins with the oldest one again', async () => {
    const states = [OUT, ON, ON, { ...ON, power_w: 3_000 }, { ...ON, charging: false, power_w: 0 }, ON, OUT];
    for (const [index, state] of states.entries()) {
      await see(car, state, index * 10);
      if (index % 2 === 0) await settled();
    }
    const divided = shown((await list()).sessions);
    assert.deepEqual(divided, [[car, 10, 60, 3_500, 'power', true]]);
    await core.database.transaction(async (transaction) => {
      await transaction.deleteFrom('charging_sessions').execute();
      await transaction.deleteFrom('charging_progress').execute();
      await transaction.deleteFrom('event_readers').where('name', '=', 'charging_sessions').execute();
    });
    assert.deepEqual(shown((await list()).sessions), divided);
  });

  it('charging sessions has a session for each transaction of a station, whatever its states say', async () => {
    const [device] = await core.link(account, 'ocpp', {
      identity: `CP-${account}`,
      password: 'a-station-password',
    });
    const id = String(device?.id);
    const link = (await core.links.list(account)).find(({ vendor }) => vendor === 'ocpp')?.id ?? '';
    const { begin, end, giveUp } = createCharging({ ...core, log: silentLog }).records({ account, link });
    await see(id, { ...OUT, energy_wh: 1_000 }, 0, 'ocpp');
    await see(id, { ...ON, charging: false, power_w: 0, energy_wh: 1_000 }, 1, 'ocpp');
    const start = { deviceId: id, meterStartWh: 1_000, idTag: null };
    const transactionId = await begin({ ...start, startedAt: minute(2) });
    await see(id, { ...ON, energy_wh: 1_000 }, 3, 'ocpp');
    await see(id, { ...ON, power_w: 7_000, energy_wh: 2_000 }, 12, 'ocpp');
    assert.deepEqual(shown((await list()).sessions), [[id, 2, null, 1_000, 'meter', true]]);
    await end({ transactionId, endedAt: minute(20), meterStopWh: 3_100, reason: 'Local' }, id);
    await see(id, { ...ON, charging: false, power_w: 0, energy_wh: 3_100 }, 20, 'ocpp');
    await see(id, { ...OUT, energy_wh: 3_100 }, 22, 'ocpp');
    await see(id, { ...OUT, online: false }, 25, 'ocpp');
    core.clock.turn(Math.max(0, minute(41) - core.clock.now()));
    const lost = await begin({ ...start, startedAt: minute(30), meterStartWh: 3_100 });
    await giveUp({ transactionId: lost, by: minute(40), reason: 'Lost' });
    const { sessions } = await list();
    assert.deepEqual(shown(sessions), [
      [id, 30, 40, null, null, false],
      [id, 2, 20, 2_100, 'transaction', true],
    ]);
    assert.equal(sessions[1]?.maxPowerW, 7_000);
    // The end that the station has kept.
    await end({ transactionId: lost, endedAt: minute(35), meterStopWh: 4_000, reason: null }, id);
    assert.deepEqual(shown((await list()).sessions)[0], [id, 30, 35, 900, 'transaction', true]);
  });

  it('charging sessions ends with its device and its user, and is listed afterwards', async () => {
    await see(car, OUT, 0);
    await see(car, ON, 10);
    await see(car, { ...ON, power_w: 6_001 }, 20);
    await settled();
    const [link] = await core.links.list(account);
    core.clock.turn(minute(25) - core.clock.now());
    await core.links.remove(account, link?.id ?? '');
    assert.deepEqual(shown((await list()).sessions), [[car, 10, 25, 1_500, 'power', false]]);
    await core.link(account, 'sandbox', { device_types: ['vehicle'] });
    await see(car, OUT, 30);
    await see(car, ON, 40);
    await settled();
    await core.database.queries
      .updateTable('devices')
      .set({ user_ref: 'another' })
      .where('account_id', '=', account)
      .execute();
    await see(car, { ...ON, power_w: 6_002 }, 50);
    const { sessions } = await list();
    assert.deepEqual(
      sessions.map(({ userRef, isComplete, endedAt }) => [userRef, isComplete, endedAt === null]),
      [
        ['another', false, true],
        ['someone', false, false],
        ['someone', false, false],
      ],
    );
    const own = await list({ device: car, vendor: 'sandbox', ofPresentUser: true });
    assert.deepEqual(
      own.sessions.map(({ userRef }) => userRef),
      ['another'],
    );
    assert.equal((await list({ userRef: 'someone' })).sessions.length, 2);
  });

  it('charging sessions is read by page and by time, without loss or repeat', async () => {
    for (let at = 0; at < 100; at += 10) {
      // Two that begin at the same moment.
      for (const id of [car, charger]) await see(id, at % 20 === 0 ? OUT : ON, at);
    }
    const whole = await list();
    assert.equal(whole.sessions.length, 10);
    const ids = whole.sessions.map(({ id }) => id);
    for (const limit of [1, 3, 10]) {
      const found: string[] = [];
      for (let after: SessionFilter['after']; ; ) {
        const page = await list({ limit, after });
        assert.ok(page.sessions.length <= limit);
        found.push(...page.sessions.map(({ id }) => id));
        if (page.next === null) break;
        after = page.next;
      }
      assert.deepEqual(found, ids);
    }
    assert.equal((await list({ from: minute(30), to: minute(70) })).sessions.length, 4);
    assert.equal((await list({ device: car })).sessions.length, 5);
    const other = account;
    account = await core.newAccount();
    assert.deepEqual((await list()).sessions, []);
    assert.deepEqual((await list({ device: car })).sessions, []);
    account = other;
  });

  it('charging sessions has a cost where all of its quarters have a price, and otherwise says why not', async () => {
    const price = async (at: number, sek: string) => {
      const span = { start_at: minute(at), end_at: minute(at) + QUARTER_MS };
      await core.database.queries
        .insertInto('prices')
        .values({ area: 'SE3', day: '2026-11-21', ...span, sek, eur: null })
        .execute();
    };
    const cost = async () => (await list()).sessions.map((one) => one.cost);
    // 1,000 Wh to minute 15 and 500 Wh from then on.
    for (const [at, state] of [
      [0, OUT],
      [5, ON],
      [15, { ...ON, power_w: 3_000 }],
      [25, OUT],
    ] as const)
      await see(car, state, at);
    assert.deepEqual(await cost(), [{ cost: null, missing: 'link has no price_area' }]);
    const [link] = await core.links.list(account);
    await core.links.setPriceArea({ account, link: link?.id ?? '' }, 'SE3');
    await price(0, '0.8');
    const [half] = await cost();
    assert.equal(half?.cost, null);
    assert.match(half?.missing ?? '', /^no price of SE3 is stored from .*:15Z to .*:30Z$/);
    await price(15, '-0.2');
    assert.deepEqual(await cost(), [{ cost: '0.7', missing: null }]);
    // Half of it was not seen: no cost of a part.
    await see(car, ON, 26);
    await see(car, { ...ON, online: false }, 28);
    await see(car, OUT, 29);
    assert.deepEqual((await cost())[0], { cost: null, missing: 'energy_wh is not all that was charged' });
  });

  it('charging sessions is forgotten with its user, and removed when it is too old', async () => {
    await see(car, OUT, 0);
    await see(car, ON, 10);
    await see(car, OUT, 20);
    await see(charger, ON, 10);
    const other = account;
    account = await core.newAccount();
    await core.link(account, 'sandbox', { device_types: ['vehicle'] });
    await see(car, OUT, 0);
    await see(car, ON, 10);
    await see(car, OUT, 20);
    assert.equal((await list()).sessions.length, 1);
    const kept = core.sessions.keep();
    core.clock.turn(1_090 * DAY_MS);
    assert.equal((await list()).sessions.length, 1);
    await core.database.transaction((transaction) =>
      core.sessions.forget(transaction, { account: other, userRef: 'someone' }),
    );
    for (const table of ['charging_sessions', 'charging_progress'] as const) {
      const left = await core.database.queries.selectFrom(table).select('account_id').execute();
      assert.ok(left.some(({ account_id }) => account_id === account));
      assert.ok(left.every(({ account_id }) => account_id !== other));
    }
    core.clock.turn(10 * DAY_MS);
    await until('old sessions are removed', async () => {
      core.clock.turn(HOUR_MS);
      return (await core.sessions.list({ account, limit: 10 })).sessions.length === 0;
    });
    await kept.close();
  });
});

/** The sandbox as if its chargers showed the energy of the session. */
const withSessionMeters = (): Adapter => {
  const { charger } = sandbox.kinds;
  return { ...sandbox, kinds: { ...sandbox.kinds, charger: { ...charger, energyOfSession: true } } };
};

onEachEngine('charging sessions of a meter that starts again with each', (engine) => {
  it('charging sessions of a meter that starts again with each have all that it shows, and not what it showed before', async () => {
    const core = await makeCoreWorld(engine, [withSessionMeters()]);
    try {
      const account = await core.newAccount();
      const [device] = await core.link(account, 'sandbox', { device_types: ['charger'] });
      const store = snapshotStore(core.database);
      const began = core.clock.now();
      const steps = [
        [OUT, 5_000],
        [ON, 5_000],
        [ON, 700],
        [OUT, 1_200],
      ] as const;
      for (const [index, [state, energy_wh]] of steps.entries()) {
        const at = began + index * 5 * MINUTE_MS;
        await store.write({
          ...{ account, vendor: 'sandbox', id: String(device?.id) },
          snapshot: {
            ...{ state: { online: true, ...state, energy_wh }, limits: null, capacity: null },
            ...{ observedAt: at, fetchedAt: at },
          },
        });
      }
      await until('it has ended', async () => {
        core.clock.turn(100);
        const [session] = (await core.sessions.list({ account, limit: 10 })).sessions;
        return session?.endedAt != null && session.energyWh === 1_200 && session.isComplete;
      });
    } finally {
      await core.remove();
    }
  });
});
