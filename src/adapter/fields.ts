/** Units of whole numbers in a state. */
export type Unit = 'percent' | 'watt' | 'watt_hour' | 'milli_celsius' | 'second';

/** How the values of a field in a quarter of an hour become one: the mean over time, how much a counter has grown, the last one. */
export type Summary = 'mean' | 'difference' | 'last';

/** In the languages of the pages. */
interface Texts {
  readonly en: string;
  readonly sv: string;
}

interface FieldDefinition {
  /** The capability to read it; null for a field of the status, which every device may have. */
  readonly capability: string | null;
  /** The unit of a whole number, or what else the values are. */
  readonly unit: Unit | 'flag' | 'text';
  /** Null for a field that history does not keep: its changes are in the event log alone. */
  readonly summary: Summary | null;
  /** In the document of the API. */
  readonly description: string;
  /** On the pages of the console. */
  readonly name: Texts;
  /** Name in the sentence that lists for a user the readings of a device; null for a field of the status. */
  readonly readAs: Texts | null;
}

/**
 * Every field of a device's state but `online`. A read capability starts here and nowhere else: its field in the API, its columns in
 * history, its name, plots and figures in the console follow.
 */
export const FIELDS = {
  battery_soc: {
    capability: 'read_battery_soc',
    unit: 'percent',
    summary: 'mean',
    description: 'State of charge, percent',
    name: { en: 'Charge level', sv: 'Laddnivå' },
    readAs: { en: 'charge level', sv: 'laddnivå' },
  },
  power_w: {
    capability: 'read_power',
    unit: 'watt',
    summary: 'mean',
    description: 'Active power, watt; positive: taken from the grid side, negative: given back',
    name: { en: 'Power', sv: 'Effekt' },
    readAs: { en: 'power', sv: 'effekt' },
  },
  energy_wh: {
    capability: 'read_energy',
    unit: 'watt_hour',
    summary: 'difference',
    description: 'Session or meter energy, watt-hours',
    name: { en: 'Energy', sv: 'Energi' },
    readAs: { en: 'energy use', sv: 'energiförbrukning' },
  },
  temperature_milli_c: {
    capability: 'read_temperature',
    unit: 'milli_celsius',
    summary: 'mean',
    description: 'Temperature, milli-Celsius',
    name: { en: 'Temperature', sv: 'Temperatur' },
    readAs: { en: 'temperature', sv: 'temperatur' },
  },
  production_w: {
    capability: 'read_production',
    unit: 'watt',
    summary: 'mean',
    description: 'Production power, watt',
    name: { en: 'Production', sv: 'Produktion' },
    readAs: { en: 'solar production', sv: 'solelproduktion' },
  },
  connected: {
    capability: null,
    unit: 'flag',
    summary: 'last',
    description: 'A vehicle or cable is connected to the charger',
    name: { en: 'Cable or car connected', sv: 'Kabel eller bil ansluten' },
    readAs: null,
  },
  charging: {
    capability: null,
    unit: 'flag',
    summary: 'last',
    description: 'Energy is being transferred',
    name: { en: 'Charging', sv: 'Laddar' },
    readAs: null,
  },
  power_on: {
    capability: null,
    unit: 'flag',
    summary: 'last',
    description: 'Powered on',
    name: { en: 'Switched on', sv: 'Påslagen' },
    readAs: null,
  },
  operation_state: {
    capability: null,
    unit: 'text',
    summary: null,
    description: "The vendor's word for the state",
    name: { en: 'State in the words of the vendor', sv: 'Läget med tillverkarens ord' },
    readAs: null,
  },
  remaining_seconds: {
    capability: null,
    unit: 'second',
    summary: 'last',
    description: 'Remaining programme time, seconds',
    name: { en: 'Time left', sv: 'Tid kvar' },
    readAs: null,
  },
  door_open: {
    capability: null,
    unit: 'flag',
    summary: 'last',
    description: 'The appliance door is open',
    name: { en: 'Door', sv: 'Lucka' },
    readAs: null,
  },
} as const satisfies Readonly<Record<string, FieldDefinition>>;

type Fields = typeof FIELDS;
export type FieldName = keyof Fields;
export type ReadCapability = NonNullable<Fields[FieldName]['capability']>;
/** The fields that a read capability fills. */
type ReadField = {
  [F in FieldName]: Fields[F]['capability'] extends null ? never : F;
}[FieldName];
type StatusField = Exclude<FieldName, ReadField>;
/** The fields that history keeps. */
export type HistoryField = { [F in FieldName]: Fields[F]['summary'] extends null ? never : F }[FieldName];

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];
export const READ_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].capability !== null) as ReadField[];
export const STATUS_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].capability === null) as StatusField[];
export const HISTORY_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].summary !== null) as HistoryField[];

/** The field of the state that each read capability fills. */
export const READS = Object.fromEntries(READ_FIELDS.map((field) => [FIELDS[field].capability, field])) as {
  readonly [F in ReadField as (typeof FIELDS)[F]['capability']]: F;
};

/** Each control capability and the commands that it permits. */
export const CONTROLS = {
  on_off: ['turn_on', 'turn_off'],
  charge_limit: ['set_charge_limit'],
  charge_control: ['start_charge', 'stop_charge'],
  set_current: ['set_current'],
  load_balancing: ['set_limit'],
  set_temperature: ['set_temperature'],
  set_light: ['set_light'],
  set_battery_power: ['set_battery_power'],
  program_control: ['start_program', 'stop_program'],
  delayed_start: ['delayed_start'],
} as const;

export type ControlCapability = keyof typeof CONTROLS;
export type Capability = ReadCapability | ControlCapability;

export const READ_CAPABILITIES = Object.keys(READS) as ReadCapability[];
export const CONTROL_CAPABILITIES = Object.keys(CONTROLS) as ControlCapability[];
export const CAPABILITIES: readonly Capability[] = [...READ_CAPABILITIES, ...CONTROL_CAPABILITIES];
