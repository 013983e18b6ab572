import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newestWins } from '../console/app/parts/newest.ts';
import { isInRange, knownOf, type Numbers, USUAL } from '../console/app/planner/car.ts';
import { costOf, difference } from '../console/app/planner/decimals.ts';
import { pointsOf } from '../console/app/planner/points.ts';
import { type Charge, orderedRequest, planRequest, pricesRequest } from '../console/app/planner/request.ts';
import {
  deadlinesOf,
  lastEndingBy,
  movedBy,
  nearest,
  nextHourOfDay,
  QUARTER_MS,
  type Slot,
  slotsFrom,
  slotsOf,
} from '../console/app/planner/slots.ts';
import { averagePrice, doneAt, realCost, savingOf, verdictOf } from '../console/app/planner/verdict.ts';
import { plan } from '../src/domain/plan/planner/index.ts';

const START = Date.UTC(2026, 10, 21, 11);
const slotsAt = (prices: readonly string[]): readonly Slot[] =>
  prices.map((price, index) => ({
    start: START + index * QUARTER_MS,
    end: START + (index + 1) * QUARTER_MS,
    price,
  }));

const chargeOf = (
  prices: readonly string[],
  changes: Partial<Charge & { numbers: Numbers }> = {},
): Charge => ({
  area: 'SE3',
  setting: 'watts',
  numbers: { ...USUAL, capacity: 10, soc: 50, target: 75, power: 4, least: 0 },
  slots: slotsAt(prices),
  isFromNow: true,
  lastSlot: prices.length - 1,
  ...changes,
});

/** A plan as the service makes it; a request that names the area is given its prices. */
function planned(request: ReturnType<typeof planRequest>, slots: readonly Slot[]) {
  const { area: _, prices, ...rest } = request;
  const own = slots.map(({ start, price }) => ({
    start: new Date(start).toISOString(),
    duration_min: 15,
    price,
  }));
  const { slots: planned, commands: __, ...others } = plan({ ...rest, prices: prices ?? own });
  return { ...others, slots: [...planned] };
}

describe('sums of the planner page', () => {
  it('sums of the planner page are exact where floating point is not', () => {
    assert.equal(costOf([{ price: '0.1', wh: 3 }]), '0.0003');
    assert.equal(
      costOf([
        { price: '0.07', wh: 100 },
        { price: '-0.070', wh: 100 },
      ]),
      '0',
    );
    assert.equal(costOf([]), '0');
    const far = { price: '12345678901234567890.123456789', wh: 1_000 };
    assert.equal(costOf([far]), '12345678901234567890.123456789');
    assert.equal(difference('0.3', '0.1'), '0.2');
    assert.equal(difference('1', '1.005'), '-0.005');
    assert.equal(difference('100', '0'), '100');
  });

  it('sums of the planner page have a share only of what costs something', () => {
    assert.deepEqual(savingOf('3', '4'), { amount: '1', percent: 25 });
    assert.deepEqual(savingOf('-2', '-1'), { amount: '1', percent: undefined });
    assert.deepEqual(savingOf('0', '0'), { amount: '0', percent: undefined });
    assert.equal(averagePrice('3', 6_000), 0.5);
    assert.equal(averagePrice('0', 0), undefined);
  });
});

describe('slots of the planner page', () => {
  it('slots of the planner page end where the next one begins, quarters and hours', () => {
    const at = (minutes: number) => ({ start: new Date(START + minutes * 60_000).toISOString(), price: '1' });
    assert.deepEqual(
      slotsOf([at(0), at(60), at(75)]).map(({ start, end }) => (end - start) / 60_000),
      [60, 15, 15],
    );
    assert.deepEqual(
      slotsOf([at(0)]).map(({ start, end }) => (end - start) / 60_000),
      [15],
    );
    assert.deepEqual(slotsOf([]), []);
  });

  it('slots of the planner page may be used from the one that a moment is in, up to the last that ends by the deadline', () => {
    const slots = slotsAt(['1', '2', '3', '4']);
    assert.equal(slotsFrom(slots, START + 20 * 60_000)[0]?.price, '2');
    assert.equal(slotsFrom(slots, START + QUARTER_MS)[0]?.price, '2');
    assert.equal(slotsFrom(slots, Number.NEGATIVE_INFINITY).length, 4);
    assert.equal(slotsFrom(slots, START + 5 * QUARTER_MS).length, 0);
    assert.equal(lastEndingBy(slots, START + QUARTER_MS - 1), -1);
    assert.equal(lastEndingBy(slots, START + QUARTER_MS), 0);
    assert.equal(lastEndingBy(slots, START + 100 * QUARTER_MS), 3);
  });

  it('slots of the planner page let keys move a deadline by a quarter, an hour and to the ends, and no further', () => {
    const deadlines = deadlinesOf(slotsAt(Array.from({ length: 12 }, () => '1')));
    const moved = (key: string, from: number) => {
      const to = movedBy(key, deadlines[from] ?? 0, deadlines);
      return to === undefined ? undefined : deadlines.indexOf(to);
    };
    assert.deepEqual(
      ['ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowDown'].map((key) => moved(key, 5)),
      [6, 6, 4, 4],
    );
    assert.deepEqual(
      ['PageUp', 'PageDown', 'Home', 'End'].map((key) => moved(key, 5)),
      [9, 1, 0, 11],
    );
    assert.deepEqual([moved('ArrowRight', 11), moved('PageDown', 2), moved('Enter', 5)], [11, 0, undefined]);
  });

  it('slots of the planner page let keys move a deadline over hours too', () => {
    const hours = [1, 2, 3].map((hour) => START + hour * 4 * QUARTER_MS);
    assert.equal(movedBy('ArrowRight', hours[0] ?? 0, hours), hours[1]);
    assert.equal(movedBy('ArrowLeft', hours[2] ?? 0, hours), hours[1]);
    assert.equal(nearest(START + 9 * QUARTER_MS, hours), hours[1]);
    assert.equal(nearest(0, hours), hours[0]);
  });

  it('slots of the planner page have a next morning, which may be that of the same day', () => {
    const after = new Date(2026, 10, 21, 6, 59).getTime();
    assert.equal(nextHourOfDay(after, 7), new Date(2026, 10, 21, 7).getTime());
    assert.equal(nextHourOfDay(new Date(2026, 10, 21, 7).getTime(), 7), new Date(2026, 10, 22, 7).getTime());
  });
});

