import { useRead } from '../api/queries.ts';
import type { Link } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { count } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/title.ts';
import { useTyped } from '../parts/typed.ts';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { Connect } from './connect.tsx';
import { LinkTable } from './table.tsx';

const texts = words.links;
const STATUSES: readonly Link['status'][] = ['active', 'needs_relink', 'unreachable'];
/** Stands for every status in which a link does not work. */
export const NEEDY = 'needs_somebody';

/** The links of the account, and how more come. */
export function LinksPage() {
  useTitle(texts.title);
  const { data, error, refetch } = useRead('GET /links');
  const [search, setSearch] = useSearch();
  const status = search.get('status') ?? '';
  const user = search.get('user') ?? '';
  const [userTyped, setUser] = useTyped(user, (value) => setSearch({ user: value }));
  const names = useVendorNames();
  const list = data ?? [];
  const shown = list.filter((link) => hasStatus(link, status) && (user === '' || link.user_ref === user));
  return (
    <div class="stack links">
      <div class="stack-small">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
      </div>
      <Connect />
      <section class="stack-small" aria-labelledby="all-links">
        <h2 id="all-links">{texts.all}</h2>
        <search>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Choice
              label={texts.status}
              value={status}
              all={texts.everyStatus}
              options={[[NEEDY, texts.needy], ...STATUSES.map((one) => [one, texts.statuses[one]] as const)]}
              onChange={(value) => setSearch({ status: value })}
            />
            <label class="filter">
              <span>{texts.user}</span>
              <input
                type="text"
                value={userTyped}
                placeholder={texts.userHint}
                autoComplete="off"
                maxLength={200}
                onInput={(event) => setUser(event.currentTarget.value)}
              />
            </label>
          </form>
        </search>
        {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
        <p class="soft" role="status">
          {data !== undefined
            ? texts.count(count(shown.length), count(list.length))
            : error === null
              ? words.loading
              : ''}
        </p>
        {data === undefined ? null : shown.length === 0 ? (
          <div class="empty">
            <strong>{list.length === 0 ? texts.empty : texts.noMatch}</strong>
            <p>{list.length === 0 ? texts.emptyText : texts.noMatchText}</p>
          </div>
        ) : (
          <LinkTable list={shown} nameOf={(vendor) => names.get(vendor) ?? vendor} />
        )}
      </section>
    </div>
  );
}

function hasStatus(link: Link, wanted: string): boolean {
  if (wanted === '') return true;
  return wanted === NEEDY ? link.status !== 'active' : link.status === wanted;
}
