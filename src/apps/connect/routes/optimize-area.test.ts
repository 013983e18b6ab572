import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../test/kit/until.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type Clock, systemClock } from '../../../core/clock.ts';
import { QUARTER_MS } from '../../../core/durations.ts';
import type { PriceArea, PriceSource } from '../../../sources/contract/market.ts';

/** 12:07 in Stockholm on 21 November 2026, and onwards. */
const NOON = Date.UTC(2026, 10, 21, 11, 7);
const MIDNIGHT = Date.UTC(2026, 10, 20, 23);

function clockFrom(start: number): Clock {
  const ahead = start - Date.now();
  return { now: () => Date.now() + ahead, after: systemClock.after };
}

/** Quarters whose price in öre is their number in the day; without SE4. */
const countingSource: PriceSource = {
  slug: 'counting',
  name: 'Counting',
  areas: ['SE1', 'SE2', 'SE3'],
  has: 'prices',
  credit: { name: '', href: '' },
  licence: '',
  baseUrl: 'http://counting.test',
  async fetchDay(_session, { day, areas }) {
    if (day !== '2026-11-21') return [];
    return areas
      .filter((area) => area !== 'SE4')
      .map((area: PriceArea) => ({
        area,
        day,
        exchangeRate: null,
        publishedAt: null,
        slots: Array.from({ length: 96 }, (_, slot) => ({
          start: MIDNIGHT + slot * QUARTER_MS,
          end: MIDNIGHT + (slot + 1) * QUARTER_MS,
          sek: (slot / 100).toFixed(2),
          eur: null,
        })),
      }));
  },
};

const TASK = {
  current_soc: 20,
  target_soc: 30,
  capacity_wh: 50_000,
  max_power_w: 10_000,
  min_power_w: 0,
  deadline_slot_index: 1_000,
};

interface PlanBody {
  readonly area: string;
  readonly currency: string;
  readonly price_source: string;
  readonly error: string;
  readonly slots: readonly {
    readonly index: number;
    readonly start: string;
    readonly price: string;
    readonly power_w: number;
  }[];
  readonly total_cost: string;
}

describe('POST /optimize/plan with an area', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({
      engine: 'sqlite',
      clock: clockFrom(NOON),
      priceSources: [countingSource],
      env: { ELNAV_SAMPLE_PRICES: 'off' },
    });
    caller = await world.newAccount('devices:read');
    await until('prices are stored', async () => {
      const { status } = await caller.call('POST', '/optimize/plan', { area: 'SE3', task: TASK });
      return status === 200;
    });
  });
  after(() => world.close());

  const post = async (body: unknown) => {
    const answer = await caller.call('POST', '/optimize/plan', body);
    return { status: answer.status, body: answer.body as PlanBody, headers: answer.headers };
  };

  it('POST /optimize/plan with an area plans over the stored prices from the current slot on, and tells when each starts', async () => {
    const { status, body } = await post({ area: 'SE3', task: TASK });
    assert.equal(status, 200);
    assert.deepEqual([body.area, body.currency, body.price_source], ['SE3', 'SEK', 'counting']);
    // 12:00 is quarter 48 of the day.
    assert.equal(body.slots.length, 48);
    assert.deepEqual(
      body.slots.slice(0, 3).map(({ index, start, price, power_w }) => [index, start, price, power_w]),
      [
        [0, '2026-11-21T11:00:00.000Z', '0.48', 10_000],
        [1, '2026-11-21T11:15:00.000Z', '0.49', 10_000],
        [2, '2026-11-21T11:30:00.000Z', '0.50', 0],
      ],
    );
    assert.equal(body.total_cost, '2.425');
  });

  it('POST /optimize/plan with an area takes an area in small letters, as Grid does', async () => {
    assert.equal((await post({ area: 'se3', task: TASK })).body.area, 'SE3');
  });

  it('POST /optimize/plan with an area answers what the same prices sent along would be answered', async () => {
    const { body } = await post({ area: 'SE2', task: TASK });
    const prices = body.slots.map(({ start, price }) => ({ start, duration_min: 15, price }));
    const { area, currency, price_source, ...plan } = body;
    assert.deepEqual((await post({ prices, task: TASK })).body, plan);
    assert.deepEqual([area, currency, price_source], ['SE2', 'SEK', 'counting']);
  });

  it('POST /optimize/plan with an area refuses an area without prices, both at once, and what is no area', async () => {
    const refusals = [
      [{ area: 'SE4', task: TASK }, /SE4/, 'prices.unavailable'],
      [{ area: 'SE3', prices: [], task: TASK }, /either prices or area, not both/, 'request.invalid'],
      [{ area: 'SE5', task: TASK }, /area must be one of SE1, SE2, SE3, SE4/, 'request.invalid'],
      [{ area: null, task: TASK }, /area must be one of/, 'request.invalid'],
      [{ task: TASK }, /send prices, a list of slots, or area, one of SE1/, 'request.invalid'],
      [{ area: 'SE3' }, /task must be a JSON object/, 'request.invalid'],
    ] as const;
    for (const [sent, sentence, code] of refusals) {
      const { status, body, headers } = await post(sent);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(body.error, sentence);
      assert.equal(headers.get('elnav-error'), code);
    }
  });

  it('POST /optimize/plan with an area refuses an area in a large body with what would be right', async () => {
    const { status, body } = await post({ area: 'SE3', task: TASK, padding: 'x'.repeat(100_000) });
    assert.equal(status, 413);
    assert.match(body.error, /at most 65536 bytes/);
  });
});

describe('POST /optimize/plan', () => {
  it('POST /optimize/plan says so where the sample day stands in for prices', async () => {
    const world = await makeWorld({ engine: 'sqlite', env: { ELNAV_SAMPLE_PRICES: 'on' } });
    const caller = await world.newAccount('devices:read');
    const { status, body } = await caller.call('POST', '/optimize/plan', { area: 'SE1', task: TASK });
    assert.equal(status, 200);
    assert.equal((body as PlanBody).price_source, 'sample');
    await world.close();
  });

  it('POST /optimize/plan tells a start again when it is a moment, and passes over what is none', async () => {
    const world = await makeWorld({ engine: 'sqlite' });
    const caller = await world.newAccount('devices:read');
    const prices = ['2026-11-21T12:00:00+01:00', 'noon', 7, null, '2026-11-21T12:00:00Z"}'].map((start) => ({
      start,
      duration_min: 60,
      price: 1,
    }));
    const { status, body } = await caller.call('POST', '/optimize/plan', { prices, task: TASK });
    assert.equal(status, 200);
    const { slots } = body as PlanBody;
    assert.deepEqual(
      slots.map(({ start }) => start),
      ['2026-11-21T12:00:00+01:00', undefined, undefined, undefined, undefined],
    );
    await world.close();
  });
});
