import { useMemo } from 'preact/hooks';
import { readAll, useQuery } from '../api/queries.ts';
import { useVendorNames } from '../api/vendors.ts';
import { count, foreign } from '../format.ts';
import { keyOfDevice } from '../live/devices.ts';
import { devices } from '../live/index.ts';
import { Choice } from '../parts/choice.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/title.ts';
import { useTyped } from '../parts/typed.ts';
import { useSearch } from '../route.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';
import { CONDITIONS } from './condition.ts';
import { filtered } from './filter.ts';
import { DeviceTable } from './table.tsx';

const texts = words.devices;
const FILTERS = ['q', 'vendor', 'type', 'state', 'user'] as const;

/** All devices: searched, filtered, live. */
export function DevicesPage() {
  useTitle(texts.title);
  const all = useStore(devices);
  const [search, setSearch] = useSearch();
  const [text, setText] = useTyped(search.get('q') ?? '', (q) => setSearch({ q }));
  const [userTyped, setUserTyped] = useTyped(search.get('user') ?? '', (user) => setSearch({ user }));
  const user = search.get('user') ?? '';
  const vendorNames = useVendorNames();
  const ofUser = useDevicesOf(user);
  const choice = {
    vendor: search.get('vendor') ?? '',
    type: search.get('type') ?? '',
    condition: search.get('state') ?? '',
  };
  const shown = useMemo(
    () => filtered(all.list, { text, ...choice, ofUser: ofUser.keys }),
    [all.list, text, choice.vendor, choice.type, choice.condition, ofUser.keys],
  );
  // They change only with the devices there are, not with what these do.
  const of = [all.status, all.list.length];
  const vendors = useMemo(() => [...new Set(all.list.map(({ vendor }) => vendor))].sort(), of);
  const types = useMemo(() => new Set(all.list.map(({ device_type }) => device_type)), of);
  const isFiltered = FILTERS.some((name) => search.has(name)) || text !== '';
  return (
    <div class="stack">
      <h1>{texts.title}</h1>
      <search>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <label class="filter filter-wide">
            <span>{texts.search}</span>
            <input
              type="search"
              value={text}
              placeholder={texts.searchHint}
              maxLength={200}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <Choice
            label={texts.vendor}
            value={choice.vendor}
            all={texts.all}
            options={vendors.map((vendor) => [vendor, vendorNames.get(vendor) ?? vendor])}
            onChange={(vendor) => setSearch({ vendor })}
          />
          <Choice
            label={texts.type}
            value={choice.type}
            all={texts.all}
            options={Object.entries(words.types).filter(
              ([type]) => type === choice.type || [...types].some((one) => one === type),
            )}
            onChange={(type) => setSearch({ type })}
          />
          <Choice
            label={texts.condition}
            value={choice.condition}
            all={texts.all}
            options={CONDITIONS.map((one) => [one, words.conditions[one]])}
            onChange={(state) => setSearch({ state })}
          />
          <label class="filter">
            <span>{texts.user}</span>
            <input
              type="text"
              value={userTyped}
              placeholder={texts.userHint}
              maxLength={200}
              autoComplete="off"
              onInput={(event) => setUserTyped(event.currentTarget.value)}
            />
          </label>
        </form>
      </search>
      {all.status === 'failed' && all.error !== undefined ? (
        <Failure error={all.error} onRetry={() => void devices.load()} />
      ) : null}
      {ofUser.error === null ? null : <Failure error={ofUser.error} />}
      <div class="row filters-result">
        <p class="soft" role="status">
          {all.status === 'loading' || ofUser.isLoading
            ? words.loading
            : texts.count(count(shown.length), count(all.list.length))}
        </p>
        {isFiltered ? (
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              setText('');
              setUserTyped('');
              setSearch(Object.fromEntries(FILTERS.map((name) => [name, ''])));
            }}
          >
            {texts.clear}
          </button>
        ) : null}
      </div>
      {all.status === 'loaded' && !ofUser.isLoading && shown.length === 0 ? (
        <Nothing isEmpty={all.list.length === 0} user={ofUser.keys?.size === 0 ? user : ''} />
      ) : null}
      {shown.length > 0 ? <DeviceTable list={shown} vendorNames={vendorNames} /> : null}
    </div>
  );
}

function Nothing({ isEmpty, user }: { readonly isEmpty: boolean; readonly user: string }) {
  if (isEmpty)
    return (
      <div class="empty">
        <strong>{words.overview.noDevices}</strong>
        <p>{words.overview.noDevicesText}</p>
        <p>
          <a href="/docs">{words.overview.guide}</a>
        </p>
      </div>
    );
  return (
    <div class="empty">
      <strong>{texts.noMatch}</strong>
      <p>{user === '' ? texts.noMatchText : texts.noUser(foreign(user))}</p>
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Keys of the devices of a user: the list of all does not say whose they are. */
function useDevicesOf(user: string) {
  const { data, error, isPending } = useQuery({
    key: ['GET /devices', 'of', user],
    load: async (signal) =>
      user === ''
        ? null
        : new Set((await readAll('GET /devices', { user_ref: user }, { signal })).map(keyOfDevice)),
  });
  // Until they are known none is shown.
  return { keys: user === '' ? undefined : (data ?? NONE), isLoading: user !== '' && isPending, error };
}
