import type { LinkOf } from '../../../adapter/session.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { Host } from '../../../db/host.ts';

/** The streams of one vendor that broke within a minute. */
interface Minute {
  count: number;
  readonly codes: Map<string, number>;
  /** One of them, as an example. */
  readonly link: string;
  readonly cause: unknown;
  readonly cancel: () => void;
}

/**
 * Logs streams that break: one line for a vendor and minute. A vendor that is down breaks thousands, each again and again, and all lines would
 * say the same.
 */
export function createBreaks({ clock, log }: Pick<Host, 'clock' | 'log'>) {
  const minutes = new Map<string, Minute>();

  function write(vendor: string): void {
    const minute = minutes.get(vendor);
    if (minute === undefined) return;
    minutes.delete(vendor);
    minute.cancel();
    const { count, codes, link, cause } = minute;
    log.info(
      { vendor, count, codes: Object.fromEntries(codes), link, cause },
      'streams broke within a minute',
    );
  }

  return {
    note({ vendor, link }: LinkOf, code: string, cause: unknown): void {
      let minute = minutes.get(vendor);
      if (minute === undefined) {
        const cancel = clock.after(MINUTE_MS, () => write(vendor));
        minute = { count: 0, codes: new Map(), link, cause, cancel };
        minutes.set(vendor, minute);
      }
      minute.count += 1;
      minute.codes.set(code, (minute.codes.get(code) ?? 0) + 1);
    },

    /** Writes what is not written yet. */
    close(): void {
      for (const vendor of [...minutes.keys()]) write(vendor);
    },
  };
}

export type Breaks = ReturnType<typeof createBreaks>;
