import { AppError } from '../../core/errors.ts';
import { type Connector, limitNow, takeLimit } from './connector.ts';
import type { Dialect, Purpose } from './dialect.ts';
import { layInstallation } from './installation.ts';
import { isUnable } from './rpc.ts';
import { amperesAt, type Limit, unending } from './schedule.ts';
import type { Station } from './station.ts';

const ORDINALS: Readonly<Record<Purpose, number>> = { station: 0, default: 1, transaction: 2 };

/**
 * One id for each connector and purpose: a profile with the same id replaces the one before (1.6 §5.16.4). Some stations
 * accept no id above the number of profiles that they hold.
 */
export function profileIdOf(station: Station, connector: Connector, purpose: Purpose): number {
  const id = connector.number * 10 + ORDINALS[purpose];
  const { mostProfiles } = station;
  if (mostProfiles === null || id <= mostProfiles) return id;
  return Math.min((connector.number - 1) * 3 + ORDINALS[purpose] + 1, mostProfiles);
}

/** Runs a call that sets a limit: null when the station accepted it, else its refusal; throws when it did not respond. */
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
 * Limits a connector. The running transaction is limited by its own profile, later ones by the default profile; if a station
 * with one connector accepts neither, the whole station is limited. A pause of a running transaction ends with it, so that
 * the next car charges.
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
  const isOnlyConnector = station.connectors().length === 1;
  // The lowest limit wins, so a limit on the whole station has to change with every other.
  if (isOnlyConnector && station.roster.stored.whole_limited && (await taken('station'))) return keep(true);
  if (connector.transaction !== null && (await taken('transaction'))) {
    takeLimit(connector, { transactionLimit: wanted }, station.host.clock.now());
    await station.roster.transactionLimited(connector, wanted);
    if (wanted.amperes > 0 && (await taken('default'))) await keep(false);
    return station.memory.store();
  }
  if (await taken('default')) return keep(false);
  if (isOnlyConnector && (await taken('station'))) return keep(true);
  if (refusals.every(isUnable)) station.takesNoLimits();
  throw new AppError(
    'vendor.refused',
    `the station accepts no current limit: ${[...new Set(refusals)].join('; ')}`,
  );
}

/**
 * Ends a pause by restoring the last limit before it. Without one our limits are cleared and the station limits itself; if it
 * cannot clear them, the pause is replaced by `mostA`, which limits nothing.
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
  const { whole_limited } = station.roster.stored;
  if (pauses(connector.defaultLimit) && (await cleared(whole_limited ? 'station' : 'default'))) {
    takeLimit(connector, { defaultLimit: null }, now);
    await station.roster.limited(connector.number, null, false);
    if (whole_limited) await layInstallation(station);
  }
  if (limitNow(connector, now) === 0) return setLimit(station, connector, unending(mostA));
  return station.memory.store();
}

/** Clears a limit of ours; false when the station cannot. */
export async function hasCleared(station: Station, of: Connector, purpose: Purpose): Promise<boolean> {
  const response = await station.dialect.clear({ of, purpose }).catch(refusedOnly);
  // `Unknown` means that there was no such profile.
  return response === 'Accepted' || response === 'Unknown';
}

/** The text of a refusal; rethrows every other error. */
function refusedOnly(error: unknown): string {
  if (error instanceof AppError && error.code === 'vendor.refused') return error.message;
  throw error;
}

/** Sends our limits again after a boot, since not every station keeps them. */
export async function renewLimits(station: Station): Promise<void> {
  const { stored } = station.roster;
  for (const connector of station.connectors()) {
    const { defaultLimit, transactionLimit, transaction } = connector;
    // A limit on the whole station is sent together with that of the installation, where there is one.
    const isLaid = stored.whole_limited && station.installation.max_a !== null;
    if (defaultLimit !== null && !isLaid) {
      await station.dialect.limit(connector, defaultLimit, stored.whole_limited ? 'station' : 'default');
    }
    if (transaction !== null && transactionLimit !== null) {
      await station.dialect.limit(connector, transactionLimit, 'transaction');
    }
  }
}
