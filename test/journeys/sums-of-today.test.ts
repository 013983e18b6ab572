import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Big } from 'big.js';
import fc from 'fast-check';
import { turnedClock } from '../../src/core/clock.ts';
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../src/core/durations.ts';
import type { Energy, Prices } from '../../src/domain/market/prices/index.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices, pricesOf } from '../../src/domain/market/prices/test-prices.ts';
import { type Bucket, type Covered, dayOf } from '../../src/domain/records/history/buckets.ts';
import { valuesOf } from '../../src/domain/records/history/fields.ts';
import { applied, type Open, openBefore, type Quarter } from '../../src/domain/records/history/fold.ts';
import { energiesOf, type Latest, quartersSince } from '../../src/domain/records/history/read.ts';

import { createHistoryStore } from '../../src/domain/records/history/store.ts';
import { createDayReads } from '../../src/domain/records/history/store-days.ts';
import { createHistoryReads } from '../../src/domain/records/history/store-reads.ts';
import { createToday } from '../../src/domain/records/history/today.ts';
import type { PriceArea } from '../../src/sources/contract/market.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

const MIDNIGHT = Date.parse('2026-11-20T23:00:00Z');
/** Nepal's midnight is in the middle of an hour. */
const ZONES = ['Europe/Stockholm', 'Asia/Kathmandu'];
const PRICED = dayPrices('SE3', '2026-11-21', { eur: (index) => (index + 1) / 1_100 });
const DEVICES = ['meter', 'solar', 'unpriced', 'area-less', 'unmetered', 'half-priced', 'car', 'grid'];
/** The others are heat pumps. */
const TYPES: Readonly<Record<string, string>> = {
  meter: 'charger',
  solar: 'solar_inverter',
  car: 'vehicle',
  grid: 'industrial',
};
const AREAS: readonly (PriceArea | null)[] = ['SE3', 'SE3', 'SE2', null, 'SE3', 'SE4', 'SE3', 'SE3'];

/** What a device is like from some minutes after the last on, or that it is out of reach. */
const Move = fc.record({
  // A car and its charger more often, so that they charge together.
  device: fc.oneof(fc.integer({ min: 0, max: DEVICES.length - 1 }), fc.constantFrom(0, 6)),
  minutes: fc.constantFrom(0, 3, 15, 40, 300),
  watts: fc.constantFrom(null, 0, 1_200, -7, -3_000),
  wh: fc.constantFrom(null, 0, 1, 250, 7_001),
  isGone: fc.constantFrom(false, false, false, true),
  silentMinutes: fc.constantFrom(null, 1, 50),
});
type Moved = typeof Move extends fc.Arbitrary<infer M> ? M : never;

interface Followed {
  readonly number: number;
  open: Open | null;
  latest: Latest | undefined;
  at: number;
  meter: number;
}

