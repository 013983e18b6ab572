import { Agent, request } from 'node:http';
import { dispatch } from '../src/domain/plan/flex/index.ts';
import { startEcho, startElnav } from './elnav.ts';
import { fleetOf, halfOf, largestBody, plainDispatch } from './flex-bodies.ts';
import { mebibytes, ms, type Row, type Section, sized } from './report.ts';

export { worstBodies } from './flex-bodies.ts';

const MILLION = sized(1_000_000, 20_000);

/** The best of several runs, as other load on the machine only adds time. */
function best(times: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times; run += 1) {
    const begun = performance.now();
    work();
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

const times = (ratio: number) => `${ratio.toFixed(ratio < 10 ? 1 : 0)} × faster`;

/** Objects in, objects out, beside the straightforward implementation. */
export async function withoutJson(): Promise<Section[]> {
  const rows = [100, 10_000, MILLION].map((members): Row => {
    const fleet = fleetOf(members);
    const request = halfOf(members);
    const runs = Math.max(9, Math.min(300, 1_000_000 / members));
    const own = best(runs, () => dispatch(fleet, request));
    const other = best(Math.ceil(runs / 2), () => plainDispatch(fleet, request));
    return {
      what: `dispatch, ${members.toLocaleString('en')} members`,
      figure: ms(own),
      against: `sorting ${ms(other)}`,
      ratio: times(other / own),
      ...(members === MILLION ? { target: 'at most 60 ms', met: own <= 60 } : {}),
    };
  });
  return [{ title: 'Without JSON', note: 'Objects in, objects out; the best of several runs.', rows }];
}

/** With JSON on both sides; the service stays reachable, and its memory bounded. */
export async function throughHttp(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const bare = await startEcho();
  const key = await elnav.newKey();
  const own = (body: Buffer) => post(`${elnav.connect}/flex/dispatch`, key, body);
  const other = (body: Buffer) => post(bare.ready.connect, '', body);
  const bodyOf = (members: number) =>
    Buffer.from(JSON.stringify({ fleet: fleetOf(members), request: halfOf(members) }));

  const rows: Row[] = [];
  for (const [members, runs] of [
    [10, sized(2_000, 20)],
    [1_000, sized(500, 20)],
    [100_000, 7],
    [MILLION, 4],
  ] as const) {
    const body = bodyOf(members);
    const [mine, theirs] = [await middle(runs, () => own(body)), await middle(runs, () => other(body))];
    rows.push({
      what: `POST /flex/dispatch, ${members.toLocaleString('en')} members (${mebibytes(body.length)})`,
      figure: ms(mine),
      against: `parse and echo ${ms(theirs)}`,
      ratio: `${(mine / theirs).toFixed(1)} × its time`,
    });
  }

  const body = bodyOf(MILLION);
  const health: Row[] = [];
  const waits = await healthDuring(elnav.connect, () => inSequence(3, () => own(body)));
  const bareWaits = await healthDuring(bare.ready.connect, () => inSequence(3, () => other(body)));
  const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  health.push({
    what: `GET /healthz, p99 of ${waits.length}`,
    figure: ms(p99(waits)),
    against: `parse and echo ${ms(p99(bareWaits))} (${bareWaits.length})`,
    target: 'under 50 ms',
    met: p99(waits) < 50,
  });

  const largest = largestBody();
  const before = await elnav.child.memory();
  await inSequence(2, () => Promise.all([own(largest), own(largest)]));
  const peak = await elnav.child.ask<number>('peak');
  const after = await elnav.child.memory();
  const memory: Row[] = [
    {
      what: `two bodies of ${mebibytes(largest.length)} at once, twice: peak of the process`,
      figure: mebibytes(peak),
      target: 'at most 1024 MB',
      met: peak <= 1024 ** 3,
    },
    { what: 'before, after', figure: `${mebibytes(before.rss)}, ${mebibytes(after.rss)}` },
  ];
  hangUp();
  await bare.stop();
  await elnav.close();
  return [
    { title: 'Through HTTP', note: 'The middle of several requests, one after the other.', rows },
    { title: 'While a million members are dispatched', rows: health },
    { title: 'Memory', rows: memory },
  ];
}

async function middle(runs: number, call: () => Promise<{ ms: number }>): Promise<number> {
  const spent: number[] = [];
  for (let run = 0; run < runs; run += 1) spent.push((await call()).ms);
  return spent.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

async function inSequence(runs: number, call: () => Promise<unknown>): Promise<void> {
  for (let run = 0; run < runs; run += 1) await call();
}

const agent = new Agent({ keepAlive: true });

interface Called {
  /** From the first byte sent to the last one received, milliseconds. */
  readonly ms: number;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** Sends a body and counts the bytes of the response, which must be 200. */
function post(url: string, key: string, body: Buffer): Promise<Called> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(key === '' ? {} : { 'x-api-key': key }),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ms: performance.now() - begun, bytes });
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Requests `/healthz` every few milliseconds during `work`; returns the durations, ascending. */
async function healthDuring(base: string, work: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let working = true;
  const ended = work().finally(() => {
    working = false;
  });
  while (working) {
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      request(`${base}/healthz`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    waits.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await ended;
  return waits.sort((a, b) => a - b);
}

function hangUp(): void {
  agent.destroy();
}
