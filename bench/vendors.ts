import { setTimeout as wait } from 'node:timers/promises';
import { ENGINES, type Engine } from '../test/kit/databases.ts';
import { type Child, startChild } from './children.ts';
import { call } from './elnav.ts';
import { between, type Metrics, metricsOf } from './metrics.ts';
import { type NpmStart, npmStart } from './npm-start.ts';
import { run, type Section } from './report.ts';
import type { VendorCloud } from './vendor-cloud.ts';
import { type Filled, fill } from './vendor-place.ts';
import { sectionOf, storedIn } from './vendor-report.ts';
import { vendors } from './vendors-of-clouds.ts';

const LINKS = Number(process.env.BENCH_LINKS ?? 100_000);
const ACCOUNTS = Math.round(LINKS / vendors.length);
const COMMANDS = 1_000;
const COMMANDS_A_SECOND = 50;
/** From the last store until polls, streams and lists begin: the service starts and looks around, and commands are timed without them. */
const CALM_MS = 45_000;
const LOOK_AROUND_MS = 15_000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 75_000);
const WATCH_MS = Number(process.env.BENCH_WATCH_MS ?? 120_000);
const SAMPLE_MS = 1_000;

type Clouds = Child<{ readonly clouds: readonly VendorCloud[] }>;

/** What was measured from outside. */
export interface Watched {
  /** How long commands took before and while devices were polled, ms. */
  readonly calm: readonly number[];
  readonly busy: readonly number[];
  readonly seconds: number;
  /** Of one core. */
  readonly cpuShare: number;
  /** Resident memory, bytes. */
  readonly mostRss: number;
  /** What was added while it was watched. */
  readonly metrics: Metrics;
  readonly streams: number;
  /** Calls that reached each vendor while it was watched. */
  readonly calls: Readonly<Record<string, number>>;
}

async function bench(engine: Engine, clouds: Clouds): Promise<Section> {
  const fleet = await fill(engine, clouds.ready.clouds, ACCOUNTS, CALM_MS);
  const elnav = await npmStart(fleet.place, fleet.env);
  const watched = await watch(elnav, fleet, clouds);
  await elnav.end();
  const stored = await storedIn(fleet.place, fleet.beginsAt);
  await fleet.place.remove();
  return sectionOf(engine, { fleet, watched, stored });
}

async function watch(elnav: NpmStart, { keys, beginsAt }: Filled, clouds: Clouds): Promise<Watched> {
  const chargers = await Promise.all(
    keys.map(async (key) => {
      const [device] = await call<{ id: string }[]>(`${elnav.connect}/devices?vendor=sandbox`, key);
      return { key, url: `${elnav.connect}/devices/${device?.id}/command` };
    }),
  );
  await wait(LOOK_AROUND_MS);
  const calm = await commandTimes(chargers);
  await wait(Math.max(0, beginsAt - Date.now()) + WARM_UP_MS);
  const callsOf = () => clouds.ask<Record<string, number>>('calls');
  const before = { calls: await callsOf(), metrics: await metricsOf(elnav.connect), usage: elnav.usage() };
  const began = performance.now();
  let mostRss = 0;
  while (performance.now() - began < WATCH_MS) {
    await wait(SAMPLE_MS);
    mostRss = Math.max(mostRss, elnav.usage().rss);
  }
  const tookMs = performance.now() - began;
  const cpuMs = elnav.usage().cpuMs - before.usage.cpuMs;
  const metrics = await metricsOf(elnav.connect);
  const calls = await callsOf();
  const busy = await commandTimes(chargers);
  return {
    calm,
    busy,
    seconds: tookMs / 1_000,
    cpuShare: cpuMs / tookMs,
    mostRss,
    metrics: between(before.metrics, metrics),
    streams: metrics.sum('elnav_streams_open'),
    calls: Object.fromEntries(
      Object.entries(calls).map(([slug, all]) => [slug, all - (before.calls[slug] ?? 0)]),
    ),
  };
}

/** Commands to the chargers in turn, so many a second; the whole time of each. */
async function commandTimes(chargers: readonly { readonly key: string; readonly url: string }[]) {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  for (let command = 0; command < COMMANDS; command += 1) {
    const charger = chargers[command % chargers.length];
    if (charger === undefined) break;
    const began = performance.now();
    const sent = call(charger.url, charger.key, { type: 'set_current', current_a: 6 + (command % 10) });
    running.push(sent.then(() => void times.push(performance.now() - began)));
    await wait(1_000 / COMMANDS_A_SECOND);
  }
  await Promise.all(running);
  return times;
}

const engines = process.env.BENCH_ENGINES?.split(',') ?? ENGINES;
const clouds: Clouds = await startChild('./serve-vendor-clouds.ts');
await run(
  ENGINES.filter((engine) => engines.includes(engine)).map((engine) => async () => [
    await bench(engine, clouds),
  ]),
);
await clouds.stop();