onEachEngine('the sums of today', (engine) => {
  const vendor = testVendor();
  let core: CoreWorld;
  let prices: Prices;
  let store: ReturnType<typeof createHistoryStore>;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter]);
    store = createHistoryStore(core.database);
    const priceStore = createPriceStore(core.database);
    const yesterday = dayPrices('SE3', '2026-11-20', { slotMin: 60 });
    // Prices of SE4 end at midnight in Sweden, which is in the middle of Nepal's day.
    const half = { ...yesterday, area: 'SE4' as const };
    for (const day of [yesterday, PRICED, half]) await priceStore.store(day, 1);
    ({ prices } = await pricesOf(core.database, { mayFetch: false }));
  });
  after(async () => {
    await prices.close();
    await core.remove();
  });

  async function newAccount(): Promise<{ account: number; followed: Followed[] }> {
    const account = await core.newAccount();
    const followed: Followed[] = [];
    for (const [index, name] of DEVICES.entries()) {
      vendor.devices = [`charger-${account}-${name}`];
      const [device] = await core.link(account, 'testvendor', { user: name, password: 'p' });
      const links = await core.links.list(account);
      const link = links.find(({ id }) => !followedLinks.has(id));
      followedLinks.add(link?.id ?? '');
      const area = AREAS[index] ?? null;
      await core.links.setPriceArea({ account, link: link?.id ?? '' }, area);
      const id = device?.id ?? '';
      await core.database.queries
        .updateTable('devices')
        .set({
          device_type: TYPES[name] ?? 'heat_pump',
          measures: name === 'grid' ? 'grid' : null,
          capabilities_json: name === 'unmetered' ? '[]' : '["read_energy"]',
        })
        .where('account_id', '=', account)
        .where('id', '=', id)
        .execute();
      const named = { account, vendor: 'testvendor', device: id, userRef: 'someone' };
      const opened = await core.database.transaction((transaction) => store.open(transaction, [named]));
      const number = opened.get(store.textOf(named))?.number ?? 0;
      followed.push({ number, open: null, latest: undefined, at: MIDNIGHT - 6 * HOUR_MS, meter: 0 });
    }
    return { account, followed };
  }
  const followedLinks = new Set<string>();

  /** Stores what the projection of history and the devices would. */
  async function move(one: Followed, account: number, moved: Moved): Promise<void> {
    one.at += moved.minutes * MINUTE_MS;
    one.meter += moved.wh ?? 0;
    const state = {
      online: !moved.isGone,
      power_w: moved.watts,
      energy_wh: moved.wh === null ? null : one.meter,
    };
    const quarters: Quarter[] = [];
    const { silentMinutes } = moved;
    const confirmed = silentMinutes === null ? undefined : one.at - silentMinutes * MINUTE_MS;
    const values = moved.isGone ? null : valuesOf(state);
    const open = applied(one.open ?? openBefore(one.at), { at: one.at, values, confirmed }, quarters);
    if (open !== undefined) {
      one.open = open;
      await core.database.transaction((transaction) =>
        store.follow(transaction, [{ number: one.number, open, steps: [], quarters }]),
      );
    }
    one.latest = values === null ? undefined : { values, fetchedAt: one.at };
    await seen(account, one, state);
  }

  async function seen(account: number, one: Followed, state: object): Promise<void> {
    const { device_id: id } = await core.database.queries
      .selectFrom('history_devices')
      .select('device_id')
      .where('number', '=', one.number)
      .executeTakeFirstOrThrow();
    await core.database.queries
      .updateTable('devices')
      .set({ state_json: JSON.stringify(state), fetched_at: one.at })
      .where('account_id', '=', account)
      .where('id', '=', id)
      .execute();
  }

  /** When energy was counted: quarters, or at a time that is not known. */
  function timesIn({ quarter, values, late }: Covered): (number | 'unknown')[] {
    const placed = (values.energy_wh ?? 0) - (late?.wh ?? 0);
    const before = late === null || late.wh === 0 ? [] : latesOf(quarter, late.seconds);
    return [...(placed > 0 ? [quarter] : []), ...before];
  }
  function latesOf(quarter: number, seconds: number | null): (number | 'unknown')[] {
    if (seconds === null) return ['unknown'];
    const first = Math.floor((quarter * QUARTER_MS - seconds * 1_000) / QUARTER_MS);
    return Array.from({ length: Math.max(1, quarter - first) }, (_, index) => first + index);
  }

  /** A quarter of a car without what was counted while the charger charged. */
  function besides(one: Covered, charged: ReadonlySet<number | 'unknown'>): Covered {
    const wh = one.values.energy_wh ?? null;
    if (wh === null) return one;
    const isIn = (at: number | 'unknown') =>
      charged.has(at) || charged.has('unknown') || (at === 'unknown' && charged.size > 0);
    const placed = isIn(one.quarter) ? 0 : wh - (one.late?.wh ?? 0);
    const late = one.late === null || latesOf(one.quarter, one.late.seconds).some(isIn) ? null : one.late;
    return { ...one, late, values: { ...one.values, energy_wh: placed + (late?.wh ?? 0) } };
  }
  const wattHours = (quarters: readonly Covered[]) =>
    quarters.reduce((sum, { values }) => sum + (values.energy_wh ?? 0), 0);
  /** Of the car: what counts, and what its meter has counted. */
  const carWh: (readonly [number | null, number])[] = [];

  /** Device by device, of all quarters one by one. */
  async function oneByOne(followed: readonly Followed[], day: Bucket, now: number) {
    const newSum = () => ({ energy_wh: 0, devices: 0, of: 0 });
    const [drawn, produced, givenBack] = [newSum(), newSum(), newSum()];
    const [drawnFromGrid, givenToGrid] = [newSum(), newSum()];
    // The charger is followed before the car.
    const charged = new Set<number | 'unknown'>();
    let hasChargerGivenBack = false;
    const add = (sum: ReturnType<typeof newSum>, wh: number | null) => {
      sum.of += 1;
      sum.devices += wh === null ? 0 : 1;
      sum.energy_wh += wh ?? 0;
    };
    const unknown: Record<string, number> = {};
    const priced = new Map<PriceArea, Energy[]>();
    let devices = 0;
    for (const [index, { number, open, latest }] of followed.entries()) {
      const [name, area] = [DEVICES[index], AREAS[index] ?? null];
      const stored = await createHistoryReads(core.database).quarters(number, {
        ...{ from: Math.floor(day.start / QUARTER_MS), until: Math.ceil(day.end / QUARTER_MS) },
        ...{ fields: ['energy_wh', 'power_w'], isLateAsked: true },
      });
      const quarters = [...stored, ...quartersSince({ open, latest }, now)].filter(
        ({ quarter }) => quarter * QUARTER_MS >= day.start,
      );
      if (name === 'meter') for (const one of quarters) for (const at of timesIn(one)) charged.add(at);
      const own = name === 'car' ? quarters.map((one) => besides(one, charged)) : quarters;
      const counted = own.flatMap(({ values }) => values.energy_wh ?? []);
      const wh = counted.length === 0 ? null : counted.reduce((sum, one) => sum + one, 0);
      const powers = quarters.flatMap(({ covered, values: { power_w: watts } }) =>
        watts == null ? [] : [Math.max(0, -watts) * covered],
      );
      const shown = powers.reduce((sum, one) => sum + one, 0);
      if (name === 'meter') hasChargerGivenBack = shown > 0;
      const ws = name === 'car' && hasChargerGivenBack ? 0 : shown;
      if (name === 'grid') {
        add(drawnFromGrid, wh);
        if (powers.length > 0) add(givenToGrid, ws === 0 ? null : ws);
        continue;
      }
      if (name === 'car') carWh.push([wh, wattHours(quarters)]);
      if (powers.length > 0) add(givenBack, ws === 0 ? null : ws);
      if (wh === null && name === 'unmetered') continue;
      add(name === 'solar' ? produced : drawn, wh);
      if (name === 'solar') continue;
      const why = async () => {
        const [energy] = energiesOf([day], own);
        if (energy?.isKnown !== true) return 'energy_not_known';
        if (energy.missing !== null) return 'counted_in_gap';
        if (area === null) return 'no_price_area';
        const { cost } = await prices.energyCost({ area, energy: [...energy.energies] });
        if (cost === null) return 'no_price';
        priced.set(area, [...(priced.get(area) ?? []), ...energy.energies]);
        return null;
      };
      const reason = await why();
      if (reason === null) devices += 1;
      else unknown[reason] = (unknown[reason] ?? 0) + 1;
    }
    let amount = new Big(0);
    for (const [area, energy] of priced)
      amount = amount.plus((await prices.energyCost({ area, energy })).cost ?? 0);
    return {
      ...{ start: day.start, end: Math.min(day.end, now), drawn, produced, drawnFromGrid },
      givenBack: { ...givenBack, energy_wh: Math.round(givenBack.energy_wh / 3_600) },
      givenToGrid: { ...givenToGrid, energy_wh: Math.round(givenToGrid.energy_wh / 3_600) },
      usedByHouses: newSum(),
      cost: {
        ...{ amount: devices === 0 ? null : amount.toFixed(), devices, of: drawn.of, unknown },
      },
    };
  }

  it('the sums of today are those of the devices one by one, whenever they are added up', async () => {
    const reasons = new Set<string>();
    let costs = 0;
    let given = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(Move, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...ZONES),
        async (parts, zone) => {
          const { account, followed } = await newAccount();
          const clock = turnedClock(MIDNIGHT - 5 * HOUR_MS);
          const today = createToday({ store: createDayReads(core.database), prices, clock });
          for (const part of parts) {
            for (const moved of part) {
              const one = followed[moved.device];
              assert.ok(one !== undefined);
              await move(one, account, moved);
            }
            const last = Math.max(...followed.map(({ at }) => at), clock.now());
            clock.turn(last - clock.now() + 5 * MINUTE_MS);
            const sums = await today(account, zone);
            const day = dayOf(clock.now(), zone);
            assert.deepEqual(sums, await oneByOne(followed, day, clock.now()));
            for (const why of Object.keys(sums.cost.unknown)) reasons.add(why);
            costs += Number(sums.cost.amount) > 0 ? 1 : 0;
            given += sums.givenBack.energy_wh > 0 ? 1 : 0;
          }
        },
      ),
      { numRuns: 18, seed: 79, endOnFailure: true },
    );
    assert.deepEqual([...reasons].sort(), [
      'counted_in_gap',
      'energy_not_known',
      'no_price',
      'no_price_area',
    ]);
    assert.ok(costs > 0 && given > 0);
    assert.ok(
      carWh.some(([wh, all]) => all > 0 && wh === all),
      'a car that charged alone',
    );
    assert.ok(
      carWh.some(([wh, all]) => wh !== null && wh < all),
      'a car that a charger charged',
    );
  });
});
