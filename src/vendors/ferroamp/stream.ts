import type { Stream } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import { brokerOf, readingOf } from './hub.ts';
import { BATTERIES, CONVERTERS, HUB, hear, nothingHeard, STRINGS, socOf } from './messages.ts';

/** Longer than the keep-alive of the connection, which counts as a sign of life. */
const SILENCE_SECONDS = 60;
/** A hub that reports every second and then nothing for so long has lost its mind, or its broker the hub. */
const QUIET_MS = 30_000;
/** A report every second is more than anybody looks at. */
const REPORT_MS = 5_000;

/** The reports of a hub, of which one in five is passed on. */
export const stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const { clock, log, signal } = session;
    const heard = nothingHeard();
    const quiet = new AbortController();
    let cancel = () => {};
    const watch = () => {
      cancel();
      cancel = clock.after(QUIET_MS, () => quiet.abort());
    };
    watch();
    try {
      const topics = [HUB, STRINGS, CONVERTERS, BATTERIES];
      const messages = await brokerOf(session).messages(topics, { signal: quiet.signal });
      opened();
      const began = clock.now();
      let reportedAt = Number.NEGATIVE_INFINITY;
      let isNoted = false;
      for await (const message of messages) {
        if (!hear(heard, message)) {
          if (!isNoted) log.warn({ topic: message.topic }, 'a message of an EnergyHub was not understood');
          isNoted = true;
          continue;
        }
        const reading = message.topic === HUB ? readingOf(heard) : undefined;
        if (reading === undefined) continue;
        watch();
        const now = clock.now();
        // The first report of the converters is waited for, that none has to be read for it.
        const isWhole = socOf(heard) !== null || now - began >= REPORT_MS * 2;
        if (now - reportedAt < REPORT_MS) continue;
        if (devices.every(({ type }) => type !== 'battery') || isWhole) {
          reportedAt = now;
          for (const { id } of devices) session.observed(id, reading);
        }
      }
      if (!signal.aborted && quiet.signal.aborted)
        throw new AppError('vendor.timeout', `the EnergyHub has published nothing for ${QUIET_MS / 1_000} s`);
    } finally {
      cancel();
    }
  },
} satisfies Stream;
