import { writeFileSync } from 'node:fs';
import { dispatch } from '../src/domain/flex/index.ts';
import { startChild } from './children.ts';
import { startElnav } from './elnav.ts';
import { hangUp, healthDuring, post } from './flex-calls.ts';
import { fleetOf, halfOf, largestBody, plainDispatch } from './flex-fleet.ts';
import { markdownOf } from './flex-report.ts';
import { worstBodies } from './flex-worst.ts';
import { mebibytes, ms, type Row, run, type Section } from './report.ts';

const MILLION = 1_000_000;

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

async function withoutJson(): Promise<Section[]> {
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

async function throughHttp(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const bare = await startChild('./serve-echo.ts');
  const key = await elnav.newKey();
  const own = (body: Buffer) => post(`${elnav.connect}/flex/dispatch`, key, body);
  const other = (body: Buffer) => post(bare.ready.connect, '', body);
  const bodyOf = (members: number) =>
    Buffer.from(JSON.stringify({ fleet: fleetOf(members), request: halfOf(members) }));

  const rows: Row[] = [];
  for (const [members, runs] of [
    [10, 2_000],
    [1_000, 500],
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

const sections = await run([withoutJson, throughHttp, worstBodies]);
if (process.argv.includes('--write')) writeFileSync('docs/benchmarks-flex.md', markdownOf(sections));
