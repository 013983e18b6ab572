import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { deviceIdOf, devicesOf, type Known, keepKnown } from './known.ts';

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

  /** The connector of a device that the platform knows. */
  connectorOf(deviceId: string): number | undefined {
    return this.#known.connectors.find((connector) => this.deviceId(connector) === deviceId);
  }

  /** Remembers our limit on the transactions to come, ampere, and whether it lies on the station as a whole. */
  async limited(connector: number, amperes: number, whole: boolean): Promise<void> {
    const default_limits = { ...this.#known.default_limits, [connector]: amperes };
    this.#known = { ...this.#known, default_limits, whole_limited: whole };
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
