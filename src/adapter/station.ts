import Type from 'typebox';

const strict = <T extends string>(title: T) => ({ additionalProperties: false, title });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = (description: string) => orNull(Type.String({ description }));
const moment = Type.String({ format: 'date-time' });
const place = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000, description });
const setting = Type.String({ minLength: 1, maxLength: 101, pattern: '^[\\x21-\\x7e]+$' });

/** What a charging station that dials in can be asked to do besides charging, by its `type`. */
export const OPERATIONS = {
  reset: Type.Object(
    {
      type: Type.Literal('reset'),
      mode: Type.Optional(
        Type.Enum(['soft', 'hard'], {
          description:
            'soft (default): after ending transactions (2.0.1: OnIdle). hard: at once (2.0.1: Immediate)',
        }),
      ),
      scope: Type.Optional(
        Type.Enum(['station', 'evse'], {
          description:
            'station (default): all of it. evse: only the EVSE of this device, OCPP 2.0.1 only; stations may reject it',
        }),
      ),
    },
    strict('ResetStation'),
  ),
  unlock: Type.Object(
    {
      type: Type.Literal('unlock'),
      connector: Type.Optional(
        place('Default: that of this device. OCPP 1.6: number within the station, 2.0.1: within the EVSE'),
      ),
      evse: Type.Optional(place('Default: that of this device. OCPP 2.0.1 only')),
    },
    strict('UnlockStation'),
  ),
  change_availability: Type.Object(
    {
      type: Type.Literal('change_availability'),
      available: Type.Boolean({
        description: 'false takes the station out of service until it is set to true',
      }),
    },
    strict('ChangeAvailability'),
  ),
  trigger: Type.Object(
    {
      type: Type.Literal('trigger'),
      message: Type.Enum(
        ['BootNotification', 'Heartbeat', 'StatusNotification', 'MeterValues', 'FirmwareStatusNotification'],
        { description: 'The message that the station must send now' },
      ),
    },
    strict('TriggerMessage'),
  ),
  get_configuration: Type.Object(
    {
      type: Type.Literal('get_configuration'),
      keys: Type.Optional(
        Type.Array(setting, {
          minItems: 1,
          maxItems: 50,
          description:
            'OCPP 1.6: configuration keys, default all. OCPP 2.0.1: Component.Variable, default those that elnav uses',
        }),
      ),
    },
    strict('GetConfiguration'),
  ),
  set_configuration: Type.Object(
    {
      type: Type.Literal('set_configuration'),
      key: setting,
      value: Type.String({ maxLength: 500 }),
    },
    strict('SetConfiguration'),
  ),
  clear_limits: Type.Object({ type: Type.Literal('clear_limits') }, strict('ClearLimits')),
  effective_limit: Type.Object(
    {
      type: Type.Literal('effective_limit'),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: 'Length of the schedule from now on; default 86400',
        }),
      ),
    },
    strict('GetEffectiveLimit'),
  ),
} as const;

/** Any operation, by its `type`. */
export const AnyOperation: Type.TSchema = Type.Union(Object.values(OPERATIONS), {
  title: 'StationOperation',
  discriminator: { propertyName: 'type' },
});

export type OperationType = keyof typeof OPERATIONS;
export type StationOperation = { [T in OperationType]: Type.Static<(typeof OPERATIONS)[T]> }[OperationType];
export const OPERATION_TYPES = Object.keys(OPERATIONS) as OperationType[];

/** What the station said to it. */
export const OperationAnswer = Type.Object(
  {
    type: Type.Enum(OPERATION_TYPES),
    status: Type.String({
      description:
        'The status that the station returned, such as Accepted, Rejected, RebootRequired, Unlocked, UnknownConnector. Unconfirmed: its connection ended before it responded to a reset, as it does when it restarts at once',
    }),
    settings: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String({ examples: ['HeartbeatInterval'] }),
          value: orNull(Type.String()),
          readonly: orNull(Type.Boolean()),
          redacted: Type.Optional(
            Type.Literal(true, { description: 'The value is a secret and was omitted' }),
          ),
        }),
      ),
    ),
    unknown_keys: Type.Optional(Type.Array(Type.String())),
    limit: Type.Optional(
      orNull(
        Type.Object({
          unit: Type.Enum(['A', 'W'], { description: 'A: per phase. W: all phases together' }),
          starts_at: orNull(moment),
          periods: Type.Array(Type.Object({ start_seconds: Type.Number(), limit: Type.Number() })),
        }),
      ),
    ),
  },
  { title: 'StationResponse', examples: [{ type: 'reset', status: 'Accepted' }] },
);
export type OperationAnswer = Type.Static<typeof OperationAnswer>;

