import { AppError } from '../../core/errors.ts';
import type { Connector } from './connector.ts';
import type { Dialect, Purpose } from './dialect.ts';
import type { Limit } from './schedule.ts';
import type { Station } from './station.ts';

const ORDINALS: Readonly<Record<Purpose, number>> = { station: 0, default: 1, transaction: 2 };

/** One id for each connector and purpose: sent again, the profile replaces the one before (1.6 §5.16.4). */
export const profileIdOf = (connector: Connector, purpose: Purpose): number =>
  connector.number * 10 + ORDINALS[purpose];

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
  const keep = (whole: boolean): Promise<void> => {
    connector.defaultLimit = wanted;
    return station.roster.limited(connector.number, wanted, whole);
  };
  const alone = station.connectors().length === 1;
  // The lowest limit wins, so one that lies on the whole station has to move with every other.
  if (alone && station.roster.known.whole_limited && (await taken('station'))) return keep(true);
  if (connector.transaction !== null && (await taken('transaction'))) {
    connector.transactionLimit = wanted;
    await station.roster.transactionLimited(connector, wanted);
    if (wanted.amperes > 0 && (await taken('default'))) await keep(false);
    return;
  }
  if (await taken('default')) return keep(false);
  if (alone && (await taken('station'))) return keep(true);
  throw new AppError(
    'vendor.refused',
    `the station takes no current limit: ${[...new Set(refusals)].join('; ')}`,
  );
}
