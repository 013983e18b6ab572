import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { isUnable } from '../wire/rpc.ts';
import { type Connector, limitNow, takeLimit } from './connector.ts';
import type { Dialect, Purpose } from './dialect.ts';
import type { Fuse } from './fuse.ts';
import type { Memory } from './memory.ts';
import type { Roster } from './roster.ts';
import { amperesAt, type Limit, type ScheduleKind, unending } from './schedule.ts';

const ORDINALS: Readonly<Record<Purpose, number>> = { station: 0, default: 1, transaction: 2 };

/**
 * One id for each connector and purpose: a profile with the same id replaces the one before (1.6 §5.16.4). Some stations
 * accept no id above the number of profiles that they hold.
 */
export function profileIdOf(connector: number, purpose: Purpose, mostProfiles: number | null): number {
  const id = connector * 10 + ORDINALS[purpose];
  if (mostProfiles === null || id <= mostProfiles) return id;
  return Math.min((connector - 1) * 3 + ORDINALS[purpose] + 1, mostProfiles);
}

/** Runs a call that sets a limit: null when the station accepted it, else its refusal; throws when it did not respond. */
async function refusalOf(call: () => Promise<{ status: string }>): Promise<string | null> {
  try {
    const { status } = await call();
    return status === 'Accepted' ? null : status;
  } catch (error) {
    return refusedOnly(error);
  }
}

/** The text of a refusal; rethrows every other error. */
function refusedOnly(error: unknown): string {
  if (error instanceof AppError && error.code === 'vendor.refused') return error.message;
  throw error;
}

type Send = (kind: ScheduleKind) => Promise<{ readonly status: string }>;

/** Whether a response, or its absence, may mean that the station does not take a profile of this form. */
const isAboutForm = (outcome: string | AppError | null): boolean =>
  outcome instanceof AppError || (outcome !== null && /with Form(ation|at)Violation\b/.test(outcome));

/**
 * The form of charging profiles that a station takes. Some do not respond to an absolute schedule, or call it malformed; they are sent a
 * relative one.
 */
export class ProfileForm {
  /** It did not take an absolute schedule, and took a relative one. */
  isRelative = false;

  /** Sends a limit by `send`; null when the station accepted it, else its refusal; throws when it did not respond. */
  async limit(limit: Limit, purpose: Purpose, send: Send): Promise<string | null> {
    // A relative end would come at another time, and a whole station has no transaction to start with.
    const mayBeRelative = limit.ends === null && purpose !== 'station';
    if (this.isRelative && mayBeRelative) return refusalOf(() => send('Relative'));
    const outcome = await refusalOf(() => send('Absolute')).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'vendor.timeout') return error;
      throw error;
    });
    if (mayBeRelative && isAboutForm(outcome)) {
      const refusal = await refusalOf(() => send('Relative'));
      this.isRelative = refusal === null;
      return refusal;
    }
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }
}

interface LimitsParts {
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly roster: Roster;
  readonly memory: Memory;
  readonly fuse: Fuse;
  readonly connectors: () => readonly Connector[];
  /** Called when the station implements no charging profiles. */
  readonly onUnsupported: () => void;
}

/** Our limits on a station: on a running transaction, and on later ones of a connector. */
export class Limits {
  readonly #parts: LimitsParts;

  constructor(parts: LimitsParts) {
    this.#parts = parts;
  }

