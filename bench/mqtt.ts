import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { type Child, startChild } from './children.ts';
import { accountsAt, call, inParallel } from './elnav.ts';
import { quantile } from './load.ts';
import { between, type Metrics, metricsOf } from './metrics.ts';
import { npmStart } from './npm-start.ts';
import { count, mebibytes, ms, percent, run, type Section } from './report.ts';
import type { Probe } from './serve-mqtt-devices.ts';

const URL_OF_BROKER = process.env.BENCH_MQTT_URL ?? process.env.TEST_MQTT_URL ?? 'mqtt://127.0.0.1:1883';
const DEVICES = Number(process.env.BENCH_DEVICES ?? 10_000);
const DEVICES_OF_LINK = 100;
const AT_ONCE = 10;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 30_000);
const WATCH_MS = Number(process.env.BENCH_WATCH_MS ?? 60_000);
const SAMPLE_MS = 1_000;
const LOOK_MS = 5;
/** A value that does not show by then is not looked for any longer. */
const MOST_WAIT_MS = 10_000;
const OPENING_MS = 120_000;
const MOST_P99_MS = 500;

type Devices = Child<{ readonly base: string }>;

/** A link, and the number of its first device. */
interface Home {
  readonly key: string;
  readonly first: number;
}

const broker = new URL(URL_OF_BROKER);
const idOf = (device: number) => `meter-${device}`;

async function networkOfBroker(): Promise<string> {
  const { address } = await lookup(broker.hostname.replace(/^\[(.*)\]$/, '$1'));
  return `${address}/${isIPv6(address) ? 128 : 32}`;
}

function credentialsOf(base: string, first: number): object {
  const isSecure = broker.protocol === 'mqtts:';
  return {
    host: broker.hostname,
    port: Number(broker.port || (isSecure ? 8_883 : 1_883)),
    ...(isSecure ? { tls: true } : {}),
    ...(broker.username === '' ? {} : { username: decodeURIComponent(broker.username) }),
    ...(broker.password === '' ? {} : { password: decodeURIComponent(broker.password) }),
    devices: Array.from({ length: Math.min(DEVICES_OF_LINK, DEVICES - first) }, (_, index) => ({
      id: idOf(first + index),
      type: 'smart_home_appliance',
      reads: { read_power: { topic: `${base}/${first + index}`, pointer: '/power' } },
    })),
  };
}

