import { useRead } from '../api/queries.ts';
import type { Usage } from '../api/shapes.ts';
import { now } from '../clock.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Ranges } from '../parts/ranges.tsx';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { Limits } from './limits.tsx';
import { callsOf, dayTotals } from './outcomes.ts';
import { DaysPlot } from './plot.tsx';
import { DayTable, KeyTable, RouteTable } from './tables.tsx';

const texts = words.usage;
/** No event reports calls: they are read again while the page is seen. */
const REFETCH_MS = 10_000;
const DAY_MS = 86_400_000;
const SPANS = ['7', '30', '90'] as const;
const USUAL = '30';

/** What the account called, and what is left of its limits. */
export function UsagePage() {
  const [search, setSearch] = useSearch();
  const span = SPANS.find((one) => one === search.get('days')) ?? USUAL;
  const account = useRead('GET /account', {}, REFETCH_MS);
  return (
    <Page texts={texts} class="usage">
      {account.error === null ? null : (
        <Failure error={account.error} onRetry={() => void account.refetch()} />
      )}
      {account.data === undefined ? null : <Limits account={account.data} />}
      <section class="stack" aria-labelledby="calls">
        <div class="card-head">
          <h2 id="calls">{texts.calls}</h2>
          <Ranges
            {...{ legend: texts.span, options: SPANS, texts: texts.spans, chosen: span }}
            onChoose={(days) => setSearch({ days: days === USUAL ? '' : days })}
          />
        </div>
        <Calls days={Number(span)} />
      </section>
    </Page>
  );
}

function Calls({ days }: { readonly days: number }) {
  const from = new Date(now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const { data, error, isPending, refetch } = useRead('GET /account/usage', { query: { from } }, REFETCH_MS);
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isPending ? <p class="soft history-wait">{words.loading}</p> : null}
      {data === undefined ? null : <Counted data={data} />}
    </>
  );
}

function Counted({ data }: { readonly data: Usage }) {
  const totals = dayTotals(data.days);
  if (totals.every((day) => callsOf(day) === 0)) return <Empty title={texts.empty} text={texts.emptyText} />;
  return (
    <>
      <DaysPlot days={totals} />
      <DayTable days={data.days} />
      <RouteTable routes={data.routes} />
      <KeyTable keys={data.keys} />
    </>
  );
}
