import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { type Building, heatRoom, heatW, outdoorC, type Room, regimeOf } from './room.ts';

const HOUSE: Building = { lossWPerK: 170, timeConstant: 60 * HOUR_MS, maxHeatW: 8_000 };
/** Too weak for a warm target in winter, so that holding turns into falling behind. */
const HUT: Building = { lossWPerK: 100, timeConstant: 20 * HOUR_MS, maxHeatW: 1_200 };
const JANUARY = Date.UTC(2026, 0, 10, 6);
const JUNE = Date.UTC(2026, 5, 10, 6);

/** Minute steps of the differential equation with the heater as it then is. */
function stepped(building: Building, room: Room, span: { from: number; to: number }): number {
  const step = 60_000;
  const { targetC } = room;
  let roomC = room.roomC;
  for (let at = span.from; at < span.to; at += step) {
    const losing = building.lossWPerK * (roomC - outdoorC(at + step / 2));
    const wanted =
      targetC === null ? 0 : losing + ((targetC - roomC) * building.lossWPerK * building.timeConstant) / step;
    const heat = Math.min(building.maxHeatW, Math.max(0, wanted));
    roomC += ((heat - losing) / building.lossWPerK / building.timeConstant) * step;
  }
  return roomC;
}

it('a room agrees with the differential equation solved in small steps', () => {
  for (const building of [HOUSE, HUT])
    for (const from of [JANUARY, JUNE])
      for (const room of [
        { roomC: 15, targetC: 21 },
        { roomC: 24, targetC: 20 },
        { roomC: 20, targetC: null },
        { roomC: 12, targetC: 14 },
      ])
        for (const hours of [1, 9, 100, 400]) {
          const span = { from, to: from + hours * HOUR_MS };
          const [exact, reference] = [heatRoom(building, room, span).roomC, stepped(building, room, span)];
          const what = `${JSON.stringify({ building, room, hours })}: ${exact} ${reference}`;
          assert.ok(Math.abs(exact - reference) < 0.02, what);
        }
});

it('a room gives the same in one step as in two', () => {
  const hours = fc.double({ min: 0, max: 3_000, noNaN: true });
  const property = fc.property(
    fc.constantFrom(HOUSE, HUT),
    fc.record({
      roomC: fc.double({ min: 0, max: 35, noNaN: true }),
      targetC: fc.oneof(fc.constant(null), fc.integer({ min: 5, max: 35 })),
    }),
    fc.tuple(fc.integer({ min: JANUARY, max: JANUARY + 365 * DAY_MS }), hours, hours),
    (building, room, [from, first, second]) => {
      const middle = from + first * HOUR_MS;
      const to = middle + second * HOUR_MS;
      const half = heatRoom(building, room, { from, to: middle });
      const halves = heatRoom(building, { ...room, roomC: half.roomC }, { from: middle, to });
      const whole = heatRoom(building, room, { from, to });
      assert.ok(Math.abs(halves.roomC - whole.roomC) < 0.001, `${halves.roomC} ${whole.roomC}`);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

it('a room never heats by more than it can, nor by less than nothing', () => {
  const april = Date.UTC(2026, 3, 15);
  const { pieces } = heatRoom(HUT, { roomC: 22, targetC: 18 }, { from: april, to: april + 10 * DAY_MS });
  assert.deepEqual(new Set(pieces.map(({ regime }) => regime)), new Set(['free', 'full', 'hold']));
  for (const { regime, from, to } of pieces)
    for (const at of [from, (from + to) / 2, to - 1]) {
      const heat = heatW(HUT, { regime, targetC: 18 }, at);
      assert.ok(heat > -1 && heat < HUT.maxHeatW + 1, `${regime} ${heat}`);
    }
});

it('a room goes through a bounded number of pieces however long it is left alone', () => {
  const { roomC, pieces } = heatRoom(HOUSE, { roomC: 21, targetC: 21 }, { from: JANUARY, to: JANUARY * 2 });
  assert.ok(pieces.length < 200);
  assert.ok(roomC >= 21 - 1e-9 && roomC < 30);
});

it('a room heats below the target, rests above it', () => {
  assert.equal(regimeOf(HOUSE, { roomC: 18, targetC: 21 }, JANUARY), 'full');
  assert.equal(regimeOf(HOUSE, { roomC: 22, targetC: 21 }, JANUARY), 'free');
  assert.equal(regimeOf(HOUSE, { roomC: 21, targetC: 21 }, JANUARY), 'hold');
  assert.equal(regimeOf(HOUSE, { roomC: 18, targetC: null }, JANUARY), 'free');
});
