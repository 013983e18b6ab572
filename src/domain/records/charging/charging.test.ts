import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import type { ChargingRecords, MeterReading, TransactionStart } from '../../../adapter/charging.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { type Log, silentLog } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { type Charging, createCharging } from './index.ts';

onEachEngine('charging records', (engine) => {
  let place: Place;
  let clock: TurnedClock;
  let database: Database;
  let charging: Charging;
  let links = 0;
  let records: ChargingRecords;
  let other: ChargingRecords;
  before(async () => {
    clock = turnedClock();
    place = await makePlace(engine);
    database = await place.open(clock);
    charging = createCharging({ database, clock, log: silentLog });
  });
  after(async () => {
    await database.close();
    await place.remove();
  });
  beforeEach(() => {
    links += 1;
    records = charging.records({ account: 1, link: `link-${links}` });
    other = charging.records({ account: 2, link: `link-${links}` });
  });

  const start = (more: Partial<TransactionStart> = {}): TransactionStart => ({
    deviceId: 'cp:1',
    startedAt: 1_000,
    meterStartWh: 0,
    idTag: null,
    ...more,
  });
  const rows = () =>
    database.queries
      .selectFrom('charging_transactions')
      .selectAll()
      .where('account_id', '=', 1)
      .where('link_id', '=', `link-${links}`)
      .execute();

  it('charging records number transactions from 1 for each link', async () => {
    assert.equal(await records.begin(start()), '1');
    assert.equal(await records.begin(start({ startedAt: 2_000 })), '2');
    assert.equal(await other.begin(start({ startedAt: 2_000 })), '1');
  });

  it('charging records store a repeated start once, whatever fields it leaves out', async () => {
    const variants = [
      start(),
      start({ meterStartWh: null }),
      start({ idTag: 'a' }),
      start({ deviceId: 'cp:2' }),
      start({ transactionId: 'station-made' }),
    ];
    const first = [];
    for (const variant of variants) first.push(await records.begin(variant));
    const again = [];
    for (const variant of variants) again.push(await records.begin(variant));
    assert.deepEqual(again, first);
    assert.equal(new Set(first).size, variants.length);
    assert.equal((await rows()).length, variants.length);
  });

  it('charging records give concurrent starts different numbers', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, index) => records.begin(start({ startedAt: index }))),
    );
    assert.deepEqual(
      ids.toSorted((a, b) => Number(a) - Number(b)),
      ids.map((_, index) => String(index + 1)),
    );
    const same = await Promise.all(Array.from({ length: 5 }, () => records.begin(start({ startedAt: 99 }))));
    assert.equal(new Set(same).size, 1);
  });

  it('charging records end once, and keep an end without a start', async () => {
    const transactionId = await records.begin(start());
    const running = await records.running();
    assert.deepEqual(running, [
      { transactionId, deviceId: 'cp:1', startedAt: 1_000, meterStartWh: 0, idTag: null },
    ]);
    const end = { transactionId, endedAt: 5_000, meterStopWh: 1_500.5, reason: 'Local' };
    await records.end(end, 'cp:1');
    await records.end({ ...end, endedAt: 9_000, meterStopWh: 9 }, 'cp:1');
    await other.end({ ...end, transactionId: 'unknown' }, null);
    assert.deepEqual(await records.running(), []);
    const [ended] = await rows();
    assert.deepEqual([ended?.ended_at, ended?.meter_stop_wh, ended?.end_reason], [5_000, 1_500.5, 'Local']);
    await records.end({ ...end, transactionId: 'orphan' }, 'cp:1');
    const orphan = (await rows()).find((row) => row.transaction_id === 'orphan');
    assert.deepEqual([orphan?.started_at, orphan?.ended_at], [null, 5_000]);
  });

  it('charging records complete a transaction whose start arrives after its end', async () => {
    const end = { transactionId: 'tx-1', endedAt: 5_000, meterStopWh: 1_500, reason: 'Local' };
    await records.end(end, 'cp:1');
    assert.equal(await records.begin(start({ transactionId: 'tx-1', meterStartWh: 500 })), 'tx-1');
    const [only, ...others] = await rows();
    assert.deepEqual(others, []);
    assert.deepEqual([only?.started_at, only?.meter_start_wh, only?.ended_at], [1_000, 500, 5_000]);
    await records.begin(start({ transactionId: 'tx-1', startedAt: 9_000 }));
    assert.equal((await rows())[0]?.started_at, 1_000);
  });

  it('charging records store readings once and durably, many stations in one database transaction', async () => {
    const reading = (at: number, value: number): MeterReading => ({
      deviceId: 'cp:1',
      at,
      transactionId: null,
      samples: [{ measurand: 'Power.Active.Import', value, unit: 'W' }],
      registerWh: null,
    });
    let stored = 0;
    const appended = [
      records.append([reading(1, 10), reading(2, 20), reading(2, 21)]),
      records.append([reading(1, 11)]),
      other.append([reading(1, 12)]),
    ].map((one) => one.then(() => (stored += 1)));
    assert.equal(stored, 0);
    clock.turn(20);
    await until('all are stored', () => stored === appended.length);
    await Promise.all(appended);
    const readings = await database.queries
      .selectFrom('meter_readings')
      .select(['account_id', 'at', 'samples_json'])
      .where('link_id', '=', `link-${links}`)
      .orderBy('account_id')
      .orderBy('at')
      .execute();
    const values = readings.map((row) => [row.account_id, row.at, JSON.parse(row.samples_json)[0].value]);
    assert.deepEqual(values, [
      [1, 1, 10],
      [1, 2, 20],
      [2, 1, 12],
    ]);
    await records.append([]);
  });

  it('charging records store a thousand readings at once', async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => ({
      deviceId: 'cp:9',
      at,
      transactionId: null,
      samples: [],
      registerWh: null,
    }));
    let done = false;
    const appended = records.append(many).then(() => {
      done = true;
    });
    clock.turn(20);
    await until('they are stored', () => done);
    await appended;
    const { count } = await database.queries
      .selectFrom('meter_readings')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('device_id', '=', 'cp:9')
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 1_200);
  });

  const read = async (
    transactionId: string | null,
    ...values: readonly (readonly [number, number | null])[]
  ) => {
    let stored = false;
    const readings = values.map(([at, registerWh]) => ({
      deviceId: 'cp:1',
      at,
      transactionId,
      samples: [{ measurand: 'Voltage', value: 230, unit: 'V' }],
      registerWh,
    }));
    const appended = records.append(readings).then(() => {
      stored = true;
    });
    await until('they are stored', () => {
      clock.turn(20);
      return stored;
    });
    await appended;
    return readings;
  };
  const transactions = async () => {
    const list = await charging.transactions({ account: 1, link: `link-${links}`, deviceId: 'cp:1' }, 10);
    return list.map((one) => [
      one.transaction_id,
      one.meter_start_wh,
      one.meter_stop_wh,
      one.energy_wh,
      one.estimated,
    ]);
  };

  it('charging records estimate a missing start and stop from the readings, and mark them as estimated', async () => {
    await records.begin(start({ transactionId: 'a', meterStartWh: null }));
    await read('other', [1_500, 7]);
    await read('a', [2_000, null], [3_000, 91], [4_000, 200], [5_000, 373], [6_000, null]);
    await read(null, [7_000, 900]);
    assert.deepEqual(await transactions(), [['a', null, null, 373 - 91, []]]);
    await records.end({ transactionId: 'a', endedAt: 8_000, meterStopWh: null, reason: 'Local' }, 'cp:1');
    assert.deepEqual(await transactions(), [['a', 91, 373, 282, ['meter_start_wh', 'meter_stop_wh']]]);
  });

  it('charging records include the energy of a running transaction so far', async () => {
    await records.begin(start({ transactionId: 'a', meterStartWh: 100 }));
    assert.deepEqual(await transactions(), [['a', 100, null, null, []]]);
    await read('a', [2_000, 150], [3_000, 180.4]);
    assert.deepEqual(await transactions(), [['a', 100, null, 80, []]]);
  });

  it('charging records close an abandoned transaction at its last reading, until its end is reported', async () => {
    await records.begin(start({ transactionId: 'a', meterStartWh: 100 }));
    await records.begin(start({ transactionId: 'b', startedAt: 9_500 }));
    await read('a', [2_000, 150], [3_000, null]);
    await records.giveUp({ transactionId: 'a', by: 9_000, reason: 'PowerLoss' });
    await records.giveUp({ transactionId: 'b', by: 9_900, reason: 'Unknown' });
    await records.giveUp({ transactionId: 'nobody', by: 9_000, reason: 'Unknown' });
    assert.deepEqual(await records.running(), []);
    assert.deepEqual(await transactions(), [
      ['b', 0, null, null, ['ended_at']],
      ['a', 100, 150, 50, ['meter_stop_wh', 'ended_at']],
    ]);
    assert.deepEqual(
      (await rows()).map((row) => [row.transaction_id, row.ended_at, row.end_reason]),
      [
        ['a', 3_000, 'PowerLoss'],
        ['b', 9_900, 'Unknown'],
      ],
    );
    const end = { transactionId: 'a', endedAt: 5_000, meterStopWh: 190, reason: 'Local' };
    await records.end(end, 'cp:1');
    await records.giveUp({ transactionId: 'a', by: 9_000, reason: 'PowerLoss' });
    await records.end({ ...end, endedAt: 6_000, meterStopWh: 999 }, 'cp:1');
    assert.deepEqual((await transactions())[1], ['a', 100, 190, 90, []]);
  });

  it('charging records store a card that is presented late, and never replace one', async () => {
    await records.begin(start({ transactionId: 'a' }));
    await records.identify('a', 'CARD');
    await records.identify('a', 'OTHER');
    assert.deepEqual(
      (await records.running()).map(({ idTag }) => idTag),
      ['CARD'],
    );
  });

  it('charging records return the newest readings of a device, oldest first', async () => {
    const many = await read('a', ...Array.from({ length: 25 }, (_, at) => [at + 1, at * 10] as const));
    assert.deepEqual(await records.latest('cp:1'), many.slice(-20));
    assert.deepEqual(await records.latest('cp:2'), []);
  });

  it('charging records number a start without reading the earlier ones', async () => {
    for (let number = 1; number <= 60; number += 1)
      await records.begin(start({ transactionId: `${number}` }));
    await records.begin(start({ transactionId: '2000000001' }));
    await records.begin(start({ transactionId: '99-made-up' }));
    await records.end({ transactionId: '77', endedAt: 9_000, meterStopWh: 1, reason: null }, 'cp:1');
    let rowsRead = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rowsRead += result.rows.length;
        return result;
      },
    };
    const queries = database.queries.withPlugin(counting);
    const counted = createCharging({
      database: { ...database, transaction: (work) => queries.transaction().execute(work) },
      clock,
      log: silentLog,
    });
    const key = { account: 1, link: `link-${links}` };
    assert.equal(await counted.records(key).begin(start({ startedAt: 7_000 })), '78');
    assert.ok(rowsRead >= 1 && rowsRead <= 3, `${rowsRead} rows were read`);
  });

  it('charging records store a limited number of values per link and day, and acknowledge further ones without storing them', async () => {
    const { promise: warned, resolve: warn } = Promise.withResolvers<unknown>();
    const log = { ...silentLog, warn } as unknown as Log;
    const bounded = createCharging({ database, clock, log });
    const key = { account: 1, link: `link-${links}` };
    const samples = Array.from({ length: 100_000 }, () => ({ measurand: 'V', value: 1, unit: 'V' }));
    const append = async (...moments: number[]) => {
      const readings = moments.map((at) => ({
        deviceId: 'cp:1',
        at,
        transactionId: null,
        samples,
        registerWh: null,
      }));
      const appended = bounded.records(key).append(readings);
      clock.turn(20);
      await appended;
      const stored = await bounded.records(key).latest('cp:1');
      return stored.map(({ at }) => at);
    };
    assert.deepEqual(await append(1, 2, 3, 4, 5), [1, 2, 3]);
    assert.deepEqual(await warned, { account: 1, link: key.link, values: 350_000 });
    assert.deepEqual(await append(6), [1, 2, 3]);
    clock.turn(24 * 60 * 60_000);
    assert.deepEqual(await append(7), [1, 2, 3, 7]);
  });

  it('charging records remove readings older than the retention', async () => {
    const day = 24 * 60 * 60_000;
    const old = clock.now() - 31 * day;
    const key = { account: 1, link: `link-${links}` };
    const readings = Array.from({ length: 1_200 }, (_, index) => ({
      deviceId: 'cp:1',
      at: index < 1_199 ? old + index : clock.now() - 29 * day,
      transactionId: null,
      samples: [{ measurand: 'V', value: 1, unit: 'V' }],
      registerWh: null,
    }));
    const appended = records.append(readings);
    clock.turn(20);
    await appended;
    const count = async () => {
      const { left } = await database.queries
        .selectFrom('meter_readings')
        .select(({ fn }) => fn.countAll<number>().as('left'))
        .where('link_id', '=', key.link)
        .executeTakeFirstOrThrow();
      return Number(left);
    };
    const retention = charging.keepReadings(30);
    await until('the old ones are gone', async () => {
      clock.turn(60_000);
      return (await count()) === 1;
    });
    await retention.close();
    clock.turn(3 * day);
    assert.equal(await count(), 1);
  });
});
