import Type from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { NOMINAL_VOLTS } from '../translate.ts';

/** Our limit on a connector, ampere per phase. `ends`: when (ms since 1970) the station switches to which limit by itself. */
export interface Limit {
  readonly amperes: number;
  readonly ends: { readonly at: number; readonly follows: number } | null;
}

export const unending = (amperes: number): Limit => ({ amperes, ends: null });

/** The limit in force at a moment: `follows` once the time is over. */
export const amperesAt = ({ amperes, ends }: Limit, now: number): number =>
  ends !== null && ends.at <= now ? ends.follows : amperes;

/** The same limit with no value above `most`. */
export const cappedAt = ({ amperes, ends }: Limit, most: number): Limit => ({
  amperes: Math.min(amperes, most),
  ends: ends === null ? null : { at: ends.at, follows: Math.min(ends.follows, most) },
});

/** The stored form of a limit: a bare number has no end. */
export const StoredLimit = Type.Union([
  Type.Number(),
  Type.Object({ amperes: Type.Number(), at: Type.Number(), follows: Type.Number() }),
]);
export type StoredLimit = Type.Static<typeof StoredLimit>;

export const keptOf = ({ amperes, ends }: Limit): StoredLimit =>
  ends === null ? amperes : { amperes, at: ends.at, follows: ends.follows };

export const limitOf = (kept: StoredLimit): Limit =>
  typeof kept === 'number'
    ? unending(kept)
    : { amperes: kept.amperes, ends: { at: kept.at, follows: kept.follows } };

/** Schedules start in the past, so that a station whose clock lags applies them at once. */
const BACK_MS = 60_000;

/** Absolute schedules start at a time, relative ones with the transaction, or now. */
export type ScheduleKind = 'Absolute' | 'Relative';

/** The form in which a station takes a schedule; `phases` are those that a limit in watts is for. */
interface ScheduleForm {
  readonly kind: ScheduleKind;
  readonly rateUnit: 'A' | 'W';
  readonly phases: number;
  readonly now: number;
}

/**
 * The charging schedule of a limit: one period, or two where it ends, so that the station switches by itself, connected or not.
 * Amperes are per phase, watts for all phases together; without a number of phases the protocol means three.
 */
export function scheduleOf(limit: Limit, { kind, rateUnit, phases, now }: ScheduleForm) {
  const numberPhases = phases === 3 ? {} : { numberPhases: phases };
  const inUnit = (amperes: number) => (rateUnit === 'A' ? amperes : amperes * NOMINAL_VOLTS * phases);
  const start = now - BACK_MS;
  const { ends } = limit;
  const periods = [{ startPeriod: 0, limit: inUnit(amperesAt(limit, now)), ...numberPhases }];
  if (ends !== null && ends.at > now) {
    periods.push({
      startPeriod: Math.round((ends.at - start) / 1000),
      limit: inUnit(ends.follows),
      ...numberPhases,
    });
  }
  const startSchedule = kind === 'Absolute' ? { startSchedule: rfc3339(start) } : {};
  return { ...startSchedule, chargingRateUnit: rateUnit, chargingSchedulePeriod: periods };
}
