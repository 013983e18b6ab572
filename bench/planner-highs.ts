import { type PlanRequest, plan } from '../src/domain/planner/index.ts';
import { costOfPlan, type Decide, loadDecide } from '../test/planner/highs.ts';
import { realisticInstance, seeded } from '../test/planner/instances.ts';
import { ms, type Row, type Section } from './report.ts';

const INSTANCES = 1_000;
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
    runs: 500,
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '672 quarter-hours',
    requests: instances(9, 672, spot),
    runs: 200,
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '35,040 quarter-hours',
    requests: instances(3, 35_040, spot),
    runs: 15,
    target: '≤ 25 ms, ≥ 150 × faster',
    isMet: (own, ratio) => own <= 25 && ratio >= 150,
  },
  {
    what: '192 slots of one price',
    requests: instances(5, 192, () => '0.5'),
    runs: 300,
    target: '≤ 1 ms',
    isMet: (own) => own <= 1,
  },
];

/** From the request as it is parsed to the answer as it is sent, against HiGHS from its model as text to its solution. */
export async function speed(): Promise<Section[]> {
  const decide = await loadDecide(LONG_SECONDS);
  const rows = COURSES.map((course): Row => {
    const own = middle(
      course.requests.flatMap((request) => Array.from({ length: course.runs }, () => measured(request))),
    );
    const verdicts: string[] = [];
    const other = middle(course.requests.map((request) => decided(decide, request, verdicts)));
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
  const own = middle(Array.from({ length: 5 }, () => measured(request)));
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

function middle(spent: readonly number[]): number {
  return spent.toSorted((a, b) => a - b)[Math.floor(spent.length / 2)] ?? Number.NaN;
}

const ms3 = (value: number): string => (value < 1 ? `${value.toFixed(3)} ms` : ms(value));
