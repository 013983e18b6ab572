import { useEffect, useState } from 'preact/hooks';
import { searchOf } from '../api/call.ts';
import type { EventType, LoggedEvent } from '../api/shapes.ts';
import { count } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTyped } from '../parts/form.tsx';
import { Choice, Filters, TextFilter } from '../parts/inputs.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { EventList } from './list.tsx';
import { ALL_TYPES, LOADED_TYPES, useEvents } from './read.ts';

const texts = words.events;
const EVERY = 'all';

/** What happens, as it happens. */
export function EventsPage() {
  const [search, setSearch] = useSearch();
  const type = search.get('type') ?? '';
  const device = search.get('device') ?? '';
  const user = search.get('user') ?? '';
  const deviceTyped = useTyped(device, (value) => setSearch({ device: value }));
  const userTyped = useTyped(user, (value) => setSearch({ user: value }));
  const types = typesOf(type);
  const events = useEvents({
    types,
    ...(device === '' ? {} : { device }),
    ...(user === '' ? {} : { userRef: user }),
  });
  const pause = usePause(events.list, `${type} ${device} ${user}`);
  const isFiltered = type !== '' || device !== '' || user !== '';
  return (
    <Page texts={texts}>
      <Filters>
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
        <TextFilter label={texts.device} typed={deviceTyped} />
        <TextFilter label={words.filters.user} hint={words.filters.userHint} typed={userTyped} />
      </Filters>
      {types.includes('device.state_changed') ? <p class="hint">{texts.liveOnly}</p> : null}
      {events.error === null ? null : <Failure error={events.error} />}
      <div class="row filters-result">
        <p class="soft">{events.isLoading ? words.loading : texts.kept(count(pause.shown.length))}</p>
        <ActionButton onClick={pause.toggle}>
          {pause.isPaused
            ? pause.waiting === 0
              ? texts.resume
              : texts.waiting(count(pause.waiting))
            : texts.pause}
        </ActionButton>
      </div>
      {pause.shown.length === 0 && !events.isLoading && !events.older.hasMore ? (
        <Empty title={isFiltered ? texts.emptyFilter : texts.empty} text={texts.emptyText} />
      ) : (
        <EventList events={pause.shown} label={texts.title} hasDevice older={events.older} />
      )}
      <CopyAsCurl type={type} device={device} user={user} />
    </Page>
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
  const types = type === EVERY ? '' : typesOf(type).join(',');
  const address = `${location.origin}/events/stream${searchOf({ types, device, user_ref: user }).replaceAll('%2C', ',')}`;
  const command = `curl -N -H "Authorization: Bearer $ELNAV_KEY" ${quoted(address)}`;
  return (
    <section class="stack-small" aria-labelledby="curl">
      <h2 id="curl" class="heading-small">
        {texts.copyText}
      </h2>
      <Copyable text={command} act={texts.copy} done={texts.copied} />
    </section>
  );
}

/** A word of a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
