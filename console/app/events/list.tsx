import { useState } from 'preact/hooks';
import { dataOf, type LoggedEvent } from '../api/shapes.ts';
import { describeCommand } from '../device/commands.ts';
import { formatOf, isField, nameOf } from '../device/fields.ts';
import { foreign, moment } from '../format.ts';
import { devices } from '../live/index.ts';
import { Link } from '../parts/link.tsx';
import { Code } from '../parts/scrolled.tsx';
import { More, Name, Sentence, Time } from '../parts/texts.tsx';
import { hrefOf } from '../route.ts';
import { useSelected } from '../store.ts';
import { words } from '../words/index.ts';
import type { Older } from './read.ts';

const MOST_CHANGES = 3;

/** What an event says, in a line. */
function describeEvent(event: LoggedEvent): string {
  const change = dataOf(event, 'device.state_changed');
  if (change !== undefined) return describeChanges(change.changes);
  const removal = dataOf(event, 'device.removed');
  if (removal !== undefined) return words.events.removedBecause[removal.reason];
  switch (event.type) {
    case 'command.succeeded':
    case 'command.failed':
    case 'command.outcome_unknown': {
      const { command } = event.data as { command: { type: string } };
      return describeCommand(command);
    }
    case 'prices.published':
      return `${String(event.data.price_area)}, ${String(event.data.day)}`;
    case 'subscription.paused':
      return foreign(String(event.data.url));
    case 'link_session.failed':
      return foreign(String(event.data.reason ?? ''));
    case 'intervention.opened':
    case 'intervention.resolved':
      return foreign(String(event.data.code ?? ''));
    default:
      return '';
  }
}

function describeChanges(
  changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>,
) {
  const all = Object.entries(changes);
  const shown = all
    .slice(0, MOST_CHANGES)
    .map(([field, { to }]) => `${isField(field) ? nameOf(field) : field}: ${shownValue(field, to)}`);
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [words.overview.andMore(String(more))] : [])].join(', ');
}

function shownValue(field: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.device.yes : words.device.no;
  const format = isField(field) ? formatOf(field) : undefined;
  if (typeof value === 'number') return format === undefined ? String(value) : format(value);
  return value === null ? words.none : foreign(String(value));
}

const AT_FIRST = 100;

interface EventListProps {
  readonly events: readonly LoggedEvent[];
  readonly label: string;
  /** Whether the device is named: not on its own page. */
  readonly hasDevice: boolean;
  readonly atFirst?: number;
  readonly older: Older;
}

/** Events, newest first, each with its data. */
export function EventList({ events, label, hasDevice, atFirst = AT_FIRST, older }: EventListProps) {
  const [most, setMost] = useState(atFirst);
  const showOlder = () => {
    const next = most + AT_FIRST;
    setMost(next);
    if (events.length < next) older.load();
  };
  // Names are known once the list of devices is loaded.
  useSelected(devices, ({ status }) => status);
  return (
    <div class="stack-small">
      <ol class="events" aria-label={label}>
        {events.slice(0, most).map((event) => (
          <li key={event.id}>
            <OneEvent event={event} hasDevice={hasDevice} />
          </li>
        ))}
      </ol>
      <More
        hasMore={events.length > most || older.hasMore}
        isLoading={older.isLoading}
        text={words.events.older}
        onMore={showOlder}
      />
    </div>
  );
}

const TONES: Partial<Record<LoggedEvent['type'], string>> = {
  'device.unreachable': 'mark-bad',
  'link.needs_relink': 'mark-bad',
  'command.failed': 'mark-bad',
  'link_session.failed': 'mark-bad',
  'command.outcome_unknown': 'mark-note',
  'intervention.opened': 'mark-note',
  'command.succeeded': 'mark-good',
  'link.unreachable': 'mark-note',
  'link.reachable': 'mark-good',
  'link.recovered': 'mark-good',
  'intervention.resolved': 'mark-good',
};

function OneEvent({ event, hasDevice }: Pick<EventListProps, 'hasDevice'> & { readonly event: LoggedEvent }) {
  const [isOpen, setOpen] = useState(false);
  const names: Readonly<Record<string, string>> = words.eventTypes;
  return (
    <details class="event" onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <Time at={event.occurred_at} text={moment(event.occurred_at)} class="hint number" />
        <span class="event-what">
          <span class={`mark ${TONES[event.type] ?? 'mark-still'}`}>{names[event.type] ?? event.type}</span>
          {hasDevice ? <Subject event={event} /> : null}
          <span class="small soft">
            <EventText event={event} />
          </span>
        </span>
      </summary>
      {isOpen ? <Data event={event} hasDevice={hasDevice} /> : null}
    </details>
  );
}

/** Why a link was lost is said by its vendor. */
function EventText({ event }: { readonly event: LoggedEvent }) {
  const lost = dataOf(event, 'link.needs_relink');
  return lost === undefined ? describeEvent(event) : <Sentence text={lost.reason ?? ''} />;
}

function Subject({ event: { subject } }: { readonly event: LoggedEvent }) {
  const { device, vendor, user_ref } = subject;
  if (device === null || vendor === null)
    return vendor === null && user_ref === null ? null : (
      <span>
        <Name text={[vendor, user_ref].filter(Boolean).join(' · ')} />
      </span>
    );
  return (
    <span>
      <Name text={devices.find(vendor, device)?.name || device} />
    </span>
  );
}

function Data({ event, hasDevice }: Pick<EventListProps, 'hasDevice'> & { readonly event: LoggedEvent }) {
  const { device, vendor } = event.subject;
  return (
    <div class="stack-small event-data">
      {hasDevice && device !== null && vendor !== null ? (
        <p>
          <Link href={hrefOf({ page: 'device', vendor, id: device })}>
            <Name text={devices.find(vendor, device)?.name || device} />
          </Link>
        </p>
      ) : null}
      <Code text={JSON.stringify(event, null, 2)} />
    </div>
  );
}
