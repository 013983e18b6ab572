import type { DeviceRef } from '../../adapter/session.ts';
import type { Stream } from '../../adapter/stream.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import { brokerOf, credentialsOf } from './link.ts';
import { hear, heardOf, isEmpty, isWhole, topicsOf } from './reading.ts';

/** Longer than the keep-alive of the connection: devices may be silent for hours. */
const SILENCE_SECONDS = 90;
/** By then devices have answered that were asked, and the broker has sent what it kept: what is missing then comes some day. */
const ASKED_MS = 3_000;
const MOST_NOTED = 100;

/** What the devices of a link publish. */
export const stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const { clock, log } = session;
    const broker = brokerOf(session);
    const byTopic = new Map<string, DeviceRef[]>();
    for (const device of devices)
      for (const topic of topicsOf(heardOf(device).mapping))
        byTopic.set(topic, [...(byTopic.get(topic) ?? []), device]);
    const { zigbee2mqtt_topic: base } = credentialsOf(session);
    const list = `${base}/bridge/devices`;
    const waiting = new Set(devices);
    const noted = new BoundedMap<string, true>(MOST_NOTED);
    const messages = await broker.messages([...byTopic.keys(), ...(base === undefined ? [] : [list])]);
    opened();
    const cancel = clock.after(ASKED_MS, () => {
      for (const device of waiting)
        if (!isEmpty(heardOf(device))) session.observed(device.id, heardOf(device));
      waiting.clear();
    });
    try {
      for (const device of devices)
        for (const message of heardOf(device).mapping.ask ?? [])
          await broker.publish({ ...message, device: device.id });
      for await (const message of messages) {
        if (message.topic === list && !message.isRetained) session.listChanged();
        const now = clock.now();
        for (const device of byTopic.get(message.topic) ?? []) {
          const before = heardOf(device);
          const reading = hear(device, message, now);
          if (reading === before) {
            if (!noted.has(message.topic))
              log.warn({ topic: message.topic }, 'a message of a device was not understood');
            noted.set(message.topic, true);
            continue;
          }
          if (waiting.has(device) && !isWhole(reading, 0)) continue;
          waiting.delete(device);
          session.observed(device.id, reading);
        }
      }
    } finally {
      cancel();
    }
  },
} satisfies Stream;
