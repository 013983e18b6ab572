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
  readonly request: PlanRequest;
  readonly runs: number;
  readonly target: string;
  isMet(own: number, ratio: number): boolean;
}

function instance(
  count: number,
  price: (random: (least: number, most: number) => number) => string,
): PlanRequest {
  const random = seeded(count);
  const prices = Array.from({ length: count }, () => ({ duration_min: 15, price: price(random) }));
  return { prices, task: TASK };
}

const spot = (random: (least: number, most: number) => number) => (random(-5_000, 300_000) / 1e5).toFixed(5);

const COURSES: readonly Course[] = [
  {
    what: '96 quarter-hours',
    request: instance(96, spot),
    runs: 2_000,
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '672 quarter-hours',
    request: instance(672, spot),
    runs: 1_000,
    target: '≥ 300 × faster',
    isMet: (_own, ratio) => ratio >= 300,
  },
  {
    what: '35,040 quarter-hours',
    request: instance(35_040, spot),
    runs: 40,
    target: '≤ 25 ms, ≥ 150 × faster',
    isMet: (own, ratio) => own <= 25 && ratio >= 150,
  },
  {
    what: '192 slots of one price',
    request: instance(192, () => '0.5'),
    runs: 1_000,
    target: '≤ 1 ms',
    isMet: (own) => own <= 1,
  },
];

/** From the request as it is parsed to the answer as it is sent, against HiGHS from its model as text to its solution. */
export async function speed(): Promise<Section[]> {
  const decide = await loadDecide(LONG_SECONDS);
  const rows = COURSES.map((course): Row => {
    const own = middle(course.runs, () => measured(course.request));
    const runs = course.request.prices.length > 1_000 ? 1 : 5;
    const verdicts: string[] = [];
    const other = middle(runs, () => decided(decide, course.request, verdicts));
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
  const own = middle(5, () => measured(request));
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

function middle(runs: number, measure: () => number): number {
  const spent = Array.from({ length: runs }, measure).sort((a, b) => a - b);
  return spent[Math.floor(runs / 2)] ?? Number.NaN;
}

const ms3 = (value: number): string => (value < 1 ? `${value.toFixed(3)} ms` : ms(value));
