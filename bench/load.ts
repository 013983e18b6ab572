import autocannon, { type Client, type Request } from 'autocannon';
import type { Child } from './children.ts';
import { count, percent, type Row, sized } from './report.ts';

export interface Contender {
  readonly name: string;
  readonly url: string;
  readonly child: Child;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requests?: readonly Request[];
  /** Each `[<id>]` in a request becomes a value of its own. */
  readonly idReplacement?: boolean;
}

export interface Measured {
  readonly perSecond: number;
  /** Requests a second of each round, in the order of the rounds. */
  readonly rounds: readonly number[];
  readonly p99Ms: number;
  /** Processor time of the server for one request. */
  readonly cpuMicros: number;
}

interface Course {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

export const COURSE: Course = { rounds: sized(5, 1), seconds: sized(2, 1), connections: 50 };

/** Measures the contenders alternately after a warm-up, and returns the medians of each. */
export async function race(contenders: readonly Contender[], course: Course = COURSE): Promise<Measured[]> {
  const rounds = contenders.map((): Measured[] => []);
  for (const contender of contenders) await drive(contender, course);
  for (let round = 0; round < course.rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      rounds[index]?.push(await drive(contender, course));
    }
  }
  return rounds.map((measured) => ({
    rounds: measured.flatMap(({ rounds: own }) => own),
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
    cpuMicros: median(measured.map(({ cpuMicros }) => cpuMicros)),
  }));
}

async function drive(contender: Contender, course: Course): Promise<Measured> {
  const { name, url, child, headers, requests, idReplacement = false } = contender;
  const before = await child.cpuMs();
  const result = await autocannon({
    url,
    connections: course.connections,
    duration: course.seconds,
    idReplacement,
    ...(headers === undefined ? {} : { headers }),
    ...(requests === undefined ? {} : { requests, setupClient: startAnywhere(requests) }),
  });
  const after = await child.cpuMs();
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${name}: ${failed} requests were not answered with 200`);
  return {
    perSecond: result.requests.average,
    rounds: [result.requests.average],
    p99Ms: result.latency.p99,
    cpuMicros: ((after - before) * 1_000) / Math.max(1, result.requests.total),
  };
}

/** Each connection starts at another place in the list, so that they do not all queue at one device. */
function startAnywhere(requests: readonly Request[]): (client: Client) => void {
  return (client) => {
    const start = Math.floor(Math.random() * requests.length);
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
}

/** The median of the rounds' ratios, as neighbouring rounds share other load on the machine. */
export function ratioOf(ours: Measured, theirs: Measured): number {
  return median(ours.rounds.map((own, round) => own / (theirs.rounds[round] ?? theirs.perSecond)));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Requests a second as a row, with the share of the opponent's. */
export function throughput(
  what: string,
  { ours, theirs, share }: { ours: Measured; theirs: Measured; share?: number },
): Row {
  const ratio = ratioOf(ours, theirs);
  return {
    what,
    figure: count(ours.perSecond),
    against: `node:http ${count(theirs.perSecond)}`,
    ratio: percent(ratio),
    ...(share === undefined ? {} : { target: `at least ${percent(share)}`, met: ratio >= share }),
  };
}

/** Processor time of the server for a request as a row. */
export function processor(
  what: string,
  { ours, theirs, most }: { ours: Measured; theirs: Measured; most?: number },
): Row {
  const times = ours.cpuMicros / theirs.cpuMicros;
  return {
    what,
    figure: `${ours.cpuMicros.toFixed(1)} µs`,
    against: `node:http ${theirs.cpuMicros.toFixed(1)} µs`,
    ratio: `${times.toFixed(2)} ×`,
    ...(most === undefined ? {} : { target: `at most ${most} ×`, met: times <= most }),
  };
}
