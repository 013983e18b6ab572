import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { PriceDay, PricedInterval } from '../../../sources/contract/market.ts';
import { areSame, type Context, type Judgement, judge } from './judge.ts';
import { dayPrices, inEuros, reportedDay } from './test-prices.ts';

const NOTHING_KNOWN: Context = { highestMean: null, previous: null };
const DAY = '2026-11-21';

function judged(reported: PriceDay, context = NOTHING_KNOWN, rate: string | null = null): Judgement {
  return judge(reported, { area: 'SE3', day: DAY, source: 'first', rate }, context);
}

function changed(change: (slots: readonly PricedInterval[]) => readonly PricedInterval[]): PriceDay {
  const day = reportedDay('SE3', DAY);
  return { ...day, slots: change(day.slots) };
}

/** One slot of the day in another way. */
function withSlot(index: number, change: Partial<PricedInterval>): PriceDay {
  return changed((slots) => slots.map((slot, at) => (at === index ? { ...slot, ...change } : slot)));
}

describe('a day is accepted', () => {
  for (const [day, slotMin, slots] of [
    ['2026-11-21', 15, 96],
    ['2026-11-21', 30, 48],
    ['2025-09-30', 60, 24],
    ['2026-03-29', 15, 92],
    ['2025-03-30', 60, 23],
    ['2026-10-25', 15, 100],
    ['2024-10-27', 60, 25],
  ] as const) {
    it(`a day is accepted of ${slots} slots of ${slotMin} minutes on ${day}`, () => {
      const verdict = judge(
        reportedDay('SE3', day, { slotMin }),
        { area: 'SE3', day, source: 'first', rate: null },
        NOTHING_KNOWN,
      );
      assert.equal(verdict.verdict, 'accepted');
      assert.equal(verdict.verdict === 'accepted' && verdict.day.slots.length, slots);
      assert.equal(verdict.verdict === 'accepted' && verdict.day.slotMin, slotMin);
    });
  }

  it('a day is accepted with negative prices, zero prices, and the highest that the market permits', () => {
    const eur = (index: number) => [-0.5, 0, 4, 0.00001][index % 4] ?? 0;
    assert.equal(judged(reportedDay('SE3', DAY, { eur })).verdict, 'accepted');
  });

  it("a day is accepted in euros at another source's rate, marked as converted", () => {
    const verdict = judged(inEuros(reportedDay('SE3', DAY)), NOTHING_KNOWN, '11.5');
    assert.ok(verdict.verdict === 'accepted');
    assert.equal(verdict.day.converted, true);
    assert.equal(verdict.day.exchangeRate, '11.5');
    const [first] = verdict.day.slots;
    assert.ok(Math.abs(Number(first?.sek) - Number(first?.eur) * 11.5) < 0.00001);
  });

  it('a day is accepted in euros at its own rate, not marked as converted', () => {
    const day = { ...inEuros(reportedDay('SE3', DAY)), exchangeRate: '11.2' };
    const verdict = judged(day, NOTHING_KNOWN, '11.5');
    assert.ok(verdict.verdict === 'accepted');
    assert.deepEqual([verdict.day.converted, verdict.day.exchangeRate], [false, '11.2']);
  });

  it('a day is accepted in kronor only', () => {
    const day = { ...changed((slots) => slots.map((slot) => ({ ...slot, eur: null }))), exchangeRate: null };
    assert.equal(judged(day).verdict, 'accepted');
  });
});