  /**
   * Limits a connector. The running transaction is limited by its own profile, later ones by the default profile; if a station
   * with one connector accepts neither, the whole station is limited. A pause of a running transaction ends with it, so that
   * the next car charges.
   */
  async set(connector: Connector, wanted: Limit): Promise<void> {
    const { dialect, roster, memory, fuse, connectors, onUnsupported } = this.#parts;
    const limit = fuse.capped(connector, wanted);
    const refusals: string[] = [];
    const accepted = async (purpose: Purpose): Promise<boolean> => {
      const refusal = await dialect.limit(connector, limit, purpose);
      if (refusal !== null) refusals.push(refusal);
      return refusal === null;
    };
    const storeDefault = async (whole: boolean): Promise<void> => {
      takeLimit(connector, { defaultLimit: limit }, this.#now());
      await roster.limited(connector.number, limit, whole);
      await memory.store();
    };
    const isOnlyConnector = connectors().length === 1;
    // The lowest limit wins, so a limit on the whole station has to change with every other.
    if (isOnlyConnector && roster.stored.whole_limited && (await accepted('station')))
      return storeDefault(true);
    if (connector.transaction !== null && (await accepted('transaction'))) {
      takeLimit(connector, { transactionLimit: limit }, this.#now());
      await roster.transactionLimited(connector, limit);
      if (limit.amperes > 0 && (await accepted('default'))) await storeDefault(false);
      return memory.store();
    }
    if (await accepted('default')) return storeDefault(false);
    if (isOnlyConnector && (await accepted('station'))) return storeDefault(true);
    if (refusals.every(isUnable)) onUnsupported();
    throw new AppError(
      'vendor.refused',
      `the station accepts no current limit: ${[...new Set(refusals)].join('; ')}`,
    );
  }

  /**
   * Ends a pause by restoring the last limit before it. Without one our limits are cleared and the station limits itself; if it
   * cannot clear them, the pause is replaced by `mostA`, which limits nothing.
   */
  async liftPause(connector: Connector, mostA: number): Promise<void> {
    const { roster, memory, fuse } = this.#parts;
    const now = this.#now();
    const { lastLimit } = connector;
    if (lastLimit !== null) {
      const flows = amperesAt(lastLimit, now) > 0;
      return this.set(connector, flows ? lastLimit : unending(lastLimit.amperes));
    }
    // The connector's share of the fuse takes the place of a limit that would be cleared.
    if (fuse.heldBy === 'connectors') return this.set(connector, unending(mostA));
    const pauses = (limit: Limit | null) => limit !== null && amperesAt(limit, now) === 0;
    if (pauses(connector.transactionLimit) && (await this.hasCleared(connector, 'transaction'))) {
      takeLimit(connector, { transactionLimit: null }, now);
      await roster.transactionLimited(connector, null);
    }
    const { whole_limited } = roster.stored;
    if (
      pauses(connector.defaultLimit) &&
      (await this.hasCleared(connector, whole_limited ? 'station' : 'default'))
    ) {
      takeLimit(connector, { defaultLimit: null }, now);
      await roster.limited(connector.number, null, false);
      if (whole_limited) await fuse.send();
    }
    if (limitNow(connector, now) === 0) return this.set(connector, unending(mostA));
    return memory.store();
  }

  /** Clears a limit of ours; false when the station cannot. */
  async hasCleared(of: Connector, purpose: Purpose): Promise<boolean> {
    const response = await this.#parts.dialect.clear({ of, purpose }).catch(refusedOnly);
    // `Unknown` means that there was no such profile.
    return response === 'Accepted' || response === 'Unknown';
  }

  /** Removes our limits from a connector, also from storage; the limit of the installation stays. Returns the station's status. */
  async clear(connector: Connector): Promise<string> {
    const { dialect, roster, memory, fuse } = this.#parts;
    const { whole_limited } = roster.stored;
    let status = await dialect.clear({ on: connector });
    if (whole_limited) status = await dialect.clear({ of: connector, purpose: 'station' });
    takeLimit(connector, { transactionLimit: null, defaultLimit: null }, this.#now());
    // A later start would restore this limit of ours.
    connector.lastLimit = null;
    await roster.limited(connector.number, null, false);
    await roster.transactionLimited(connector, null);
    await memory.store();
    if (whole_limited || fuse.heldBy === 'connectors') await fuse.send();
    return status;
  }

  /** Sends the installation's limit, and after a boot our other limits again, since not every station keeps them. */
  async send({ booted }: { readonly booted: boolean }): Promise<void> {
    // control: the fuse limit is sent to a station after each boot [ocpp/limits]
    await this.#parts.fuse.send();
    if (booted) await this.#renew();
  }

  async #renew(): Promise<void> {
    const { dialect, roster, fuse, connectors } = this.#parts;
    // They were sent within the shares of the connectors.
    if (fuse.heldBy === 'connectors') return;
    const { whole_limited } = roster.stored;
    // A limit on the whole station is sent together with that of the installation, where there is one.
    const isSent = whole_limited && fuse.heldBy !== null;
    for (const connector of connectors()) {
      const { defaultLimit, transactionLimit, transaction } = connector;
      if (defaultLimit !== null && !isSent)
        await dialect.limit(connector, defaultLimit, whole_limited ? 'station' : 'default');
      if (transaction !== null && transactionLimit !== null)
        await dialect.limit(connector, transactionLimit, 'transaction');
    }
  }

  #now(): number {
    return this.#parts.clock.now();
  }
}
