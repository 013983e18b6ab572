import { useState } from 'preact/hooks';
import { energy, money, ore, power } from '../format.ts';
import { TableScroll } from '../parts/scrolled.tsx';
import { words } from '../words/index.ts';
import { costOf } from './decimals.ts';
import type { PlanPoint } from './points.ts';

const texts = words.planner;

interface TableProps {
  readonly points: readonly PlanPoint[];
  readonly moment: (at: number) => string;
}

/** The plot as a table. It is made when it is opened. */
export function PlanTable({ points, moment }: TableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary id="plan-figures">{words.history.figures}</summary>
      {isOpen ? (
        <TableScroll labelledBy="plan-figures" isTall>
          <table class="plan-table">
            <thead>
              <tr>
                <th scope="col">{words.history.time}</th>
                <th scope="col" class="number">
                  {texts.price}
                </th>
                <th scope="col" class="number">
                  {texts.power}
                </th>
                <th scope="col" class="number">
                  {texts.energy}
                </th>
                <th scope="col" class="number">
                  {texts.cost}
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <Row key={point.start} point={point} moment={moment} />
              ))}
            </tbody>
          </table>
        </TableScroll>
      ) : null}
    </details>
  );
}

function Row({ point, moment }: { readonly point: PlanPoint; readonly moment: TableProps['moment'] }) {
  const { start, price, power_w: watts = 0, wh = 0 } = point;
  return (
    <tr class={watts > 0 ? 'plan-on' : ''}>
      <th scope="row" class="day">
        {moment(Date.parse(start))}
      </th>
      <td class="number">{ore(point.ore)}</td>
      <td class="number">{watts > 0 ? power(watts) : texts.off}</td>
      <td class="number">{watts > 0 ? energy(wh) : words.none}</td>
      <td class="number">{watts > 0 ? money(costOf([{ price, wh }]), 'SEK') : words.none}</td>
    </tr>
  );
}