describe('a day is refused', () => {
  const shifted = (minutes: number) =>
    changed((slots) =>
      slots.map((slot) => ({
        ...slot,
        start: slot.start + minutes * MINUTE_MS,
        end: slot.end + minutes * MINUTE_MS,
      })),
    );
  const cases: readonly (readonly [string, PriceDay, RegExp])[] = [
    ['that is of another area', { ...reportedDay('SE4', DAY) }, /it is of SE4/],
    ['that is of another day', reportedDay('SE3', '2026-11-20'), /it is of 2026-11-20/],
    ['whose slots are of another day', { ...reportedDay('SE3', '2026-11-20'), day: DAY }, /starts at/],
    ['without prices', changed(() => []), /no prices/],
    ['that is half', changed((slots) => slots.slice(0, 48)), /48 slots/],
    ['that lacks its first slot', changed((slots) => slots.slice(1)), /starts at/],
    ['that lacks its last slot', changed((slots) => slots.slice(0, -1)), /95 slots/],
    ['that lacks one in the middle', changed((slots) => slots.toSpliced(50, 1)), /a slot starts at/],
    [
      'with a slot twice',
      changed((slots) => slots.toSpliced(50, 0, ...slots.slice(50, 51))),
      /a slot starts at/,
    ],
    [
      'that continues into the next day',
      changed((slots) => [...slots, ...reportedDay('SE3', '2026-11-22').slots.slice(0, 1)]),
      /97 slots/,
    ],
    ['that is an hour off, as when UTC is read as Swedish time', shifted(60), /starts at/],
    ['in reverse', changed((slots) => slots.toReversed()), /starts at/],
    [
      'with a slot that ends too late',
      withSlot(7, { end: reportedDay('SE3', DAY).slots[8]?.end ?? 0 }),
      /does not last/,
    ],
    ['with slots of 20 minutes', reportedDay('SE3', DAY, { slotMin: 20 }), /20 minutes/],
    ['whose times are not numbers', withSlot(3, { start: Number.NaN }), /a slot starts at NaN/],
    ['with a price that is not a number', withSlot(3, { sek: 'NaN' }), /"?NaN/],
    ['with a price in exponent notation', withSlot(3, { sek: '1e-05' }), /no decimal/],
    ['with an empty price', withSlot(3, { sek: '' }), /no decimal/],
    ['with endless digits', withSlot(3, { sek: '1'.repeat(500) }), /no decimal/],
    ['with a slot without a price', withSlot(3, { sek: null, eur: null }), /currencies/],
    ['with a mix of euros and kronor', withSlot(3, { sek: null }), /currencies/],
    ['above the limit of the market', withSlot(3, { sek: '77', eur: '7' }), /beyond what the market/],
    ['below the limit of the market', withSlot(3, { sek: '-22', eur: '-2' }), /beyond what the market/],
    [
      'a thousand times too high',
      changed((slots) =>
        slots.map((slot) => ({
          ...slot,
          sek: String(Number(slot.sek) * 1000),
          eur: String(Number(slot.eur) * 1000),
        })),
      ),
      /beyond what the market/,
    ],
    ['whose kronor do not match its euros', withSlot(3, { sek: '1.5' }), /not its exchange rate/],
    [
      'whose exchange rate is implausible',
      { ...reportedDay('SE3', DAY), exchangeRate: '110' },
      /exchange rate is 110/,
    ],
    ['whose exchange rate is zero', { ...reportedDay('SE3', DAY), exchangeRate: '0' }, /exchange rate is 0/],
    [
      'whose kronor are a hundred times its euros',
      {
        ...changed((slots) => slots.map((slot) => ({ ...slot, sek: String(Number(slot.eur) * 110) }))),
        exchangeRate: null,
      },
      /stand at 110/,
    ],
  ];
  for (const [title, day, sentence] of cases) {
    it(title, () => {
      const verdict = judged(day);
      assert.equal(verdict.verdict, 'refused');
      assert.match(verdict.verdict === 'refused' ? verdict.sentence : '', sentence);
    });
  }

  it('a day is refused that repeats the prices of the day before, in either currency', () => {
    const previous = dayPrices('SE3', '2026-11-20').slots;
    const again = changed((slots) =>
      slots.map((slot, index) => ({
        ...slot,
        sek: previous[index]?.sek ?? null,
        eur: previous[index]?.eur ?? null,
      })),
    );
    assert.equal(judged(again, { ...NOTHING_KNOWN, previous }).verdict, 'refused');
    assert.equal(judged(inEuros(again), { ...NOTHING_KNOWN, previous }, '11.3').verdict, 'refused');
    const inKronor = previous.map((slot) => ({ ...slot, eur: null }));
    assert.equal(judged(again, { ...NOTHING_KNOWN, previous: inKronor }).verdict, 'refused');
    assert.equal(judged(reportedDay('SE3', DAY), { ...NOTHING_KNOWN, previous }).verdict, 'accepted');
  });
});

describe('a day is checked for plausibility', () => {
  const flat = (eur: number) => reportedDay('SE3', DAY, { eur: (index) => eur + index / 10_000 });
  for (const [title, day, highestMean, verdict] of [
    ['quarantines one a hundred times as dear as the dearest stored', flat(3), '0.3', 'quarantined'],
    ['quarantines a dear one when nothing is stored', flat(2), null, 'quarantined'],
    ['accepts one as dear as the winter of 2022', flat(0.6), '0.9', 'accepted'],
    ['accepts one ten times as dear as a very cheap month', flat(0.05), '0.01', 'accepted'],
    ['accepts a usual one when nothing is stored', flat(0.1), null, 'accepted'],
    [
      'quarantines one whose price never changes',
      reportedDay('SE3', DAY, { eur: () => 0 }),
      '0.3',
      'quarantined',
    ],
  ] as const) {
    it(title, () => assert.equal(judged(day, { highestMean, previous: null }).verdict, verdict));
  }
});

describe('two sources', () => {
  it('two sources agree in slots of different lengths and at different exchange rates', () => {
    const eur = (index: number) => 0.05 + Math.floor(index / 4) / 1000;
    const quarters = dayPrices('SE3', DAY, { eur });
    const hours = dayPrices('SE3', DAY, { eur: (index) => eur(index * 4), slotMin: 60 });
    assert.equal(areSame(quarters, hours), true);
    assert.equal(areSame(hours, quarters), true);
    assert.equal(areSame(quarters, dayPrices('SE3', DAY, { eur: (index) => eur(index) * 1.02 })), true);
    assert.equal(areSame(quarters, dayPrices('SE3', DAY, { eur: (index) => eur(index) * 1000 })), false);
    assert.equal(areSame(quarters, dayPrices('SE4', DAY, { eur })), false);
    assert.equal(
      areSame(quarters, { ...quarters, slots: quarters.slots.slice(0, 48) }),
      false,
      'half a day confirms nothing',
    );
  });
});

describe('any reported day', () => {
  const text = fc.oneof(fc.constant(null), fc.string(), fc.double().map(String), fc.integer().map(String));
  const moment = fc.oneof(fc.double(), fc.integer({ min: 1_795_000_000_000, max: 1_795_400_000_000 }));
  const slot = fc.record({ start: moment, end: moment, sek: text, eur: text });

  it('any reported day gets a verdict, and is accepted only when it is complete and finite', () => {
    fc.assert(
      fc.property(fc.array(slot, { maxLength: 120 }), text, (slots, exchangeRate) => {
        const verdict = judged({ area: 'SE3', day: DAY, slots, exchangeRate, publishedAt: null });
        assert.notEqual(verdict.verdict, 'accepted');
      }),
    );
  });

  it('any reported day is refused when any slot of a valid day is lost, doubled or moved', () => {
    const good = reportedDay('SE3', DAY).slots;
    const spoil = fc.oneof(
      fc.nat(95).map((at) => good.toSpliced(at, 1)),
      fc.nat(95).map((at) => good.toSpliced(at, 0, ...good.slice(at, at + 1))),
      fc
        .tuple(
          fc.nat(95),
          fc.integer({ min: -1e9, max: 1e9 }).filter((by) => by !== 0),
        )
        .map(([at, by]) =>
          good.map((one, index) =>
            index === at ? { ...one, start: one.start + by, end: one.end + by } : one,
          ),
        ),
    );
    fc.assert(fc.property(spoil, (slots) => assert.equal(judged(changed(() => slots)).verdict, 'refused')));
  });

  it('any reported day keeps the digits of every accepted price', () => {
    const cents = fc.array(fc.integer({ min: -40_000, max: 90_000 }), { minLength: 96, maxLength: 96 });
    fc.assert(
      fc.property(cents, (values) => {
        const day = {
          ...changed((slots) =>
            slots.map((one, index) => ({ ...one, sek: ((values[index] ?? 0) / 1e5).toFixed(5), eur: null })),
          ),
          exchangeRate: null,
        };
        const verdict = judged(day);
        fc.pre(verdict.verdict === 'accepted');
        assert.deepEqual(
          verdict.verdict === 'accepted' && verdict.day.slots.map(({ sek }) => sek),
          day.slots.map(({ sek }) => sek),
        );
      }),
      { numRuns: 30 },
    );
  });
});
