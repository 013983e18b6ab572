import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS, QUARTER_MS } from '../../../core/durations.ts';
import { type Values, valuesOf } from './fields.ts';
import { advance, applied, type Open, openBefore, openIn, type Quarter, unended } from './fold.ts';
import type { Step } from './steps.ts';

/** Ten o'clock UTC. */
const TEN = Date.UTC(2026, 10, 21, 10);
const at = (minutes: number, state: object | null): Step => ({
  at: TEN + minutes * MINUTE_MS,
  values: state === null ? null : valuesOf(state as Record<string, unknown>),
});

/** All quarters of some steps, the last one of which is known until a moment. */
function quartersOf(steps: readonly Step[], until: number): Quarter[] {
  const ended: Quarter[] = [];
  const [first] = steps;
  assert.ok(first !== undefined);
  let open: Open = openBefore(first.at);
  // As it is stored between two batches.
  for (const step of steps)
    open = openIn(JSON.stringify(applied(open, step, ended) ?? open)) ?? assert.fail();
  const last = unended(advance(open, until, ended));
  return last === null ? ended : [...ended, last];
}

const shown = (quarters: readonly Quarter[], ...fields: (keyof Values)[]) =>
  quarters.map(({ quarter, covered, values }) => [
    (quarter * QUARTER_MS - TEN) / MINUTE_MS,
    covered,
    ...fields.map((field) => values[field]),
  ]);

