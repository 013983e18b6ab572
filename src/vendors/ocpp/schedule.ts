import Type from 'typebox';
import { rfc3339 } from '../../core/clock.ts';
import type { Connector } from './connector.ts';
import { NOMINAL_VOLTS } from './figures.ts';
import type { Station } from './station.ts';

/** Our limit on a connector, ampere per phase; with an end, what the station goes over to by itself and when, ms since 1970. */
export interface Limit {
  readonly amperes: number;
  readonly ends: { readonly at: number; readonly follows: number } | null;
}

export const unending = (amperes: number): Limit => ({ amperes, ends: null });

/** What a limit comes to at a moment: once its time is over, what follows it. */
export const amperesAt = ({ amperes, ends }: Limit, now: number): number =>
  ends !== null && ends.at <= now ? ends.follows : amperes;

/** The same limit with nothing in it above `most`. */
export const cappedAt = ({ amperes, ends }: Limit, most: number): Limit => ({
  amperes: Math.min(amperes, most),
  ends: ends === null ? null : { at: ends.at, follows: Math.min(ends.follows, most) },
});

/** As it is kept: a bare number has no end. */
export const KeptLimit = Type.Union([
  Type.Number(),
  Type.Object({ amperes: Type.Number(), at: Type.Number(), follows: Type.Number() }),
]);
export type KeptLimit = Type.Static<typeof KeptLimit>;

export const keptOf = ({ amperes, ends }: Limit): KeptLimit =>
  ends === null ? amperes : { amperes, at: ends.at, follows: ends.follows };

export const limitOf = (kept: KeptLimit): Limit =>
  typeof kept === 'number'
    ? unending(kept)
    : { amperes: kept.amperes, ends: { at: kept.at, follows: kept.follows } };

/** So that a station whose clock lags a little obeys at once. */
const BACK_MS = 60_000;

/**
 * The charging schedule of a limit: one period, or two where it ends, so that the station goes over to the second on its own, with or
 * without us. Ampere are per phase, watt are for all phases together: with the phases that the owner named, else those in use, else those
 * of the supply, else three, which is also what a station assumes that is told no number.
 */
export function scheduleOf(station: Station, connector: Connector, limit: Limit) {
  const named = station.installation.phases;
  // In ampere, the phases of this car are no business of the next one.
  const used = station.rateUnit === 'W' ? connector.phases : null;
  const phases = named ?? used ?? station.supplyPhases ?? 3;
  const numberPhases = phases === 3 ? {} : { numberPhases: phases };
  const inUnit = (amperes: number) => (station.rateUnit === 'A' ? amperes : amperes * NOMINAL_VOLTS * phases);
  const now = station.host.clock.now();
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
  return {
    startSchedule: rfc3339(start),
    chargingRateUnit: station.rateUnit,
    chargingSchedulePeriod: periods,
  };
}
