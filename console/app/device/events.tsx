import type { Device, EventType, LoggedEvent } from '../api/shapes.ts';
import { EventList } from '../events/list.tsx';
import { type Events, LOADED_TYPES, useEvents } from '../events/read.ts';
import { moment } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { Sentence, Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { describeCommand } from './commands.ts';

export const COMMAND_TYPES: readonly EventType[] = [
  'command.succeeded',
  'command.failed',
  'command.outcome_unknown',
];
const OTHER_TYPES = LOADED_TYPES.filter((type) => !COMMAND_TYPES.includes(type));
const MOST_COMMANDS = 10;
const EVENTS_AT_FIRST = 10;

/** Two vendors may have devices of an id. */
export const ofDevice = (events: Events, { vendor }: Pick<Device, 'vendor'>): readonly LoggedEvent[] =>
  events.list.filter(({ subject }) => subject.vendor === vendor);

const MARKS: Readonly<Record<string, readonly [tone: string, text: string]>> = {
  'command.succeeded': ['mark-good', words.control.states.succeeded],
  'command.failed': ['mark-bad', words.control.states.failed],
  'command.outcome_unknown': ['mark-note', words.control.states.unknown],
};

/** The last commands to a device, whoever sent them, and what came of each. */
export function PastCommands({ device }: { readonly device: Device }) {
  const events = useEvents({ types: COMMAND_TYPES, device: device.id });
  const own = ofDevice(events, device).slice(0, MOST_COMMANDS);
  const texts = words.control;
  return (
    <section class="stack-small" aria-labelledby="commands">
      <h2 id="commands">{texts.outcomes}</h2>
      <p class="soft small">{texts.outcomesText}</p>
      {events.error === null ? null : <Failure error={events.error} />}
      {own.length === 0 ? (
        <p class="empty soft">{events.isLoading ? words.loading : texts.noOutcomes}</p>
      ) : (
        <ol class="events">
          {own.map((event) => (
            <PastCommand key={event.id} event={event} />
          ))}
        </ol>
      )}
    </section>
  );
}

function PastCommand({ event }: { readonly event: LoggedEvent }) {
  const { command, error } = event.data as { command: { type: string }; error: string | null };
  const [tone, text] = MARKS[event.type] ?? ['mark-still', event.type];
  return (
    <li class="past-command">
      <Time at={event.occurred_at} text={moment(event.occurred_at)} class="hint number" />
      <div class="event-what">
        <strong>{describeCommand(command)}</strong> <span class={`mark ${tone}`}>{text}</span>
        {error === null ? null : (
          <p class="hint">
            <Sentence text={error} />
          </p>
        )}
      </div>
    </li>
  );
}

/** What else happened to a device. */
export function DeviceEvents({ device }: { readonly device: Device }) {
  const events = useEvents({ types: OTHER_TYPES, device: device.id });
  const own = ofDevice(events, device);
  return (
    <section class="stack-small" aria-labelledby="events">
      <h2 id="events">{words.device.events}</h2>
      <p class="soft small">{words.device.eventsText}</p>
      {events.error === null ? null : <Failure error={events.error} />}
      {own.length === 0 && !events.older.hasMore ? (
        <p class="empty soft">{events.isLoading ? words.loading : words.device.noEvents}</p>
      ) : (
        <EventList
          events={own}
          label={words.device.events}
          hasDevice={false}
          atFirst={EVENTS_AT_FIRST}
          older={events.older}
        />
      )}
    </section>
  );
}
