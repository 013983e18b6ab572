import { each, fits, messageIn, PlainId } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Stream, StreamSession } from '../../adapter/stream.ts';
import { APPLIANCES, LANGUAGE, sweep } from './client.ts';
import { reportName } from './commands.ts';

import * as translate from './translate.ts';

/** Home Connect sends KEEP-ALIVE every 55 seconds. */
const SILENCE_SECONDS = 150;
/** Appliances with a bad connection come and go hundreds of times a day, and reading one takes four of a thousand calls. */
const BETWEEN_READS_MS = 1_800_000;
/** When the appliances were last read because events may have been missed. */
const READ_AT = 'stream_read_at';
const AWAITED: readonly string[] = [translate.OPERATION, translate.POWER];

/** The events of all appliances of the account. */
export const stream: Stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    // The id of an event names its appliance: there is nothing to go on from.
    const events = await session.events({ path: `${APPLIANCES}/events`, headers: LANGUAGE, lastEventId: '' });
    opened();
    const ending = new AbortController();
    const appliances = follow(session, devices, AbortSignal.any([session.signal, ending.signal]));
    await appliances.begin();
    try {
      for await (const { event, id, data } of events) {
        const message = messageIn(data, translate.Message);
        const haId = message?.haId ?? id;
        if (message !== undefined && fits(PlainId, haId)) appliances.take(event, haId, message);
      }
    } finally {
      ending.abort();
    }
  },
};

interface Followed {
  readonly device: DeviceRef;
  /** What its events have said so far. */
  reading: translate.Reading;
  readAt: number;
  /** When it is to be read; infinite when it is not. */
  dueAt: number;
  /** What its events say while it is being read. */
  meanwhile: unknown[];
}

/** Reports what events say, and reads appliances whose events may have been missed: those that were away, and all after a gap. */
function follow(session: StreamSession, devices: readonly DeviceRef[], signal: AbortSignal) {
  const { clock, documents, log } = session;
  const all = new Map(
    devices.map((device): [string, Followed] => [
      device.id,
      {
        device,
        reading: translate.CONNECTED,
        readAt: Number.NEGATIVE_INFINITY,
        dueAt: Number.POSITIVE_INFINITY,
        meanwhile: [],
      },
    ]),
  );
  let isReading = false;
  let cancel = () => {};
  signal.addEventListener('abort', () => cancel(), { once: true });

  function plan(): void {
    cancel();
    const next = Math.min(...[...all.values()].map(({ dueAt }) => dueAt));
    if (isReading || signal.aborted || !Number.isFinite(next)) return;
    const wait = next - clock.now();
    if (wait > 0) cancel = clock.after(wait, plan);
    else void readDue();
  }

  async function readDue(): Promise<void> {
    const now = clock.now();
    const due = [...all.values()].filter(({ dueAt }) => dueAt <= now);
    isReading = true;
    for (const one of due) Object.assign(one, { dueAt: Number.POSITIVE_INFINITY, meanwhile: [] });
    try {
      const readings = await sweep(
        session,
        due.map(({ device }) => device),
      );
      for (const one of due) {
        const reading = readings.get(one.device.id);
        if (reading === undefined || signal.aborted) continue;
        one.reading = one.meanwhile.reduce<translate.Reading>(translate.withItems, reading);
        // One that is not reached cost nothing.
        if (reading.connected) one.readAt = now;
        session.observed(one.device.id, one.reading);
      }
    } catch (error) {
      for (const one of due) one.dueAt = clock.now() + BETWEEN_READS_MS;
      if (!signal.aborted)
        log.warn({ err: error, vendor: 'homeconnect', link: session.link }, 'appliances could not be read');
    } finally {
      isReading = false;
      plan();
    }
  }

  function report(one: Followed, reading: translate.Reading): void {
    const state = translate.changedFields(one.reading, reading);
    const before = translate.unrecognizedIn(one.reading);
    const unrecognized = translate.unrecognizedIn(reading).filter((value) => !before.includes(value));
    one.reading = reading;
    if (Object.keys(state).length + unrecognized.length > 0)
      session.reported(one.device.id, { state, unrecognized });
  }

  return {
    /** The platform reads a new link by itself; after a gap everything may be another. */
    async begin(): Promise<void> {
      const before = await documents.get(READ_AT);
      const now = clock.now();
      const next = typeof before === 'number' ? Math.max(now, before + BETWEEN_READS_MS) : null;
      if (next !== null) for (const one of all.values()) one.dueAt = next;
      if (next === null || next === now) await documents.put(READ_AT, now);
      plan();
    },

    take(event: string, id: string, message: { readonly items?: unknown }): void {
      const one = all.get(id);
      if (event === 'PAIRED' || event === 'DEPAIRED') session.listChanged();
      else if (one === undefined) return;
      else if (event === 'DISCONNECTED') report(one, translate.OFFLINE);
      else if (event === 'CONNECTED') {
        // What it was like before is not what it is like now.
        if (!one.reading.connected) report(one, translate.CONNECTED);
        one.dueAt = Math.min(one.dueAt, Math.max(clock.now(), one.readAt + BETWEEN_READS_MS));
        plan();
      } else if (event === 'STATUS' || event === 'NOTIFY') {
        one.meanwhile.push(message.items);
        report(one, translate.withItems({ ...one.reading, connected: true }, message.items));
        for (const { key, value } of each(message.items, translate.Item))
          if (AWAITED.includes(key)) session.tell(reportName(id, key), value);
      }
    },
  };
}
