import type { Clock } from '../../core/clock.ts';
import { dayAt, dayBounds } from '../../core/swedish-days.ts';

/** The Swedish calendar day and its end, ms since 1970; computed once a day. */
export interface Today {
  now(): { readonly day: string; readonly ends: number };
}

/** Swedish days have 23, 24 or 25 hours. */
export function createToday(clock: Clock): Today {
  let today = { day: '', began: 0, ends: 0 };
  return {
    now() {
      const now = clock.now();
      if (now < today.began || now >= today.ends) {
        const day = dayAt(now);
        const { start, end } = dayBounds(day);
        today = { day, began: start, ends: end };
      }
      return today;
    },
  };
}
