import { layInstallation } from './installation.ts';
import { renewLimits } from './profile.ts';
import type { Station } from './station.ts';

/** Decides when a station is asked for its configuration: after a boot, or when it had time to boot and did not. */
export class Learning {
  /** When BootNotification last came on this connection, ms since 1970. */
  bootedAt: number | null = null;
  readonly #station: Station;
  #cancel: () => void = () => undefined;
  #running = false;
  #again = false;
  #stopped = false;
  #limitsLost = false;

  constructor(station: Station) {
    this.#station = station;
  }

  /** Whether BootNotification came on this connection. */
  get booted(): boolean {
    return this.bootedAt !== null;
  }

  begin(): void {
    this.#cancel = this.#station.host.clock.after(this.#station.options.bootMs, () => void this.#learn());
  }

  hasBooted(): void {
    this.bootedAt = this.#station.host.clock.now();
    this.#limitsLost = true;
    this.#cancel();
    // A station accepts no call before the response to its BootNotification, so that is sent first.
    setImmediate(() => void this.#learn());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #learn(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#station.dialect.learn();
        await layInstallation(this.#station);
        if (this.#limitsLost) await renewLimits(this.#station);
        this.#limitsLost = false;
      } catch (error) {
        // A station that does not respond is served all the same: what it reports by itself is enough for most.
        const { host, identity } = this.#station;
        host.log.debug({ err: error, identity }, 'a station did not respond to a configuration request');
      }
    }
    this.#running = false;
  }
}
