import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { energy, money, ore, percent, power } from '../format.ts';
import { Copyable } from '../parts/copyable.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { words } from '../words/index.ts';
import { costOf } from './decimals.ts';
import type { Plans } from './plans.ts';
import type { PlanPoint } from './points.ts';
import type { Verdict } from './verdict.ts';

const texts = words.planner;

/** The same plan for a program: the request for a terminal, and the response. The key is a variable: this page has none. */
export function AsCode({ plans: { request, cheapest } }: { readonly plans: Plans }) {
  const [isOpen, setOpen] = useState(false);
  const command = [
    `curl -sS ${location.origin}/optimize/plan`,
    '-H "Authorization: Bearer $ELNAV_KEY" -H "content-type: application/json"',
    `-d '${JSON.stringify(request)}'`,
  ].join(' \\\n  ');
  return (
    <section class="stack-small" aria-labelledby="as-code">
      <h2 id="as-code">{texts.code}</h2>
      <p class="hint">{texts.codeText}</p>
      <Copyable text={command} act={words.events.copy} done={words.events.copied} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{texts.json}</summary>
        {isOpen ? (
          <Copyable text={JSON.stringify(cheapest, null, 2)} act={words.copying.copy('JSON')} />
        ) : null}
      </details>
    </section>
  );
}

const noticeTexts = words.planner;

interface VerdictProps {
  readonly verdict: Verdict;
  readonly target: number;
  readonly pricesUntil: string;
  readonly moment: (at: number) => string;
}

/** The reason why a plan misses its task, and a task that it would meet. */
export function VerdictNotice({ verdict, target, pricesUntil, moment }: VerdictProps) {
  const wanted = percent(target);
  switch (verdict.is) {
    case 'reached':
      return null;
    case 'charged already':
      return <Notice title={noticeTexts.charged}>{noticeTexts.chargedText(wanted)}</Notice>;
    case 'too soon':
      return (
        <Notice title={noticeTexts.tooSoon}>
          {noticeTexts.tooSoonText(percent(verdict.soc), wanted, moment(verdict.earliest))}
        </Notice>
      );
    case 'too few prices':
      return (
        <Notice title={noticeTexts.tooFew}>
          {noticeTexts.tooFewText(pricesUntil, percent(verdict.soc), wanted)} {noticeTexts.published}
        </Notice>
      );
    case 'too little to charge':
      return (
        <Notice title={noticeTexts.tooLittle}>
          {noticeTexts.tooLittleText(percent(verdict.soc), wanted)}
        </Notice>
      );
  }
}

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export const Notice = ({ title, children }: NoticeProps) => (
  <div class="notice notice-note" role="status">
    <strong>{title}</strong>
    <p>{children}</p>
  </div>
);

const tableTexts = words.planner;

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
                  {tableTexts.price}
                </th>
                <th scope="col" class="number">
                  {tableTexts.power}
                </th>
                <th scope="col" class="number">
                  {tableTexts.energy}
                </th>
                <th scope="col" class="number">
                  {tableTexts.cost}
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
      <td class="number">{watts > 0 ? power(watts) : tableTexts.off}</td>
      <td class="number">{watts > 0 ? energy(wh) : words.none}</td>
      <td class="number">{watts > 0 ? money(costOf([{ price, wh }]), 'SEK') : words.none}</td>
    </tr>
  );
}
