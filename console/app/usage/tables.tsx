import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useRead } from '../api/queries.ts';
import type { Usage } from '../api/shapes.ts';
import { count } from '../format.ts';
import { TableScroll } from '../parts/scrolled.tsx';
import { More, Name } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { callsOf, OUTCOMES, type Outcomes } from './outcomes.ts';

const texts = words.usage;
const ROWS_AT_FIRST = 15;
/** Who calls without a key from the console. */
const CONSOLE = 'console';

/** Of all calls, those that did not go well; the rest did. */
const BAD = ['refused', 'failed'] as const;

interface Row extends Outcomes {
  readonly id: string;
  readonly name: ComponentChildren;
}

interface OutcomeTableProps {
  readonly title: string;
  /** What its rows are. */
  readonly head: string;
  readonly rows: readonly Row[];
}

/** Calls by what they are of. */
function OutcomeTable({ title, head, rows }: OutcomeTableProps) {
  const label = useId();
  const [most, setMost] = useState(ROWS_AT_FIRST);
  return (
    <section class="stack-small">
      <h3 id={label}>{title}</h3>
      <TableScroll labelledBy={label}>
        <table class="usage-table">
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col" class="number">
                {texts.calls}
              </th>
              {BAD.map((name) => (
                <th key={name} scope="col" class="number">
                  {texts.outcomes[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={row.id}>
                <th scope="row">{row.name}</th>
                <td class="number">{count(callsOf(row))}</td>
                {BAD.map((name) => (
                  <td key={name} class="number">
                    {count(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      <More hasMore={rows.length > most} onMore={() => setMost(rows.length)} />
    </section>
  );
}

export function RouteTable({ routes }: { readonly routes: Usage['routes'] }) {
  const rows = routes.map(({ service, route, ...outcomes }) => ({
    id: `${service} ${route}`,
    name: (
      <>
        <code>{route}</code> <span class="small soft">{texts[service]}</span>
      </>
    ),
    ...outcomes,
  }));
  return <OutcomeTable title={texts.routes} head={texts.route} rows={rows} />;
}

export function KeyTable({ keys }: { readonly keys: Usage['keys'] }) {
  const { data = [] } = useRead('GET /account/keys');
  const labels = new Map(data.map(({ id, label }) => [id, label]));
  const rows = keys.map(({ key_id: id, ...outcomes }) => {
    const label = labels.get(id);
    const name =
      id === CONSOLE ? (
        texts.console
      ) : (
        <>
          {label === undefined ? texts.unknownKey : <Name text={label} />}{' '}
          <code class="small soft">{id}</code>
        </>
      );
    return { id, name, ...outcomes };
  });
  return <OutcomeTable title={texts.keys} head={texts.key} rows={rows} />;
}

/** The same as the plot shows, by service. */
export function DayTable({ days }: { readonly days: Usage['days'] }) {
  const label = useId();
  return (
    <details>
      <summary id={label}>{texts.figures}</summary>
      <TableScroll labelledBy={label} isTall>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.day}</th>
              {OUTCOMES.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {texts.outcomes[name]}
                </th>
              ))}
              <th scope="col" class="number">
                {texts.connect}
              </th>
              <th scope="col" class="number">
                {texts.grid}
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, connect, grid }) => (
              <tr key={day}>
                <th scope="row" class="day">
                  {day}
                </th>
                {OUTCOMES.map(({ name }) => (
                  <td key={name} class="number">
                    {count(connect[name] + grid[name])}
                  </td>
                ))}
                <td class="number">{count(callsOf(connect))}</td>
                <td class="number">{count(callsOf(grid))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </details>
  );
}
