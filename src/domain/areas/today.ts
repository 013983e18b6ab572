import type { Clock } from '../../core/clock.ts';

/** The calendar day in Sweden, and when it ends, ms since 1970; worked out once a day. */
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
        const day = Temporal.Instant.fromEpochMilliseconds(now)
          .toZonedDateTimeISO('Europe/Stockholm')
          .startOfDay();
        today = {
          day: day.toPlainDate().toString(),
          began: day.epochMilliseconds,
          ends: day.add({ days: 1 }).startOfDay().epochMilliseconds,
        };
      }
      return today;
    },
  };
}
