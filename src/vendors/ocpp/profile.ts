import { AppError } from '../../core/errors.ts';
import { type Connector, limitNow, takeLimit } from './connector.ts';
import type { Dialect, Purpose } from './dialect.ts';
import { layInstallation } from './installation.ts';
import { isUnable } from './rpc.ts';
import { amperesAt, type Limit, unending } from './schedule.ts';
import type { Station } from './station.ts';

const ORDINALS: Readonly<Record<Purpose, number>> = { station: 0, default: 1, transaction: 2 };

/**
 * One id for each connector and purpose: sent again, the profile replaces the one before (1.6 §5.16.4). Some stations take
 * no id above the number of profiles that they hold.
 */
export function profileIdOf(station: Station, connector: Connector, purpose: Purpose): number {
  const id = connector.number * 10 + ORDINALS[purpose];
  const { mostProfiles } = station;
  if (mostProfiles === null || id <= mostProfiles) return id;
  return Math.min((connector.number - 1) * 3 + ORDINALS[purpose] + 1, mostProfiles);
}

/** Runs a call that lays a limit: null when the station took it, else its refusal; no answer at all is thrown. */
export async function refusalOf(call: () => Promise<{ status: string }>): Promise<string | null> {
  try {
    const { status } = await call();
    return status === 'Accepted' ? null : status;
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.refused') return error.message;
    throw error;
  }
}

/**
 * Limits what a connector may take. The running transaction is limited by its own profile and those that
 * follow by the default; where a station takes neither and has one connector, the station as a whole. A pause of a running
 * transaction ends with it, so that the next car charges.
 */
export async function setLimit(station: Station, connector: Connector, wanted: Limit): Promise<void> {
  const refusals: string[] = [];
  const { limit }: Dialect = station.dialect;
  const taken = async (purpose: Purpose): Promise<boolean> => {
    const refusal = await limit(connector, wanted, purpose);
    if (refusal !== null) refusals.push(refusal);
    return refusal === null;
  };
  const keep = async (whole: boolean): Promise<void> => {
    takeLimit(connector, { defaultLimit: wanted }, station.host.clock.now());
    await station.roster.limited(connector.number, wanted, whole);
    await station.memory.store();
  };
  const alone = station.connectors().length === 1;
  // The lowest limit wins, so one that lies on the whole station has to move with every other.
  if (alone && station.roster.known.whole_limited && (await taken('station'))) return keep(true);
  if (connector.transaction !== null && (await taken('transaction'))) {
    takeLimit(connector, { transactionLimit: wanted }, station.host.clock.now());
    await station.roster.transactionLimited(connector, wanted);
    if (wanted.amperes > 0 && (await taken('default'))) await keep(false);
    return station.memory.store();
  }
  if (await taken('default')) return keep(false);
  if (alone && (await taken('station'))) return keep(true);
  if (refusals.every(isUnable)) station.takesNoLimits();
  throw new AppError(
    'vendor.refused',
    `the station accepts no current limit: ${[...new Set(refusals)].join('; ')}`,
  );
}

/**
 * Ends a pause of ours: the last limit before it holds again. Where there was none, ours are taken away and the station
 * limits itself; from one that cannot take them away, the pause is lifted by `mostA`, at which nothing is limited.
 */
export async function liftPause(station: Station, connector: Connector, mostA: number): Promise<void> {
  const now = station.host.clock.now();
  const { lastLimit } = connector;
  if (lastLimit !== null) {
    const flows = amperesAt(lastLimit, now) > 0;
    return setLimit(station, connector, flows ? lastLimit : unending(lastLimit.amperes));
  }
  const cleared = (purpose: Purpose) => hasCleared(station, connector, purpose);
  const pauses = (limit: Limit | null) => limit !== null && amperesAt(limit, now) === 0;
  if (pauses(connector.transactionLimit) && (await cleared('transaction'))) {
    takeLimit(connector, { transactionLimit: null }, now);
    await station.roster.transactionLimited(connector, null);
  }
  const { whole_limited } = station.roster.known;
  if (pauses(connector.defaultLimit) && (await cleared(whole_limited ? 'station' : 'default'))) {
    takeLimit(connector, { defaultLimit: null }, now);
    await station.roster.limited(connector.number, null, false);
    if (whole_limited) await layInstallation(station);
  }
  if (limitNow(connector, now) === 0) return setLimit(station, connector, unending(mostA));
  return station.memory.store();
}

/** Takes a limit of ours away; false when the station cannot. */
export async function hasCleared(station: Station, of: Connector, purpose: Purpose): Promise<boolean> {
  const said = await station.dialect.clear({ of, purpose }).catch(refusedOnly);
  // A profile that is not there has been cleared.
  return said === 'Accepted' || said === 'Unknown';
}

/** The words of a refusal; what else went wrong is thrown on. */
function refusedOnly(error: unknown): string {
  if (error instanceof AppError && error.code === 'vendor.refused') return error.message;
  throw error;
}

/** Lays our limits again on a station that has booted: whether they outlive that differs from station to station. */
export async function renewLimits(station: Station): Promise<void> {
  const { known } = station.roster;
  for (const connector of station.connectors()) {
    const { defaultLimit, transactionLimit, transaction } = connector;
    // One on the whole station is laid with that of the installation, where there is one.
    const isLaid = known.whole_limited && station.installation.max_a !== null;
    if (defaultLimit !== null && !isLaid) {
      await station.dialect.limit(connector, defaultLimit, known.whole_limited ? 'station' : 'default');
    }
    if (transaction !== null && transactionLimit !== null) {
      await station.dialect.limit(connector, transactionLimit, 'transaction');
    }
  }
}