describe('requests of the planner page', () => {
  it('requests of the planner page name the area, which has the prices, unless charging begins later', () => {
    const charge = chargeOf(['1', '2']);
    const task = {
      current_soc: 50,
      target_soc: 75,
      capacity_wh: 10_000,
      max_power_w: 4_000,
      min_power_w: 0,
      deadline_slot_index: 1,
    };
    assert.deepEqual(planRequest(charge), { area: 'SE3', task });
    const later = planRequest({ ...charge, isFromNow: false });
    assert.deepEqual(later.prices, [
      { start: '2026-11-21T11:00:00.000Z', duration_min: 15, price: '1' },
      { start: '2026-11-21T11:15:00.000Z', duration_min: 15, price: '2' },
    ]);
    assert.equal(later.area, undefined);
  });

  it('requests of the planner page say how power is set: in amperes of so many phases, on and off, or in watts', () => {
    const numbers = { ...USUAL, amps: 16, phases: 1, power: 7.4, least: 1.4 };
    const of = (setting: Charge['setting']) => {
      const { task, device_profile } = planRequest(chargeOf(['1'], { setting, numbers }));
      return [task.min_power_w, task.max_power_w, device_profile];
    };
    assert.deepEqual(of('amperes'), [1_380, 3_680, { kind: 'charger', voltage_v: 230, phases: 1 }]);
    assert.deepEqual(of('switched'), [7_400, 7_400, { kind: 'vehicle' }]);
    assert.deepEqual(of('watts'), [1_400, 7_400, undefined]);
  });

  it('requests of the planner page for prices alone plan nothing', () => {
    const { task } = pricesRequest('SE3');
    const own = [{ duration_min: 15, price: '1' }];
    assert.equal(plan({ task, prices: own }).total_energy_wh, 0);
  });

  it('requests of the planner page for a charge at once and a late one fill the first and the last slots, whatever they cost', () => {
    const prices = ['3', '1', '2', '5', '4'];
    const charge = chargeOf(prices);
    const powers = (order: 'at once' | 'late', lastSlot = 4) =>
      planned(orderedRequest({ ...charge, lastSlot }, order), charge.slots).slots.map(
        ({ power_w }) => power_w,
      );
    assert.deepEqual(powers('at once'), [4_000, 4_000, 2_000, 0, 0]);
    assert.deepEqual(powers('late'), [0, 0, 2_000, 4_000, 4_000]);
    assert.deepEqual(powers('late', 3), [0, 2_000, 4_000, 4_000, 0]);
    const atOnce = planned(orderedRequest(charge, 'at once'), charge.slots);
    assert.equal(realCost(atOnce, charge.slots), String(3 * 1 + 1 * 1 + 2 * 0.5));
    assert.equal(doneAt(atOnce, charge.slots), START + 3 * QUARTER_MS);
  });
});

