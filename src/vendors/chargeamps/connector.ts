import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { Limits, Status } from '../../adapter/device.ts';
import { each, figure, fits, lenient, PlainId, unrecognized, word } from '../../adapter/kit/index.ts';

/** The least that a car charges with (IEC 61851-1); Charge Amps refuses less, other than 0 for a pause. */
export const LEAST_A = 6;
/** The most that a charger of Charge Amps' gives, on each phase. */
const MOST_A = 32;
const MOST_W = 50_000;
const MOST_KWH = 100_000;

/** What linking kept of a connector, in `DeviceRef.details`. */
export const Details = Type.Object({
  charge_point: PlainId,
  connector: Type.Integer(),
  /** What its firmware speaks, and so which numbers it gives to its states; null where Charge Amps does not say. */
  firmware: Type.Union([Type.Literal('ocpp'), Type.Literal('capi'), Type.Null()]),
  read_only: Type.Boolean(),
});
export type Details = Static<typeof Details>;

const isReadOnly = ({ details }: Pick<Found, 'details'>) => fits(Details, details) && details.read_only;

export const withheldFrom = (found: Pick<Found, 'details'>): readonly Capability[] =>
  isReadOnly(found) ? ['charge_control', 'set_current'] : [];

export const whyWithheld = (found: Pick<Found, 'details'>): string | undefined =>
  isReadOnly(found)
    ? 'its owner may read this charger, but not control it; its installer can change that'
    : undefined;

export const PointStatus = lenient({}, 'status', 'connectorStatuses');
const ConnectorStatus = lenient(
  { connectorId: Type.Integer() },
  'status',
  'totalConsumptionKwh',
  'chargingPowerKw',
  'measurements',
);
const Measurement = Type.Object({ current: Type.Number(), voltage: Type.Number() });
/** Sent back whole: whatever else it has stays. */
export const Settings = lenient({}, 'mode', 'maxCurrent', 'installationCurrent', 'rfidLock');
export type Settings = Static<typeof Settings>;

/** All that Charge Amps says of a connector. */
export interface ConnectorRaw {
  readonly details: Details;
  readonly online: boolean;
  /** `status` of the charge point: `Online` or `Offline`. */
  readonly connection: unknown;
  /** null where the charge point has none of its number. */
  readonly status: Static<typeof ConnectorStatus> | null;
  readonly settings: Settings;
}

export function rawOf(details: Details, point: Static<typeof PointStatus>, settings: Settings): ConnectorRaw {
  const status = each(point.connectorStatuses, ConnectorStatus).find(
    ({ connectorId }) => connectorId === details.connector,
  );
  const { status: connection } = point;
  return { details, online: connection === 'Online', connection, status: status ?? null, settings };
}

/** The words for the numbers that stand for states, where those are sent. */
const NUMBERED = {
  capi: ['Available', 'Charging', 'Connected', 'Error', 'Unknown'],
  ocpp: [
    'Available',
    'Preparing',
    'Charging',
    'SuspendedEVSE',
    'SuspendedEV',
    'Finishing',
    'Reserved',
    'Unavailable',
    'Faulted',
    'Unknown',
  ],
};
const CONNECTED = ['Connected', 'Preparing', 'SuspendedEVSE', 'SuspendedEV', 'Finishing', 'Charging'];
const IDLE = ['Available', 'Reserved'];
/** Nothing is charged; whether a car is there is not said. */
const BROKEN = ['Error', 'Faulted', 'Unavailable'];
const STATES = [...CONNECTED, ...IDLE, ...BROKEN];

/** The state in Charge Amps' words; a number that cannot be told is a word as it is. */
function stateOf({ details, status }: ConnectorRaw): string | null {
  const state = typeof status?.status === 'number' ? String(status.status) : word(status?.status);
  if (state === null || !/^\d+$/.test(state)) return state;
  const numbered = details.firmware === null ? undefined : NUMBERED[details.firmware][Number(state)];
  return numbered ?? `status ${state}`;
}

export function statusOf(raw: ConnectorRaw): Status {
  if (!raw.online) return { online: false, connected: null, charging: null, operation_state: 'Offline' };
  const state = stateOf(raw) ?? '';
  const isKnown = STATES.includes(state);
  return {
    online: true,
    connected: CONNECTED.includes(state) ? true : IDLE.includes(state) ? false : null,
    charging: isKnown ? state === 'Charging' : null,
    operation_state: state === '' ? null : state,
  };
}

/** States of the charge point and of the connector that are not recognized. */
export const unrecognizedIn = (raw: ConnectorRaw): string[] =>
  unrecognized({
    'status of the charge point': [raw.connection, ['Online', 'Offline']],
    status: [stateOf(raw), [...STATES, 'Unknown']],
  });

/** Watt, of the phases; without measurements what Charge Amps says, and nothing while nothing is charged. */
export function powerOf(raw: ConnectorRaw): number | null {
  const { online, charging } = statusOf(raw);
  if (!online) return null;
  const phases = each(raw.status?.measurements, Measurement);
  const kilowatts = figure(raw.status?.chargingPowerKw, 0, MOST_W / 1_000);
  if (phases.length > 0)
    return figure(
      phases.reduce((sum, { current, voltage }) => sum + current * voltage, 0),
      0,
      MOST_W,
    );
  return kilowatts === null ? (charging === false ? 0 : null) : kilowatts * 1_000;
}

/** Of the session, watt-hours. */
export function energyOf({ status }: ConnectorRaw): number | null {
  const kwh = figure(status?.totalConsumptionKwh, 0, MOST_KWH);
  return kwh === null ? null : kwh * 1_000;
}

/** Ampere on each phase; the fuse of the installation, where it is set. */
export function limitsOf({ settings }: ConnectorRaw): Limits {
  const most = figure(settings.installationCurrent, LEAST_A, MOST_A) ?? MOST_A;
  return { min_a: LEAST_A, max_a: Math.floor(most), min_w: null, max_w: null };
}