describe('quarters of an hour', () => {
  it('quarters of an hour have the mean of the power over the time for which it is known', () => {
    const steps = [at(5, { power_w: 600 }), at(10, { power_w: 1_200 }), at(20, null), at(25, { power_w: 0 })];
    // 10:05–10:10 600 W, 10:10–10:20 1,200 W, nothing known until 10:25, 10:25–10:30 0 W.
    assert.deepEqual(shown(quartersOf(steps, at(30, null).at), 'power_w'), [
      [0, 600, 900],
      [15, 600, 600],
    ]);
  });

  it('quarters of an hour have what the meter has counted, in the quarter in which it was read or that ended then', () => {
    const steps = [
      at(0, { energy_wh: 1_000 }),
      at(10, { energy_wh: 1_300 }),
      at(15, { energy_wh: 1_400 }),
      at(31, { energy_wh: 1_450 }),
    ];
    assert.deepEqual(shown(quartersOf(steps, at(40, null).at), 'energy_wh'), [
      [0, 900, 400],
      [15, 900, 0],
      [30, 600, 50],
    ]);
  });

  it('quarters of an hour count nothing where a meter was reset or exchanged, and go on with the new one', () => {
    const steps = [
      at(1, { energy_wh: 5_000 }),
      at(2, { energy_wh: 5_100 }),
      at(3, { energy_wh: 20 }),
      at(4, { energy_wh: 70 }),
      at(5, { energy_wh: 90_000_000 }),
      at(6, { energy_wh: 90_000_010 }),
    ];
    assert.deepEqual(shown(quartersOf(steps, at(15, null).at), 'energy_wh'), [[0, 840, 160]]);
  });

  it('quarters of an hour have what was counted in a gap, and while the device had no meter, where it is read again', () => {
    const steps = [
      at(1, { energy_wh: 100 }),
      at(5, null),
      at(70, { energy_wh: 400 }),
      at(71, { power_w: 1 }),
      at(72, { energy_wh: 450 }),
    ];
    assert.deepEqual(shown(quartersOf(steps, at(75, null).at), 'energy_wh'), [
      [0, 240, 0],
      [60, 300, 350],
    ]);
  });

  it('quarters of an hour say how much of their energy was counted before they began, and since when', () => {
    const late = (...steps: readonly Step[]) =>
      quartersOf(steps, at(75, null).at).flatMap(({ quarter, late: own }) =>
        own === null ? [] : [[(quarter * QUARTER_MS - TEN) / MINUTE_MS, own.wh, own.seconds]],
      );
    const from = (step: Step, minutes: number): Step => ({ ...step, confirmed: at(minutes, null).at });
    const [first, then] = [at(1, { energy_wh: 100 }), { energy_wh: 500 }];
    // In a gap, or while the device had no meter, nobody knows when.
    assert.deepEqual(late(first, at(5, null), at(70, then)), [[60, 400, null]]);
    assert.deepEqual(late(first, at(5, { power_w: 1 }), at(70, then)), [[60, 400, null]]);
    // It is not in a quarter any more in which the meter was read before.
    assert.deepEqual(late(first, at(5, null), at(61, { energy_wh: 100 }), at(70, then)), []);
    assert.deepEqual(late(first, at(61, null), at(70, then)), []);
    // The meter was confirmed shortly before the quarter: nothing is counted as late.
    assert.deepEqual(late(first, at(59, null), at(70, then)), []);
    assert.deepEqual(late(first, from(at(62, then), 47)), []);
    // Between two reads that are far apart: 55 of 65 minutes were before 11:00.
    assert.deepEqual(late(first, from(at(70, { energy_wh: 165 }), 5)), [[60, 55, 55 * 60]]);
    assert.deepEqual(late(first, from(at(70, then), 60)), []);
    assert.deepEqual(late(first, from(at(75, then), 50)), [[60, 160, 600]]);
  });

  it('quarters of an hour go on from what an earlier version has stored', () => {
    const first = applied(openBefore(TEN), at(1, { energy_wh: 100 }), []) ?? assert.fail();
    const { late: _late, meter, ...before } = first;
    const stored = openIn(JSON.stringify({ ...before, meter: { value: meter?.value, at: meter?.at } }));
    assert.deepEqual(stored, first);
  });

  it('quarters of an hour have what was counted in a gap that ends with a quarter in that quarter', () => {
    const steps = [
      at(1, { energy_wh: 100 }),
      at(5, null),
      at(60, { energy_wh: 400 }),
      at(62, { energy_wh: 410 }),
    ];
    assert.deepEqual(shown(quartersOf(steps, at(75, null).at), 'energy_wh'), [
      [0, 240, 0],
      [45, 0, 300],
      [60, 900, 10],
    ]);
  });

  it('quarters of an hour have the last of what has no mean', () => {
    const steps = [at(1, { charging: true, battery_soc: 40 }), at(14, { charging: false, battery_soc: 53 })];
    assert.deepEqual(shown(quartersOf(steps, at(30, null).at), 'charging', 'battery_soc'), [
      [0, 840, 0, 41],
      [15, 900, 0, 53],
    ]);
  });

  it('quarters of an hour are the same however long a value stays', () => {
    const quarters = quartersOf([at(0, { power_w: 7 })], at(60 * 24 * 30, null).at);
    assert.equal(quarters.length, 4 * 24 * 30);
    assert.ok(quarters.every(({ covered, values }) => covered === 900 && values.power_w === 7));
  });

  /** What a device was like in each second, and from that its quarters. */
  function naive(
    steps: readonly Step[],
    until: number,
  ): Map<number, { ms: number; power: number | null; energy: number | null }> {
    const found = new Map<number, { sum: number; powerMs: number; ms: number; energy: number | null }>();
    const of = (quarter: number) => {
      const one = found.get(quarter) ?? { sum: 0, powerMs: 0, ms: 0, energy: null };
      found.set(quarter, one);
      return one;
    };
    let meter: number | null = null;
    for (const [index, { at: from, values }] of steps.entries()) {
      if (values?.energy_wh != null) {
        const difference = meter === null ? 0 : values.energy_wh - meter;
        const quarter = of(Math.ceil(from / QUARTER_MS) - 1);
        if (difference > 0) quarter.energy = (quarter.energy ?? 0) + difference;
        meter = values.energy_wh;
      }
      for (let second = from; second < (steps[index + 1]?.at ?? until); second += 1_000) {
        if (values === null) continue;
        const quarter = of(Math.floor(second / QUARTER_MS));
        quarter.ms += 1_000;
        if (values.energy_wh !== null) quarter.energy ??= 0;
        if (values.power_w === null) continue;
        quarter.powerMs += 1_000;
        quarter.sum += values.power_w * 1_000;
      }
    }
    return new Map(
      [...found]
        .filter(([, { ms, energy }]) => ms > 0 || energy !== null)
        .map(([quarter, { sum, powerMs, ms, energy }]) => [
          quarter,
          { ms, power: powerMs === 0 ? null : Math.round(sum / powerMs), energy },
        ]),
    );
  }

  it('quarters of an hour are those of a naive reckoning second by second, whatever the changes, gaps and resets', () => {
    const change = fc.record({
      seconds: fc.oneof(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 400, max: 9_000 }),
        fc.constant(900),
      ),
      state: fc.oneof(
        { arbitrary: fc.constant(null), weight: 1 },
        {
          arbitrary: fc.record(
            {
              power_w: fc.integer({ min: -5_000, max: 11_000 }),
              energy_wh: fc.integer({ min: 0, max: 9_000 }),
            },
            { requiredKeys: [] },
          ),
          weight: 5,
        },
      ),
    });
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 4_000 }),
        (changes, rest) => {
          let now = TEN;
          const all = changes.map(({ seconds, state }) => {
            now += seconds * 1_000;
            return { at: now, values: state === null ? null : valuesOf(state) };
          });
          const until = now + rest * 1_000;
          assert.deepEqual(
            new Map(
              quartersOf(all, until).map(({ quarter, covered, values }) => [
                quarter,
                { ms: covered * 1_000, power: values.power_w, energy: values.energy_wh },
              ]),
            ),
            naive(all, until),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