async function bench(engine: Engine, devices: Devices): Promise<Section> {
  const place = await makePlace(engine);
  const elnav = await npmStart(place, {
    ELNAV_FETCH: 'off',
    ELNAV_SIMULATE: 'none',
    ELNAV_LOCAL_NETWORKS: await networkOfBroker(),
  });
  const { connect } = elnav;
  const newAccount = accountsAt(elnav.grid);
  const homes: Home[] = [];
  for (let first = 0; first < DEVICES; first += DEVICES_OF_LINK)
    homes.push({ key: (await newAccount()).key, first });
  await inParallel(homes, AT_ONCE, ({ key, first }) =>
    call(`${connect}/link`, key, {
      vendor: 'mqtt',
      user_ref: 'home',
      credentials: credentialsOf(devices.ready.base, first),
    }),
  );
  await until(OPENING_MS, async () => streamsIn(await metricsOf(connect)) === homes.length);

  const before = { metrics: await metricsOf(connect), published: await devices.ask<number>('published') };
  await devices.ask('start');
  await wait(WARM_UP_MS);
  const usage = elnav.usage();
  const began = performance.now();
  const probing: Promise<number>[] = [];
  let mostRss = 0;
  while (performance.now() - began < WATCH_MS) {
    for (const probe of await devices.ask<readonly Probe[]>('probe'))
      probing.push(timeOf(probe, connect, homes));
    await wait(SAMPLE_MS);
    mostRss = Math.max(mostRss, elnav.usage().rss);
  }
  const tookMs = performance.now() - began;
  const cpuShare = (elnav.usage().cpuMs - usage.cpuMs) / tookMs;
  const times = await Promise.all(probing);
  await devices.ask('pause');
  const published = (await devices.ask<number>('published')) - before.published;
  const reportsIn = async () =>
    between(before.metrics, await metricsOf(connect)).sum('elnav_stream_reports_total', { vendor: 'mqtt' });
  await until(MOST_WAIT_MS, async () => (await reportsIn()) >= published);
  const taken = await reportsIn();
  const streams = streamsIn(await metricsOf(connect));
  const right = await lastValues(connect, homes, await devices.ask<readonly number[]>('last'));
  await elnav.end();
  await place.remove();
  const p99 = quantile(times, 0.99);
  return {
    title: `${count(DEVICES)} MQTT devices that publish every 5 s, on the process of npm start, ${engine}`,
    note: `${count(homes.length)} accounts with a link of up to ${DEVICES_OF_LINK} devices each, at one real broker; a process of its own publishes for all devices with QoS 1; ${(tookMs / 1_000).toFixed(0)} s watched`,
    rows: [
      {
        what: 'Streams open at the end',
        figure: count(streams),
        target: `of all ${count(homes.length)} links`,
        met: streams === homes.length,
      },
      {
        what: 'Messages that were taken in',
        figure: `${count(taken)} of ${count(published)}`,
        target: 'every one, once',
        met: taken === published,
      },
      {
        what: 'Devices listed with the value that they published last',
        figure: count(right),
        target: 'all',
        met: right === DEVICES,
      },
      {
        what: `From publication until GET /devices/{id} has it, 99th percentile of ${count(times.length)}`,
        figure: ms(p99),
        against: `median ${ms(quantile(times, 0.5))}`,
        target: `at most ${MOST_P99_MS} ms`,
        met: p99 <= MOST_P99_MS,
      },
      { what: 'Processor time, of one core', figure: percent(cpuShare) },
      { what: 'Resident memory, at most', figure: mebibytes(mostRss) },
    ],
  };
}

const streamsIn = (metrics: Metrics): number => metrics.sum('elnav_streams_open', { vendor: 'mqtt' });

/** Until it holds, or the time is over: what is missing then shows in the report. */
async function until(mostMs: number, holds: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds()) && performance.now() - began < mostMs) await wait(100);
}

interface Shown {
  readonly id: string;
  readonly state?: { readonly power_w?: number | null };
}

const wattsOf = ({ state }: Shown): number => state?.power_w ?? 0;

/** From the publication until the device shows it or a later one, ms; infinite where it never does. */
async function timeOf(
  { device, watts, at }: Probe,
  connect: string,
  homes: readonly Home[],
): Promise<number> {
  const key = homes[Math.floor(device / DEVICES_OF_LINK)]?.key ?? '';
  while (Date.now() - at < MOST_WAIT_MS) {
    const shown = await call<Shown>(`${connect}/devices/${idOf(device)}`, key);
    if (wattsOf(shown) >= watts) return Date.now() - at;
    await wait(LOOK_MS);
  }
  return Number.POSITIVE_INFINITY;
}

/** How many devices are listed with what they published last. */
async function lastValues(
  connect: string,
  homes: readonly Home[],
  last: readonly (number | null)[],
): Promise<number> {
  let right = 0;
  await inParallel(homes, AT_ONCE, async ({ key, first }) => {
    const listed = await call<readonly Shown[]>(`${connect}/devices?limit=${DEVICES_OF_LINK}`, key);
    const watts = new Map(listed.map((device) => [device.id, wattsOf(device)]));
    for (let device = first; device < Math.min(first + DEVICES_OF_LINK, DEVICES); device += 1)
      if (watts.get(idOf(device)) === last[device]) right += 1;
  });
  return right;
}

const engines = process.env.BENCH_ENGINES?.split(',') ?? ENGINES;
const devices: Devices = await startChild('./serve-mqtt-devices.ts', {
  BENCH_DEVICES: String(DEVICES),
  BENCH_MQTT_URL: URL_OF_BROKER,
});
await run(
  ENGINES.filter((engine) => engines.includes(engine)).map((engine) => async () => [
    await bench(engine, devices),
  ]),
);
await devices.stop();
