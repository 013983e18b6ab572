import { useLinks } from '../api/queries.ts';
import type { Link } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { count } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { useTyped } from '../parts/form.tsx';
import { Choice, Filters, TextFilter } from '../parts/inputs.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { Connect } from './connect.tsx';
import { LinkTable } from './table.tsx';

const texts = words.links;
const STATUSES: readonly Link['status'][] = ['active', 'needs_relink', 'unreachable'];
/** A filter: every status in which a link does not work. */
const NEEDY = 'needs_somebody';

/** The links of the account, and how users make more. */
export function LinksPage() {
  const { data, error, refetch } = useLinks();
  const [search, setSearch] = useSearch();
  const status = search.get('status') ?? '';
  const user = search.get('user') ?? '';
  const userTyped = useTyped(user, (value) => setSearch({ user: value }));
  const names = useVendorNames();
  const list = data ?? [];
  const shown = list.filter((link) => hasStatus(link, status) && (user === '' || link.user_ref === user));
  return (
    <Page texts={texts} class="links">
      <Connect />
      <section class="stack-small" aria-labelledby="all-links">
        <h2 id="all-links">{texts.all}</h2>
        <Filters>
          <Choice
            label={texts.status}
            value={status}
            all={words.filters.all}
            options={[[NEEDY, texts.needy], ...STATUSES.map((one) => [one, texts.statuses[one]] as const)]}
            onChange={(value) => setSearch({ status: value })}
          />
          <TextFilter label={words.filters.user} hint={words.filters.userHint} typed={userTyped} />
        </Filters>
        {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
        <p class="soft" role="status">
          {data !== undefined
            ? texts.count(count(shown.length), count(list.length))
            : error === null
              ? words.loading
              : ''}
        </p>
        {data === undefined ? null : shown.length === 0 ? (
          <Empty
            title={list.length === 0 ? texts.empty : texts.noMatch}
            text={list.length === 0 ? texts.emptyText : texts.noMatchText}
          />
        ) : (
          <LinkTable list={shown} nameOf={(vendor) => names.get(vendor) ?? vendor} />
        )}
      </section>
    </Page>
  );
}

function hasStatus(link: Link, wanted: string): boolean {
  if (wanted === '') return true;
  return wanted === NEEDY ? link.status !== 'active' : link.status === wanted;
}
