import type { Clock } from '../../../core/clock.ts';

interface SetupParts {
  readonly clock: Clock;
  /** How long a connected station has for its BootNotification, ms. */
  readonly bootMs: number;
  /** Asks the station for its configuration and sends our limits; `booted`: it booted since this last succeeded. */
  readonly run: (state: { readonly booted: boolean }) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** How long after our trigger a BootNotification counts as its answer, ms. */
const TRIGGERED_MS = 60_000;

/** Decides when a station is configured: after a boot, or when it had time to boot and did not. */
export class Setup {
  /** When BootNotification last came on this connection, ms since 1970. */
  bootedAt: number | null = null;
  readonly #parts: SetupParts;
  #cancel: () => void = () => undefined;
  #running = false;
  #again = false;
  #stopped = false;
  #limitsLost = false;
  /** When we last triggered a BootNotification, ms since 1970. */
  #triggeredAt: number | null = null;

  constructor(parts: SetupParts) {
    this.#parts = parts;
  }

  /** Whether BootNotification came on this connection. */
  get booted(): boolean {
    return this.bootedAt !== null;
  }

  begin(): void {
    const { clock, bootMs } = this.#parts;
    this.#cancel = clock.after(bootMs, () => void this.#run());
  }

  /** Triggers a BootNotification by `send`; one that the station does not accept leads to none. */
  async triggerBoot<R extends { readonly status: string } | null>(send: () => Promise<R>): Promise<R> {
    // It may come before the response.
    this.#triggeredAt = this.#parts.clock.now();
    let isAccepted = false;
    try {
      const response = await send();
      isAccepted = response?.status === 'Accepted';
      return response;
    } finally {
      if (!isAccepted) this.#triggeredAt = null;
    }
  }

  /** Whether a BootNotification that comes now was triggered: the station runs as before. `reason` is that of 2.0.1. */
  isTriggered(reason: string | undefined): boolean {
    const since = this.#triggeredAt === null ? null : this.#parts.clock.now() - this.#triggeredAt;
    return reason === 'Triggered' || (since !== null && since <= TRIGGERED_MS);
  }

  hasBooted(): void {
    this.bootedAt = this.#parts.clock.now();
    this.#limitsLost = true;
    this.#cancel();
    // A station accepts no call before the response to its BootNotification, so that is sent first.
    setImmediate(() => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const booted = this.#limitsLost;
      this.#limitsLost = false;
      try {
        await this.#parts.run({ booted });
      } catch (error) {
        this.#limitsLost ||= booted;
        // A station that does not respond is served all the same: what it reports by itself is enough for most.
        this.#parts.onFailure(error);
      }
    }
    this.#running = false;
  }
}

/** The measurand of a sampled value that names none. */
export const REGISTER = 'Energy.Active.Import.Register';
const POWER = 'Power.Active.Import';

/** What a station measures while a transaction runs: power, energy, and what the number of phases follows from. */
export const RUNNING = [REGISTER, POWER, 'Current.Import', 'Voltage'];

/** What it measures at clock-aligned intervals, where it supports them. */
export const ALIGNED = [REGISTER, POWER];

/** The measurands at both ends of a transaction, for its energy. */
export const AT_ENDS = [REGISTER];

/** Splits at commas, spaces and semicolons, since stations differ in how they write a list. */
export const listOf = (value: string): string[] => value.split(/[,;\s]+/).filter((item) => item !== '');

interface Wish {
  /** What the station measures already. */
  readonly now: string;
  readonly wanted: readonly string[];
  /** Sets the list; false when the station refused it. */
  readonly set: (list: string) => Promise<boolean>;
}

/**
 * Adds the wanted measurands to those that a station measures already. A station refuses the whole list if it does not support
 * one of them; they are then added one by one.
 */
export async function measureAlso({ now, wanted, set }: Wish): Promise<void> {
  let list = listOf(now);
  const missing = wanted.filter((measurand) => !list.includes(measurand));
  if (missing.length === 0 || (await set([...list, ...missing].join(',')))) return;
  if (missing.length === 1) return;
  for (const measurand of missing) {
    const longer = [...list, measurand];
    if (await set(longer.join(','))) list = longer;
  }
}
