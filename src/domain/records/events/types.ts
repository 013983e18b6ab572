import Type, { type TObject } from 'typebox';
import { AnyCommand } from '../../../adapter/commands.ts';
import { CapabilitySchema, DeviceTypeSchema } from '../../../adapter/device.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';

const orNull = (schema: Type.TSchema) => Type.Union([schema, Type.Null()]);
const moment = (description: string) => Type.String({ format: 'date-time', description });
const text = (description: string) => Type.String({ description });

const CommandOutcome = Type.Object(
  {
    command_id: text('As in the header Elnav-Command-Id of the response'),
    command: { ...AnyCommand, description: 'The command as it was sent' },
    by: Type.Object(
      {
        source: Type.Enum(['api', 'console', 'elnav'], {
          description:
            'api: a program with an API key. console: a person in the console. elnav: the service itself, as when a link is deleted',
        }),
        key_id: orNull(text('The API key')),
        request_id: orNull(text('X-Request-Id of the request')),
      },
      { title: 'CommandSender', description: 'Who sent it' },
    ),
    error: orNull(text('The code of the error and its sentence')),
  },
  { title: 'CommandOutcome' },
);

const ChargingRecord = Type.Object(
  {
    transaction_id: Type.String(),
    id_tag: orNull(Type.String()),
    started_at: orNull(moment('As the station reported it')),
    ended_at: orNull(moment('null while it runs')),
    end_reason: orNull(Type.String()),
    meter_start_wh: orNull(Type.Integer()),
    meter_stop_wh: orNull(Type.Integer()),
    estimated: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Values that the station did not report, taken from readings of the transaction',
      }),
    ),
  },
  { title: 'ChargingRecord' },
);

const InterventionData = Type.Object(
  {
    intervention_id: text('As in GET /interventions, which has the words for the user'),
    code: Type.String(),
    capabilities: Type.Array(CapabilitySchema, {
      description: 'What the device or the link cannot do meanwhile',
    }),
  },
  { title: 'InterventionChange' },
);

const NOTHING = Type.Object({}, { title: 'NoData' });
const SESSION = { session_sha256: text('SHA-256 of the session, hex: its name itself is a secret') };

/** A value of a field of a state. */
const Value = Type.Union([Type.Integer(), Type.Boolean(), Type.String(), Type.Null()]);

const Listed = Type.Object({
  device_type: DeviceTypeSchema,
  name: orNull(Type.String()),
  capabilities: Type.Array(CapabilitySchema),
});

const SessionStart = {
  session_id: text('As `id` in GET /sessions'),
  started_at: orNull(moment('null where only the end of the charging transaction is known')),
};

interface EventType {
  /** Of the form of `data`: another form gets another version. */
  readonly version: number;
  readonly summary: string;
  readonly data: TObject;
}

