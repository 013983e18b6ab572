import { useEffect, useRef, useState } from 'preact/hooks';
import { searchOf } from '../api/call.ts';
import type { EventType, LoggedEvent } from '../api/shapes.ts';
import { count } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/title.ts';
import { useTyped } from '../parts/typed.ts';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { EventList } from './list.tsx';
import { ALL_TYPES, LOADED_TYPES, useEvents } from './read.ts';

const texts = words.events;
const EVERY = 'all';

/** What happens, as it happens. */
export function EventsPage() {
  useTitle(texts.title);
  const [search, setSearch] = useSearch();
  const type = search.get('type') ?? '';
  const device = search.get('device') ?? '';
  const user = search.get('user') ?? '';
  const [deviceTyped, setDevice] = useTyped(device, (value) => setSearch({ device: value }));
  const [userTyped, setUser] = useTyped(user, (value) => setSearch({ user: value }));
  const types = typesOf(type);
  const events = useEvents({
    types,
    ...(device === '' ? {} : { device }),
    ...(user === '' ? {} : { userRef: user }),
  });
  const pause = usePause(events.list, `${type} ${device} ${user}`);
  const isFiltered = type !== '' || device !== '' || user !== '';
  return (
    <div class="stack">
      <div class="stack-small">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
      </div>
      <search>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <Choice
            label={texts.type}
            value={type}
            all={texts.allTypes}
            options={[
              [EVERY, texts.everyType],
              ...ALL_TYPES.map((one) => [one, words.eventTypes[one]] as const),
            ]}
            onChange={(value) => setSearch({ type: value })}
          />
          <label class="filter">
            <span>{texts.device}</span>
            <input
              type="text"
              value={deviceTyped}
              autoComplete="off"
              maxLength={200}
              onInput={(event) => setDevice(event.currentTarget.value)}
            />
          </label>
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
      {types.includes('device.state_changed') ? <p class="hint">{texts.liveOnly}</p> : null}
      {events.error === null ? null : <Failure error={events.error} />}
      <div class="row filters-result">
        <p class="soft">{events.isLoading ? words.loading : texts.kept(count(pause.shown.length))}</p>
        <button type="button" class="button button-small" onClick={pause.toggle}>
          {pause.isPaused
            ? pause.waiting === 0
              ? texts.resume
              : texts.waiting(count(pause.waiting))
            : texts.pause}
        </button>
      </div>
      {pause.shown.length === 0 && !events.isLoading && !events.older.isThere ? (
        <div class="empty">
          <strong>{isFiltered ? texts.emptyFilter : texts.empty}</strong>
          <p>{texts.emptyText}</p>
        </div>
      ) : (
        <EventList events={pause.shown} label={texts.title} hasDevice older={events.older} />
      )}
      <CopyAsCurl type={type} device={device} user={user} />
    </div>
  );
}

function typesOf(chosen: string): readonly EventType[] {
  if (chosen === EVERY) return ALL_TYPES;
  const one = ALL_TYPES.find((type) => type === chosen);
  return one === undefined ? LOADED_TYPES : [one];
}

/** Holds the list still while it is read; older events are added at its end. */
function usePause(events: readonly LoggedEvent[], filter: string) {
  const [held, setHeld] = useState<readonly LoggedEvent[]>();
  // Another filter shows another list.
  useEffect(() => setHeld(undefined), [filter]);
  const shown = held === undefined ? events : [...held, ...olderThan(held, events)];
  return {
    shown,
    isPaused: held !== undefined,
    waiting: Math.max(0, events.length - shown.length),
    toggle: () => setHeld(held === undefined ? events : undefined),
  };
}

function olderThan(held: readonly LoggedEvent[], events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const last = held.at(-1);
  const index = events.findLastIndex(({ id }) => id === last?.id);
  return index === -1 ? [] : events.slice(index + 1);
}

interface CopyProps {
  readonly type: string;
  readonly device: string;
  readonly user: string;
}

/** The stream of the same events, for a terminal. The key is a variable: this page has none. */
function CopyAsCurl({ type, device, user }: CopyProps) {
  const [said, setSaid] = useState('');
  const code = useRef<HTMLElement>(null);
  const types = type === EVERY ? '' : typesOf(type).join(',');
  const address = `${location.origin}/events/stream${searchOf({ types, device, user_ref: user }).replaceAll('%2C', ',')}`;
  const command = `curl -N -H "Authorization: Bearer $ELNAV_KEY" ${quoted(address)}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      setSaid(texts.copied);
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      setSaid(texts.notAllowed);
    }
  };
  return (
    <section class="stack-small" aria-labelledby="curl">
      <h2 id="curl" class="heading-small">
        {texts.copyText}
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>
        <code ref={code}>{command}</code>
      </pre>
      <div class="row">
        <button type="button" class="button button-small" onClick={() => void copy()}>
          {texts.copy}
        </button>
        <span class="small soft" role="status">
          {said}
        </span>
      </div>
    </section>
  );
}

/** A word of a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
