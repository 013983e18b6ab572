import type { Stream } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import { connect } from './connection.ts';
import { followLifts } from './following.ts';
import { isHeard, statusOf } from './lift.ts';
import { subscriberOf } from './reading.ts';

/** KONE closes a connection on which nothing was sent for 60 s. */
const PING_MS = 25_000;
/** A subscription ends after 300 s. */
const PINGS_PER_SUBSCRIPTION = 9;
/** Four pings without an answer. */
const SILENCE_SECONDS = 120;
const OPENING_MS = 20_000;

/** What KONE reports of the lifts, until it ends the connection: after two hours, or when the token has expired. */
export const stream: Stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const lifts = followLifts(devices);
    const subscriber = subscriberOf(session);
    const connection = await connect(session, 'read');
    const reported = new Map<string, string>();
    const report = (ids: Iterable<string>) => {
      for (const id of ids) {
        const raw = lifts.rawOf(id);
        // What is not there yet the platform reads.
        if (raw.online && !isHeard(raw)) continue;
        const shown = JSON.stringify(statusOf(raw));
        if (reported.get(id) === shown) continue;
        reported.set(id, shown);
        session.observed(id, raw);
      }
    };
    try {
      for (const group of lifts.groups()) lifts.subscribe(connection, group, subscriber);
      const areAccepted = () => lifts.groups().every(lifts.isAccepted);
      const isOpen = await connection.listen(lifts.take, { isDone: areAccepted, withinMs: OPENING_MS });
      if (!isOpen) return;
      lifts.check();
      if (!areAccepted()) throw new AppError('vendor.timeout', 'KONE did not open its stream in time');
      opened();
      report(lifts.all().keys());
      for (let pings = 1; ; pings += 1) {
        const goesOn = await connection.listen(
          (heard) => {
            const wasOnline = lifts.isOnline(heard.group);
            const changed = lifts.take(heard);
            // What happened meanwhile was not reported.
            if (!wasOnline && lifts.isOnline(heard.group))
              lifts.subscribe(connection, heard.group, subscriber);
            report(changed);
          },
          { isDone: () => false, withinMs: PING_MS },
        );
        if (!goesOn) return;
        lifts.check();
        report(lifts.giveUp());
        for (const group of lifts.groups())
          if (pings % PINGS_PER_SUBSCRIPTION === 0) lifts.subscribe(connection, group, subscriber);
          else lifts.ping(connection, group);
      }
    } finally {
      connection.close();
    }
  },
};