/** Every type of event, with the form of its `data`. */
export const EVENT_TYPES = {
  'device.linked': {
    version: 1,
    summary: 'A link has a device that it did not have',
    data: Listed,
  },
  'device.updated': {
    version: 1,
    summary: 'A device has another name, other capabilities or another type, which the data has',
    data: Listed,
  },
  'device.removed': {
    version: 1,
    summary: 'A device is gone',
    data: Type.Object({
      reason: Type.Enum(['not_listed', 'link_removed'], {
        description: 'not_listed: the vendor does not list it any more',
      }),
    }),
  },
  'device.state_changed': {
    version: 1,
    summary: 'The state of a device has other values',
    data: Type.Object({
      changes: Type.Record(Type.String(), Type.Object({ from: Value, to: Value }, { title: 'Change' }), {
        description: 'The fields of the state that changed, before and after; null where there was no value',
      }),
      observed_at: moment('When the vendor measured'),
      fetched_at: moment('When elnav received it'),
    }),
  },
  'device.unreachable': {
    version: 1,
    summary: 'A device cannot be reached: its state has online: false',
    data: Type.Object({
      reason: Type.Enum(['no_response', 'reported'], {
        description:
          'no_response: neither the device nor its vendor, gateway or station responds. reported: the vendor says that the device is offline',
      }),
      since: orNull(moment('The last time that it was known to be reachable; null where it never was')),
    }),
  },
  'device.plugged_in': {
    version: 1,
    summary:
      'A car or a charger that was not plugged in is plugged in. A device that cannot be read is neither, and returns as it was',
    data: NOTHING,
  },
  'device.unplugged': {
    version: 1,
    summary: 'A car or a charger that was plugged in is not any more',
    data: NOTHING,
  },
  'device.reachable': { version: 1, summary: 'A device can be reached again', data: NOTHING },
  'link.linked': {
    version: 1,
    summary: 'A vendor account was linked, for the first time or again',
    data: Type.Object({ relinked: Type.Boolean({ description: 'It was linked before' }) }),
  },
  'link.needs_relink': {
    version: 1,
    summary: 'The user has to link the vendor account again',
    data: Type.Object({ reason: orNull(Type.String()) }),
  },
  'link.unreachable': {
    version: 1,
    summary: 'A call of a link failed because the vendor or its devices did not respond; elnav retries',
    data: Type.Object({ reason: orNull(Type.String()) }),
  },
  'link.reachable': { version: 1, summary: 'Calls of a link go well again', data: NOTHING },
  'link.recovered': {
    version: 1,
    summary: 'A link works again that the user had to link again, without having been linked again',
    data: NOTHING,
  },
  'link.removed': { version: 1, summary: 'A link was deleted', data: NOTHING },
  'link_session.completed': {
    version: 1,
    summary: 'The user of a link session has linked an account',
    data: Type.Object(SESSION),
  },
  'link_session.failed': {
    version: 1,
    summary: 'The user of a link session went back to the app without a link; the session can be used again',
    data: Type.Object({ ...SESSION, reason: Type.String() }),
  },
  'command.succeeded': { version: 1, summary: 'A command was carried out', data: CommandOutcome },
  'command.failed': { version: 1, summary: 'A command was not carried out', data: CommandOutcome },
  'command.outcome_unknown': {
    version: 1,
    summary: 'A command was sent, and what became of it is not known',
    data: CommandOutcome,
  },
  'intervention.opened': {
    version: 1,
    summary: 'Something is needed that only the user can do',
    data: InterventionData,
  },
  'intervention.resolved': {
    version: 1,
    summary: 'What only the user could do is done, or needed no more',
    data: InterventionData,
  },
  'prices.published': {
    version: 1,
    summary:
      'Spot prices of a day, today or later, are there or were corrected, for a price area in which a link of the account is',
    data: Type.Object({
      price_area: Type.Enum([...PRICE_AREAS]),
      day: Type.String({ format: 'date', description: 'In Sweden' }),
      corrected: Type.Boolean({ description: 'There were other prices of the day before' }),
      source: text('Slug of the source'),
    }),
  },
  'subscription.paused': {
    version: 1,
    summary: 'Nothing is posted to the receiver of a subscription any more, until it is resumed',
    data: Type.Object({
      subscription_id: Type.String(),
      url: Type.String({ format: 'uri' }),
      reason: Type.Enum(['failing', 'gone'], {
        description: 'failing: no delivery has succeeded for 72 hours. gone: the receiver responded 410',
      }),
    }),
  },
  'charging.session_started': {
    version: 1,
    summary:
      'A car or a charger of any vendor has begun a charging session, as GET /sessions has it: with its first power or energy',
    data: Type.Object(SessionStart),
  },
  'charging.session_completed': {
    version: 1,
    summary:
      'A charging session is over. A meter that is read later may complete its energy: GET /sessions has the newest',
    data: Type.Object({
      ...SessionStart,
      ended_at: moment('When it ended'),
      energy_wh: orNull(Type.Integer({ minimum: 0 })),
      max_power_w: orNull(Type.Integer()),
      measured_by: Type.Object({ energy: orNull(Type.Enum(['transaction', 'meter', 'power'])) }),
      complete: Type.Boolean({ description: 'energy_wh is all that the session has taken' }),
    }),
  },
  'charging.started': {
    version: 1,
    summary: 'A charging transaction of an OCPP station began',
    data: ChargingRecord,
  },
  'charging.updated': {
    version: 1,
    summary: 'The record of a charging transaction was completed or corrected',
    data: ChargingRecord,
  },
  'charging.ended': { version: 1, summary: 'A charging transaction ended', data: ChargingRecord },
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof EVENT_TYPES;

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventTypeName[];

const Subject = Type.Object(
  {
    device: orNull(Type.String()),
    vendor: orNull(Type.String()),
    link: orNull(Type.String()),
    user_ref: orNull(Type.String()),
  },
  { title: 'EventSubject' },
);

/** `device.state_changed` is `DeviceStateChanged`. */
const nameOf = (type: string): string =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

const EXAMPLE = {
  id: 'evt_3f_mi96t5c0',
  type: 'device.state_changed',
  version: 1,
  subject: {
    device: 'charger-u2vsdkcko5',
    vendor: 'sandbox',
    link: 'aX3kQ8r1ZbT5wN7yPc2Vd0',
    user_ref: 'anna',
  },
  occurred_at: '2026-11-21T17:05:00Z',
  recorded_at: '2026-11-21T17:05:00Z',
  data: {
    changes: { power_w: { from: 0, to: 11_040 } },
    observed_at: '2026-11-21T17:05:00Z',
    fetched_at: '2026-11-21T17:05:00Z',
  },
};

const fields = {
  id: text('The same for each delivery of the event'),
  type: Type.Enum(EVENT_TYPE_NAMES),
  version: Type.Integer({ description: 'Version of the form of data' }),
  subject: Subject,
  occurred_at: moment('When it happened'),
  recorded_at: moment('When it was written into the log'),
};

/** The event of a type as callers read it. */
function eventOf(type: string, { version, summary, data }: EventType): Type.TSchema {
  const name = nameOf(type);
  return Type.Object(
    {
      ...fields,
      type: Type.Literal(type),
      version: Type.Literal(version),
      data: { title: `${name}Data`, ...data },
    },
    { title: name, description: summary },
  );
}

const EVENTS = EVENT_TYPE_NAMES.map((type) => eventOf(type, EVENT_TYPES[type]));
const TEST = eventOf('subscription.test', { version: 1, summary: 'A test of a subscription', data: NOTHING });
const discriminator = { propertyName: 'type' };

/** The body that is posted to the receiver of a subscription. */
export const WebhookPost: Type.TSchema = Type.Object(
  {
    events: Type.Array(
      Type.Union([...EVENTS, TEST], { title: 'PostedEvent', discriminator, examples: [EXAMPLE] }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'In their order',
      },
    ),
  },
  { title: 'WebhookPost' },
);

/** An event as it is sent; the serializer does not look at its `data`, whose form depends on the type. */
export const LoggedEvent = Type.Object(
  {
    ...fields,
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    title: 'Event',
    documented: Type.Union(EVENTS, { discriminator }),
    examples: [EXAMPLE],
  },
);
export type LoggedEvent = Type.Static<typeof LoggedEvent>;