/** One message on the line between a station and us. */
export const Frame = Type.Object(
  {
    at: moment,
    direction: Type.Enum(['received', 'sent']),
    kind: Type.Enum(['call', 'result', 'error', 'unreadable']),
    action: text('OCPP action of the call, or of the call that this message responds to'),
    payload: Type.Unknown({ description: 'Cards are masked; passwords and keys are omitted' }),
  },
  { title: 'StationMessage' },
);
export type Frame = Type.Static<typeof Frame>;

/** What keeps a station within the maximum that its owner entered. */
export const HELD_BY = ['station', 'connectors', 'nobody'] as const;
export type HeldBy = (typeof HELD_BY)[number];

const STATION = {
  connected: true,
  connected_since: '2026-11-21T06:12:40Z',
  protocol: 'ocpp1.6',
  manufacturer: 'Example Energy',
  model: 'Wallbox 22',
  serial_number: 'G-0042-17',
  firmware_version: '2.14.0',
  iccid: null,
  last_fault: null,
  metering: { power: 'measured' as const, restart_needed: false },
  limit: { current_a: 10, ends_at: null, then_current_a: null },
  installation: { max_a: 20, fallback_a: 6, held_by: 'station' as const, refusal: null },
  frames: [
    { at: '2026-11-21T13:00:00Z', direction: 'received', kind: 'call', action: 'Heartbeat', payload: {} },
    {
      at: '2026-11-21T13:00:00Z',
      direction: 'sent',
      kind: 'result',
      action: 'Heartbeat',
      payload: { currentTime: '2026-11-21T13:00:00Z' },
    },
  ],
};

/** What is known of a station itself. */
export const StationView = Type.Object(
  {
    connected: Type.Boolean(),
    connected_since: orNull(moment),
    protocol: text('ocpp1.6 or ocpp2.0.1; the last one used while the station is disconnected'),
    manufacturer: text('As reported when the station booted'),
    model: text('As reported when the station booted'),
    serial_number: text('As reported when the station booted'),
    firmware_version: text('As reported when the station booted'),
    iccid: text('Of its SIM card'),
    last_fault: orNull(
      Type.Object({
        code: Type.String(),
        info: orNull(Type.String()),
        connector: orNull(Type.Integer()),
        at: moment,
      }),
    ),
    metering: Type.Object({
      power: orNull(
        Type.Enum(['measured', 'derived'], {
          description:
            'Where power_w of the device comes from. derived: the station reports energy only, and power_w is its mean between the last two rises of the register. null: it is not known, or no charge runs',
        }),
      ),
      restart_needed: Type.Boolean({
        description:
          'The station has taken settings, such as what it measures, that apply only after its next start',
      }),
    }),
    limit: orNull(
      Type.Object(
        {
          current_a: Type.Number({ description: 'ampere per phase; 0 is a pause' }),
          ends_at: orNull(moment),
          then_current_a: orNull(Type.Number({ description: 'What follows at ends_at, ampere per phase' })),
        },
        {
          description:
            'The limit of elnav in force on this connector; null: none, or the station is not connected',
        },
      ),
    ),
    installation: Type.Object({
      max_a: orNull(Type.Integer()),
      fallback_a: orNull(Type.Integer()),
      held_by: orNull(
        Type.Enum([...HELD_BY], {
          description:
            'What keeps the station within max_a. station: a limit of the whole station. connectors: it refused that, and each connector has a fixed share. nobody: it refused both, and start_charge is refused. null: no max_a, or the station has not connected since',
        }),
      ),
      refusal: text('What the station returned when it rejected max_a as the limit of the whole station'),
    }),
    frames: Type.Array(Frame, {
      description:
        'The last 200 messages that the process connected to the station received or sent. While the station is disconnected: those of the process that handles the request, possibly none',
    }),
  },
  { title: 'Station', examples: [STATION] },
);
export type StationView = Type.Static<typeof StationView>;
