import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import { call, inParallel, startElnav, startWriter } from './elnav.ts';
import { COURSE, race, ratioOf } from './load.ts';
import { count, ms, percent, type Row, type Section, sized } from './report.ts';

const DEVICES = sized(200, 10);
/** Commands sent to measure the cost of one on PostgreSQL. */
const COUNTED = sized(3_000, 50);
/** A backend of PostgreSQL reports its statistics within ten seconds. */
const REPORTED_MS = 11_000;
/** Commands a second. */
const TARGETS: Readonly<Record<Engine, number>> = { sqlite: 2_500, postgres: 2_000 };

/** Commands to sandbox chargers: recorded durably, sent, read again, stored, answered; against only the two durable writes. */
export async function commandsBench(engine: Engine): Promise<Section[]> {
  const elnav = await startElnav(engine);
  const key = await elnav.newKey();
  const ids: string[] = [];
  for (let device = 0; device < DEVICES; device += 1) {
    const { devices } = await call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
      vendor: 'sandbox',
      credentials: { device_types: ['charger'] },
      user_ref: `user-${device}`,
    });
    ids.push(...devices.map(({ id }) => id));
  }
  const requests = ids.map((id, index) => ({
    method: 'POST',
    path: `/devices/${id}/command`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'set_current', current_a: 6 + (index % 10) }),
  }));
  const keyed = requests.map((request) => ({
    ...request,
    headers: { ...request.headers, 'idempotency-key': '[<id>]' },
  }));
  const answer = await call(
    `${elnav.connect}/devices/${ids[0]}/command`,
    key,
    JSON.parse(requests[0]?.body ?? ''),
  );
  const other = await makePlace(engine);
  const bare = await startWriter(other, answer);
  const [ours, theirs, withKey] = await race(
    [
      { name: 'elnav', url: elnav.connect, child: elnav.child, requests },
      { name: 'two writes alone', url: bare.ready.connect, child: bare, requests },
      {
        name: 'elnav, with a key',
        url: elnav.connect,
        child: elnav.child,
        requests: keyed,
        idReplacement: true,
      },
    ],
    { ...COURSE, rounds: sized(3, 1) },
  );
  const send = (to: string) => (index: number) => {
    const { path, body } = requests[index % requests.length] ?? requests[0] ?? { path: '', body: '{}' };
    return call(`${to}${path}`, key, JSON.parse(body));
  };
  const ourCost = await costOf(elnav.place.url, send(elnav.connect));
  const theirCost = await costOf(other.url, send(bare.ready.connect));
  const flushes = engine === 'sqlite' ? flushesASecond(elnav.place.dataDir) : undefined;
  await bare.stop();
  await elnav.close();
  await other.remove();
  if (ours === undefined || theirs === undefined || withKey === undefined) return [];
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const against = (text: string) => `two writes alone ${text}`;
  const rows: Row[] = [
    {
      what: 'Commands a second',
      figure: count(ours.perSecond),
      against: against(count(theirs.perSecond)),
      ratio: percent(ratioOf(ours, theirs)),
      target: `at least ${count(TARGETS[engine])}`,
      met: ours.perSecond >= TARGETS[engine],
    },
    {
      what: 'Commands a second with an Idempotency-Key each',
      figure: count(withKey.perSecond),
      against: against(count(theirs.perSecond)),
      ratio: percent(ratioOf(withKey, theirs)),
    },
    {
      what: 'Processor time of the server for a command',
      figure: `${Math.round(ours.cpuMicros)} µs`,
      against: against(`${Math.round(theirs.cpuMicros)} µs`),
    },
    ...(ourCost === undefined || theirCost === undefined
      ? []
      : [
          {
            what: 'Time in statements and commits for a command, waiting included',
            figure: `${Math.round(ourCost.micros)} µs`,
            against: against(`${Math.round(theirCost.micros)} µs`),
          },
          {
            what: 'Transactions for a command',
            figure: ourCost.transactions.toFixed(2),
            against: against(theirCost.transactions.toFixed(2)),
          },
        ]),
    { what: '99th percentile', figure: ms(ours.p99Ms), against: against(ms(theirs.p99Ms)) },
    ...(flushes === undefined
      ? []
      : [
          {
            what: 'Pages that the disk itself makes durable a second, one after the other',
            figure: count(flushes),
          },
        ]),
  ];
  return [
    {
      title: `Commands: set_current to ${DEVICES} sandbox chargers in turn, ${name}`,
      note: `${COURSE.connections} connections; every command is durable before and after it is sent; the opponent is Node's own HTTP server with the plain driver, which makes two durable writes for a request, each by itself, and nothing else`,
      rows,
    },
  ];
}

interface Cost {
  /** Time that PostgreSQL spent in statements and commits, waiting for the disk included. */
  readonly micros: number;
  readonly transactions: number;
}

/** Mean cost of one command on PostgreSQL, sent as in the race; undefined for the embedded database. */
async function costOf(
  url: string | undefined,
  send: (index: number) => Promise<unknown>,
): Promise<Cost | undefined> {
  if (url === undefined) return undefined;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const statistics = async () => {
    await new Promise((resolve) => setTimeout(resolve, REPORTED_MS));
    const { rows } = await client.query<{ transactions: number; micros: number }>(
      'select xact_commit::float8 as transactions, active_time * 1000 as micros from pg_stat_database where datname = current_database()',
    );
    return rows[0] ?? { transactions: Number.NaN, micros: Number.NaN };
  };
  const before = await statistics();
  await inParallel(
    Array.from({ length: COUNTED }, (_, index) => index),
    COURSE.connections,
    send,
  );
  const after = await statistics();
  await client.end();
  return {
    micros: (after.micros - before.micros) / COUNTED,
    transactions: (after.transactions - before.transactions) / COUNTED,
  };
}

/** Speed of the disk itself: one page of 4 KB written and synced at a time. */
function flushesASecond(dir: string): number {
  const file = join(dir, 'flushes');
  const handle = openSync(file, 'w');
  const page = Buffer.alloc(4_096, 1);
  const began = performance.now();
  let flushes = 0;
  while (performance.now() - began < 1_000) {
    writeSync(handle, page);
    fsyncSync(handle);
    flushes += 1;
  }
  closeSync(handle);
  rmSync(file);
  return flushes;
}
