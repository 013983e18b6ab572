import { useEffect, useState } from 'preact/hooks';
import type { Plan } from '../api/shapes.ts';
import { energy, money, ore, percent, shortDateTime } from '../format.ts';
import { TableScroll } from '../parts/scrolled.tsx';
import { words } from '../words/index.ts';
import type { Plans } from './plans.ts';
import type { Charge } from './request.ts';
import { averagePrice, doneAt, realCost, type Saving, savingOf } from './verdict.ts';

const texts = words.planner;
const CURRENCY = 'SEK';
/** While a deadline is moved its figures are too many to be read aloud. */
const REST_MS = 700;

interface CompareProps {
  readonly charge: Charge;
  readonly plans: Plans;
}

/** What a plan costs, and what the same charge would cost at another time. */
export function Compare({ charge: { slots }, plans: { cheapest, atOnce, late } }: CompareProps) {
  const ways: readonly Way[] = [
    { name: texts.cheapest, plan: cheapest, cost: cheapest.total_cost },
    { name: texts.atOnce, plan: atOnce, cost: realCost(atOnce, slots) },
    { name: texts.late, plan: late, cost: realCost(late, slots) },
  ];
  const saving = savingOf(cheapest.total_cost, ways[1]?.cost ?? '0');
  const average = averagePrice(cheapest.total_cost, cheapest.total_energy_wh);
  const cost = money(cheapest.total_cost, CURRENCY);
  return (
    <section class="card" aria-labelledby="compare">
      <h2 id="compare">{texts.compare}</h2>
      <dl class="figures">
        <Figure name={texts.cost} value={cost} />
        <Figure name={texts.savedAtOnce} value={amountOf(saving)} note={shareOf(saving)} />
        <Figure name={texts.energy} value={energy(cheapest.total_energy_wh)} />
        {average === undefined ? null : <Figure name={texts.average} value={ore(average * 100)} />}
      </dl>
      <Said text={texts.said(cost, [amountOf(saving), shareOf(saving)].join(' '))} />
      <Ways {...{ ways, cheapest, slots }} />
      <p class="hint">{texts.included}</p>
    </section>
  );
}

interface Way {
  readonly name: string;
  readonly plan: Plan;
  /** kr, a decimal. */
  readonly cost: string;
}

interface WaysProps {
  readonly ways: readonly Way[];
  readonly cheapest: Plan;
  readonly slots: Charge['slots'];
}

const COLUMNS = ['cost', 'saves', 'average', 'energy', 'done'] as const;

/** Each way to charge, and what the plan saves compared with it. */
function Ways({ ways, cheapest, slots }: WaysProps) {
  return (
    <TableScroll labelledBy="compare">
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.way}</th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" class="number">
                {texts[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ways.map(({ name, plan, cost: costs }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{money(costs, CURRENCY)}</td>
              <td class="number">
                {plan === cheapest ? words.none : savedText(savingOf(cheapest.total_cost, costs))}
              </td>
              <td class="number">{averageText(costs, plan)}</td>
              <td class="number">{energy(plan.total_energy_wh)}</td>
              <td class="number">{doneText(plan, slots)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

const amountOf = ({ amount }: Saving): string => money(amount, CURRENCY);
const shareOf = ({ percent: share }: Saving): string => (share === undefined ? '' : `(${percent(share)})`);
const savedText = (saving: Saving): string => [amountOf(saving), shareOf(saving)].join(' ').trim();

function averageText(cost: string, { total_energy_wh: wh }: Plan): string {
  const average = averagePrice(cost, wh);
  return average === undefined ? words.none : ore(average * 100);
}

function doneText(plan: Plan, slots: Charge['slots']): string {
  const at = doneAt(plan, slots);
  return at === undefined ? words.none : shortDateTime(at);
}

const Figure = ({
  name,
  value,
  note = '',
}: Readonly<Record<'name' | 'value', string>> & { note?: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value}
      {note === '' ? null : <span class="small soft"> {note}</span>}
    </dd>
  </div>
);

/** Says aloud what came of a change, when changes rest. */
function Said({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="hidden-visually" role="status">
      {said}
    </p>
  );
}
