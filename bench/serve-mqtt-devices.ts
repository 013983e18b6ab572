import { randomBytes } from 'node:crypto';
import { connectAsync } from 'mqtt';
import { answerQuestions, ready } from './child-side.ts';

// Devices at a real MQTT broker, in a process of their own so that their work is not counted as elnav's. Each publishes a number every five
// seconds, evenly spread; no number comes twice, and those of a device grow.
const DEVICES = Number(process.env.BENCH_DEVICES);
const PERIOD_MS = 5_000;
const STEP_MS = 10;
const PROBES = 10;

/** A publication whose way is timed. */
export interface Probe {
  readonly device: number;
  readonly watts: number;
  /** ms since 1970. */
  readonly at: number;
}

const base = `elnav-bench/${randomBytes(8).toString('hex')}`;
const client = await connectAsync(process.env.BENCH_MQTT_URL ?? '');
const last = new Map<number, number>();
const unacknowledged = new Set<Promise<unknown>>();
let published = 0;
/** The broker has not taken them: nobody can have lost them. */
let refused = 0;
let next = 0;
let publishing: NodeJS.Timeout | undefined;

function publish(device: number): Probe {
  published += 1;
  const watts = published;
  const at = Date.now();
  const sent = client
    .publishAsync(`${base}/${device}`, JSON.stringify({ power: watts }), { qos: 1 })
    .then(
      () => void last.set(device, Math.max(watts, last.get(device) ?? 0)),
      () => {
        refused += 1;
      },
    )
    .finally(() => unacknowledged.delete(sent));
  unacknowledged.add(sent);
  return { device, watts, at };
}

function start(): void {
  const began = performance.now();
  let done = 0;
  publishing = setInterval(() => {
    const due = Math.floor(((performance.now() - began) * DEVICES) / PERIOD_MS);
    for (; done < due; done += 1) {
      publish(next);
      next = (next + 1) % DEVICES;
    }
  }, STEP_MS);
}

answerQuestions(() => client.endAsync(), {
  start,
  /** Resolves when the broker has acknowledged everything. */
  async pause() {
    clearInterval(publishing);
    await Promise.all(unacknowledged);
  },
  published: () => published - refused,
  last: () => Array.from({ length: DEVICES }, (_, device) => last.get(device)),
  /** Devices whose own message is half a period away. */
  probe: () =>
    Array.from({ length: PROBES }, (_, probe) => publish((next + Math.floor(DEVICES / 2) + probe) % DEVICES)),
});
ready({ base });
