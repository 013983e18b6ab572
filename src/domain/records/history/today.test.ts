import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { openBefore } from './fold.ts';
import type { DayOfDevice, DayReads, QuarterSpan } from './store-days.ts';
import { createToday } from './today.ts';

it('today of an account with more devices than are kept in all is read once, and then only its new quarters', async () => {
  const clock = turnedClock();
  const devices = 30_500;
  const since = clock.now();
  const spans: QuarterSpan[] = [];
  const device = (number: number): DayOfDevice => ({
    ...{ number, id: `light-${number}`, userRef: 'anna', deviceType: 'light', isMetered: false, area: null },
    ...{ open: openBefore(since), latest: undefined },
  });
  const store = {
    async day(_account: number, { after, most }: { after: { id: string } | undefined; most: number }) {
      const from = Number(after?.id ?? 0);
      const until = Math.min(from + most, devices);
      return {
        devices: Array.from({ length: until - from }, (_, index) => device(from + index)),
        last: until < devices ? { vendor: 'v', id: String(until) } : undefined,
      };
    },
    async partsOf(asked: readonly QuarterSpan[]) {
      spans.push(...asked);
      return new Map();
    },
  } as unknown as DayReads;
  const today = createToday({ store, prices: { energyCosts: async () => [] } as never, clock });
  await today(1, 'Europe/Stockholm');
  assert.equal(spans.length, devices);
  clock.turn(MINUTE_MS);
  await today(1, 'Europe/Stockholm');
  assert.equal(spans.length, devices, 'no stored quarter is read again');
});
