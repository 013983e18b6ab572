import Type from 'typebox';
import type { Limits, Status } from '../../adapter/device.ts';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Everything that is known of one connector, as `read` returns it and `observed` stores it. */
export const ChargerRaw = Type.Object({
  online: Type.Boolean(),
  /** 1.6 ChargePointStatus; 2.0.1 ChargingState while a transaction runs, else ConnectorStatus. */
  word: nullable(Type.String()),
  in_transaction: Type.Boolean(),
  power_w: nullable(Type.Number()),
  register_wh: nullable(Type.Number()),
  session_wh: nullable(Type.Number()),
  /** What the cable carries, ampere (2.0.1 cableMaxCurrent). */
  cable_a: nullable(Type.Number()),
  /** What the owner said that the installation carries, ampere; left out by what was stored before it could be said. */
  installation_a: Type.Optional(nullable(Type.Number())),
  /** Our limit that holds now, ampere; null: none. */
  limit_a: nullable(Type.Number()),
  /** When a message last told of this connector, ms since 1970. */
  at: nullable(Type.Number()),
});
export type ChargerRaw = Type.Static<typeof ChargerRaw>;

interface Meaning {
  /** Null: the word does not tell. */
  readonly connected: boolean | null;
  readonly charging: boolean;
}

const CONNECTED: Meaning = { connected: true, charging: false };
const EMPTY: Meaning = { connected: false, charging: false };
const UNTOLD: Meaning = { connected: null, charging: false };

/** 1.6 §7.7 ChargePointStatus, 2.0.1 ConnectorStatusEnumType and ChargingStateEnumType: one table, no word is in two senses. */
export const WORDS: ReadonlyMap<string, Meaning> = new Map([
  ['Available', EMPTY],
  ['Preparing', CONNECTED],
  ['Charging', { connected: true, charging: true }],
  ['SuspendedEV', CONNECTED],
  ['SuspendedEVSE', CONNECTED],
  ['Finishing', CONNECTED],
  ['Reserved', EMPTY],
  ['Unavailable', UNTOLD],
  ['Faulted', UNTOLD],
  ['Occupied', CONNECTED],
  ['EVConnected', CONNECTED],
  ['Idle', EMPTY],
]);

function meaningOf(raw: ChargerRaw): Meaning | null {
  return raw.online && raw.word !== null ? (WORDS.get(raw.word) ?? null) : null;
}

/** Watt: more than what the electronics of a station and a waiting car take. */
export const FLOWS_W = 100;

/**
 * What is measured beats what is said: stations go on saying that they charge while they obey our pause, and 2.0.1 tells
 * changes of the charging state only.
 */
function chargingOf(raw: ChargerRaw): boolean | null {
  if (!raw.online) return null;
  const { power_w, in_transaction } = raw;
  if (power_w !== null && power_w > FLOWS_W) return true;
  const isStill = power_w !== null && (raw.limit_a === 0 || !in_transaction);
  if (isStill) return false;
  // `Occupied` is all that a 2.0.1 plug says in a transaction, whether or not power flows.
  const said = raw.word === 'Occupied' && in_transaction ? null : (meaningOf(raw)?.charging ?? null);
  return said ?? (power_w === null ? null : false);
}

/** An unreachable station says nothing: what it last told of the car may be long untrue. */
export function statusOf(raw: ChargerRaw): Status {
  const meaning = meaningOf(raw);
  return {
    online: raw.online,
    connected: meaning?.connected ?? (raw.online && raw.in_transaction ? true : null),
    charging: chargingOf(raw),
    operation_state: raw.online ? raw.word : null,
  };
}

/** Watt. A sample from before the last change of state has been dropped; what does not charge without a sample takes nothing. */
export function powerOf(raw: ChargerRaw): number | null {
  if (!raw.online) return null;
  const isStandby = raw.power_w === null || Math.abs(raw.power_w) <= FLOWS_W;
  return isStandby && chargingOf(raw) === false ? 0 : raw.power_w;
}

/** Watt-hours: the meter's register, which only grows; the session's energy from stations that have no register. */
export function energyOf(raw: ChargerRaw): number | null {
  return raw.register_wh ?? raw.session_wh;
}

/** What `set_current` takes when the station tells no lower maximum: the largest of IEC 61851 wallboxes in homes. */
export const LARGEST_A = 32;

/** Cars take nothing below this (IEC 61851); 0, which pauses, is taken whatever the least is. */
export const LEAST_A = 6;

/** Ampere per phase. */
export function limitsOf(raw: ChargerRaw): Limits {
  return { min_a: LEAST_A, max_a: mostOf(raw.cable_a, raw.installation_a ?? null), min_w: null, max_w: null };
}

/** The most that a connector takes, ampere per phase: by its cable and by the installation. */
export function mostOf(cableA: number | null, installationA: number | null): number {
  const cable = cableA === null || cableA < LEAST_A ? LARGEST_A : cableA;
  return Math.min(LARGEST_A, cable, installationA ?? LARGEST_A);
}
