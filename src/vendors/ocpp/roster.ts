import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Connector } from './connector.ts';
import { deviceIdOf, devicesOf, type Known, keepKnown } from './known.ts';
import { keptOf, type Limit } from './schedule.ts';

/** What the platform has been told of a station and what is kept of it, in step. */
export class Roster {
  readonly #identity: string;
  readonly #key: LinkKey;
  readonly #host: StationHost;
  #known: Known;
  #last: Promise<void> = Promise.resolve();

  constructor(identity: string, key: LinkKey, { host, known }: { host: StationHost; known: Known }) {
    this.#identity = identity;
    this.#key = key;
    this.#host = host;
    this.#known = known;
  }

  get known(): Known {
    return this.#known;
  }

  deviceId(connector: number): string {
    return deviceIdOf(this.#identity, this.#known, connector);
  }

  /** The connector of a device that the platform knows; what was stored before a second one showed up is of the first. */
  connectorOf(deviceId: string): number | undefined {
    const connector = this.#known.connectors.find((number) => this.deviceId(number) === deviceId);
    return connector ?? (deviceId === this.#identity ? 1 : undefined);
  }

  /** Remembers our limit on the transactions to come, or that there is none, and whether it lies on the station as a whole. */
  limited(connector: number, limit: Limit | null, whole: boolean): Promise<void> {
    const { [String(connector)]: _, ...others } = this.#known.default_limits;
    const default_limits = limit === null ? others : { ...others, [connector]: keptOf(limit) };
    return this.#keep({ default_limits, whole_limited: whole });
  }

  /** Remembers our limit on the running transaction of a connector. */
  async transactionLimited({ number, transaction }: Connector, limit: Limit | null): Promise<void> {
    if (transaction === null) return;
    const { [String(number)]: _, ...others } = this.#known.transaction_limits ?? {};
    if (limit === null) return this.#keep({ transaction_limits: others });
    const kept = { transaction_id: transaction.transactionId, limit: keptOf(limit) };
    await this.#keep({ transaction_limits: { ...others, [number]: kept } });
  }

  /** Remembers what limit of the installation the station has taken, ampere. */
  installed(amperes: number | null): Promise<void> {
    return this.#keep({ installation_a: amperes });
  }

  async #keep(news: Partial<Known>): Promise<void> {
    this.#known = { ...this.#known, ...news };
    await keepKnown(this.#host.documents(this.#key), this.#known);
  }

  /** Tells the platform which devices there are when that is news, then calls `told`; one announcement after another. */
  announce(news: () => Partial<Known>, told: () => void): void {
    this.#last = this.#last.then(async () => {
      const fresh = news();
      const devices = devicesOf(this.#identity, { ...this.#known, ...fresh });
      if (JSON.stringify(devices) === JSON.stringify(devicesOf(this.#identity, this.#known))) return;
      try {
        await this.#host.discovered(this.#key, devices);
        this.#known = { ...this.#known, ...fresh };
        await keepKnown(this.#host.documents(this.#key), this.#known);
        told();
      } catch (error) {
        this.#host.log.error(
          { err: error, identity: this.#identity },
          "a station's devices could not be stored",
        );
      }
    });
  }
}
