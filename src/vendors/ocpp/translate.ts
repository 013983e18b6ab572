import Type from 'typebox';
import type { AvailableCapacity, Limits, Status } from '../../adapter/device.ts';
import { HELD_BY } from '../../adapter/station.ts';

/** Voltage between a phase and neutral, used where the station does not measure it. */
export const NOMINAL_VOLTS = 230;

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The state of one connector, as `read` returns it and `observed` stores it. */
export const ChargerRaw = Type.Object({
  online: Type.Boolean(),
  /** 1.6 ChargePointStatus; 2.0.1 ChargingState while a transaction runs, else ConnectorStatus. */
  word: nullable(Type.String()),
  in_transaction: Type.Boolean(),
  power_w: nullable(Type.Number()),
  register_wh: nullable(Type.Number()),
  session_wh: nullable(Type.Number()),
  /** Current rating of the cable, ampere (2.0.1 cableMaxCurrent). */
  cable_a: nullable(Type.Number()),
  /** What the connector may take of the installation, ampere; absent in states stored by older versions. */
  installation_a: Type.Optional(nullable(Type.Number())),
  /** What holds the installation's limit; null: there is none, or it has not been sent yet. */
  held_by: Type.Optional(nullable(Type.Enum([...HELD_BY]))),
  /** What the connector can take in addition, ampere per phase; null: not known. */
  room_a: Type.Optional(nullable(Type.Number())),
  /** Our limit in force, ampere; null: none. */
  limit_a: nullable(Type.Number()),
  /** When a message last concerned this connector, ms since 1970. */
  at: nullable(Type.Number()),
});
export type ChargerRaw = Type.Static<typeof ChargerRaw>;

interface Meaning {
  /** Null: the status does not tell. */
  readonly connected: boolean | null;
  readonly charging: boolean;
}

const CONNECTED: Meaning = { connected: true, charging: false };
const EMPTY: Meaning = { connected: false, charging: false };
const UNKNOWN: Meaning = { connected: null, charging: false };

/** 1.6 §7.7 ChargePointStatus, 2.0.1 ConnectorStatusEnumType and ChargingStateEnumType in one table: no value is ambiguous. */
export const WORDS: ReadonlyMap<string, Meaning> = new Map([
  ['Available', EMPTY],
  ['Preparing', CONNECTED],
  ['Charging', { connected: true, charging: true }],
  ['SuspendedEV', CONNECTED],
  ['SuspendedEVSE', CONNECTED],
  ['Finishing', CONNECTED],
  ['Reserved', EMPTY],
  ['Unavailable', UNKNOWN],
  ['Faulted', UNKNOWN],
  ['Occupied', CONNECTED],
  ['EVConnected', CONNECTED],
  ['Idle', EMPTY],
]);

function meaningOf(raw: ChargerRaw): Meaning | null {
  return raw.online && raw.word !== null ? (WORDS.get(raw.word) ?? null) : null;
}

/** Watt: more than the standby power of a station and a waiting car. */
export const FLOWS_W = 100;

/**
 * Measured power takes precedence over the reported status: some stations keep reporting Charging while they obey our pause,
 * and 2.0.1 reports only changes of the charging state.
 */
function chargingOf(raw: ChargerRaw): boolean | null {
  if (!raw.online) return null;
  const { power_w, in_transaction } = raw;
  if (power_w !== null && power_w > FLOWS_W) return true;
  const isStill = power_w !== null && (raw.limit_a === 0 || !in_transaction);
  if (isStill) return false;
  // `Occupied` is the status of a 2.0.1 plug throughout a transaction, whether or not power flows.
  const reported = raw.word === 'Occupied' && in_transaction ? null : (meaningOf(raw)?.charging ?? null);
  return reported ?? (power_w === null ? null : false);
}

/** The status of an unreachable station is null: what it last reported about the car may be outdated. */
export function statusOf(raw: ChargerRaw): Status {
  const meaning = meaningOf(raw);
  return {
    online: raw.online,
    connected: meaning?.connected ?? (raw.online && raw.in_transaction ? true : null),
    charging: chargingOf(raw),
    operation_state: raw.online ? raw.word : null,
  };
}

/** Active power in W; 0 while not charging, if nothing was measured since. */
export function powerOf(raw: ChargerRaw): number | null {
  if (!raw.online) return null;
  const isStandby = raw.power_w === null || Math.abs(raw.power_w) <= FLOWS_W;
  return isStandby && chargingOf(raw) === false ? 0 : raw.power_w;
}

/** Energy in Wh: the meter's register, which only increases; the session's energy for stations without a register. */
export function energyOf(raw: ChargerRaw): number | null {
  return raw.register_wh ?? raw.session_wh;
}

/** The maximum of `set_current` unless the station reports a lower one: the largest IEC 61851 home charger. */
const LARGEST_A = 32;

/** Cars do not charge below this (IEC 61851); 0, which pauses, is always allowed. */
export const LEAST_A = 6;

/** Ampere per phase. */
export function limitsOf(raw: ChargerRaw): Limits {
  return { min_a: LEAST_A, max_a: mostOf(raw.cable_a, raw.installation_a ?? null), min_w: null, max_w: null };
}

/** What the circuit of a connector can take in addition now. */
export function availableCapacityOf(raw: ChargerRaw): AvailableCapacity {
  const room = raw.online ? (raw.room_a ?? null) : null;
  return { current_a: room === null ? null : Math.floor(room), power_w: null };
}

/** Ampere per phase that a connector takes, at most: without known phases all of its power is on one. Null: not known. */
export function drawnOf(raw: ChargerRaw, phases: number | null): number | null {
  const power = powerOf(raw);
  const most = mostOf(raw.cable_a, raw.installation_a ?? null);
  return power === null ? null : Math.max(0, Math.min(most, power / (NOMINAL_VOLTS * (phases ?? 1))));
}

/** Whether nothing holds the installation's limit; null: it has not been sent yet. */
export function isUnheld({ installation_a = null, held_by = null }: ChargerRaw): boolean | null {
  if (installation_a === null) return false;
  return held_by === null ? null : held_by === 'nobody';
}

/** The maximum of a connector, ampere per phase, given its cable and what it may take of the installation. */
export function mostOf(cableA: number | null, installationA: number | null): number {
  const cable = cableA === null || cableA < LEAST_A ? LARGEST_A : cableA;
  // control: a limit is never followed by more than the configured fuse [ocpp/limits] => Math.min(LARGEST_A, cable)
  return Math.min(LARGEST_A, cable, installationA ?? LARGEST_A);
}
