import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Connector } from './connector.ts';
import { keptOf, type Limit } from './schedule.ts';
import { deviceIdOf, devicesOf, type StoredStation, storeStation } from './stored-station.ts';

/** Keeps the platform's list of a station's devices and the stored station in step. */
export class Roster {
  readonly #identity: string;
  readonly #key: LinkKey;
  readonly #host: StationHost;
  #stored: StoredStation;
  #last: Promise<void> = Promise.resolve();

  constructor(
    identity: string,
    key: LinkKey,
    { host, stored }: { host: StationHost; stored: StoredStation },
  ) {
    this.#identity = identity;
    this.#key = key;
    this.#host = host;
    this.#stored = stored;
  }

  get stored(): StoredStation {
    return this.#stored;
  }

  deviceId(connector: number): string {
    return deviceIdOf(this.#identity, this.#stored, connector);
  }

  /** The connector of a device; readings stored before a second connector appeared belong to the first. */
  connectorOf(deviceId: string): number | undefined {
    const connector = this.#stored.connectors.find((number) => this.deviceId(number) === deviceId);
    return connector ?? (deviceId === this.#identity ? 1 : undefined);
  }

  /** Stores our limit on later transactions (null: none), and whether it applies to the whole station. */
  limited(connector: number, limit: Limit | null, whole: boolean): Promise<void> {
    const { [String(connector)]: _, ...others } = this.#stored.default_limits;
    const default_limits = limit === null ? others : { ...others, [connector]: keptOf(limit) };
    return this.#keep({ default_limits, whole_limited: whole });
  }

  /** Stores our limit on the running transaction of a connector. */
  async transactionLimited({ number, transaction }: Connector, limit: Limit | null): Promise<void> {
    if (transaction === null) return;
    const { [String(number)]: _, ...others } = this.#stored.transaction_limits ?? {};
    if (limit === null) return this.#keep({ transaction_limits: others });
    const kept = { transaction_id: transaction.transactionId, limit: keptOf(limit) };
    await this.#keep({ transaction_limits: { ...others, [number]: kept } });
  }

  /** Stores the limit of the installation that the station accepted, ampere. */
  installed(amperes: number | null): Promise<void> {
    return this.#keep({ installation_a: amperes });
  }

  async #keep(changes: Partial<StoredStation>): Promise<void> {
    this.#stored = { ...this.#stored, ...changes };
    await storeStation(this.#host.documents(this.#key), this.#stored);
  }

  /** Reports changed devices to the platform, then calls `announced`; one announcement after another. */
  announce(changes: () => Partial<StoredStation>, announced: () => void): void {
    this.#last = this.#last.then(async () => {
      const changed = changes();
      const devices = devicesOf(this.#identity, { ...this.#stored, ...changed });
      if (JSON.stringify(devices) === JSON.stringify(devicesOf(this.#identity, this.#stored))) return;
      try {
        await this.#host.discovered(this.#key, devices);
        this.#stored = { ...this.#stored, ...changed };
        await storeStation(this.#host.documents(this.#key), this.#stored);
        announced();
      } catch (error) {
        this.#host.log.error(
          { err: error, identity: this.#identity },
          "a station's devices could not be stored",
        );
      }
    });
  }
}
