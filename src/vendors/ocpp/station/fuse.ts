import type { StationHost } from '../../../adapter/dial-in.ts';
import type { HeldBy } from '../../../adapter/station.ts';
import { AppError } from '../../../core/errors.ts';
import { LEAST_A } from '../translate.ts';
import type { Connector } from './connector.ts';
import type { Dialect } from './dialect.ts';
import type { Roster } from './roster.ts';
import { cappedAt, type Limit, unending } from './schedule.ts';

/**
 * The share of one connector in what a station may take, ampere per phase. It is the same whether or not the others charge: a station
 * that has lost its connection lets every car charge. Where it is too little for all, the first ones share it and the others get 0.
 */
export function shareOf(mostA: number, { place, count }: { readonly place: number; readonly count: number }) {
  const sharing = Math.max(1, Math.min(count, Math.floor(mostA / LEAST_A)));
  return place < sharing ? Math.floor(mostA / sharing) : 0;
}

interface FuseParts {
  readonly identity: string;
  readonly host: StationHost;
  readonly dialect: Dialect;
  readonly roster: Roster;
  /** The maximum of the whole station, ampere per phase; null: its owner entered none. */
  readonly installationA: number | null;
  readonly connectors: () => readonly Connector[];
  /** Called when it is held by another than before. */
  readonly onChange: () => void;
}

/** Holds the maximum that the owner of a station entered: by a limit of the whole station, else by one of each connector. */
export class Fuse {
  readonly #parts: FuseParts;
  /** The station's refusal of the limit of the whole station; null: it accepted it, or there is none. */
  refusal: string | null = null;

  constructor(parts: FuseParts) {
    this.#parts = parts;
  }

  /** What holds it; null: no maximum was entered, or it was never sent. */
  get heldBy(): HeldBy | null {
    const { installationA, roster } = this.#parts;
    return installationA === null ? null : (roster.stored.installation_held_by ?? null);
  }

  /** The maximum of a connector, ampere per phase; null: none was entered. */
  mostOf(connector: Connector): number | null {
    const { installationA } = this.#parts;
    return this.heldBy === 'connectors' ? this.#shareOf(connector) : installationA;
  }

  /** The same limit with no value above the share of its connector. */
  capped(connector: Connector, limit: Limit): Limit {
    return this.heldBy === 'connectors' ? cappedAt(limit, this.#shareOf(connector)) : limit;
  }

  /**
   * Sends the maximum as the limit of the whole station, or removes ours. If the whole station also carries the limit of its only
   * connector, the lower one is sent: there is only one such profile.
   */
  async send(): Promise<void> {
    const { dialect, roster, installationA, connectors, host, identity } = this.#parts;
    const [first] = connectors();
    if (first === undefined) return;
    const { whole_limited, installation_held_by: before = null } = roster.stored;
    const own = whole_limited ? first.defaultLimit : null;
    if (installationA === null) {
      if (before === 'station') {
        if (own === null) await dialect.clear({ of: first, purpose: 'station' });
        else await dialect.limit(first, own, 'station');
      }
      if (before === 'connectors') await this.#giveBack();
      return this.#keep(null);
    }
    const limit = own === null ? unending(installationA) : cappedAt(own, installationA);
    this.refusal = await refusalOrSilence(dialect.limit(first, limit, 'station'));
    if (this.refusal === null) {
      if (before === 'connectors') await this.#giveBack();
      return this.#keep('station');
    }
    host.log.warn({ identity, refusal: this.refusal }, 'a station refused the limit of its installation');
    // control: a fuse that a station does not hold as a whole is shared by its connectors [ocpp/fuse]
    await this.#share();
  }

  /** Call when the station has another connector: all shares become smaller. */
  async hasGrown(): Promise<void> {
    if (this.heldBy === 'connectors') await this.#share();
  }

  /** Limits each connector to its share, also a transaction that runs: not every station applies a default to it. */
  async #share(): Promise<void> {
    const { dialect, connectors } = this.#parts;
    let isHeld = true;
    for (const connector of connectors()) {
      const share = this.#shareOf(connector);
      const { defaultLimit, transactionLimit, transaction } = connector;
      const later = cappedAt(defaultLimit ?? unending(share), share);
      if ((await refusalOrSilence(dialect.limit(connector, later, 'default'))) !== null) isHeld = false;
      if (transaction === null) continue;
      const now = transactionLimit === null ? later : cappedAt(transactionLimit, share);
      await refusalOrSilence(dialect.limit(connector, now, 'transaction'));
    }
    await this.#keep(isHeld ? 'connectors' : 'nobody');
  }

  /** Ends the shares: of the limits of connectors only ours remain. */
  async #giveBack(): Promise<void> {
    const { dialect, connectors } = this.#parts;
    for (const of of connectors()) {
      const { defaultLimit, transactionLimit, transaction } = of;
      if (defaultLimit === null) await dialect.clear({ of, purpose: 'default' });
      else await dialect.limit(of, defaultLimit, 'default');
      if (transaction === null) continue;
      if (transactionLimit === null) await dialect.clear({ of, purpose: 'transaction' });
      else await dialect.limit(of, transactionLimit, 'transaction');
    }
  }

  #shareOf({ number }: Connector): number {
    const { installationA, connectors } = this.#parts;
    const numbers = connectors()
      .map((connector) => connector.number)
      .sort((a, b) => a - b);
    return shareOf(installationA ?? Number.POSITIVE_INFINITY, {
      place: numbers.indexOf(number),
      count: numbers.length,
    });
  }

  async #keep(heldBy: HeldBy | null): Promise<void> {
    const { roster, onChange } = this.#parts;
    if ((roster.stored.installation_held_by ?? null) === heldBy) return;
    await roster.held(heldBy);
    onChange();
  }
}

/** A station that does not respond to a limit does not hold it either; throws when the connection is lost. */
async function refusalOrSilence(limit: Promise<string | null>): Promise<string | null> {
  try {
    return await limit;
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.timeout') return error.message;
    throw error;
  }
}
