import { useEffect, useMemo } from 'preact/hooks';
import type { Device } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { count } from '../format.ts';
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
import { NoDevices } from './no-devices.tsx';
import { DeviceTable } from './table.tsx';

interface DeviceFilter {
  readonly text: string;
  readonly vendor: string;
  readonly type: string;
  readonly condition: string;
}

/** The devices that fit all of a filter; every word of the text is found in the name, the id, the user or the vendor. */
function filtered(list: readonly Device[], filter: DeviceFilter): readonly Device[] {
  const { vendor, type, condition } = filter;
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length === 0 && vendor === '' && type === '' && condition === '') return list;
  return list.filter((device) => {
    if (vendor !== '' && device.vendor !== vendor) return false;
    if (type !== '' && device.device_type !== type) return false;
    if (condition !== '' && conditionOf(device) !== condition) return false;
    if (needles.length === 0) return true;
    const text = `${device.name ?? ''} ${device.id} ${device.user_ref} ${device.vendor}`.toLowerCase();
    return needles.every((needle) => text.includes(needle));
  });
}

const texts = words.devices;
/** About as often as devices are read. Long lists take long to load, so five thousand devices are asked for every five minutes. */
const FRESH_MS = 60_000;
const FRESH_EACH_MS = 60;
const FILTERS = ['q', 'vendor', 'type', 'state'] as const;

/** All devices: searched, filtered, live. */
export function DevicesPage() {
  useTitle(texts.title);
  const all = useStore(devices);
  useFreshTimes();
  const [search, setSearch] = useSearch();
  const textTyped = useTyped(search.get('q') ?? '', (q) => setSearch({ q }));
  const [text] = textTyped;
  const vendorNames = useVendorNames();
  const choice = {
    vendor: search.get('vendor') ?? '',
    type: search.get('type') ?? '',
    condition: search.get('state') ?? '',
  };
  const shown = useMemo(
    () => filtered(all.list, { text, ...choice }),
    [all.list, text, choice.vendor, choice.type, choice.condition],
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
      </Filters>
      {all.status === 'failed' && all.error !== undefined ? (
        <Failure error={all.error} onRetry={() => void devices.load()} />
      ) : null}
      <div class="row filters-result">
        <p class="soft" role="status">
          {all.status === 'loading'
            ? words.loading
            : texts.count(count(shown.length), count(all.list.length))}
        </p>
        {isFiltered ? (
          <ActionButton
            onClick={() => {
              textTyped[1]('');
              setSearch(Object.fromEntries(FILTERS.map((name) => [name, ''])));
            }}
          >
            {texts.clear}
          </ActionButton>
        ) : null}
      </div>
      {all.status === 'loaded' && shown.length === 0 ? (
        all.list.length === 0 ? (
          <NoDevices />
        ) : (
          <Empty title={texts.noMatch} text={texts.noMatchText} />
        )
      ) : null}
      {shown.length > 0 ? <DeviceTable list={shown} vendorNames={vendorNames} /> : null}
    </div>
  );
}

/** A reading that changed nothing leaves no event: when devices were measured is asked for again. */
function useFreshTimes(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const wait = () => {
      if (isLeft) return;
      const { length } = devices.get().list;
      timer = setTimeout(ask, Math.max(FRESH_MS, length * FRESH_EACH_MS));
    };
    const ask = async () => {
      if (!document.hidden) await devices.load();
      wait();
    };
    wait();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, []);
}
