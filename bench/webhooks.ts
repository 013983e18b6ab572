import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import type { Child } from './children.ts';
import { startElnav, startWriter } from './elnav.ts';
import { median, quantile } from './load.ts';
import { count, ms, type Row, type Section, sized } from './report.ts';

const SECRET = 'the client secret of the benches';
const CONNECTIONS = 100;
const DELIVERIES = sized(10_000, 200);
const ROUNDS = sized(3, 1);
const TARGET = 2_000;
const PATIENCE_MS = 120_000;
const ROOMS = 1_000;

interface Posted {
  readonly perSecond: number;
  readonly waits: readonly number[];
  readonly cpuMicros: number;
}

let posts = 0;

/** Distinct signed bodies, made before measuring. */
function deliveries(): { body: string; signature: string }[] {
  return Array.from({ length: DELIVERIES }, () => {
    posts += 1;
    const body = JSON.stringify({
      event_type: 'set_point',
      push_type: 'display_change',
      mode: 'manual',
      temperature: 21,
      home_id: '000000000000000000000a01',
      room_id: String(posts % ROOMS),
      serial: posts,
    });
    return { body, signature: createHmac('sha256', SECRET).update(body).digest('hex') };
  });
}

async function post(base: string, child: Child): Promise<Posted> {
  const left = deliveries();
  const pool = new Pool(base, { connections: CONNECTIONS, pipelining: 1 });
  const waits: number[] = [];
  const cpuBefore = await child.cpuMs();
  const began = performance.now();
  const client = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const sent = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/webhooks/netatmo',
        headers: { 'content-type': 'application/json', 'x-netatmo-secret': one.signature },
        body: one.body,
      });
      await body.dump();
      if (statusCode !== 202) throw new Error(`a delivery was answered ${statusCode}`);
      waits.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const tookMs = performance.now() - began;
  const cpuMicros = (((await child.cpuMs()) - cpuBefore) * 1_000) / DELIVERIES;
  await pool.close();
  return { perSecond: (DELIVERIES * 1_000) / tookMs, waits, cpuMicros };
}

/** Time until all acknowledged deliveries are applied. */
async function untilApplied(connect: string): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    const text = await (await fetch(`${connect}/metrics`)).text();
    if (Number(/elnav_webhook_backlog\{vendor="netatmo"\} (\d+)/.exec(text)?.[1] ?? 0) === 0)
      return performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('not all deliveries were applied');
}

/** Deliveries of a vendor, which are acknowledged when they are durable. */
export async function webhooksBench(engine: Engine): Promise<Section[]> {
  const place = await makePlace(engine);
  const database = await place.open();
  await database.close();
  const elnav = await startElnav(engine, place, {
    ELNAV_NETATMO_CLIENT_ID: 'bench',
    ELNAV_NETATMO_CLIENT_SECRET: SECRET,
    ELNAV_SIMULATE: 'none',
  });
  const other = await makePlace(engine);
  const bare = await startWriter(other);
  await post(elnav.connect, elnav.child);
  await untilApplied(elnav.connect);
  await post(bare.ready.connect, bare);
  const ours: Posted[] = [];
  const theirs: Posted[] = [];
  const applied: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await post(elnav.connect, elnav.child));
    applied.push(await untilApplied(elnav.connect));
    theirs.push(await post(bare.ready.connect, bare));
  }
  await elnav.child.stop();
  await bare.stop();
  await place.remove();
  await other.remove();
  const perSecond = median(ours.map((one) => one.perSecond));
  const against = median(theirs.map((one) => one.perSecond));
  const p99 = (of: readonly Posted[]) => median(of.map(({ waits }) => quantile(waits, 0.99)));
  const rows: Row[] = [
    {
      what: 'Deliveries acknowledged a second',
      figure: count(perSecond),
      against: `inserts alone ${count(against)}`,
      ratio: `${(perSecond / against).toFixed(1)} × as many`,
      target: `at least ${count(TARGET)}`,
      met: perSecond >= TARGET,
    },
    {
      what: '99th percentile of the wait for 202',
      figure: ms(p99(ours)),
      against: `inserts alone ${ms(p99(theirs))}`,
    },
    {
      what: 'Processor time of a delivery, stored and partly applied',
      figure: `${Math.round(median(ours.map((one) => one.cpuMicros)))} µs`,
      against: `inserts alone ${Math.round(median(theirs.map((one) => one.cpuMicros)))} µs`,
    },
    {
      what: 'From the last 202 until all is applied',
      figure: ms(median(applied)),
    },
  ];
  return [
    {
      title: `Webhooks in, ${engine}`,
      rows,
      note: `${count(DELIVERIES)} signed deliveries, each another, over ${CONNECTIONS} connections; the opponent is Node's own HTTP server that inserts each body, verifies nothing and applies nothing`,
    },
  ];
}
