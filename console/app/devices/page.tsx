import { useMemo } from 'preact/hooks';
import { readAll, useQuery } from '../api/queries.ts';
import type { Device } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { count, foreign } from '../format.ts';
import { keyOfDevice } from '../live/devices.ts';
import { devices } from '../live/index.ts';
import { ActionButton } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTyped } from '../parts/form.tsx';
import { Choice, Filters, TextFilter } from '../parts/inputs.tsx';
import { Empty, useTitle } from '../parts/page.tsx';
import { useSearch } from '../route.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';
import { CONDITIONS, conditionOf } from './condition.ts';
import { NoDevices } from './condition-mark.tsx';
import { DeviceTable } from './table.tsx';

interface DeviceFilter {
  readonly text: string;
  readonly vendor: string;
  readonly type: string;
  readonly condition: string;
  /** Keys of the devices of a user; undefined for all users. */
  readonly ofUser: ReadonlySet<string> | undefined;
}

/** The devices that fit all of a filter; every word of the text is found in the name, the id or the vendor. */
function filtered(list: readonly Device[], filter: DeviceFilter): readonly Device[] {
  const { vendor, type, condition, ofUser } = filter;
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length === 0 && vendor === '' && type === '' && condition === '' && ofUser === undefined)
    return list;
  return list.filter((device) => {
    if (vendor !== '' && device.vendor !== vendor) return false;
    if (type !== '' && device.device_type !== type) return false;
    if (condition !== '' && conditionOf(device) !== condition) return false;
    if (ofUser !== undefined && !ofUser.has(keyOfDevice(device))) return false;
    if (needles.length === 0) return true;
    const text = `${device.name ?? ''} ${device.id} ${device.vendor}`.toLowerCase();
    return needles.every((needle) => text.includes(needle));
  });
}

const texts = words.devices;
const FILTERS = ['q', 'vendor', 'type', 'state', 'user'] as const;

/** All devices: searched, filtered, live. */
export function DevicesPage() {
  useTitle(texts.title);
  const all = useStore(devices);
  const [search, setSearch] = useSearch();
  const textTyped = useTyped(search.get('q') ?? '', (q) => setSearch({ q }));
  const user = search.get('user') ?? '';
  const userTyped = useTyped(user, (value) => setSearch({ user: value }));
  const [text] = textTyped;
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
      <Filters>
        <TextFilter label={texts.search} hint={texts.searchHint} typed={textTyped} isSearch />
        <Choice
          label={texts.vendor}
          value={choice.vendor}
          all={words.filters.all}
          options={vendors.map((vendor) => [vendor, vendorNames.get(vendor) ?? vendor])}
          onChange={(vendor) => setSearch({ vendor })}
        />
        <Choice
          label={texts.type}
          value={choice.type}
          all={words.filters.all}
          options={Object.entries(words.types).filter(
            ([type]) => type === choice.type || [...types].some((one) => one === type),
          )}
          onChange={(type) => setSearch({ type })}
        />
        <Choice
          label={texts.condition}
          value={choice.condition}
          all={words.filters.all}
          options={CONDITIONS.map((one) => [one, words.conditions[one]])}
          onChange={(state) => setSearch({ state })}
        />
        <TextFilter label={words.filters.user} hint={words.filters.userHint} typed={userTyped} />
      </Filters>
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
          <ActionButton
            onClick={() => {
              for (const [, setTyped] of [textTyped, userTyped]) setTyped('');
              setSearch(Object.fromEntries(FILTERS.map((name) => [name, ''])));
            }}
          >
            {texts.clear}
          </ActionButton>
        ) : null}
      </div>
      {all.status === 'loaded' && !ofUser.isLoading && shown.length === 0 ? (
        all.list.length === 0 ? (
          <NoDevices />
        ) : (
          <Empty
            title={texts.noMatch}
            text={ofUser.keys?.size === 0 ? texts.noUser(foreign(user)) : texts.noMatchText}
          />
        )
      ) : null}
      {shown.length > 0 ? <DeviceTable list={shown} vendorNames={vendorNames} /> : null}
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
