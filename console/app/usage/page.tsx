import { useRead } from '../api/queries.ts';
import type { Account, Usage } from '../api/shapes.ts';
import { now } from '../clock.ts';
import { count, duration, moment } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { Ranges } from '../parts/inputs.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { callsOf, dayTotals } from './outcomes.ts';
import { DaysPlot } from './plot.tsx';
import { DayTable, KeyTable, RouteTable } from './tables.tsx';

const texts = words.usage;
type Limit = Account['limits'][number];

/** The calls left within each limit, in words and as a bar. */
function Limits({ account }: { readonly account: Account }) {
  const { limits, throttled_until: until, tier } = account;
  return (
    <section class="stack-small" aria-labelledby="left">
      <h2 id="left">{texts.left}</h2>
      {until === null ? null : <p class="notice notice-note">{texts.halved(moment(until))}</p>}
      <dl class="tiles">
        {limits.map((limit) => (
          <div key={limit.name} class="tile">
            <dt id={`limit-${limit.name}`}>{texts.limits[limit.name]}</dt>
            <dd>
              {texts.leftOf(count(limit.left), count(limit.calls))}
              <progress
                class="limit-bar"
                max={limit.calls}
                value={limit.left}
                aria-labelledby={`limit-${limit.name}`}
              />
              <span class="small soft limit-more">{moreOf(limit)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {texts.tier(texts.tiers[tier] ?? tier)} {texts.leftText}
      </p>
    </section>
  );
}

const MINUTE_SECONDS = 60;

function moreOf({ calls, left, seconds }: Limit): string {
  if (left >= calls) return texts.whole;
  return texts.moreIn(seconds < MINUTE_SECONDS ? texts.seconds(count(seconds)) : duration(seconds));
}

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
        <Calls days={Number(span)} limit={account.data?.limits.find(({ name }) => name === 'day')?.calls} />
      </section>
    </Page>
  );
}

interface CallsProps {
  readonly days: number;
  /** Calls of a day. */
  readonly limit: number | undefined;
}

function Calls({ days, limit }: CallsProps) {
  const from = new Date(now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const { data, error, isPending, refetch } = useRead('GET /account/usage', { query: { from } }, REFETCH_MS);
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isPending ? <p class="soft history-wait">{words.loading}</p> : null}
      {data === undefined ? null : <Counted data={data} limit={limit} />}
    </>
  );
}

function Counted({ data, limit }: Pick<CallsProps, 'limit'> & { readonly data: Usage }) {
  const totals = dayTotals(data.days);
  if (totals.every((day) => callsOf(day) === 0)) return <Empty title={texts.empty} text={texts.emptyText} />;
  return (
    <>
      <DaysPlot days={totals} limit={limit} />
      <DayTable days={data.days} />
      <RouteTable routes={data.routes} />
      <KeyTable keys={data.keys} />
    </>
  );
}
