import type { ByQuarter, Tally } from './tally.ts';

/** A transaction of a station, as its events have it. */
export interface TransactionRecord {
  readonly transaction_id: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly meter_start_wh: number | null;
  readonly meter_stop_wh: number | null;
  /** Values that the station did not report; absent in events of older versions. */
  readonly estimated?: readonly string[];
}

/** A charge of a device from its beginning to its end, as it is stored. Times are ms since 1970 UTC. */
export interface Session {
  readonly id: string;
  readonly link: string | null;
  readonly userRef: string;
  /** Of the station's transaction; null where the session follows from states. */
  readonly transaction: string | null;
  /** Null where only the end of a transaction is known. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** It ended because nothing more was seen of it. */
  readonly isLost: boolean;
  /** Since when it does not charge, where the device does not tell whether it is plugged in. */
  readonly idleSince: number | null;
  /** Wh by the station's meter, from the start to the end of the transaction. */
  readonly transactionWh: number | null;
  /** The station has reported both. */
  readonly isReported: boolean;
  readonly tally: Tally;
}

type EnergySource = 'transaction' | 'meter' | 'power';

/** What a session has taken, and how that is known. */
export interface Figures {
  /** Whole Wh; null where nothing tells it. */
  readonly energyWh: number | null;
  readonly energyBy: EnergySource | null;
  /** energyWh is all that the session has taken, as far as it has run. */
  readonly isComplete: boolean;
  readonly maxPowerW: number | null;
  /** energyWh by quarter; null where it is not known in which quarters some of it was taken. */
  readonly quarters: ByQuarter | null;
}

/** Meters may be read hours later: until then, power over time tells more than a meter that has not moved. */
const NOT_MOVED_WH = 50;
/** By so much the sum of quarters may differ by rounding. */
const ROUNDING_WH = 1;

export function figuresOf(session: Session): Figures {
  const { tally, isLost } = session;
  const { maxPowerW } = tally;
  if (session.transactionWh !== null) {
    const energyWh = session.transactionWh;
    return {
      ...{
        energyWh: Math.round(energyWh),
        energyBy: session.isReported ? 'transaction' : 'meter',
        maxPowerW,
      },
      ...{ isComplete: session.isReported, quarters: quartersOfTotal(tally, energyWh) },
    };
  }
  const { metered, integrated } = tally;
  if (metered !== null && (metered > 0 || (integrated ?? 0) < NOT_MOVED_WH))
    return {
      ...{ energyWh: Math.round(metered), energyBy: 'meter', maxPowerW },
      isComplete: tally.isMeterWhole && !isLost,
      quarters: tally.unplaced > ROUNDING_WH ? null : tally.quarters,
    };
  if (integrated !== null)
    return {
      ...{ energyWh: Math.round(integrated), energyBy: 'power', maxPowerW },
      ...{ isComplete: tally.isPowerWhole && !tally.isSilent && !isLost, quarters: tally.powerQuarters },
    };
  return { energyWh: null, energyBy: null, isComplete: false, maxPowerW, quarters: null };
}

/** The quarters of a transaction: those of the meter where they are all of it, else as the power was. */
function quartersOfTotal(tally: Tally, energyWh: number): ByQuarter | null {
  const placed = (tally.metered ?? 0) - tally.unplaced;
  if (Math.abs(energyWh - placed) <= ROUNDING_WH) return tally.quarters;
  const { integrated, isPowerWhole, isSilent, powerQuarters } = tally;
  if (integrated === null || integrated === 0 || !isPowerWhole || isSilent) return null;
  const share = energyWh / integrated;
  return Object.fromEntries(Object.entries(powerQuarters).map(([quarter, wh]) => [quarter, wh * share]));
}
