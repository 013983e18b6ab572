import type { Request } from 'autocannon';
import { type PlanRequest, plan } from '../src/domain/plan/planner/index.ts';
import { costOfPlan, type Decide, loadDecide } from '../test/planner/highs.ts';
import { realisticInstance, seeded } from '../test/planner/instances.ts';
import { startEcho, startElnav } from './elnav.ts';
import { median, race, ratioOf } from './load.ts';
import { count, ms, percent, type Row, type Section, sized } from './report.ts';

const INSTANCES = sized(1_000, 20);
/** HiGHS may take longer for the largest instance than it is given for the many small ones. */
const LONG_SECONDS = 60;

/** Both decide the same instances; equal means equal to the last digit. */
export async function sameCost(): Promise<Section[]> {
  const decide = await loadDecide();
  const random = seeded(20_261_121);
  let [decided, equal, proven] = [0, 0, 0];
  for (let count = 0; count < INSTANCES; count += 1) {
    const request = realisticInstance(random);
    const made = plan(request);
    const verdict = decide(request, made.total_energy_wh);
    proven += Number(made.optimality === 'proven');
    decided += Number(verdict.status !== 'undecided');
    equal += Number(verdict.cost === costOfPlan(made));
  }
  const row: Row = {
    what: `${INSTANCES} instances of 4 to 192 slots, equal cost`,
    figure: `${equal}, of them and the others ${proven} proven`,
    against: `HiGHS decides ${decided} in 3 s each`,
    target: 'all that HiGHS decides',
    met: equal === decided,
  };
  return [{ title: 'The same cost as HiGHS', rows: [row] }];
}

const TASK = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 77_000,
  max_power_w: 11_040,
  min_power_w: 4_140,
  deadline_slot_index: 1_000_000,
};

interface Course {
  readonly what: string;
  /** Prices differ; the figures are medians over all. */
  readonly requests: readonly PlanRequest[];
  /** Of each. */
  readonly runs: number;
  readonly target: string;
  isMet(own: number, ratio: number): boolean;
}

type Random = (least: number, most: number) => number;

function instances(times: number, count: number, price: (random: Random) => string): PlanRequest[] {
  return Array.from({ length: times }, (_, seed) => {
    const random = seeded(count + seed);
    const prices = Array.from({ length: count }, () => ({ duration_min: 15, price: price(random) }));
    return { prices, task: TASK };
  });
}

const spot = (random: Random) => (random(-5_000, 300_000) / 1e5).toFixed(5);

const COURSES: readonly Course[] = [
  {
    what: '96 quarter-hours',
    requests: instances(9, 96, spot),
    runs: sized(500, 9),
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '672 quarter-hours',
    requests: instances(9, 672, spot),
    runs: sized(200, 5),
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '35,040 quarter-hours',
    requests: instances(sized(3, 1), 35_040, spot),
    runs: sized(15, 1),
    target: '≤ 25 ms, ≥ 150 × faster',
    isMet: (own, ratio) => own <= 25 && ratio >= 150,
  },
  {
    what: '192 slots of one price',
    requests: instances(5, 192, () => '0.5'),
    runs: sized(300, 5),
    target: '≤ 1 ms',
    isMet: (own) => own <= 1,
  },
];

/** From the request as it is parsed to the answer as it is sent, against HiGHS from its model as text to its solution. */
export async function speed(): Promise<Section[]> {
  const decide = await loadDecide(LONG_SECONDS);
  const rows = COURSES.map((course): Row => {
    const own = median(
      course.requests.flatMap((request) => Array.from({ length: course.runs }, () => measured(request))),
    );
    const verdicts: string[] = [];
    const other = median(course.requests.map((request) => decided(decide, request, verdicts)));
    const ratio = other / own;
    return {
      what: course.what,
      figure: ms3(own),
      against: `HiGHS ${ms(other)} (${[...new Set(verdicts)].join(', ')})`,
      ratio: `${Math.round(ratio).toLocaleString('en')} × faster`,
      target: course.target,
      met: course.isMet(own, ratio),
    };
  });
  return [{ title: 'Speed', note: 'Medians of many runs in one process.', rows: [...rows, hardest()] }];
}

function hardest(): Row {
  const random = seeded(200);
  const prices = Array.from({ length: 10_000 }, (_, slot) => ({
    duration_min: 1 + ((slot * 7) % 200),
    price: spot(random),
  }));
  const request = { prices, task: TASK };
  const own = median(Array.from({ length: 5 }, () => measured(request)));
  return {
    what: '10,000 slots of 200 lengths',
    figure: `${ms(own)}, ${plan(request).optimality}`,
    target: 'within a second',
    met: own < 1_000,
  };
}

function measured(request: PlanRequest): number {
  const begun = performance.now();
  plan(request);
  return performance.now() - begun;
}

function decided(decide: Decide, request: PlanRequest, verdicts: string[]): number {
  const verdict = decide(request, plan(request).total_energy_wh);
  verdicts.push(verdict.status);
  return verdict.ms;
}

const ms3 = (value: number): string => (value < 1 ? `${value.toFixed(3)} ms` : ms(value));

const SHARE = 0.5;

/** The body of a plan for a day of quarters. */
export function planOfADay(): string {
  const prices = Array.from({ length: 96 }, (_, slot) => ({
    duration_min: 15,
    price: (((slot * 7_919) % 9_973) / 10_000).toFixed(5),
  }));
  const task = {
    current_soc: 20,
    target_soc: 80,
    capacity_wh: 77_000,
    max_power_w: 11_040,
    min_power_w: 4_140,
    deadline_slot_index: 95,
  };
  return JSON.stringify({ prices, task });
}

/** A day of quarters through HTTP, beside a server that parses the same body and writes it back. */
export async function throughHttp(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const bare = await startEcho();
  const body = planOfADay();
  const headers = { 'content-type': 'application/json', 'x-api-key': await elnav.newKey() };
  const requests: Request[] = [{ method: 'POST', path: '/optimize/plan', headers, body }];
  const [own, other] = await race([
    { name: 'elnav', url: elnav.connect, child: elnav.child, requests },
    { name: 'bare', url: bare.ready.connect, child: bare, requests },
  ]);
  await bare.stop();
  await elnav.close();
  if (own === undefined || other === undefined) return [];
  const share = ratioOf(own, other);
  return [
    {
      title: 'Through HTTP',
      note: 'POST /optimize/plan with 96 slots; the opponent parses the same body and writes it back. 50 connections.',
      rows: [
        {
          what: 'requests a second',
          figure: count(own.perSecond),
          against: `bare ${count(other.perSecond)}`,
          ratio: percent(share),
          target: `≥ ${percent(SHARE)}`,
          met: share >= SHARE,
        },
        { what: 'p99', figure: ms(own.p99Ms), against: `bare ${ms(other.p99Ms)}` },
      ],
    },
  ];
}