describe('what a plan is said to do', () => {
  const judged = (prices: readonly string[], changes: Partial<Charge> = {}) => {
    const charge = chargeOf(prices, changes);
    const { slots, numbers } = charge;
    const cheapest = planned(planRequest(charge), slots);
    const last = slots.length - 1;
    const atOnce = planned(orderedRequest({ ...charge, lastSlot: last }, 'at once'), slots);
    return verdictOf({ cheapest, atOnce, slots, numbers });
  };
  const prices = ['3', '1', '2', '5', '4'];

  it('what a plan is said to do is that it reaches the level, or that nothing is missing', () => {
    assert.deepEqual(judged(prices), { is: 'reached' });
    const numbers = { ...USUAL, soc: 80, target: 80 };
    assert.deepEqual(judged(prices, { numbers }), { is: 'charged already' });
  });

  it('what a plan is said to do is the earliest deadline where the one that was chosen is too soon', () => {
    const earliest = START + 3 * QUARTER_MS;
    assert.deepEqual(judged(prices, { lastSlot: 1 }), { is: 'too soon', soc: 70, earliest });
    assert.deepEqual(judged(prices, { lastSlot: 2 }), { is: 'reached' });
  });

  it('what a plan is said to do is that prices end too soon, where no deadline is late enough', () => {
    assert.deepEqual(judged(prices.slice(0, 2)), { is: 'too few prices', soc: 70 });
  });

  it('what a plan is said to do is that the least power charges more than there is room for', () => {
    const numbers = { ...USUAL, capacity: 10, soc: 99, target: 100, power: 8, least: 8 };
    assert.deepEqual(judged(prices, { numbers }), { is: 'too little to charge', soc: 99 });
  });

  it('what a plan is said to do is in every slot by when it starts, also where charging begins later', () => {
    const charge = chargeOf(prices);
    const later = { ...charge, slots: charge.slots.slice(1), isFromNow: false, lastSlot: 3 };
    const cheapest = planned(planRequest(later), later.slots);
    assert.deepEqual(
      pointsOf(charge.slots, cheapest).map(({ power_w, ore }) => [power_w, ore]),
      [
        [0, 300],
        [4_000, 100],
        [4_000, 200],
        [0, 500],
        [2_000, 400],
      ],
    );
    assert.equal(pointsOf(charge.slots, undefined)[0]?.power_w, undefined);
  });
});

describe('a car of the planner page', () => {
  it('a car of the planner page has what its device says, and nothing that it does not', () => {
    const limits = { min_a: 6, max_a: 32, min_w: null, max_w: null };
    assert.deepEqual(knownOf({ capabilities: ['set_current', 'charge_control'], limits }), {
      setting: 'amperes',
      numbers: { amps: 32 },
    });
    assert.deepEqual(
      knownOf({
        capabilities: ['read_battery_soc', 'charge_control'],
        state: { battery_soc: 41.6 },
        limits: { min_a: null, max_a: null, min_w: null, max_w: 7_400 },
      }),
      { setting: 'switched', numbers: { soc: 42, power: 7.4 } },
    );
    const nothing = { min_a: null, max_a: 0, min_w: null, max_w: 0 };
    assert.deepEqual(
      knownOf({ capabilities: ['charge_limit'], state: { battery_soc: null }, limits: nothing }),
      {
        setting: 'watts',
        numbers: {},
      },
    );
  });

  it('a car of the planner page has numbers that the planner takes', () => {
    assert.deepEqual(
      [isInRange('soc', 100), isInRange('soc', 101), isInRange('soc', 0.5), isInRange('capacity', 0.5)],
      [true, false, false, false],
    );
  });
});

describe('questions of which the newest wins', () => {
  /** Questions that a test answers. */
  function asked() {
    const open: { readonly question: number; answer(): void; fail(): void }[] = [];
    const heard: string[] = [];
    const asker = newestWins<number, string>(
      (question) =>
        new Promise((resolve, reject) => {
          open.push({
            question,
            answer: () => resolve(`answer to ${question}`),
            fail: () => reject(new Error(`no ${question}`)),
          });
        }),
      (outcome) => heard.push('answer' in outcome ? outcome.answer : outcome.error.message),
    );
    return { open, heard, asker };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('questions of which the newest wins are asked one at a time, and those between are left out', async () => {
    const { open, heard, asker } = asked();
    for (const question of [1, 2, 3, 4]) asker.ask(question);
    assert.deepEqual(
      open.map(({ question }) => question),
      [1],
    );
    open[0]?.answer();
    await settled();
    assert.deepEqual(
      open.map(({ question }) => question),
      [1, 4],
    );
    asker.ask(5);
    open[1]?.fail();
    await settled();
    open[2]?.answer();
    await settled();
    assert.deepEqual(heard, ['answer to 1', 'no 4', 'answer to 5']);
    asker.ask(6);
    open[3]?.answer();
    await settled();
    assert.equal(heard.at(-1), 'answer to 6', 'it goes on after a pause');
  });

  it('questions of which the newest wins are not heard after the end', async () => {
    const { open, heard, asker } = asked();
    asker.ask(1);
    asker.ask(2);
    asker.stop();
    open[0]?.answer();
    await settled();
    assert.deepEqual([heard, open.length], [[], 1]);
  });
});
