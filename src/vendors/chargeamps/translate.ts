import Type, { type Static } from 'typebox';
import type { Found, Limits, Status } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import * as kit from '../../adapter/kit/index.ts';

/** The most that a charger of Charge Amps' gives, on each phase. */
const MOST_A = 32;
const MOST_W = 50_000;
const MOST_KWH = 100_000;

/** What linking stores of a connector. */
export const Details = Type.Object({
  charge_point: kit.PlainId,
  connector: Type.Integer(),
  /** What its firmware speaks, and so which numbers it gives to its states; null where Charge Amps does not say. */
  firmware: Type.Union([Type.Literal('ocpp'), Type.Literal('capi'), Type.Null()]),
  read_only: Type.Boolean(),
});
export type Details = Static<typeof Details>;

export const whyWithheld = ({ details }: Pick<Found, 'details'>): string | undefined =>
  kit.fits(Details, details) && details.read_only
    ? 'its owner may read this charger, but not control it; its installer can change that'
    : undefined;

export const withheldFrom = (found: Pick<Found, 'details'>): readonly Capability[] =>
  whyWithheld(found) === undefined ? [] : ['charge_control', 'set_current'];

export const PointStatus = kit.lenient({}, 'status', 'connectorStatuses');
const ConnectorStatus = kit.lenient(
  { connectorId: Type.Integer() },
  'status',
  'totalConsumptionKwh',
  'chargingPowerKw',
  'measurements',
);
const Measurement = Type.Object({ current: Type.Number(), voltage: Type.Number() });
/** Sent back whole: whatever else it has stays. */
export const Settings = kit.lenient({}, 'mode', 'maxCurrent', 'installationCurrent', 'rfidLock');
export type Settings = Static<typeof Settings>;

/** All that Charge Amps says of a connector. */
export interface ConnectorRaw {
  readonly details: Details;
  /** `status` of the charge point: `Online` or `Offline`. */
  readonly connection: unknown;
  /** null where the charge point has none of its number. */
  readonly status: Static<typeof ConnectorStatus> | null;
  readonly settings: Settings;
}

export function rawOf(details: Details, point: Static<typeof PointStatus>, settings: Settings): ConnectorRaw {
  const status = kit
    .each(point.connectorStatuses, ConnectorStatus)
    .find(({ connectorId }) => connectorId === details.connector);
  return { details, connection: point.status, status: status ?? null, settings };
}

/** The states of each firmware, by the numbers that stand for them where those are sent. */
const NUMBERED = {
  capi: 'Available Charging Connected Error Unknown'.split(' '),
  ocpp: 'Available Preparing Charging SuspendedEVSE SuspendedEV Finishing Reserved Unavailable Faulted Unknown'.split(
    ' ',
  ),
};
const IDLE = ['Available', 'Reserved'];
/** Nothing is charged; whether a car is there is not said. */
const BROKEN = ['Error', 'Faulted', 'Unavailable'];
/** All but the word for a state that Charge Amps does not know itself. */
const STATES = [...NUMBERED.capi, ...NUMBERED.ocpp].filter((state) => state !== 'Unknown');

/** The state in Charge Amps' words; a number that no firmware explains is shown as it is. */
function stateOf({ details, status }: ConnectorRaw): string | null {
  const state = typeof status?.status === 'number' ? String(status.status) : kit.word(status?.status);
  if (state === null || !/^\d+$/.test(state)) return state;
  return (details.firmware && NUMBERED[details.firmware][Number(state)]) ?? `status ${state}`;
}

export function statusOf(raw: ConnectorRaw): Status {
  if (raw.connection !== 'Online')
    return { online: false, connected: null, charging: null, operation_state: 'Offline' };
  const state = stateOf(raw);
  const isKnown = state !== null && STATES.includes(state);
  return {
    online: true,
    connected: isKnown && !BROKEN.includes(state) ? !IDLE.includes(state) : null,
    charging: isKnown ? state === 'Charging' : null,
    operation_state: state,
  };
}

/** States of the charge point and of the connector that are not recognized, and what it follows. */
export const unrecognizedIn = (raw: ConnectorRaw): string[] =>
  kit.unrecognized({
    'status of the charge point': [raw.connection, ['Online', 'Offline']],
    status: [stateOf(raw), [...STATES, 'Unknown']],
    mode: [raw.settings.mode, ['On', 'Off', 'Schedule']],
  });

/**
 * Watt, of the phases; without measurements of all of them what Charge Amps says, and 0 while nothing is charged. Null for a charger that is
 * not reached.
 */
export function powerOf(raw: ConnectorRaw): number | null {
  const { online, charging } = statusOf(raw);
  if (!online) return null;
  const { measurements, chargingPowerKw } = raw.status ?? {};
  const phases = kit.each(measurements, Measurement);
  const isWhole = Array.isArray(measurements) && phases.length === measurements.length;
  if (isWhole && phases.length > 0)
    return kit.figure(
      phases.reduce((sum, { current, voltage }) => sum + current * voltage, 0),
      0,
      MOST_W,
    );
  const kilowatts = kit.figure(chargingPowerKw, 0, MOST_W / 1_000);
  return kilowatts === null ? (charging === false ? 0 : null) : kilowatts * 1_000;
}

/** Of the session, watt-hours. */
export function energyOf({ status }: ConnectorRaw): number | null {
  const kwh = kit.figure(status?.totalConsumptionKwh, 0, MOST_KWH);
  return kwh === null ? null : kwh * 1_000;
}

/** Ampere on each phase; the fuse of the installation, where it is set. */
export function limitsOf({ settings }: ConnectorRaw): Limits {
  const most = kit.figure(settings.installationCurrent, kit.LEAST_A, MOST_A) ?? MOST_A;
  return { min_a: kit.LEAST_A, max_a: Math.floor(most), min_w: null, max_w: null };
}
