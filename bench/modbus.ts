import { setTimeout as wait } from 'node:timers/promises';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { type Child, startChild } from './children.ts';
import { accountsAt, call, inParallel } from './elnav.ts';
import { between, metricsOf } from './metrics.ts';
import { npmStart } from './npm-start.ts';
import { count, mebibytes, percent, run, type Section } from './report.ts';

const LINKS = Number(process.env.BENCH_LINKS ?? 1_000);
/** An account has at most 100 connections. */
const LINKS_OF_ACCOUNT = 50;
const AT_ONCE = 20;
const INTERVAL_SECONDS = 5;
/** What there is to do is counted once a minute; until then a vendor gets few turns. */
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 90_000);
const WATCH_MS = Number(process.env.BENCH_WATCH_MS ?? 60_000);
const SAMPLE_MS = 1_000;
const MOST_SHARE = 0.5;
const MOST_BYTES = 300 * 1024 ** 2;
const LATE_SECONDS = '2';

type Devices = Child<{ readonly port: number }>;

/** Every link has a device at an address of its own. */
const hostOf = (link: number) => `127.1.${Math.floor(link / 250)}.${(link % 250) + 1}`;

async function bench(engine: Engine, devices: Devices): Promise<Section> {
  const place = await makePlace(engine);
  const elnav = await npmStart(place, {
    ELNAV_FETCH: 'off',
    ELNAV_SIMULATE: 'none',
    ELNAV_LOCAL_NETWORKS: '127.0.0.0/8',
  });
  const newAccount = accountsAt(elnav.grid);
  const links: { readonly key: string; readonly link: number }[] = [];
  while (links.length < LINKS) {
    const { key } = await newAccount();
    const left = Math.min(LINKS_OF_ACCOUNT, LINKS - links.length);
    for (let more = 0; more < left; more += 1) links.push({ key, link: links.length });
  }
  let found = 0;
  await inParallel(links, AT_ONCE, async ({ key, link }) => {
    const credentials = { host: hostOf(link), port: devices.ready.port };
    const linked = await call<{ readonly devices: readonly unknown[] }>(`${elnav.connect}/link`, key, {
      vendor: 'sunspec',
      user_ref: `home-${link}`,
      credentials,
    });
    found += linked.devices.length;
  });
  await wait(WARM_UP_MS);
  const requests = () => devices.ask<number>('requests');
  const before = {
    requests: await requests(),
    metrics: await metricsOf(elnav.connect),
    usage: elnav.usage(),
  };
  const began = performance.now();
  let mostRss = 0;
  while (performance.now() - began < WATCH_MS) {
    await wait(SAMPLE_MS);
    mostRss = Math.max(mostRss, elnav.usage().rss);
  }
  const tookMs = performance.now() - began;
  const share = (elnav.usage().cpuMs - before.usage.cpuMs) / tookMs;
  const metrics = between(before.metrics, await metricsOf(elnav.connect));
  const exchanges = (await requests()) - before.requests;
  const open = await devices.ask<number>('open');
  await elnav.end();
  await place.remove();
  const polls = metrics.sum('elnav_polls_total', { vendor: 'sunspec', outcome: 'read' });
  const all = metrics.sum('elnav_polls_total', { vendor: 'sunspec' });
  const seconds = tookMs / 1_000;
  const lateness = (le: string) =>
    metrics.sum('elnav_poll_lateness_seconds_bucket', { vendor: 'sunspec', le });
  return {
    title: `${count(LINKS)} SunSpec devices over Modbus TCP, read every ${INTERVAL_SECONDS} s by the process of npm start, ${engine}`,
    note: `hybrid, string, floating point, IEEE 1547 and storage inverters in turn, ${count(found)} devices of ours; a process of its own has their registers, each at an address of its own; ${seconds.toFixed(0)} s watched`,
    rows: [
      {
        what: 'Links that are read a second',
        figure: `${(polls / seconds).toFixed(1)}, every ${(LINKS / (polls / seconds)).toFixed(1)} s each`,
        target: `every ${INTERVAL_SECONDS} s at most: the pace and its spread`,
        met: LINKS / (polls / seconds) <= INTERVAL_SECONDS,
      },
      { what: 'Requests over Modbus a second', figure: (exchanges / seconds).toFixed(0) },
      { what: 'Connections at the end', figure: count(open) },
      {
        what: 'Polls that failed',
        figure: count(all - polls),
        target: 'none',
        met: all === polls,
      },
      {
        what: `Polls within ${LATE_SECONDS} s of their plan`,
        figure: percent(lateness(LATE_SECONDS) / lateness('+Inf')),
      },
      {
        what: 'Processor time, of one core',
        figure: percent(share),
        target: 'at most half a core',
        met: share <= MOST_SHARE,
      },
      {
        what: 'Resident memory, at most',
        figure: mebibytes(mostRss),
        target: 'at most 300 MB',
        met: mostRss <= MOST_BYTES,
      },
    ],
  };
}

const engines = process.env.BENCH_ENGINES?.split(',') ?? ENGINES;
const devices: Devices = await startChild('./serve-modbus-devices.ts');
await run(
  ENGINES.filter((engine) => engines.includes(engine)).map((engine) => async () => [
    await bench(engine, devices),
  ]),
);
await devices.stop();
