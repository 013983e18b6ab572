import type { ChargingRecords } from '../../adapter/charging.ts';
import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { Calls } from './calls.ts';
import { type Connector, doubt, newConnector, rawOf, takeFigures } from './connector.ts';
import { DetailKeeper } from './details.ts';
import type { Dialect } from './dialect.ts';
import { figuresOf } from './figures.ts';
import type { Installation } from './installation.ts';
import type { Known } from './known.ts';
import { Learning } from './learning.ts';
import { Memory } from './memory.ts';
import { lastOf, type MeterValue, samplesOf } from './meter.ts';
import type { StationOptions } from './options.ts';
import { type Recalled, restore } from './recall.ts';
import { Roster } from './roster.ts';
import { callError, type Rpc, wordsOf } from './rpc.ts';
import type { Schemas } from './schemas.ts';
import { soundTime } from './time.ts';
import type { Tolerance } from './tolerance.ts';
import type { ChargerRaw } from './translate.ts';
import { Watchers } from './watchers.ts';

const MOST_CONNECTORS = 64;

export interface StationParts {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly known: Known;
  readonly recalled: Recalled;
  /** What the owner said of the installation when linking. */
  readonly installation: Installation;
  readonly schemas: Schemas;
  readonly tolerance: Tolerance;
  /** The protocol version that was agreed on. */
  readonly speak: (station: Station) => Dialect;
}

/** What a station told of itself when asked; null: nothing. */
export interface Learned {
  readonly connectors: number | null;
  readonly smartCharging: boolean | null;
}

/** One connected station: the live state of its connectors, and the way to and from the platform. */
export class Station {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly records: ChargingRecords;
  readonly dialect: Dialect;
  readonly learning: Learning;
  readonly roster: Roster;
  readonly installation: Installation;
  readonly details: DetailKeeper;
  readonly memory: Memory;
  /** When it connected, ms since 1970. */
  readonly since: number;
  /** Whether it speaks of limits in ampere per phase or only in watt. */
  rateUnit: 'A' | 'W' = 'A';
  /** Phases of its supply, where it says so. */
  supplyPhases: number | null = null;
  /** How many periods a charging schedule may have, where it says so. */
  schedulePeriods: number | null = null;
  /** The highest stack level that it takes: a profile below another one, of its installer say, would not hold. */
  stackLevel = 0;
  /** How many charging profiles it holds, where it says so. */
  mostProfiles: number | null = null;
  /** It has refused every kind of limit as unknown; until it boots anew. */
  #isWithoutLimits: boolean;
  /** What it said to the limit of its installation; null: it has taken it, or there is none. */
  installationRefusal: string | null = null;
  #name: string | null;
  #online = true;
  #silent = false;
  #learned = false;
  readonly #calls: Calls;
  readonly #seen = new Set<number>();
  readonly #connectors = new Map<number, Connector>();
  readonly #watchers: Watchers;

  constructor(parts: StationParts, rpc: Rpc) {
    this.key = parts.key;
    this.identity = parts.identity;
    this.host = parts.host;
    this.options = parts.options;
    this.records = parts.host.records(parts.key);
    this.#calls = new Calls(rpc, { ...parts, clock: parts.host.clock });
    this.roster = new Roster(parts.identity, parts.key, parts);
    this.installation = parts.installation;
    this.details = new DetailKeeper(parts.host.documents(parts.key), parts.host);
    this.since = parts.host.clock.now();
    this.#name = parts.known.name;
    this.#isWithoutLimits = parts.known.without_limits === true;
    for (const number of parts.known.connectors) this.#connectors.set(number, newConnector(number));
    for (const connector of this.#connectors.values()) {
      restore(connector, parts, {
        deviceId: this.deviceId(connector),
        isHere: ({ deviceId }) => this.roster.connectorOf(deviceId) === connector.number,
        now: parts.host.clock.now(),
      });
    }
    this.memory = new Memory(this, parts.recalled);
    this.#watchers = new Watchers(parts.host.clock);
    this.dialect = parts.speak(this);
    this.learning = new Learning(this);
  }

