import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answer, type Question } from './answer.ts';
import { dispatch, flexibility } from './flexibility.ts';

import type { FleetMember } from './schemas.ts';

const HIGHEST = Number.MAX_SAFE_INTEGER;

function responseTo(question: Question, body: unknown): string {
  return responseToJson(question, JSON.stringify(body));
}

function responseToJson(question: Question, json: string): string {
  return Buffer.concat(answer(question, new TextEncoder().encode(json))).toString();
}

const watts = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer(), fc.constantFrom(-HIGHEST, HIGHEST, 0));
const id = fc
  .oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n\u0001\u007f', '\ufeffa', 'å', '😀'),
  )
  .map((text) => text.replaceAll('\0', '') || 'x');

const member = fc
  .record({ id, baseline_w: watts, ends: fc.tuple(watts, watts), priority: fc.integer({ min: -3, max: 3 }) })
  .map(
    ({ ends: [one, other], ...rest }): FleetMember => ({
      ...rest,
      min_w: Math.min(one, other),
      max_w: Math.max(one, other),
    }),
  );
const fleet = fc.uniqueArray(member, { selector: ({ id }) => id, maxLength: 30 });
const request = fc.record({
  direction: fc.constantFrom('up' as const, 'down' as const),
  amount_w: fc.oneof(fc.nat(30), fc.nat(), fc.constant(HIGHEST)),
});
const period = fc.record({ index: fc.nat(), duration_min: fc.integer({ min: 1, max: 1_440 }) });

describe('a dispatch', () => {
  it('a dispatch has every property of the specification', () => {
    fc.assert(
      fc.property(fleet, request, (fleet, request) => {
        const { setpoints, delivered_w, shortfall_w, skipped = [] } = dispatch(fleet, request);
        assert.equal(delivered_w + shortfall_w, request.amount_w);
        assert.ok(delivered_w >= 0 && shortfall_w >= 0);
        const members = new Map(fleet.map((one) => [one.id, one]));
        const sign = request.direction === 'up' ? 1n : -1n;
        let sum = 0n;
        for (const { device_id, target_w, delta_w } of setpoints) {
          const { baseline_w = 0, min_w = 0, max_w = 0 } = members.get(device_id) ?? {};
          assert.ok(target_w >= min_w && target_w <= max_w);
          assert.equal(BigInt(target_w) - BigInt(baseline_w), BigInt(delta_w));
          assert.ok(BigInt(delta_w) * sign > 0n);
          sum += BigInt(delta_w) * sign;
        }
        assert.equal(sum, BigInt(delivered_w));
        const priorities = setpoints.map(({ device_id }) => members.get(device_id)?.priority ?? 0);
        assert.deepEqual(
          priorities,
          priorities.toSorted((a, b) => a - b),
        );
        const outside = fleet.filter((one) => one.baseline_w < one.min_w || one.baseline_w > one.max_w);
        assert.deepEqual(
          skipped.map(({ device_id }) => device_id),
          outside.map(({ id }) => id),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('a dispatch gives the same bytes from a body of bytes', () => {
    fc.assert(
      fc.property(fleet, request, (fleet, request) => {
        assert.equal(responseTo('dispatch', { fleet, request }), JSON.stringify(dispatch(fleet, request)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('a dispatch keeps the order of equal priorities, and gives the last member the remainder', () => {
    const one = (id: string, priority: number) => ({ id, baseline_w: 500, min_w: 0, max_w: 800, priority });
    const fleet = [one('c', 2), one('b', 1), one('a', 1)];
    assert.deepEqual(dispatch(fleet, { direction: 'up', amount_w: 700 }), {
      setpoints: [
        { device_id: 'b', target_w: 800, delta_w: 300 },
        { device_id: 'a', target_w: 800, delta_w: 300 },
        { device_id: 'c', target_w: 600, delta_w: 100 },
      ],
      delivered_w: 700,
      shortfall_w: 0,
    });
    assert.equal(dispatch(fleet, { direction: 'down', amount_w: 2_000 }).shortfall_w, 500);
  });

  it('a dispatch writes long responses completely', () => {
    const fleet = Array.from({ length: 30_000 }, (_, index) => ({
      id: `${index}-${'å'.repeat(index % 50)}`,
      baseline_w: index % 9 === 0 ? 12_345 : -index,
      min_w: -40_000_000_000 - index,
      max_w: 11_000,
      priority: (index * 7_919) % 100,
    }));
    const request = { direction: 'down', amount_w: 40_000_000_000 * 20_000 } as const;
    assert.equal(responseTo('dispatch', { fleet, request }), JSON.stringify(dispatch(fleet, request)));
  });

  it('a dispatch of an empty fleet delivers nothing', () => {
    assert.equal(
      responseToJson('dispatch', '{"request":{"amount_w":5,"direction":"up"},"fleet":[]}'),
      '{"setpoints":[],"delivered_w":0,"shortfall_w":5}',
    );
  });
});

describe('flexibility', () => {
  it('flexibility has exact sums, from objects and from bytes', () => {
    fc.assert(
      fc.property(fleet, period, (fleet, period) => {
        const inside = fleet.filter((one) => one.baseline_w >= one.min_w && one.baseline_w <= one.max_w);
        const sum = (members: FleetMember[], watts: (one: FleetMember) => bigint) =>
          members.reduce((total, one) => total + watts(one), 0n);
        const found = flexibility(fleet, period);
        assert.equal(
          BigInt(found.up_w),
          sum(inside, (one) => BigInt(one.max_w) - BigInt(one.baseline_w)),
        );
        assert.equal(
          BigInt(found.down_w),
          sum(inside, (one) => BigInt(one.baseline_w) - BigInt(one.min_w)),
        );
        assert.equal(
          BigInt(found.baseline_w),
          sum(fleet, (one) => BigInt(one.baseline_w)),
        );
        assert.equal(found.skipped?.length ?? 0, fleet.length - inside.length);
        const digits = JSON.stringify(found, (_, value) =>
          typeof value === 'bigint' ? `bigint ${value}` : value,
        ).replaceAll(/"bigint (-?\d+)"/g, '$1');
        assert.equal(responseTo('flexibility', { fleet, period }), digits);
      }),
      { numRuns: 2_000 },
    );
  });

  it('flexibility writes all digits of sums past 2^53', () => {
    const one = (id: string) => ({ id, baseline_w: -HIGHEST, min_w: -HIGHEST, max_w: HIGHEST, priority: 0 });
    assert.equal(
      responseTo('flexibility', { fleet: [one('a'), one('b')], period: { index: 7, duration_min: 15 } }),
      '{"up_w":36028797018963964,"down_w":0,"baseline_w":-18014398509481982,"period_index":7}',
    );
  });
});
