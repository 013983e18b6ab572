import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Candidates, type Recruited, recruit, recruitByCounting, recruitBySorting } from './recruit.ts';

const HIGHEST = Number.MAX_SAFE_INTEGER;

const room = fc.oneof(fc.nat(20), fc.nat(20_000), fc.constant(0), fc.constantFrom(HIGHEST, 2 ** 54));
const amount = fc.oneof(fc.nat(100), fc.nat(100_000), fc.constantFrom(0, HIGHEST));
const near = fc.integer({ min: -5, max: 5 });
const far = fc.oneof(near, fc.integer(), fc.constantFrom(-HIGHEST, HIGHEST));

function candidates(rows: readonly { room: number; priority: number }[]): Candidates {
  return {
    count: rows.length,
    rooms: Float64Array.from(rows, ({ room }) => room),
    priorities: Float64Array.from(rows, ({ priority }) => priority),
  };
}

const fleetOf = (priority: fc.Arbitrary<number>) =>
  fc.array(fc.record({ room, priority }), { maxLength: 60 }).map(candidates);

function plain({ order, shares, delivered }: Recruited) {
  return { order: [...order], shares: [...shares], delivered };
}

/** A direct implementation of the specification. */
function byTheBook({ rooms, priorities }: Candidates, amount: number) {
  const order: number[] = [];
  const shares: number[] = [];
  let left = BigInt(amount);
  const inOrder = [...rooms.keys()].sort((a, b) => Number(priorities[a]) - Number(priorities[b]) || a - b);
  for (const index of inOrder.filter((index) => rooms[index] !== 0)) {
    if (left === 0n) break;
    const own = BigInt(rooms[index] ?? 0);
    const share = own < left ? own : left;
    left -= share;
    order.push(index);
    shares.push(Number(share));
  }
  return { order, shares, delivered: amount - Number(left) };
}

describe('recruiting', () => {
  it('recruiting follows the specification for any priorities', () => {
    fc.assert(
      fc.property(fc.oneof(fleetOf(near), fleetOf(far)), amount, (fleet, amount) => {
        assert.deepEqual(plain(recruit(fleet, amount)), byTheBook(fleet, amount));
      }),
      { numRuns: 2_000 },
    );
  });

  it('recruiting gives the same result by counting and by sorting', () => {
    fc.assert(
      fc.property(fleetOf(near), fc.integer({ min: 1, max: 100_000 }), (fleet, amount) => {
        const counted = recruitByCounting(fleet, amount, { lowest: -5, highest: 5 });
        assert.deepEqual(plain(counted), plain(recruitBySorting(fleet, amount)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('recruiting delivers the sum of its shares, each within its room', () => {
    fc.assert(
      fc.property(fleetOf(far), amount, (fleet, amount) => {
        const { order, shares, delivered } = recruit(fleet, amount);
        assert.equal(
          BigInt(delivered),
          shares.reduce((sum, share) => sum + BigInt(share), 0n),
        );
        assert.ok(delivered <= amount);
        assert.ok(order.every((index, place) => Number(shares[place]) <= Number(fleet.rooms[index])));
        assert.equal(new Set(order).size, order.length);
      }),
    );
  });

  it('recruiting counts up to the widest range, and sorts beyond it', () => {
    const rows = [65_535, 0, 65_535, 7, 0].map((priority) => ({ room: 10, priority }));
    assert.deepEqual(plain(recruit(candidates(rows), 45)), {
      order: [1, 4, 3, 0, 2],
      shares: [10, 10, 10, 10, 5],
      delivered: 45,
    });
    const wider = rows.map(({ room, priority }) => ({ room, priority: priority + (priority > 7 ? 1 : 0) }));
    assert.deepEqual(plain(recruit(candidates(wider), 45)).order, [1, 4, 3, 0, 2]);
  });

  it('recruiting recruits no member for 0 W, and delivers nothing from an empty fleet', () => {
    assert.deepEqual(plain(recruit(candidates([{ room: 5, priority: 1 }]), 0)).order, []);
    assert.deepEqual(plain(recruit(candidates([]), 5)), { order: [], shares: [], delivered: 0 });
    assert.deepEqual(plain(recruit(candidates([{ room: 0, priority: 1 }]), 5)).delivered, 0);
  });
});