  /** The connection stands. */
  arrived(): void {
    for (const connector of this.#connectors.values()) this.#observe(connector);
    this.learning.begin();
  }

  get online(): boolean {
    return this.#online;
  }

  connectors(): Connector[] {
    return [...this.#connectors.values()];
  }

  /** A connector that is known already; commands and reads go to these only. */
  find(number: number): Connector | undefined {
    return this.#connectors.get(number);
  }

  /** The connector that a message of the station is about; refuses numbers that no station has. */
  connector(number: number): Connector {
    if (number < 1 || number > MOST_CONNECTORS) {
      throw callError('PropertyConstraintViolation', `there is no connector ${number}`);
    }
    const connector = this.#connectors.get(number) ?? newConnector(number);
    this.#connectors.set(number, connector);
    if (!this.#seen.has(number)) {
      this.#seen.add(number);
      if (this.#learned) this.announce();
    }
    return connector;
  }

  /** Sends a command; throws an `AppError` of the `vendor.*` codes unless the station answers it. */
  command<R>(action: string, params: object): Promise<R> {
    const { callTimeoutMs, turnTimeoutMs } = this.options;
    return this.#calls.call(action, params, { timeoutMs: callTimeoutMs, turnMs: turnTimeoutMs });
  }

  /** Asks something that not every station can answer: null when it refuses, or answers what nobody understands. */
  async question<R>(action: string, params: object): Promise<R | null> {
    const { learnTimeoutMs, callTimeoutMs } = this.options;
    try {
      return await this.#calls.call<R>(action, params, { timeoutMs: learnTimeoutMs, turnMs: callTimeoutMs });
    } catch (error) {
      const refused =
        error instanceof AppError &&
        (error.code === 'vendor.refused' || error.code === 'vendor.answer_invalid');
      if (refused) return null;
      throw error;
    }
  }

  withTransaction(transactionId: string): Connector | undefined {
    return this.connectors().find(({ transaction }) => transaction?.transactionId === transactionId);
  }

  deviceId(connector: Connector): string {
    return this.roster.deviceId(connector.number);
  }

  raw(connector: Connector): ChargerRaw {
    return {
      ...rawOf(connector, { online: this.#online, now: this.host.clock.now() }),
      installation_a: this.installation.max_a,
    };
  }

  /** When it happened, ms since 1970: by the station's clock, or by ours where that is plainly wrong or not told. */
  timeOf(timestamp: string | undefined): number {
    const now = this.host.clock.now();
    return timestamp === undefined ? now : (soundTime(timestamp, now) ?? now);
  }

  /** The station told something of a connector. */
  changed(connector: Connector): void {
    connector.at = this.host.clock.now();
    this.#observe(connector);
    this.#watchers.look();
  }

  /** As `changed`, and resolves when what must outlive this connection is stored. */
  told(connector: Connector): Promise<void> {
    this.changed(connector);
    return this.memory.store();
  }

  /** Resolves when `reached` holds, or when the station has had its time for it. */
  settled(reached: () => boolean, withinMs: number = this.options.settleMs): Promise<void> {
    return this.#watchers.until(() => reached() || !this.#online, withinMs);
  }

  /** Stores what was measured and takes it into the live state. */
  async measured(
    connector: Connector,
    values: readonly MeterValue[],
    transactionId: string | null,
  ): Promise<void> {
    const readings = values
      .map((value) => {
        const samples = samplesOf(value);
        const figures = figuresOf(samples);
        const at = this.timeOf(value.timestamp);
        const registerWh = figures.register_wh;
        return { deviceId: this.deviceId(connector), at, transactionId, samples, registerWh, figures };
      })
      .filter(({ samples }) => samples.length > 0);
    if (readings.length === 0) return;
    await this.records.append(lastOf(readings).map(({ figures, ...reading }) => reading));
    // What flowed in a transaction that has ended says nothing of now.
    const isOver = transactionId !== null && connector.transaction === null;
    for (const { figures, at } of readings) {
      takeFigures(connector, isOver ? { ...figures, power_w: null, phases: null } : figures, at);
    }
  }

  hasBooted(maker: string | undefined, model: string | undefined): void {
    const name = `${wordsOf(maker)} ${wordsOf(model)}`.trim();
    this.#name = name === '' ? null : name;
    this.#isWithoutLimits = false;
    // It tells of every plug anew, and may have others than before.
    for (const connector of this.#connectors.values()) {
      connector.plugs.clear();
      doubt(connector);
    }
    this.learning.hasBooted();
  }

  /** It has been asked what it is; from now on every connector that shows up is announced at once. */
  learned({ connectors, smartCharging }: Learned): void {
    if (connectors !== null && connectors >= 1 && connectors <= MOST_CONNECTORS) {
      for (const number of [...this.#connectors.keys()]) {
        if (number > connectors && !this.#seen.has(number)) this.#connectors.delete(number);
      }
      for (let number = 1; number <= connectors; number += 1) {
        if (!this.#connectors.has(number)) this.#connectors.set(number, newConnector(number));
      }
    }
    this.#learned = true;
    this.announce(smartCharging);
  }

  /** It knows no charging profiles, whatever it said of itself: limits are withheld until it boots anew. */
  takesNoLimits(): void {
    this.#isWithoutLimits = true;
    this.announce();
  }

  /** Tells the platform which devices there are, when that differs from what it knows. */
  announce(smartCharging: boolean | null = null): void {
    this.roster.announce(
      () => ({
        name: this.#name,
        smart_charging: this.#canLimit(smartCharging),
        without_limits: this.#isWithoutLimits,
        connectors: [...this.#connectors.keys()].sort((a, b) => a - b),
      }),
      () => {
        for (const connector of this.#connectors.values())
          if (connector.at !== null) this.#observe(connector);
      },
    );
  }

  #canLimit(told: boolean | null): boolean {
    if (this.#isWithoutLimits) return false;
    const { smart_charging, without_limits } = this.roster.known;
    // A station that does not say may be able to, now that it has booted.
    return told ?? (smart_charging || without_limits === true);
  }

  /** The connection ended. `tell` is false when it lives on elsewhere, or nobody is left to hear of it. */
  left(tell: boolean): void {
    this.#online = false;
    this.learning.stop();
    this.#watchers.look();
    if (tell) for (const connector of this.#connectors.values()) this.#observe(connector);
    this.#silent = true;
    this.memory.close();
  }

  #observe(connector: Connector): void {
    // What is still being stored of an ended connection must not speak over the one that took its place.
    if (this.#silent) return;
    this.host.observed(this.key, this.deviceId(connector), this.raw(connector));
  }
}
